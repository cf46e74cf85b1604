package gates

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/cairn-tasks/cairn/internal/guard"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/task"
)

// Verified is what running the checks of a closed task again showed.
type Verified struct {
	ID     record.ID       `json:"id"`
	Title  string          `json:"title"`
	Commit string          `json:"commit,omitempty"` // with which it was closed, and in whose files its checks were run
	Checks []VerifiedCheck `json:"checks"`
	Why    string          `json:"why,omitempty"` // why nothing was run
}

// VerifiedCheck is a command that was run again.
type VerifiedCheck struct {
	Check    int     `json:"check"` // index
	Desc     string  `json:"desc"`
	Recorded string  `json:"recorded"`         // what the record says of it: pass, and held if it passed with the guarded files of the base too
	Same     bool    `json:"same"`             // the recorded pass was earned on these very files
	Now      string  `json:"now"`              // holds, flaky (it failed and then passed) or broken
	Runs     int     `json:"runs"`             // three at most
	Output   string  `json:"output,omitempty"` // the last of it, if it is broken
	Matrix   *Matrix `json:"matrix,omitempty"`
}

// Matrix is what is known of a check by four runs: with the work and without it, and with its guarded files as they are
// and as they were. Each is pass or fail; "" where it could not be made.
type Matrix struct {
	Now      string `json:"now"`       // the work, with its tests
	OldTests string `json:"old_tests"` // the work, with the tests as they were
	Without  string `json:"without"`   // the tests of the work, without the work: fail shows that they test it
	AsItWas  string `json:"as_it_was"` // neither
	Red      bool   `json:"red"`       // it was seen to fail without the work
}

// What a check that was run again is.
const (
	Holds  = "holds"
	Flaky  = "flaky"
	Broken = "broken"
)

const mostTries = 3

// Verify runs the commands of a closed task again, in an empty folder with the files of the commit that closed it. It
// writes nothing into the record. It returns UNTRUSTED where its commands may not run.
func Verify(ctx context.Context, w *verb.Workspace, s *store.Store, t task.Task, matrix bool) (Verified, error) {
	out := Verified{ID: t.ID, Title: t.Title, Checks: []VerifiedCheck{}}
	closed := closeOf(s, t)
	var todo []int
	for i, c := range t.Checks {
		if !c.Manual() {
			todo = append(todo, i)
		}
	}
	switch {
	case (!s.Config.Flow.ClaimsDone(t.Status) || closed < 0) && (!matrix || s.Config.Flow.IsClosed(t.Status)):
		out.Why = "it is not closed as done"
		return out, nil
	case len(todo) == 0:
		out.Why = "none of its checks is a command"
		return out, nil
	case s.Repo == nil || t.Repo != "":
		out.Why = "its files are in no commit of this repository"
		return out, nil
	}
	if err := ConsentFor(ctx, w, s, t, ChecksOf(s, t, todo)); err != nil {
		return out, err
	}
	files, err := Ready(s, t)
	if err == nil && !s.Config.Flow.IsClosed(t.Status) {
		return verifyOpen(ctx, w, s, t, files, todo, out)
	}
	if err == nil {
		out.Commit, err = landed(ctx, s, t, t.Provenance[closed])
	}
	if err != nil || out.Commit == "" {
		out.Why = "no commit has its close yet"
		return out, err
	}
	g := &guarding{files: files, at: out.Commit}
	return g.verify(ctx, w, s, t, todo, out, matrix)
}

// verifyOpen makes the runs of a task that is still open, with its files as they are now.
func verifyOpen(ctx context.Context, w *verb.Workspace, s *store.Store, t task.Task, files store.Files, todo []int, out Verified) (Verified, error) {
	tree, absent := treeAndAbsent(ctx, files)
	g, err := guardsOf(ctx, s, t, files, tree, absent, nil)
	if err != nil || g == nil {
		out.Why = "no commit has the files as they were where its work began"
		return out, err
	}
	return g.runAgain(ctx, w, s, t, todo, out, true)
}

// Landed is the commit with which a task was closed as done, on the way to HEAD; "" if it is not closed so, or no commit
// has its close yet.
func Landed(ctx context.Context, s *store.Store, t task.Task) (string, error) {
	closed := closeOf(s, t)
	if s.Repo == nil || closed < 0 || !s.Config.Flow.ClaimsDone(t.Status) {
		return "", nil
	}
	return landed(ctx, s, t, t.Provenance[closed])
}

