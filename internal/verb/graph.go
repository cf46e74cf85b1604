package verb

import (
	"cmp"
	"context"
	"sync"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/index"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/task"
)

// Graph is the tasks of a workspace as one look found them: a row of each, and what each waits for. It reads the file
// of a task only if somebody asks for more than a row has.
type Graph struct {
	store *store.Store
	reads *SharedReads
	view  *index.View
	other task.Find      // what tasks can depend on and is no task
	waits func() []waits // of each row
	open  func() *openChildren
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
	g.waits = sync.OnceValue(func() []waits { return w.Reads.waits(g) })
	g.open = sync.OnceValue(func() *openChildren { return w.Reads.openChildren(g) })
	return g, nil
}

// Rows returns the rows of all tasks that can be read, sorted by id. They are shared, and not to be changed.
func (g *Graph) Rows() []*kind.Row { return g.view.Rows() }

// Set is the rows of all tasks as a set.
func (g *Graph) Set() *index.Set { return g.view.Set() }

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
