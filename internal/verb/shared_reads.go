package verb

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/watch"
	"github.com/cairn-tasks/cairn/task"
)

// Watcher sends a tick when something in a workspace may have changed. A *watch.Watcher asks the operating system.
type Watcher interface {
	Watch(layout.Layout) (ticks <-chan struct{}, stop func())
}

// NewSharedReads returns shared reads that follow workspaces with a watcher. Close them once nobody reads any more.
func NewSharedReads(w *watch.Watcher) *SharedReads {
	return &SharedReads{memory: store.Memory{Follow: func(l layout.Layout) store.Follower { return w.Follow(l) }}}
}

// SharedReads is what the calls of a process share when they read: the tasks that were read before, and reads that
// several calls need at the same time. The zero value is ready; a nil one shares nothing.
type SharedReads struct {
	memory  store.Memory // of rows and claims
	records store.Cache

	mu     sync.Mutex
	shared map[string]*sharedRead // by what is read
	kept   map[string]keptWaits   // by workspace

	children map[string]*openChildren // by workspace
}

// Close stops following workspaces. The reads can be used on, and then look at all files.
func (r *SharedReads) Close() { r.memory.Close() }

// Kept is how many records are kept in memory, as rows or whole.
func (r *SharedReads) Kept() int { return r.memory.Kept() + r.records.Kept() }

// RecordReader reads and lists records.
type RecordReader interface {
	kind.Reader
	kind.Lister
}

// Of returns a reader of a store's records that keeps what it reads. The records are shared, and not to be changed; in
// place of a long body they have a digest.
func (r *SharedReads) Of(s *store.Store) RecordReader {
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
