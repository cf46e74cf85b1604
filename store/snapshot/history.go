package snapshot

import (
	"context"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/task"
)

// history looks up what the rules need to know of the commits of a change.
type history struct {
	layout.Layout
	ctx context.Context
	subject
	*commits
	isLater []bool // see later
	prints
	ancestors map[string]git.Step // see ancestry
	configs   []git.Step          // see landedBy
	unmerged  map[side][]string   // see unexplained
	fork      *forks              // see madeFrom; nil until it is asked
	err       error               // the first failure; after it nothing is known
}

// newHistory reads the commits of a change of since, whose tree is before. It must be closed.
func newHistory(ctx context.Context, l layout.Layout, s subject, since string, before *tree) (*history, error) {
	c, err := readCommits(ctx, l, since, before, s.head)
	if err != nil {
		return nil, err
	}
	for _, steps := range [][]git.Step{c.all, c.around} { // whoever commits chooses the time
		for i := range steps {
			if !s.clock.IsZero() && steps[i].At.After(s.clock) {
				steps[i].At = s.clock
			}
		}
	}
	c.keep(s.tree, before)
	return &history{Layout: l, ctx: ctx, subject: s, commits: c, prints: prints{known: map[string]string{}}}, nil
}

func (h *history) close() {
	h.contents.Close()
	if h.from != nil {
		h.from.Close()
	}
}

func (h *history) fail(err error) {
	if h.err == nil {
		h.err = err
	}
}

// tell fills in what a change says of its commits. recalled are versions of records that were deleted before, and bases
// are all commits that the judged files are compared with.
func (h *history) tell(change *proof.Change, recalled []version, bases []string) (err error) {
	suspects := change.Suspects()
	if change.Past, err = h.past(suspects); err != nil {
		return err
	}
	for _, v := range recalled {
		t, ok := v.value.(task.Task)
		if ok && slices.ContainsFunc(suspects, func(s proof.Suspect) bool { return s.ID == t.ID }) {
			change.Past[t.ID] = append(change.Past[t.ID], t)
		}
	}
	change.History = h
	change.Erased = h.erased(recalled, h.upTo(bases))
	for _, c := range slices.Concat(h.all, h.around) {
		if c.At.After(change.Newest) {
			change.Newest = c.At
		}
	}
	return h.err
}

// prints are the fingerprints of the commits of a change. They are taken from the newest on, until the one that is
// looked for is there.
type prints struct {
	from  *git.Fingerprints
	taken int
	known map[string]string // of commits
	now   string            // of what is not committed; "" until it is taken
}

// Committed is proof.History.Committed.
func (h *history) Committed(commit, fingerprint string) (here, known bool) {
	if _, ours := h.place[commit]; h.err != nil || !ours && commit != "" && commit != h.since {
		return false, false
	}
	here = h.uncommitted() == fingerprint
	for i := 0; !here && i < len(h.all) && h.err == nil; i++ {
		here = h.fingerprintOf(h.all[len(h.all)-1-i].ID) == fingerprint
	}
	return here && h.err == nil, h.err == nil && (here || !h.unhashed)
}

// uncommitted is the fingerprint of the judged files; "" if they are those of a commit, or may not be hashed.
func (h *history) uncommitted() string {
	if h.now == "" && h.fingerprint != nil && h.err == nil {
		var err error
		h.now, err = h.fingerprint(h.ctx)
		h.fail(err)
	}
	return h.now
}

// fingerprintOf is the fingerprint of a commit.
func (h *history) fingerprintOf(commit string) string {
	f, known := h.prints.known[commit]
	if known || h.err != nil {
		return f
	}
	if _, ours := h.place[commit]; !ours {
		f, err := h.Repo.Objects().Fingerprint(h.ctx, commit)
		h.fail(err)
		h.prints.known[commit] = f
		return f
	}
	if h.from == nil {
		trees := make([]string, len(h.all))
		for i, c := range h.all {
			trees[len(h.all)-1-i] = c.Tree
		}
		var err error
		h.from, err = h.Repo.History().Fingerprints(h.ctx, trees)
		h.fail(err)
	}
	for f == "" && h.err == nil {
		next, err := h.from.Next()
		h.fail(err)
		h.taken++
		at := h.all[len(h.all)-h.taken].ID
		if h.prints.known[at] = next; at == commit {
			f = next
		}
	}
	return f
}

// firstWith is the first commit of the change in which a record has an entry; -1 if there is none.
func (h *history) firstWith(of record.Ref, e record.Entry) int {
	if h.err != nil {
		return -1
	}
	i, err := h.commits.firstWith(of, e)
	h.fail(err)
	return i
}

// BroughtBy is proof.History.BroughtBy.
func (h *history) BroughtBy(id record.ID, e record.Entry) (proof.Written, bool) {
	i := h.firstWith(id.Ref(), e)
	switch {
	case i >= 0:
		w := proof.Written{Find: h.in(h.all[i].ID), At: h.all[i].At, Later: h.later()[i]}
		w.Lost = func(id record.ID) []record.Entry { return h.lostIn(id, i) }
		for _, from := range h.madeFrom(i) {
			w.From = append(w.From, h.in(from))
		}
		for _, parent := range h.all[i].Parents {
			w.Before = append(w.Before, h.in(parent))
		}
		return w, h.err == nil
	case len(h.all) == 0:
		return proof.Written{}, false
	}
	return proof.Written{Before: []task.Find{h.in(h.head)}}, false
}

