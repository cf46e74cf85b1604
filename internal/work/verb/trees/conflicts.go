package trees

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/branches"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
)

// ConflictsIn is the input of Conflicts.
type ConflictsIn struct {
	ID record.ID `json:"id,omitempty" doc:"only those of the branch of this task" cli:"arg"`
}

// Conflicts tells which branches of the clone, and of those that it fetched, would not merge with which. What is not
// committed in a work tree counts as files that were changed.
func Conflicts(ctx context.Context, w *verb.Workspace, s *store.Store, in ConflictsIn) (verb.Items[verb.Conflict], error) {
	out := verb.Items[verb.Conflict]{Items: []verb.Conflict{}}
	if s.Repo == nil {
		return out, nil
	}
	g, err := w.Graph(ctx, s)
	if err != nil {
		return out, err
	}
	if in.ID != "" && g.Row(in.ID) == nil {
		return out, kind.Tasks.NotFound(string(in.ID))
	}
	l := sidesOf(ctx, s, g)
	if err := l.uncommitted(ctx, g); err != nil {
		return out, err
	}
	out.Items, err = l.conflicts(ctx, w, in.ID, maxTried)
	out.Items, out.Total = verb.NoNil(out.Items), len(out.Items)
	return out, err
}

// maxTried is how many pairs one call tries, and maxTriedBeside one whose answer is about more than conflicts.
const (
	maxTried       = 5_000
	maxTriedBeside = 20
)

// ConflictsBeside are the conflicts that are known, for whoever shows them beside other things, and with try of a few more
// pairs. What is not committed does not count, and what cannot be told is left out.
func ConflictsBeside(ctx context.Context, w *verb.Workspace, s *store.Store, g *verb.Graph, try bool) []verb.Conflict {
	if s.Repo == nil || !try && !layout.IsFile(s.Live.Merges()) {
		return nil
	}
	l := sidesOf(ctx, s, g)
	if len(l.all) == 0 {
		return nil
	}
	most := 0
	if try {
		most = maxTriedBeside
	}
	all, _ := l.conflicts(ctx, w, "", most)
	return all
}

// side is a branch that may be merged.
type side struct {
	verb.Side
	commit string
	paths  map[string]bool // that it changed since it and what is checked out went apart
	loose  map[string]bool // of these and others, what is not committed
	behind bool            // it has all that is checked out
}

// sides are the branches of a clone whose work is not merged: each once, with the name that it has here if it has one.
type sides struct {
	s    *store.Store
	head side
	all  []side
}

func sidesOf(ctx context.Context, s *store.Store, g *verb.Graph) *sides {
	at := s.Head(ctx)
	l := &sides{s: s, head: side{Side: verb.Side{Branch: at.Branch}, commit: at.Commit}}
	var tips []git.Tip
	here := map[string]bool{}
	for _, tip := range s.Repo.Local().Tips() {
		here[tip.Name] = true
		tips = append(tips, tip)
	}
	for _, tip := range s.Repo.AllTracked().Tips() {
		if _, name, _ := strings.Cut(tip.Name, "/"); !here[name] {
			tips = append(tips, tip)
		}
	}
	seen := map[string]bool{at.Commit: true}
	tips = slices.DeleteFunc(tips, func(tip git.Tip) bool {
		_, parked := worktree.ParkedFor(tip.Name)
		twice := seen[tip.Commit]
		seen[tip.Commit] = true
		return parked || twice || strings.Contains(tip.Name, "cairn/claims/")
	})
	found := s.Others().Changes(record.Each(tips, func(tip git.Tip) string { return tip.Commit }))
	for _, tip := range tips {
		if c, ok := found[tip.Commit]; ok && !c.Merged() && c.Fork != "" && len(l.all) < maxSides {
			l.add(g, tip, c)
		}
	}
	return l
}

// maxSides is how many branches whose work is not merged are compared.
const maxSides = 100

// add adds a branch, unless its task is closed: its work came home in another form, or never will.
func (l *sides) add(g *verb.Graph, tip git.Tip, c branches.Changes) {
	one := side{Side: sideOf(g, tip.Name), commit: tip.Commit, paths: record.SetOf(c.Paths), behind: c.Fork == l.head.commit}
	if r := g.Row(one.Task); r == nil || !l.s.Config.Flow.IsClosed(r.Status) {
		l.all = append(l.all, one)
	}
}

