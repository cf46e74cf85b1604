package statements

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/evidence"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
)

// Of returns the shelf of a workspace.
func Of(s *store.Store, now func() time.Time) Shelf {
	return Shelf{Layout: s.Layout, Claims: s.Config.Claims, Trusted: s.Trusted, Now: now}
}

// Shelf is where the statements of a workspace are.
type Shelf struct {
	Layout  layout.Layout
	Claims  kind.Claims // whose remote and whose namespace statements use too
	Trusted func() bool // whether the user has consented that commands of this clone run
	Now     func() time.Time
	Base    string // the commit whose allowed_signers counts; "" for the base of this branch
}

// theirs is the ref of the remote, beside the one below which claims are: a host that takes the one takes the other.
func (h Shelf) theirs() string { return path.Join(path.Dir(h.Claims.Namespace), "evidence") }

func (h Shelf) ours() git.Growing { return h.Layout.Repo.Growing(kind.Evidence) }

// folder is that of the workspace in the tree, "" for the top.
func (h Shelf) folder() string {
	if at := h.Layout.InRepo(""); at != "" && at != "." {
		return "at-" + record.Digest(at)
	}
	return ""
}

func (h Shelf) path(below ...string) string {
	return path.Join(append([]string{h.folder()}, below...)...)
}

// inGit returns GIT outside a repository.
func (h Shelf) inGit() error {
	if h.Layout.Repo == nil {
		return record.Errorf(record.Git, "evidence is kept in git, and this is no git repository").WithHint("git init makes one")
	}
	return nil
}

// Add keeps envelopes in this clone. It returns INVALID_INPUT for what states neither a close nor a change in the way
// that cairn writes it. Whether it counts is not asked.
func (h Shelf) Add(ctx context.Context, sealed ...[]byte) error {
	if err := h.inGit(); err != nil {
		return err
	}
	files := map[string][]byte{}
	for _, src := range sealed {
		s := read(src)
		if s.Of == "" {
			return record.Errorf(record.InvalidInput, "it is no evidence: %s", s.Why).
				WithHint("evidence is what a witness and an export write, an envelope on each line: DSSE with an in-toto statement")
		}
		files[h.path(s.folder(), s.Of, s.Hash+git.GrowingExt)] = src
	}
	_, err := h.ours().Add(ctx, files, nil, h.Now())
	return err
}

func hashOf(src []byte) string {
	sum := sha256.Sum256(src)
	return hex.EncodeToString(sum[:])
}

// Exchanged is what became of an exchange with the remote.
type Exchanged struct {
	Remote string // "" if the clone has none
	Pushed bool   // the remote has all that is here
	Said   string // why not
	Got    int    // statements that came
	Sent   int    // and those that went

	there int // how many the remote had last
}

const answerLimit = 30 * time.Second

// Exchange brings this clone and the remote together: each has the union then, where the remote takes the push. That it
// does not is no error. It returns OFFLINE if the remote gives no answer, and UNTRUSTED where git would start a program
// for it that the user has not approved.
func (h Shelf) Exchange(ctx context.Context) (done Exchanged, err error) {
	if h.Layout.Repo == nil {
		return done, nil
	}
	remotes := h.Layout.Repo.Remotes()
	names, err := remotes.Names(ctx)
	if err != nil {
		return done, err
	}
	name := cmp.Or(h.Claims.Remote, "origin")
	if !slices.Contains(names, name) {
		return done, nil
	}
	starts, err := remotes.Starts(ctx, name)
	if err != nil {
		return done, err
	}
	if len(starts) > 0 && !h.Trusted() {
		return done, record.Errorf(record.Untrusted, "evidence goes through the git remote %s, for which this clone's .git/config starts a program (%s)", name, starts[0]).
			WithHint("a person looks at it, and then approves this clone: %s", record.CallTo("trust").ByPerson())
	}
	limited, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	done.Remote = name
	before, err := h.countHere(ctx)
	if err == nil {
		done, err = h.exchange(limited, ctx, done)
	}
	if err != nil {
		return done, err
	}
	now, err := h.countHere(ctx)
	done.Got = now - before
	if done.Pushed {
		done.Said, done.Sent = "", now-done.there
	}
	return done, err
}

// count is how many statements a commit has.
func (h Shelf) count(ctx context.Context, commit string) (int, error) {
	files, err := h.ours().Files(ctx, commit, "")
	return len(files), err
}

func (h Shelf) countHere(ctx context.Context) (int, error) {
	tip, err := h.ours().Tip(ctx)
	if err != nil {
		return 0, err
	}
	return h.count(ctx, tip)
}

// pushes is how often a push is tried while others push too.
const pushes = 8

