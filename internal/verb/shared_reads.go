package verb

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/index"
	"github.com/cairn-tasks/cairn/store/index/terms"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/store/watch"
	"github.com/cairn-tasks/cairn/task"
)

// Watcher sends a tick when something in a workspace may have changed. A *watch.Watcher asks the operating system.
type Watcher interface {
	Watch(layout.Layout) (ticks <-chan struct{}, stop func())
}

// NewSharedReads returns shared reads that follow workspaces with a watcher. Close them once nobody reads any more.
func NewSharedReads(w *watch.Watcher) *SharedReads {
	return &SharedReads{memory: store.Memory{Watcher: w}}
}

// SharedReads is what the calls of a process share when they read: the tasks that were read before, and reads that
// several calls need at the same time. The zero value is ready; a nil one shares nothing.
type SharedReads struct {
	memory  store.Memory // of rows and claims
	records store.Cache

	mu     sync.Mutex
	shared map[string]*sharedRead // by what is read

	waits    map[string]kept[[]waits]      // by workspace
	children map[string]kept[openChildren] // by workspace
}

// Close stops following workspaces. The reads can be used on, and then look at all files.
func (r *SharedReads) Close() { r.memory.Close() }

// Kept is how many records are kept in memory, as rows or whole.
func (r *SharedReads) Kept() int { return r.memory.Kept() + r.records.Kept() }

// Of returns a reader of a store's records that keeps what it reads. The records are shared, and not to be changed; in
// place of a long body they have a digest.
func (r *SharedReads) Of(s *store.Store) kind.Reader {
	if r == nil {
		return s
	}
	return r.records.Of(s)
}

// Get reads a task.
func (r *SharedReads) Get(s *store.Store, id record.ID) (task.Task, error) {
	return kind.Tasks.Get(r.Of(s), id)
}

// Find is a task.Find over the files, for tasks and for what tasks can depend on.
func (r *SharedReads) Find(s *store.Store) task.Find { return kind.Deps(r.Of(s), s.Config.Flow) }

// Share returns a function that reads what read does, but shares one read with all callers of functions that were made
// with the same name. What it returns began to be read after it was called. Leave is to be called once it is no longer
// needed.
func Share[T any](r *SharedReads, name string, read func(context.Context) (T, error)) (shared func(context.Context) (T, error), leave func()) {
	if r == nil {
		return read, func() {}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	one := r.shared[name]
	if one == nil {
		one = &sharedRead{turn: make(chan struct{}, 1)}
		if r.shared == nil {
			r.shared = map[string]*sharedRead{}
		}
		r.shared[name] = one
	}
	one.users++
	shared = func(ctx context.Context) (T, error) {
		got, err := one.read(ctx, func(ctx context.Context) (any, error) { return read(ctx) })
		if err != nil {
			var none T
			return none, err
		}
		return got.(T), nil
	}
	return shared, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if one.users--; one.users == 0 {
			delete(r.shared, name)
		}
	}
}

// sharedRead is a read that many callers need.
type sharedRead struct {
	users int // guarded by SharedReads.mu

	begun atomic.Int64  // how many reads have begun
	turn  chan struct{} // held by the caller that reads; it guards what follows
	got   any
	nth   int64 // the read that got is from; 0 before the first
}

// read returns the result of a read that began after the call. Callers that arrive during a read share the next one,
// which the first of them makes.
func (r *sharedRead) read(ctx context.Context, own func(context.Context) (any, error)) (any, error) {
	before := r.begun.Load()
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if r.nth > before {
		return r.got, nil
	}
	nth := r.begun.Add(1)
	got, err := own(ctx)
	if err == nil {
		r.got, r.nth = got, nth
	}
	return got, err
}

// FindIn is a task.Find over tasks that were read, and nothing else.
func FindIn(tasks []task.Task) task.Find {
	byID := make(map[record.ID]int, len(tasks))
	for i, t := range tasks {
		byID[t.ID] = i
	}
	return func(id record.ID) (task.Task, bool) {
		i, ok := byID[id]
		if !ok {
			return task.Task{}, false
		}
		return tasks[i], true
	}
}

