package embed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/index/vectors"
)

// Embedder is the user's embedder, and what it made of the texts of a clone.
type Embedder struct {
	Config
	err   error // what is wrong with the config
	store *store.Store
	now   func() time.Time
}

// Of returns the embedder that the user of a workspace has set up. Its config is read by this call, and not by verbs
// that search by words.
func Of(w *verb.Workspace, s *store.Store) Embedder {
	c, err := ReadConfig(w.ConfigDir)
	return Embedder{Config: c, err: err, store: s, now: w.Now}
}

// Off reports whether the user has set up no embedder, not even a wrong one.
func (e Embedder) Off() bool { return e.Config.Off() && e.err == nil }

// Text is a text to be embedded. The key stands for its content: texts that differ have different keys.
type Text struct {
	Key  string
	Read func() (string, error) // is called if the text was not embedded before
}

const (
	longestText = 32 << 10 // bytes; of a longer text its beginning is embedded
	mostTexts   = 2000     // of one call; others wait for the next
)

// ErrOff says that the user has set up no embedder.
var ErrOff = errors.New("no embedder is set up")

// Vectors returns the vectors of texts. Those that were not embedded before are embedded now, in their order, as many
// as there is time for. Keep lists the keys of all texts whose vectors are kept for later calls; nil keeps all. An
// error says why vectors are missing; those that there are can be used.
func (e Embedder) Vectors(ctx context.Context, texts []Text, keep []string) (*vectors.Set, error) {
	if e.err != nil || e.Config.Off() {
		return vectors.Load("", ""), cmp.Or(e.err, ErrOff)
	}
	path := e.store.Live.Vectors()
	set := vectors.Load(path, e.name())
	err := e.complete(ctx, set, texts)
	if keepErr := set.Keep(path, e.store.MakeLive, keep); err == nil {
		err = keepErr
	}
	return set, err
}

// complete adds the vectors of texts that a set lacks. If they turn out to be of another size than those that were
// kept, all are made anew.
func (e Embedder) complete(ctx context.Context, set *vectors.Set, texts []Text) error {
	for range 2 {
		missing, read := e.missing(set, texts)
		if len(missing) == 0 {
			return nil
		}
		if err := e.rests(); err != nil {
			return err
		}
		if err := e.add(ctx, set, missing, read); err != nil {
			return err
		}
	}
	return nil
}

// add has texts embedded, and adds their vectors to a set.
func (e Embedder) add(ctx context.Context, set *vectors.Set, texts []Text, read []string) error {
	got, err := e.embed(ctx, read)
	for i, v := range got {
		if !set.Add(texts[i].Key, v) {
			got, err = got[:i], errors.New("wrote what is no vector")
			break
		}
	}
	if err == nil {
		return nil
	}
	if len(got) == 0 && ctx.Err() == nil {
		e.rest(err)
	}
	return fmt.Errorf("the embedder %w", err)
}

// missing reads the texts that were not embedded before. One that cannot be read is left out.
func (e Embedder) missing(set *vectors.Set, texts []Text) (missing []Text, read []string) {
	for _, t := range texts {
		if len(missing) == mostTexts {
			break
		}
		if set.Of(t.Key) != nil {
			continue
		}
		text, err := t.Read()
		if err != nil {
			continue
		}
		missing, read = append(missing, t), append(read, strings.ToValidUTF8(text[:min(len(text), longestText)], ""))
	}
	return missing, read
}

func (e Embedder) embed(ctx context.Context, texts []string) ([][]float32, error) {
	if len(e.Command) > 0 {
		return e.byCommand(ctx, texts, e.timeout())
	}
	return e.byURL(ctx, texts, e.timeout())
}

// An embedder that gave nothing is not asked again for a while, so that one that hangs does not hold up every call.
const restsFor = time.Minute

// rest writes down that the embedder gave nothing. That it cannot be written harms nobody.
func (e Embedder) rest(why error) {
	_ = vectors.Outage{Embedder: e.name(), At: e.now().UTC(), Reason: why.Error()}.Write(e.store.Live.Vectors(), e.store.MakeLive)
}

// rests returns why the embedder is not asked, or nil.
func (e Embedder) rests() error {
	o, ok := vectors.OutageOf(e.store.Live.Vectors(), e.name())
	if since := e.now().Sub(o.At); !ok || since < 0 || since >= restsFor {
		return nil
	}
	return fmt.Errorf("the embedder %s; it is asked again after %s", o.Reason, o.At.Add(restsFor).Format(time.TimeOnly))
}
