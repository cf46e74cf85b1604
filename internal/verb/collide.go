package verb

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/branches"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/task"
)

// A task is at work if somebody holds it, if its work is in review, or lies on a branch that is not merged. What it is
// about is its scope, and the files that its branch changed. Another task collides with it whose scope overlaps that.

// Collision is a task at work whose files are among those of another.
type Collision struct {
	ID     record.ID      `json:"id"`
	Actor  record.Actor   `json:"actor,omitempty"` // who has it
	Status record.Status  `json:"status"`
	Branch string         `json:"branch,omitempty"` // that has its work
	Where  []task.Overlap `json:"where"`            // globs and paths that meet, the first few
}

// overlapsShown is how many globs of a collision are named.
const overlapsShown = 3

// String is what a person reads of it, such as SHOP-7 (agent:claude-1): src/** meets src/price.go.
func (c Collision) String() string {
	who := string(c.Actor)
	if who == "" {
		who = string(c.Status)
	}
	return fmt.Sprintf("%s (%s): %s", c.ID, who, strings.Join(record.Each(c.Where, overlapText), ", "))
}

func overlapText(o task.Overlap) string {
	if o.Ours == o.Theirs {
		return o.Ours
	}
	return o.Ours + " meets " + o.Theirs
}

// CollisionsText names the tasks that some collisions are with.
func CollisionsText(all []Collision) string {
	return strings.Join(record.Each(all, Collision.String), "; ")
}

// Conflict is two branches that would not merge with one another.
type Conflict struct {
	One         Side     `json:"one"`
	Other       Side     `json:"other"`
	Files       []string `json:"files"`                 // that git cannot merge, the first of them
	Uncommitted []string `json:"uncommitted,omitempty"` // that both changed, one of them without a commit yet
	Total       int      `json:"total"`                 // how many files there are
}

// Side is a branch of a conflict, with the task whose work it has.
type Side struct {
	Branch string       `json:"branch"`
	Task   record.ID    `json:"task,omitempty"`
	Actor  record.Actor `json:"actor,omitempty"`
}

// With is the other side for a task, as text; "" for a conflict that is not of it.
func (c Conflict) With(id record.ID) string {
	switch id {
	case c.One.Task:
		return c.Other.Name()
	case c.Other.Task:
		return c.One.Name()
	}
	return ""
}

// withConflicts is the row of a task of a graph that is at work, with what its branch is known to conflict with.
func (v View) withConflicts(row Row, g *Graph) Row {
	if !row.IsRunning && !row.IsReviewing || g.only != nil {
		return row
	}
	for _, c := range g.conflicts(v) {
		if with := c.With(row.ID); with != "" {
			row.Conflicts = append(row.Conflicts, with)
		}
	}
	return row
}

// Name is the task of the branch, or else the branch.
func (s Side) Name() string { return cmp.Or(string(s.Task), s.Branch) }

// working is a task at work.
type working struct {
	row    *kind.Row
	hold   session.Claim
	names  []string // of branches on which its work may lie
	branch string   // that of them which there is; "" for none
	commit string   // of that branch
	area   task.Area
}

// Collisions are the tasks at work that the task of the nth row of a graph collides with: not its parents and children,
// not what is in another repository, and not what the caller has in this very work tree.
func (v View) Collisions(g *Graph, n int) (all []Collision) {
	r := g.Rows()[n]
	scope := r.All(kind.ScopeFact)
	if len(scope) == 0 || g.only != nil || v.Store.Config.Collide == kind.CollideOff {
		return nil
	}
	area := task.AreaOf(scope)
	for _, one := range g.atWork(v) {
		if one.row.ID == r.ID || one.row.Fact(kind.RepoFact) != r.Fact(kind.RepoFact) || g.above(r, one.row) || g.above(one.row, r) {
			continue
		}
		if where := area.Meets(one.area, overlapsShown); len(where) > 0 {
			who := cmp.Or(one.hold.Actor, one.row.Assignee)
			all = append(all, Collision{record.ID(one.row.ID), who, one.row.Status, one.branch, where})
		}
	}
	return all
}

// collide is what the caller does about collisions.
func (v View) collide() string { return v.Store.Config.Collisions(!v.forAgents && v.me().Human()) }

// avoids is what a Stand asks: whether the caller goes around the task of the nth row. Who that is, for which git is
// started, is asked only where it matters.
func (v View) avoids(g *Graph, n int) func() bool {
	return func() bool {
		return len(g.Rows()[n].All(kind.ScopeFact)) > 0 && v.collide() == kind.CollideAvoid && len(v.Collisions(g, n)) > 0
	}
}

// above reports whether a task is the parent of another one, or a parent of that.
func (g *Graph) above(upper, lower *kind.Row) bool {
	for range maxParents {
		if lower = g.Row(lower.Parent); lower == nil {
			return false
		}
		if lower.ID == upper.ID {
			return true
		}
	}
	return false
}

const maxParents = 20

// byJob are the tasks on which jobs are at work that have not claimed them yet, with who has the job. Jobs that wait for a
// slot count if queued says so.
func (v View) byJob() map[string]record.Actor {
	out := map[string]record.Actor{}
	if !v.forAgents || OwnWork().PeekJobs == nil {
		return out
	}
	all, _ := OwnWork().PeekJobs(v.Store)
	for _, one := range all {
		if one.Live && (v.queued || one.Actor != "" || one.State != "QUEUED") {
			out[string(one.Task)] = cmp.Or(one.Actor, record.Actor("agent:"+one.Executor))
		}
	}
	return out
}