// sideOf is a branch with the task for which cairn would make a branch of that name.
func sideOf(g *verb.Graph, branch string) verb.Side {
	own := layout.OwnBranch("")
	if i := strings.Index("/"+branch, "/"+own); i >= 0 {
		if r := g.Row(record.ID(branch[i+len(own):])); r != nil {
			return verb.Side{Branch: branch, Task: record.ID(r.ID), Actor: r.Assignee}
		}
	}
	return verb.Side{Branch: branch}
}

// uncommitted adds to the branches what is not committed in the work trees where they are checked out.
func (l *sides) uncommitted(ctx context.Context, g *verb.Graph) error {
	trees, err := l.s.Repo.ListWorktrees(ctx)
	for _, tree := range trees {
		there, found, failed := git.Find(tree.Path)
		if failed != nil || !found || tree.Bare {
			continue // it is gone
		}
		all, failed := there.Changes(ctx, git.Looks{Shallow: true})
		name := strings.TrimPrefix(tree.Branch, "refs/heads/")
		loose := map[string]bool{}
		for _, c := range all {
			if !l.s.Repo.SetsAside(c.Path) {
				loose[c.Path] = true
			}
		}
		if failed != nil || len(loose) == 0 {
			continue
		}
		if name == l.head.Branch {
			l.head.loose = loose
		} else if i := slices.IndexFunc(l.all, func(one side) bool { return one.Branch == name }); i >= 0 {
			l.all[i].loose = loose
		} else { // it has nothing else yet
			l.all = append(l.all, side{Side: sideOf(g, cmp.Or(name, tree.Path)), loose: loose, behind: true})
		}
	}
	return err
}

// conflicts are those among the branches, and with what is checked out; of one task, if it is named. Of pairs that are
// not known it tries the first so many.
func (l *sides) conflicts(ctx context.Context, w *verb.Workspace, id record.ID, most int) (out []verb.Conflict, err error) {
	type duel struct{ one, other side }
	var duels []duel
	var pairs []worktree.Pair
	for i, one := range l.all {
		for _, other := range append(slices.Clone(l.all[i+1:]), l.head) {
			if id != "" && one.Task != id && other.Task != id || !l.meet(one, other) {
				continue
			}
			duels = append(duels, duel{one, other})
			if one.commit != "" && other.commit != "" {
				pairs = append(pairs, worktree.PairOf(one.commit, other.commit))
			}
		}
	}
	if len(duels) == 0 {
		return nil, nil
	}
	trees, err := work.Trees(l.s, w.Now)
	if err != nil {
		return nil, err
	}
	found, err := trees.Together(ctx, pairs, most)
	for _, d := range duels {
		files := slices.Clone(found[worktree.PairOf(d.one.commit, d.other.commit)])
		if d.other.commit != l.head.commit { // what one of them does not merge with here is said of it alone
			files = slices.DeleteFunc(files, func(path string) bool { return !d.one.paths[path] && !d.other.paths[path] })
		}
		loose := l.looseIn(d.one, d.other)
		if len(files)+len(loose) == 0 {
			continue
		}
		c := verb.Conflict{One: d.one.Side, Other: d.other.Side, Files: files, Uncommitted: loose, Total: len(files) + len(loose)}
		c.Files, c.Uncommitted = verb.NoNil(files[:min(len(files), filesShown)]), loose[:min(len(loose), filesShown)]
		out = append(out, c)
	}
	return out, err
}

// meet reports whether two branches may conflict: both changed a file, or what lies where the other has a folder.
func (l *sides) meet(one, other side) bool {
	if len(l.looseIn(one, other)) > 0 {
		return true
	}
	if other.commit == l.head.commit {
		return !one.behind
	}
	return meetIn(one.paths, other.paths) || meetIn(other.paths, one.paths)
}

func meetIn(one, other map[string]bool) bool {
	for path := range one {
		for at := path; at != ""; at = at[:max(strings.LastIndexByte(at, '/'), 0)] {
			if other[at] {
				return true
			}
		}
	}
	return false
}

// looseIn are the files that both sides changed, at least one of them without a commit.
func (l *sides) looseIn(one, other side) (out []string) {
	for path := range one.loose {
		if other.paths[path] || other.loose[path] {
			out = append(out, path)
		}
	}
	for path := range other.loose {
		if one.paths[path] && !one.loose[path] {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}