// landed is the first commit on the way to HEAD that has an entry of a task; "" for none.
func landed(ctx context.Context, s *store.Store, t task.Task, e record.Entry) (string, error) {
	commits, err := s.Repo.History().Touching(ctx, "HEAD", s.InRepo(layout.Folder))
	if err != nil {
		return "", err
	}
	var failed error
	at, _ := slices.BinarySearchFunc(commits, true, func(commit string, _ bool) int {
		found, err := hasEntry(ctx, s, t.ID, commit, e)
		failed = cmp.Or(failed, err)
		if found {
			return 0
		}
		return -1
	})
	if failed != nil || at == len(commits) {
		return "", failed
	}
	return commits[at], nil
}

// before is the commit before the one that brought the entry with which work on a closed task began; before its close
// where no entry says so. "" is none.
func before(ctx context.Context, s *store.Store, t task.Task) (string, error) {
	n := s.Config.Flow.Began(t)
	if n < 0 {
		n = closeOf(s, t)
	}
	brought, err := landed(ctx, s, t, t.Provenance[n])
	if err != nil || brought == "" {
		return "", err
	}
	return s.Repo.Commit(ctx, brought+"^1")
}

// closeOf is the index of the entry that closed a task as done last; -1 for none.
func closeOf(s *store.Store, t task.Task) int { return t.Provenance.LastIndex(s.Config.Flow.Closes) }

// hasEntry reports whether a task has an entry in a commit.
func hasEntry(ctx context.Context, s *store.Store, id record.ID, commit string, e record.Entry) (found bool, err error) {
	err = place.InCommits(ctx, s.Layout, []string{commit}, []record.Ref{id.Ref()}, func(_ record.Ref, src []byte) {
		doc, err := format.Parse(src, kind.Tasks.Form)
		if err != nil {
			return
		}
		log, err := kind.Entries(doc)
		found = found || err == nil && slices.ContainsFunc(log, e.Equal)
	})
	return found, err
}

// ClosedIn reports whether a commit has the entry that closed a task.
func ClosedIn(ctx context.Context, s *store.Store, t task.Task, commit string) (bool, error) {
	closed := closeOf(s, t)
	if closed < 0 || s.Repo == nil {
		return false, nil
	}
	return hasEntry(ctx, s, t.ID, commit, t.Provenance[closed])
}

// verify runs the commands.
func (g *guarding) verify(ctx context.Context, w *verb.Workspace, s *store.Store, t task.Task, todo []int, out Verified, matrix bool) (Verified, error) {
	tree, err := g.files.Layout.Repo.Objects().Tree(ctx, g.at)
	if err != nil {
		return out, err
	}
	g.now = tree
	if g.base, err = before(ctx, s, t); err != nil {
		return out, err
	}
	if err := g.compare(ctx, s, t); err != nil {
		return out, err
	}
	return g.runAgain(ctx, w, s, t, todo, out, matrix)
}

// runAgain runs the commands, with the files that were compared, and keeps what this clone saw.
func (g *guarding) runAgain(ctx context.Context, w *verb.Workspace, s *store.Store, t task.Task, todo []int, out Verified, matrix bool) (Verified, error) {
	h, now := heldRun{guarding: g, w: w, s: s, t: t}, Fingerprint(g.now)
	evidence := t.EvidenceIndex()
	err := h.inTree(ctx, g.at, todo, nil, func(root string) error {
		for n, i := range todo {
			ev, _ := evidence.Evidence(i)
			one := VerifiedCheck{Check: i, Desc: t.Checks[i].Desc, Recorded: string(cmp.Or(ev.Result, record.Pending)), Same: ev.Tree == now && now != ""}
			if ev.Held == record.HeldBase {
				one.Recorded += ", held"
			}
			if err := h.tries(ctx, root, n, todo, &one); err != nil {
				return err
			}
			out.Checks = append(out.Checks, one)
		}
		return nil
	})
	for n := range out.Checks {
		if err == nil && matrix {
			out.Checks[n].Matrix, err = h.matrix(ctx, todo[n], out.Checks[n].Now != Broken)
		}
	}
	if err != nil {
		return out, err
	}
	h.keep(ctx, todo, out)
	return out, nil
}

