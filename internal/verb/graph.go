package verb

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/branches"
	"github.com/cairn-tasks/cairn/store/index"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/task"
)

// Graph is the tasks of a workspace as one look found them: a row of each, and what each waits for. It reads the file
// of a task only if somebody asks for more than a row has.
type Graph struct {
	store *store.Store
	reads *SharedReads
	view  *index.View
	only  map[string]branches.Other // the tasks of rows that are on another branch alone
	ahead map[string]store.Further  // the tasks of rows that another worktree has carried further: the rows are of that
	other task.Find                 // what tasks can depend on and is no task
	waits func() []waits            // of each row
	open  func() openChildren

	atWork    func(View) []working  // of who looked first; see View.Collisions
	conflicts func(View) []Conflict // that are known
}

// waits is whether a task waits for others.
type waits byte

const (
	forNothing waits = iota
	forTasks         // that are open
	forOthers        // than tasks, perhaps: these may change while no task does
)

// Graph looks at the tasks. It returns an error only if their folder cannot be listed.
func (w *Workspace) Graph(ctx context.Context, s *store.Store) (*Graph, error) {
	view, err := w.Reads.Look(ctx, s, kind.Tasks.Kind)
	if err != nil {
		return nil, err
	}
	none := func(record.ID) (task.Task, bool) { return task.Task{}, false }
	g := &Graph{store: s, reads: w.Reads, view: view, other: kind.DepsAmong(none, w.Reads.Of(s), s.Config.Flow)}
	g.goFurther(ctx)
	g.derive()
	return g, nil
}

// goFurther has the rows of tasks say what another worktree of the clone says that has carried them further, as the
// work tree of a job does until its work is merged.
func (g *Graph) goFurther(ctx context.Context) {
	known, _ := g.reads.KnownOf(ctx, g.store)
	further, rows := g.store.FurtherOf(), map[string]*kind.Row{}
	_ = g.store.EachHeld(func(of record.Ref) { // a folder that cannot be listed holds nothing that is known
		if of.Kind != record.TaskKind || g.view.Find(of.ID) == nil {
			return
		}
		live := known(of)
		if live.State == nil || !slices.ContainsFunc(live.State.Worktrees(), func(p session.Place) bool { return p.Worktree != g.store.Worktree }) {
			return
		}
		here, err := g.reads.Get(g.store, record.ID(of.ID))
		if err != nil {
			return
		}
		if f, ok := further(kind.Tasks.Kind, here.Header(), live); ok {
			if g.ahead == nil {
				g.ahead = map[string]store.Further{}
			}
			row := kind.Tasks.Row(f.Value.(task.Task))
			g.ahead[of.ID], rows[of.ID] = f, &row
		}
	})
	if len(rows) > 0 {
		g.view = g.view.With(rows)
	}
}

// WorkTrees are the work trees that have carried tasks further, each as the record of its task there.
func (g *Graph) WorkTrees() []store.Further {
	return slices.SortedFunc(maps.Values(g.ahead), func(a, b store.Further) int { return cmp.Compare(a.Root, b.Root) })
}

// Further reports whether another work tree of the clone has carried a task further.
func (g *Graph) Further(id record.ID) bool {
	_, ok := g.ahead[string(id)]
	return ok
}

// derive says how it is found out what the tasks wait for, once that is asked.
func (g *Graph) derive() {
	g.waits = sync.OnceValue(func() []waits {
		return keep(g.reads, func(r *SharedReads) keptBy[[]waits] { return &r.waits }, g, waitsOfAll)
	})
	g.open = sync.OnceValue(func() openChildren {
		return g.withUnreadable(keep(g.reads, func(r *SharedReads) keptBy[openChildren] { return &r.children }, g, openChildrenOf))
	})
	g.atWork = once(func(v View) []working { return v.atWork(g) })
	g.conflicts = once(func(v View) []Conflict { return v.conflicts(g) })
}

// once is a function that asks at its first call and has the same answer for the others.
func once[A, B any](ask func(A) B) func(A) B {
	var first sync.Once
	var answer B
	return func(of A) B {
		first.Do(func() { answer = ask(of) })
		return answer
	}
}

// OnBranch is the branch that alone has the task of a row; "" if it is here.
func (g *Graph) OnBranch(r *kind.Row) string { return g.only[r.ID].Branch }

// Rows returns the rows of all tasks that can be read, sorted by id. They are shared, and not to be changed.
func (g *Graph) Rows() []*kind.Row { return g.view.Rows() }

// Set is the rows of all tasks as a set.
func (g *Graph) Set() *index.Set { return g.view.Set }

// Problems lists the files that cannot be read.
func (g *Graph) Problems() []problem.Problem { return g.view.Problems() }

// Row returns the row of a task, or nil.
func (g *Graph) Row(id record.ID) *kind.Row { return g.view.Find(string(id)) }