// RecordBroughtBy is proof.History.RecordBroughtBy.
func (h *history) RecordBroughtBy(of record.Ref, e record.Entry) (proof.WrittenIn, bool) {
	k, ok := kind.For(of)
	i := h.firstWith(of, e)
	if i < 0 || !ok {
		return proof.WrittenIn{}, false
	}
	at, err := h.contentIn(h.all[i].ID, k, of.ID)
	h.fail(err)
	log, err := h.log(at)
	h.fail(err)
	return proof.WrittenIn{At: h.all[i].At, Log: log}, h.err == nil
}

// DefaultsAt is proof.History.DefaultsAt. Where the histories crossed, a default check of any of the
// commits counts.
func (h *history) DefaultsAt(id record.ID, e record.Entry) ([]task.Check, bool) {
	var bases []string
	if i := h.firstWith(id.Ref(), e); h.err == nil && i >= 0 && !h.later()[i] {
		bases = h.mergeBases(h.since, h.all[i].ID)
	} else if made, ok := id.Minted(); h.err == nil && ok {
		bases = h.landedBy(slices.MaxFunc([]time.Time{made, e.At}, time.Time.Compare))
	}
	var out []task.Check
	for _, base := range bases {
		b, err := h.contents.Blob(base+":"+h.configPath(), format.MaxFile)
		h.fail(err)
		c, err := kind.ParseConfig(b.Content)
		if err != nil {
			return nil, false
		}
		out = append(out, c.Flow.Defaults...)
	}
	return out, h.err == nil && len(bases) > 0
}

// landedBy returns the commit of the base whose config stood at a time: the newest landing of one before that second,
// or the first of all. A rebase and a squash leave nothing else that tells on what a branch stood.
func (h *history) landedBy(at time.Time) []string {
	if h.configs == nil && h.err == nil {
		var err error
		h.configs, err = h.Repo.History().Landings(h.ctx, h.since, h.configPath())
		h.fail(err)
	}
	if len(h.configs) == 0 {
		return nil
	}
	i := slices.IndexFunc(h.configs, func(c git.Step) bool { return c.At.Before(at.Truncate(time.Second)) })
	if i < 0 {
		i = len(h.configs) - 1
	}
	return []string{h.configs[i].ID}
}

func (h *history) configPath() string { return h.InRepo(h.Rel(h.ConfigFile())) }

// FilesAt is proof.History.FilesAt.
func (h *history) FilesAt(id record.ID, e record.Entry) (fingerprint string, known bool) {
	if i := h.firstWith(id.Ref(), e); i >= 0 {
		fingerprint = h.fingerprintOf(h.all[i].ID)
	} else {
		fingerprint = h.uncommitted()
	}
	return fingerprint, h.err == nil && fingerprint != ""
}

// later reports of each commit whether it is a descendant of since.
func (h *history) later() []bool {
	if h.isLater == nil {
		h.isLater = h.descendants(h.since)
	}
	return h.isLater
}

// descendants reports of each commit whether it is a descendant of another.
func (c *commits) descendants(of string) []bool {
	out := make([]bool, len(c.all))
	for i, commit := range c.all {
		out[i] = slices.ContainsFunc(commit.Parents, func(parent string) bool {
			at, ours := c.place[parent]
			return parent == of || ours && out[at]
		})
	}
	return out
}

// in looks up tasks, and records of other kinds that they depend on, in a commit.
func (h *history) in(commit string) task.Find {
	return kind.Deps(commitReader{h, commit}, h.tree.Config.Flow)
}

// commitReader reads records as a commit has them.
type commitReader struct {
	*history
	commit string
}

// Read is kind.Reader.Read. A record that cannot be read counts as one that is not there.
func (r commitReader) Read(k *kind.Kind, id string) (any, error) {
	at, err := r.contentIn(r.commit, k, id)
	r.fail(err)
	v, err := r.value(at)
	r.fail(err)
	if v == nil {
		return nil, k.NotFound(id)
	}
	return v, nil
}

// past returns the versions of the suspects' files since the base. For a suspect marked Undeclared it returns every
// version in the history. Versions that cannot be read as a task are left out.
func (h *history) past(suspects []proof.Suspect) (map[record.ID][]task.Task, error) {
	old, out := map[record.Ref]bool{}, map[record.ID][]task.Task{}
	for _, s := range suspects {
		if s.Undeclared {
			old[s.ID.Ref()] = true
		}
		for _, of := range h.contentsOf(s.ID.Ref(), nil) {
			v, err := h.value(of)
			if err != nil {
				return nil, err
			}
			if t, ok := v.(task.Task); ok {
				out[s.ID] = append(out[s.ID], t)
			}
		}
	}
	if h.head == "" || len(old) == 0 {
		return out, h.err
	}
	err := versions(h.ctx, h.Layout, h.since, old, func(v version) {
		if t, ok := v.value.(task.Task); ok {
			out[t.ID] = append(out[t.ID], t)
		}
	})
	return out, err
}

// contentsOf are the contents that a record has in the commits of the change, without some of them, each once. Where
// people choose the id, a record that is deleted and made anew is another one.
func (h *history) contentsOf(of record.Ref, without map[int]bool) (all []content) {
	k, ok := kind.For(of)
	for _, i := range h.touching[of] {
		if !ok || h.err != nil {
			break
		}
		if without[i] {
			continue
		}
		at, err := h.contentIn(h.all[i].ID, k, of.ID)
		h.fail(err)
		switch {
		case at.id == "" && k.Life.Named:
			all = nil
		case at.id != "" && !slices.Contains(all, at):
			all = append(all, at)
		}
	}
	return all
}
