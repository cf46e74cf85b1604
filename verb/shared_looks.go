package verb

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// Looks is how the calls of a process look at the tasks together: they keep what was read, and waits that watch the same
// thing look once at a time for all of them. The zero value is ready; a nil one shares nothing.
type Looks struct {
	tasks store.Cache

	mu     sync.Mutex
	shared map[string]*sharedLook // by what is looked at
}

// list lists the tasks, which are not to be changed.
func (l *Looks) list(ctx context.Context, s *store.Store) ([]task.Task, []store.Problem, error) {
	if l == nil {
		return s.List(ctx)
	}
	return l.tasks.List(ctx, s)
}

// get reads a task, which is not to be changed.
func (l *Looks) get(s *store.Store, id task.ID) (task.Task, error) {
	if l == nil {
		return s.Get(id)
	}
	return l.tasks.Get(s, id)
}

// find is a task.Find over the files.
func (l *Looks) find(s *store.Store) task.Find {
	return func(id task.ID) (task.Task, bool) {
		t, err := l.get(s, id)
		return t, err == nil
	}
}

// join makes a lookFunc one that is shared with all who have joined under the same name. Leave is to be called once.
func (l *Looks) join(name string, own lookFunc) (shared lookFunc, leave func()) {
	if l == nil {
		return own, func() {}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.shared[name]
	if at == nil {
		at = &sharedLook{turn: make(chan struct{}, 1)}
		if l.shared == nil {
			l.shared = map[string]*sharedLook{}
		}
		l.shared[name] = at
	}
	at.users++
	return func(ctx context.Context) (snapshot, error) { return at.see(ctx, own) }, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if at.users--; at.users == 0 {
			delete(l.shared, name)
		}
	}
}

// sharedLook is a look for many.
type sharedLook struct {
	users int // guarded by Looks

	begun atomic.Int64  // how many looks have begun
	turn  chan struct{} // held by whoever looks; it guards what follows
	seen  snapshot
	nth   int64 // the look that seen is from; 0 before the first
}

// see returns what was seen by a look that began after the call. Of those who call during one look the first makes the next.
func (l *sharedLook) see(ctx context.Context, own lookFunc) (snapshot, error) {
	before := l.begun.Load()
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return snapshot{}, ctx.Err()
	}
	if l.nth > before {
		return l.seen, nil
	}
	nth := l.begun.Add(1)
	seen, err := own(ctx)
	if err == nil {
		l.seen, l.nth = seen, nth
	}
	return seen, err
}

// subject is what a wait watches, in words: the same for all that see the same.
func (in WaitIn) subject(w *Workspace, s *store.Store) string {
	in.Timeout, in.Cursor = nil, ""
	watched, _ := json.Marshal(in) // it came as JSON
	return fmt.Sprintf("%s %v %s %s", s.Root, s.Config, w.Actor, watched)
}