// Find is a task.Find. Of a task it returns what its row has.
func (g *Graph) Find(id record.ID) (task.Task, bool) {
	if r := g.Row(id); r != nil {
		return r.Task(), true
	}
	return g.other(id)
}

// Below returns the ids of a task and of all below it. It returns NOT_FOUND if there is no such task, and BAD_FILE if
// its file is broken.
func (g *Graph) Below(parent record.ID) (map[string]bool, error) {
	if g.Row(parent) == nil {
		_, err := kind.Tasks.Get(g.store, parent)
		return nil, cmp.Or(err, kind.Tasks.NotFound(string(parent)))
	}
	children := map[record.ID][]*kind.Row{}
	for _, r := range g.Rows() {
		children[r.Parent] = append(children[r.Parent], r)
	}
	in, next := map[string]bool{string(parent): true}, []record.ID{parent}
	for len(next) > 0 {
		id := next[0]
		next = next[1:]
		for _, r := range children[id] {
			if !in[r.ID] {
				in[r.ID], next = true, append(next, record.ID(r.ID))
			}
		}
	}
	return in, nil
}

// BlockedBy lists the dependencies of a task that are not closed, in their order.
func (g *Graph) BlockedBy(r *kind.Row) []record.ID { return task.OpenAmong(r.Deps, g.closed) }

// Blocked reports whether the task of the nth row waits for a dep.
func (g *Graph) Blocked(n int) bool {
	switch g.waits()[n] {
	case forNothing:
		return false
	case forTasks:
		return true
	default:
		return len(g.BlockedBy(g.Rows()[n])) > 0
	}
}

// waitsOfAll is whether each task waits for others. It asks again only about what was touched since before.
func waitsOfAll(g *Graph, before kept[[]waits], sameFlow bool) []waits {
	now := make([]waits, len(g.Rows()))
	if before.set == nil || !sameFlow || !g.Set().SameIDs(before.set) {
		for n, r := range g.Rows() {
			now[n] = g.waitsOf(r)
		}
		return now
	}
	copy(now, before.of)
	for _, id := range g.Set().Touched(before.set) {
		now[g.Set().Number(id)] = g.waitsOf(g.Row(record.ID(id)))
	}
	return now
}

// waitsOf is whether a task waits, as far as tasks tell.
func (g *Graph) waitsOf(r *kind.Row) waits {
	out := forNothing
	for _, id := range r.Deps {
		dep := g.Row(id)
		if dep == nil {
			return forOthers
		}
		if !g.store.Config.Flow.IsClosed(dep.Status) {
			out = forTasks
		}
	}
	return out
}

func (g *Graph) closed(id record.ID) bool {
	flow := g.store.Config.Flow
	if r := g.Row(id); r != nil {
		return flow.IsClosed(r.Status)
	}
	dep, ok := g.other(id)
	return ok && flow.DepClosed(dep)
}

// Header reads what a row does not have from the file of the task: its entries. If the file is gone meanwhile, it is
// what the row says.
func (g *Graph) Header(r *kind.Row) record.Header {
	if f, ok := g.ahead[r.ID]; ok {
		return f.Value.(task.Task).Header()
	}
	t, err := g.reads.Get(g.store, record.ID(r.ID))
	if err != nil {
		return r.Header()
	}
	return t.Header()
}

// Search returns for each row whether all words occur in what its task says.
func (g *Graph) Search(ctx context.Context, words []string) ([]bool, error) {
	return g.reads.Search(ctx, g.store, g.view, words)
}

// A task with open children is not handed out: its children are the work. It waits for each of them, but for one that
// waits for it in turn, by deps or by children of its own: of two tasks that would wait for each other the parent comes
// first.

// openChildren is which open children tasks wait for, by the id of the parent, sorted.
type openChildren map[string][]record.ID

// OpenChildren lists the open children that a task waits for, sorted by id. A closed task waits for none.
func (g *Graph) OpenChildren(r *kind.Row) []record.ID { return g.open()[r.ID] }

// waiting reports whether the task of the nth row waits for a dep, or for a child.
func (g *Graph) waiting(n int) bool {
	return g.Blocked(n) || len(g.OpenChildren(g.Rows()[n])) > 0
}