// Look returns the rows of all records of a kind as their files say. A process that shares its reads reads only what
// changed since it looked before, and those who ask during one look share the next.
func (r *SharedReads) Look(ctx context.Context, s *store.Store, k *kind.Kind) (*index.View, error) {
	if r == nil {
		return s.Rows(k).Look(ctx)
	}
	shared, leave := Share(r, "rows "+k.Name+" "+workspaceOf(s), func(ctx context.Context) (*index.View, error) { return r.memory.Rows(ctx, s, k) })
	defer leave()
	return shared(ctx)
}

// workspaceOf is a name of a workspace, and of the live state that it has.
func workspaceOf(s *store.Store) string { return s.Root + "\x00" + string(s.Live) }

// Search returns for each row of a view whether all words occur in what the record says.
func (r *SharedReads) Search(ctx context.Context, s *store.Store, v *index.View, words []string) ([]bool, error) {
	if r == nil {
		return s.Rows(v.Kind()).Search(ctx, v, &index.Terms{}, words)
	}
	return r.memory.Search(ctx, s, v, words)
}

// Searchable returns the terms of the records of a view, for index.Rank.
func (r *SharedReads) Searchable(ctx context.Context, s *store.Store, v *index.View) (*index.Searchable, error) {
	if r == nil {
		return s.Rows(v.Kind()).Searchable(ctx, v, &index.Terms{})
	}
	return r.memory.Searchable(ctx, s, v)
}

// Rank finds the records of some kinds that have words of a query, by their rank in all of them together. It also lists
// the files that could not be read.
func (r *SharedReads) Rank(ctx context.Context, s *store.Store, q terms.Query, kinds ...*kind.Kind) (index.Ranking, []problem.Problem, error) {
	parts := make([]*index.Searchable, 0, len(kinds))
	var problems []problem.Problem
	for _, k := range kinds {
		view, err := r.Look(ctx, s, k)
		if err != nil {
			return index.Ranking{}, nil, err
		}
		part, err := r.Searchable(ctx, s, view)
		if err != nil {
			return index.Ranking{}, nil, err
		}
		parts, problems = append(parts, part), append(problems, view.Problems()...)
	}
	return index.Rank(q, parts), problems, nil
}

// KnownOf is store.Store.KnownOf, and with it whether the clone may know of progress that the file of a record lacks. A
// process that shares its reads reads only the states that changed.
func (r *SharedReads) KnownOf(ctx context.Context, s *store.Store) (known func(record.Ref) session.Live, carried func(record.Ref) bool) {
	if r == nil {
		return s.KnownOf(), func(record.Ref) bool { return true }
	}
	return s.KnownFrom(func() store.States {
		shared, leave := Share(r, "states "+workspaceOf(s), func(ctx context.Context) (store.States, error) { return r.memory.States(ctx, s) })
		defer leave()
		states, err := shared(ctx)
		if err != nil {
			states, _ = s.States() // who cannot wait for others reads them alone
		}
		return states
	})
}

// kept is something that was found out about a set of tasks, for as long as they and the states that are closed stay the
// same.
type kept[T any] struct {
	set  *index.Set
	flow string // which states are closed
	of   T
}

// keptBy is where a process keeps that for each workspace.
type keptBy[T any] = *map[string]kept[T]

// keep returns what find finds out about the tasks of a graph. A process that shares its reads asks again only once
// tasks changed; find is given what was kept before, and whether the closed states are the same.
func keep[T any](r *SharedReads, in func(*SharedReads) keptBy[T], g *Graph, find func(*Graph, kept[T], bool) T) T {
	now := kept[T]{set: g.Set(), flow: fmt.Sprint(g.store.Config.Flow.Closed)}
	if r == nil {
		return find(g, kept[T]{}, false)
	}
	all, key := in(r), workspaceOf(g.store)
	r.mu.Lock()
	before := (*all)[key]
	r.mu.Unlock()
	if now.set == before.set && now.flow == before.flow {
		return before.of
	}
	now.of = find(g, before, now.flow == before.flow)
	r.mu.Lock()
	defer r.mu.Unlock()
	if *all == nil {
		*all = map[string]kept[T]{}
	}
	(*all)[key] = now
	return now.of
}