// keep notes in the live state what the runs showed: of a closed task about its close, and of an open one which checks
// fail without the work. Where that cannot be written the level is lower.
func (h heldRun) keep(ctx context.Context, todo []int, out Verified) {
	var facts []task.Fact
	flow, closing := h.s.Config.Flow, h.t.Closing()
	seen := func(i int) task.Seen {
		one := out.Checks[slices.Index(todo, i)]
		m := cmp.Or(one.Matrix, &Matrix{})
		held := h.base != "" && (len(h.changed[h.key(i)]) == 0 || m.OldTests == string(record.Pass))
		return task.Seen{Held: one.Now == Holds && held, Red: m.Red}
	}
	if flow.ClaimsDone(h.t.Status) && closing != "" {
		facts = append(facts, task.Fact{About: closing, Seen: flow.Together(h.t, seen)})
	}
	for _, i := range todo {
		if !flow.IsClosed(h.t.Status) && seen(i).Red {
			facts = append(facts, task.Fact{About: flow.FailedSince(h.t, i), Seen: task.Seen{Red: true}})
		}
	}
	_ = h.s.Update(ctx, func(tx *store.Tx) error {
		tx.Saw(slices.DeleteFunc(facts, func(f task.Fact) bool { return f.Seen == task.Seen{} })...)
		return nil
	})
}

// tries runs a check until it passes, three times at most.
func (h heldRun) tries(ctx context.Context, root string, n int, todo []int, one *VerifiedCheck) error {
	for one.Runs = 1; ; one.Runs++ {
		got, err := h.once(ctx, root, todo[n], fmt.Sprintf("check %d of %d of %s: %s", n+1, len(todo), h.t.ID, one.Desc))
		switch {
		case err != nil:
			return err
		case got.Passed && one.Runs == 1:
			one.Now = Holds
			return nil
		case got.Passed:
			one.Now = Flaky
			return nil
		case one.Runs == mostTries:
			one.Now, one.Output = Broken, verb.Tail(got.Output, tailShown)
			return nil
		}
	}
}

// matrix makes the other three runs of a check.
func (h heldRun) matrix(ctx context.Context, i int, passes bool) (*Matrix, error) {
	m := &Matrix{Now: verdictOf(passes)}
	if h.base == "" || h.base == h.at {
		return m, nil
	}
	err := h.verdict(ctx, i, h.takenBack(i), &m.OldTests)
	if err == nil {
		m.Without, err = h.without(ctx, i)
	}
	if err == nil {
		err = h.turned().verdict(ctx, i, nil, &m.AsItWas)
	}
	m.Red = m.Now == string(record.Pass) && m.Without == string(record.Fail)
	return m, err
}

// without runs a check on the files of the base, with the tests of the work.
func (h heldRun) without(ctx context.Context, i int) (verdict string, err error) {
	err = h.turned().verdict(ctx, i, h.newTests(ctx, i), &verdict)
	return verdict, err
}

// turned is a run on the files of the base, in which what is put there is of the work.
func (h heldRun) turned() heldRun {
	g := *h.guarding
	g.base, g.at = h.at, h.base
	h.guarding = &g
	return h
}

// verdict runs a check on files, some of which are put there, and says whether it passes; "" where they cannot be.
func (h heldRun) verdict(ctx context.Context, i int, put []change, into *string) error {
	err := h.inTree(ctx, h.at, []int{i}, put, func(root string) error {
		got, err := h.once(ctx, root, i, "the matrix of "+h.t.Checks[i].Desc)
		*into = verdictOf(got.Passed)
		return err
	})
	if record.CodeOf(err) == record.InvalidInput {
		*into, err = "", nil
	}
	return err
}

// newTests are the guarded files of the commit that is looked at, new ones too, as changes by which a work tree of the
// base gets them.
func (h heldRun) newTests(ctx context.Context, i int) (out []change) {
	guards := h.guards(ctx, h.checks[i], h.key(i))
	for _, path := range h.was.Changed(h.now) {
		was, now := h.was[path], h.now[path]
		back := guard.Change{Path: path, Was: now, Now: was}
		if by, ok := guards.Matching(back); ok {
			out = append(out, change{back, by})
		}
	}
	return out
}

func verdictOf(passed bool) string {
	if passed {
		return string(record.Pass)
	}
	return string(record.Fail)
}