// openChildrenOf finds the open children of all tasks.
func openChildrenOf(g *Graph, _ kept[openChildren], _ bool) openChildren {
	edges := map[int][]int{} // from a parent to its open children, by the numbers of rows
	rows, flow := g.Rows(), g.store.Config.Flow
	for n, r := range rows {
		if r.Parent == "" || flow.IsClosed(r.Status) {
			continue
		}
		if p := g.Set().Number(string(r.Parent)); p >= 0 && p != n && !flow.IsClosed(rows[p].Status) {
			edges[p] = append(edges[p], n)
		}
	}
	if len(edges) == 0 {
		return nil
	}
	ring, _ := task.Rings(len(rows), maps.Keys(edges), func(n int) []int {
		next := slices.Clone(edges[n])
		for _, id := range rows[n].Deps {
			if d := g.Set().Number(string(id)); d >= 0 && !flow.IsClosed(rows[d].Status) {
				next = append(next, d)
			}
		}
		return next
	})
	out := make(map[string][]record.ID, len(edges))
	for p, children := range edges {
		for _, c := range children {
			if ring[p] != ring[c] {
				out[rows[p].ID] = append(out[rows[p].ID], record.ID(rows[c].ID))
			}
		}
	}
	return out
}

// withUnreadable adds to the open children the tasks whose files cannot be read, and that name a parent in a line: whether
// they are closed is not known.
func (g *Graph) withUnreadable(open openChildren) openChildren {
	if len(g.Problems()) == 0 {
		return open
	}
	out := openChildren{}
	maps.Copy(out, open)
	for _, p := range g.Problems() {
		_, child, ok := kind.At(p.Path)
		for _, parent := range parentsNamed(g.store, p.Path) {
			if r := g.Row(parent); ok && r != nil && r.ID != child && !g.closed(parent) {
				all := record.Unique(append(slices.Clone(out[r.ID]), record.ID(child)))
				slices.Sort(all)
				out[r.ID] = all
			}
		}
	}
	return out
}

// parentsNamed are the parents that a broken file of a task names: several, if conflict markers stand in it.
func parentsNamed(s *store.Store, path string) (out []record.ID) {
	src, err := layout.ReadFile(s.Abs(path))
	if err != nil {
		return nil // it is no file, or gone meanwhile
	}
	for line := range strings.Lines(string(src)) {
		if said, ok := strings.CutPrefix(line, "parent:"); ok {
			said, _, _ = strings.Cut(said, " #")
			out = append(out, record.ID(strings.Trim(strings.TrimSpace(said), `'"`)))
		}
	}
	return record.Unique(out)
}

// UnblocksMost returns the open task for which the most open tasks wait, directly or through others, and how many these
// are: 0 if none waits. It waits for no task itself. Of equals it is the most urgent, and of these the first by id.
func (g *Graph) UnblocksMost() (id record.ID, waiting int) {
	behind := g.behind()
	rows, best := g.Rows(), -1
	seen := make([]int, len(rows)) // by which search each was visited, from 1
	for n := range rows {
		if len(behind[n]) == 0 || g.waiting(n) {
			continue
		}
		found := 0
		seen[n] = n + 1
		for next := []int{n}; len(next) > 0; {
			at := next[len(next)-1]
			next = next[:len(next)-1]
			for _, b := range behind[at] {
				if seen[b] != n+1 {
					seen[b] = n + 1
					found++
					next = append(next, b)
				}
			}
		}
		if found > waiting || found == waiting && rows[n].Priority < rows[best].Priority {
			best, waiting = n, found
		}
	}
	if best < 0 {
		return "", 0
	}
	return record.ID(rows[best].ID), waiting
}

// behind lists, for each open task, the open tasks that wait for it: by a dep, or as its parent.
func (g *Graph) behind() [][]int {
	rows, flow := g.Rows(), g.store.Config.Flow
	out := make([][]int, len(rows))
	for n, r := range rows {
		if flow.IsClosed(r.Status) {
			continue
		}
		for _, ids := range [][]record.ID{r.Deps, g.OpenChildren(r)} {
			for _, id := range ids {
				if d := g.Set().Number(string(id)); d >= 0 && !flow.IsClosed(rows[d].Status) {
					out[d] = append(out[d], n)
				}
			}
		}
	}
	return out
}

// Reason is why a task is ready, or one of the things that keep it back.
type Reason struct {
	Code   task.Word     `json:"code"`
	Tasks  []ReasonTask  `json:"tasks,omitempty"` // that it waits for, the first five
	Total  int           `json:"total,omitempty"` // how many there are, if these are not all
	Actor  record.Actor  `json:"actor,omitempty"` // who holds it, or was given it
	Status record.Status `json:"status,omitempty"`
	Branch string        `json:"branch,omitempty"` // where it was carried further
	After  task.Due      `json:"after,omitempty"`  // from when on it is ready

	Collisions []Collision `json:"collisions,omitempty"` // with what is at work
}

// ReasonTask is a task that another waits for.
type ReasonTask struct {
	ID       record.ID     `json:"id"`
	Status   record.Status `json:"status,omitempty"` // "" if there is no such record
	Assignee record.Actor  `json:"assignee,omitempty"`

	Unreadable string `json:"unreadable,omitempty"` // its file, if that cannot be read
}

const reasonTasks = 5

