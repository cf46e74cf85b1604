package review

import (
	"cmp"
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/gates"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// change is what a base got by one task, or by a commit that is of none.
type change struct {
	task    task.Task // as it came with the commit; without an id for a commit of none
	subject string    // of such a commit
	commit  string    // of the base
	head    string    // what was merged: the newest commit of the task's branch, or the commit itself
	files   []string  // that it changed
	lines   string    // of them
}

// since lists what a base got since the branch of a task left it, the oldest first.
func (l *landing) since(ctx context.Context, m *merging) (all []change, err error) {
	steps, err := m.Trees.Steps(ctx, m.Tree, m.base)
	for _, step := range steps {
		landed, err := l.landedBy(ctx, m, step)
		if err != nil {
			return nil, err
		}
		if len(landed) == 0 && slices.ContainsFunc(step.Files, func(path string) bool { return !m.Repo().SetsAside(path) }) {
			landed = []change{{subject: step.Subject, commit: step.Commit, head: step.Commit}}
		}
		for _, c := range landed {
			if c.files, c.lines, err = m.Trees.Changed(ctx, step.Before, c.head); err != nil {
				return nil, err
			}
			all = append(all, c)
		}
	}
	return all, err
}

// landedBy are the tasks that a commit of the base closed, with what was merged of each.
func (l *landing) landedBy(ctx context.Context, m *merging, step worktree.Step) (out []change, err error) {
	var names []string
	for _, path := range step.Files {
		if k, _, ok := kind.At(strings.TrimPrefix(path, m.Home.InRepo(""))); ok && k == kind.Tasks.Kind {
			names = append(names, step.Commit+":"+path)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	err = m.Repo().Objects().Blobs(ctx, names, format.MaxFile, func(_ int, b git.Blob) {
		t, err := kind.Tasks.Parse(b.Content)
		if err != nil || t.ID == m.Task.ID || !m.S.Config.Flow.IsClosed(t.Status) {
			return
		}
		head := t.Provenance.Last().Said().Merged
		switch {
		case head == "":
		case slices.Contains(step.Heads, head):
			out = append(out, change{task: t, commit: step.Commit, head: head})
		case len(step.Heads) == 0: // it was squashed, or put on the base
			out = append(out, change{task: t, commit: step.Commit, head: step.Commit})
		}
	})
	return out, err
}

// verdict is why the checks of a task fail where it is merged.
type verdict int

const (
	brokenTogether verdict = iota // together with what the base got
	brokenAlone                   // on its own branch too
	brokenBase                    // the base fails them without it
)

// culprit finds what of the base the checks of a task fail with. It tries the branch alone, with what the output speaks of
// most or else the branch itself, and then with more and more of what the base got.
func (l *landing) culprit(ctx context.Context, m *merging, report *verb.RunReport, output string) ([]change, verdict, error) {
	t := try{merging: m}
	if report != nil {
		for _, c := range report.Checks {
			if c.Result == record.Fail {
				t.checks = append(t.checks, c.Check)
			}
		}
	}
	all, err := l.since(ctx, m)
	if err != nil || len(t.checks) == 0 { // the set-up failed
		return nil, brokenTogether, err
	}
	if red, err := t.alone(ctx); err != nil || red {
		return nil, brokenAlone, err
	}
	found, err := t.find(ctx, all, output)
	if err != nil || len(found) > 0 && found[0].task.ID != "" {
		return found, brokenTogether, err
	}
	if red, err := t.baseAlone(ctx); err != nil || red {
		return nil, brokenBase, err
	}
	return found, brokenTogether, nil
}

// find finds the change with which the checks fail; none if they fail with no one of them.
func (t try) find(ctx context.Context, all []change, output string) ([]change, error) {
	guess := likely(all, output)
	if guess < 0 { // what a branch uses may be what another took away
		_, lines, err := t.Trees.Changed(ctx, "refs/heads/"+t.base, t.head)
		if err != nil {
			return nil, err
		}
		guess = likely(all, lines)
	}
	if guess >= 0 {
		if red, err := t.by(ctx, all[guess]); err != nil || red {
			return all[guess : guess+1], err
		}
	}
	var failed error
	n := sort.Search(len(all), func(i int) bool {
		red, err := t.fails(ctx, heads(t.head, all[:i+1])...)
		failed = cmp.Or(failed, err)
		return red
	})
	return all[n:min(n+1, len(all))], failed
}

// baseAlone reports whether the checks fail on the base without the branch, and passed where the branch left it. Checks that
// ask for what the task is to make fail on both.
func (t try) baseAlone(ctx context.Context) (bool, error) {
	base, err := t.Repo().Commit(ctx, "refs/heads/"+t.base)
	if err != nil {
		return false, err
	}
	if red, err := t.fails(ctx, base); err != nil || !red {
		return false, err
	}
	forks, err := t.Repo().History().MergeBases(ctx, t.head, base)
	if err != nil || len(forks) != 1 {
		return false, err
	}
	red, err := t.fails(ctx, forks[0])
	return !red, err
}

func heads(first string, all []change) []string {
	return append([]string{first}, record.Each(all, func(c change) string { return c.head })...)
}

// try runs checks of a task on commits that are merged for it.
type try struct {
	*merging
	checks []int
}

// alone reports whether the checks fail on the branch itself. What passed there and is recorded is not run again.
func (t try) alone(ctx context.Context) (bool, error) {
	standing := t.S.Config.Flow.Standings(t.Task, task.Proof{Tree: t.tree})
	if !slices.ContainsFunc(t.checks, func(i int) bool { return standing(i) != record.Pass }) {
		return false, nil
	}
	return t.fails(ctx, t.head)
}

// by reports whether the checks fail with a change, and not with what that was made on.
func (t try) by(ctx context.Context, c change) (bool, error) {
	red, err := t.fails(ctx, t.head, c.head)
	if err != nil || !red {
		return false, err
	}
	on, err := t.Repo().History().MergeBases(ctx, c.commit+"^", c.head)
	if err != nil || len(on) != 1 {
		return false, err
	}
	had, err := t.Repo().History().Contains(ctx, t.head, on[0])
	if err != nil || had {
		return had, err
	}
	red, err = t.fails(ctx, t.head, on[0])
	return !red, err
}

// fails reports whether the checks fail on the files of commits, merged with one another. It reports false for some that
// do not go together.
func (t try) fails(ctx context.Context, commits ...string) (red bool, err error) {
	at, err := t.Trees.Join(ctx, commits...)
	if record.CodeOf(err) == record.MergeConflict {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	what := worktree.Throwaway{Lock: "landing", Commit: at, From: t.Home.Worktree}
	err = t.Trees.InThrowaway(ctx, what, func(top string) error {
		w := t.W.At(filepath.Join(top, filepath.FromSlash(t.Home.InRepo(""))))
		s, err := w.Open()
		if err != nil {
			return err
		}
		s, _ = s.Apart()
		defer s.Runs().Forget()
		if failed, err := gates.SetUp(ctx, w, s, record.ChecksFailed, "the set-up failed"); failed != nil || err != nil {
			red = failed != nil
			return err
		}
		output, err := gates.Failing(ctx, w, s, t.Task, t.checks)
		red = output != ""
		return err
	})
	return red, err
}

// word is a word of an output that may be a name in the code.
var word = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]{3,}`)

// likely is the change of which an output speaks most, by the names of its files and the words of its lines, of which a rare
// one says more; -1 if it speaks of none.
func likely(all []change, output string) int {
	weights := make([]float64, len(all))
	for _, name := range record.Unique(word.FindAllString(output, 500)) {
		var having []int
		for i, c := range all {
			if strings.Contains(c.lines, name) {
				having = append(having, i)
			}
		}
		if len(having) > max(1, len(all)/4) {
			continue // it tells nothing
		}
		for _, i := range having {
			weights[i] += 1 / float64(len(having))
		}
	}
	best := -1
	for i, c := range all {
		if slices.ContainsFunc(c.files, func(path string) bool { return strings.Contains(output, path) }) {
			weights[i] += 10
		}
		if weights[i] > 0 && (best < 0 || weights[i] > weights[best]) {
			best = i
		}
	}
	return best
}