func (h Shelf) exchange(limited, ctx context.Context, done Exchanged) (Exchanged, error) {
	remotes := h.Layout.Repo.Remotes()
	last := "none"
	for try := range pushes {
		if err := remotes.FetchRef(limited, done.Remote, h.theirs(), kind.RemoteEvidence); err != nil {
			return done, h.offline(ctx, done.Remote, err)
		}
		tip, skipped, err := h.tipThere(ctx, done.Remote)
		if err != nil || skipped != "" {
			done.Said = skipped
			return done, err
		}
		ours, err := h.ours().Add(ctx, nil, []string{tip}, h.Now())
		if err == nil {
			done.there, err = h.count(ctx, tip)
		}
		if err != nil || ours == tip {
			done.Pushed = err == nil
			return done, err
		}
		if tip == last { // nobody moved it: it was refused for another reason
			return done, nil
		}
		last = tip
		results, words, err := remotes.Push(limited, done.Remote, []git.RefUpdate{{Ref: h.theirs(), Old: tip, New: ours}}, false)
		switch {
		case err == nil && results[0] == git.Taken:
			done.Pushed = true
			return done, nil
		case results[0] == git.Unknown && git.Exited(err) != 1:
			done.Said = record.Clip(git.WithoutCredentials(git.Complaint(err)), 300)
			return done, nil
		}
		done.Said = record.Clip(git.WithoutCredentials(words), 300)
		select {
		case <-limited.Done():
			return done, ctx.Err()
		case <-time.After(time.Duration(40<<try) * time.Millisecond):
		}
	}
	return done, nil
}

// tipThere is the commit of the remote's ref, as it was fetched; "" for none. What is no commit is skipped, and never
// replaced: skipped says so.
func (h Shelf) tipThere(ctx context.Context, remote string) (tip, skipped string, err error) {
	of, err := h.Layout.Repo.Refs().Kind(ctx, kind.RemoteEvidence)
	if err != nil || of == "" {
		return "", "", err
	}
	if of != "commit" {
		return "", fmt.Sprintf("%s at %s is a %s and no commit: nothing of it counts, and nothing was pushed; whoever may takes it away: git push %s --delete %s",
			h.theirs(), remote, of, remote, h.theirs()), nil
	}
	tip, err = h.Layout.Repo.Refs().Commit(ctx, kind.RemoteEvidence)
	return tip, "", err
}

func (h Shelf) offline(ctx context.Context, remote string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return record.Errorf(record.Offline, "the git remote %s gave no answer: %s", remote, record.Clip(git.WithoutCredentials(git.Complaint(err)), 300)).
		WithHint("try again in a minute; git fetch %s by hand shows what is wrong", remote)
}

// Read lists the statements of the workspace, judged, those of tasks and then those of changes; of one task or commit, if
// it is not "".
func (h Shelf) Read(ctx context.Context, of string) ([]Statement, error) {
	if err := h.inGit(); err != nil {
		return nil, err
	}
	tip, err := h.ours().Tip(ctx)
	if err != nil {
		return nil, err
	}
	var all []Statement
	for _, folder := range []string{changes, tasks} {
		below := h.path(folder)
		if of != "" {
			below = h.path(folder, of)
		}
		found, err := h.below(ctx, tip, below)
		if err != nil {
			return nil, err
		}
		all = append(found, all...)
	}
	return all, h.judge(ctx, all)
}

// Judge reads envelopes that lie elsewhere, and judges them.
func (h Shelf) Judge(ctx context.Context, sealed ...[]byte) ([]Statement, error) {
	if err := h.inGit(); err != nil {
		return nil, err
	}
	all := record.Each(sealed, read)
	return all, h.judge(ctx, all)
}

// mostRead is how many statements are read, so that a remote cannot fill the memory: the newest names do not count then.
const mostRead = 100_000

func (h Shelf) below(ctx context.Context, tip, folder string) ([]Statement, error) {
	files, err := h.ours().Files(ctx, tip, folder)
	if err != nil {
		return nil, err
	}
	files = files[:min(len(files), mostRead)]
	all := make([]Statement, len(files))
	ids := record.Each(files, func(f git.File) string { return f.ID })
	return all, h.Layout.Repo.Objects().Blobs(ctx, ids, evidence.MaxEnvelope, func(i int, b git.Blob) {
		s := read(b.Content)
		at, name := path.Split(files[i].Path)
		if s.Why == "" && (name != s.Hash+git.GrowingExt || path.Clean(at) != h.path(s.folder(), s.Of)) {
			s.Why = "it lies where another statement belongs"
		}
		if s.Of == "" {
			s.Hash, s.Of = name[:len(name)-len(git.GrowingExt)], path.Base(at)
		}
		all[i] = s
	})
}