// aheadOf is where a task of the graph was carried further, which its row is of; nil for here.
func (g *Graph) aheadOf(r *kind.Row) *Elsewhere {
	f, ok := g.ahead[r.ID]
	if !ok {
		return nil
	}
	return followed{id: r.ID, place: f.Place}.at(r.Status)
}

// alone is how a task stands as far as its row says it.
func (v View) alone(r *kind.Row) task.Stand {
	s := v.Store.Config.Flow.Stand(r.Status)
	s.Early = r.After().Ahead(v.now)
	return s
}

// Stand is how the task of the nth row of a graph stands.
func (v View) Stand(g *Graph, n int) task.Stand {
	r := g.Rows()[n]
	s := v.alone(r)
	header := func() record.Header { return g.Header(r) }
	if s.Closed {
		s.Elsewhere = v.elsewhere(r, header) != nil
		return s
	}
	s.WaitsFor, s.Children = g.Blocked(n), len(g.OpenChildren(r)) > 0
	s = held(s, v.holder(r, header), v.elsewhere(r, header))
	s.Elsewhere = s.Elsewhere || g.OnBranch(r) != "" || g.aheadOf(r) != nil
	s.Asks = v.Waits(g, r) != nil
	if s.Taken {
		s.Silent = func() bool { return v.Execution(g, r) == string(session.Stalled) }
	}
	s.Collides = v.avoids(g, n)
	return s
}

// held adds to how a task stands who has it, and whether it was carried further elsewhere.
func held(s task.Stand, hold session.Claim, elsewhere *Elsewhere) task.Stand {
	s.Elsewhere = hold.Ahead || elsewhere != nil
	if !hold.Ahead {
		s.Holder, s.Taken, s.Lapsed = hold.Actor, hold.Taken, hold.Lapsed
	}
	return s
}

// Stand is how the task stands under the lock, by what is read there. Its children are not.
func (wc WriteContext) Stand(ctx context.Context) task.Stand {
	r, flow, v := kind.Tasks.Row(wc.Task), wc.Store.Config.Flow, wc.w.View(wc.Store)
	s := v.alone(&r)
	s.WaitsFor = len(flow.BlockedBy(wc.Task, kind.Deps(wc.Tx, flow))) > 0
	s.Asks = v.waits(&r, "") != nil
	s.Collides = func() bool {
		all, avoid := wc.collisions(ctx)
		return avoid && len(all) > 0
	}
	return held(s, wc.Hold, v.elsewhere(&r, wc.Task.Header))
}

// Why lists everything that keeps the task of the nth row back, in the order of the words, or that it is ready.
func (v View) Why(g *Graph, n int) []Reason {
	r := g.Rows()[n]
	var out []Reason
	for _, word := range v.Stand(g, n).Why() {
		why := Reason{Code: word}
		switch word {
		case task.WaitsFor:
			why.of(g, g.BlockedBy(r))
		case task.HasChildren:
			why.of(g, g.OpenChildren(r))
		case task.IsElsewhere:
			if e := cmp.Or(g.aheadOf(r), v.elsewhere(r, func() record.Header { return g.Header(r) })); e != nil {
				why.Status, why.Branch = e.Status, e.Branch
			} else {
				why.Status, why.Branch = r.Status, g.OnBranch(r)
			}
		case task.AwaitsAnswer:
			why.Actor = v.Waits(g, r).By
		case task.IsLapsed, task.IsHeld, task.IsAssigned:
			why.Actor = v.Holder(g, r).Actor
		case task.IsClosed, task.IsInReview, task.OtherState:
			why.Status = r.Status
		case task.IsEarly:
			why.After = r.After()
		case task.IsColliding:
			why.Collisions = v.Collisions(g, n)
		default:
		}
		out = append(out, why)
	}
	if last := out[len(out)-1].Code; last != task.IsClosed && last != task.IsColliding {
		if all := v.Collisions(g, n); len(all) > 0 { // of which whoever looks is warned
			out = append(out, Reason{Code: task.IsColliding, Collisions: all})
		}
	}
	return out
}

// of names the tasks that a reason is about, the first of them.
func (r *Reason) of(g *Graph, ids []record.ID) {
	for _, id := range ids[:min(len(ids), reasonTasks)] {
		t, _ := g.Find(id)
		r.Tasks = append(r.Tasks, ReasonTask{id, t.Status, t.Assignee, g.unreadable(id)})
	}
	if len(ids) > reasonTasks {
		r.Total = len(ids)
	}
}

// unreadable is the file of a task if it cannot be read; "" for any other.
func (g *Graph) unreadable(id record.ID) string {
	i := slices.IndexFunc(g.Problems(), func(p problem.Problem) bool {
		_, broken, ok := kind.At(p.Path)
		return ok && broken == string(id)
	})
	if i < 0 {
		return ""
	}
	return g.Problems()[i].Path
}