// atWork are the tasks of a graph that are at work, with what they are about.
func (v View) atWork(g *Graph) (all []working) {
	jobs := v.byJob()
	for n, r := range g.Rows() {
		s, job := v.Stand(g, n), jobs[r.ID]
		if !s.AtWork() && (job == "" || s.Closed) {
			continue
		}
		one := working{row: r, hold: v.Holder(g, r)}
		if !s.AtWork() {
			one.hold = session.Claim{Source: session.FromClone, Actor: job}
		}
		if !v.forAgents && !s.Review && one.hold.Mine(v.me(), v.Store.Worktree) {
			continue
		}
		one.names = []string{layout.OwnBranch(r.ID), one.hold.Branch, g.ahead[r.ID].Place.Branch}
		if e := v.elsewhere(r, func() record.Header { return g.Header(r) }); e != nil {
			one.names = append(one.names, e.Branch)
		}
		all = append(all, one)
	}
	if len(all) == 0 || v.Store.Repo == nil {
		return withScopes(all, nil, branches.Others{})
	}
	tips := tipsOf(v.Store)
	var commits []string
	for i := range all {
		if all[i].branch, all[i].commit = tips.first(all[i].names); all[i].commit != "" {
			commits = append(commits, all[i].commit)
		}
	}
	return withScopes(all, v.Store.Others().Changes(commits), v.Store.Others())
}

// withScopes says of tasks what they are about, and leaves out those that nobody holds and whose work is merged.
func withScopes(all []working, changed map[string]branches.Changes, in branches.Others) (out []working) {
	for _, one := range all {
		c, ok := changed[one.commit]
		if ok && c.Merged() {
			if one.branch = ""; !one.hold.Holds() {
				continue
			}
		}
		if one.area = task.AreaOf(one.row.All(kind.ScopeFact)).With(in.InWorkspace(c.Paths)); c.Many {
			one.area = task.AreaOf([]string{"**"})
		}
		out = append(out, one)
	}
	return out
}

// tips are the branches of a clone on which the work on a task can lie, its own and those that it fetched, by their names.
type tips map[string]string

// tipsOf leaves out branches that are not of one task: the one that is checked out, and the usual one of each remote.
func tipsOf(s *store.Store) tips {
	out := tips{}
	tracked := s.Repo.AllTracked().Tips()
	for _, t := range slices.Concat(tracked, s.Repo.Local().Tips()) {
		out[t.Name] = t.Commit
	}
	delete(out, s.Head(context.Background()).Branch)
	for _, t := range tracked {
		remote, name, _ := strings.Cut(t.Name, "/")
		if usual, ok := s.Repo.Tracked(remote).Default(); ok && usual.Name == t.Name {
			delete(out, t.Name)
			delete(out, name)
		} else if out[name] == "" { // a claim of another clone names the branch as it is called there
			out[name] = t.Commit
		}
	}
	return out
}

func (t tips) first(names []string) (name, commit string) {
	for _, name := range names {
		if commit := t[name]; name != "" && commit != "" {
			return name, commit
		}
	}
	return "", ""
}

// collisions are those of the task under the lock, by what the clone knows now: whoever decided earlier may have been
// overtaken.
func (wc WriteContext) collisions(ctx context.Context) (all []Collision, avoid bool) {
	v := wc.w.View(wc.Store).OfMany(ctx)
	if len(wc.Task.Scope) == 0 || v.collide() == kind.CollideOff {
		return nil, false
	}
	g, err := wc.w.Graph(ctx, wc.Store)
	if err != nil {
		return nil, false
	}
	if n := g.Set().Number(string(wc.Task.ID)); n >= 0 {
		all = v.Collisions(g, n)
	}
	return all, v.collide() == kind.CollideAvoid
}

// Collisions are those of a task for an agent that is to work on it in a work tree of its own; none where the config has
// it work beside others.
func (w *Workspace) Collisions(ctx context.Context, s *store.Store, id record.ID) []Collision {
	there := *w
	there.ForAgents = true
	t, err := kind.Tasks.Get(s, id)
	if err != nil {
		return nil
	}
	all, avoid := (WriteContext{Store: s, Task: t, w: &there}).collisions(ctx)
	if !avoid {
		return nil
	}
	return all
}

// refuseCollision is COLLIDES if the caller goes around the task. Of work that somebody decided on it is not asked, and
// of what was begun already neither.
func (wc WriteContext) refuseCollision(ctx context.Context) error {
	if wc.Beside || wc.w.Job != "" || !wc.Store.Config.Flow.Stand(wc.Task.Status).Begins || wc.Mine() {
		return nil
	}
	all, avoid := wc.collisions(ctx)
	if !avoid || len(all) == 0 {
		return nil
	}
	return record.Errorf(record.Collides, "is about files of what is at work: %s", CollisionsText(all)).
		WithHint("take another task: %s; or wait until that is merged or given up", record.CallTo("list", "ready", true).OnlyShown()).
		WithNext(record.CallTo("wait", "ready", true))
}

// meets says that the caller took a task which collides, where the config has that said.
func (w *Workspace) meets(ctx context.Context, s *store.Store, id record.ID) []Notice {
	t, err := kind.Tasks.Get(s, id)
	by := t.Provenance.Last()
	if err != nil || len(t.Scope) == 0 || by.Who != w.Actor() || by.Assignee == nil || *by.Assignee != by.Who {
		return nil
	}
	all, _ := (WriteContext{Store: s, Task: t, w: w}).collisions(ctx)
	if len(all) == 0 {
		return nil
	}
	return []Notice{{Code: string(record.Collides), Message: "it is about files of what is at work: " + CollisionsText(all)}}
}
