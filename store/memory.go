package store

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/store/index"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/store/watch"
)

// Memory is what a process keeps of the workspaces that it reads often: the rows of their records, and the states that
// say who holds these. It returns what the files say at the moment of the call, and reads only those that may have
// changed since the call before. The zero value is ready.
type Memory struct {
	// Watcher says which files may have changed, so that not all have to be looked at; nil for none.
	Watcher *watch.Watcher

	mu         sync.Mutex
	workspaces map[string]*remembered
}

// remembered is what is kept of one workspace.
type remembered struct {
	follower *watch.Following // nil if every look is at all files

	mu      sync.Mutex
	folders map[string]*folder // by path

	taking sync.Mutex // held by who takes what the follower says, until it is handed out
}

// folder is what is kept of the files in a folder: of the records of one kind, or of the states.
type folder struct {
	looking sync.Mutex  // held during a look; guards the next ones
	view    *index.View // of the newest look
	states  States      // likewise
	whole   time.Time   // when the newest look at all files began
	took    time.Duration

	rows         atomic.Int64 // how many the view has
	words, terms index.Terms

	pending map[string]bool // names of files that may have changed since the newest look; guarded by remembered.mu
	all     bool            // any may have; likewise
}

// Rows is Rows.Look.
func (m *Memory) Rows(ctx context.Context, s *Store, k *kind.Kind) (view *index.View, err error) {
	at, dir := m.at(s, s.Dir(k.Folder))
	err = at.refresh(ctx, dir, func(names []string) error {
		view, err = s.Rows(k).LookAfter(ctx, dir.view, names)
		if err == nil {
			dir.view = view
			dir.rows.Store(int64(len(view.Rows())))
		}
		return err
	})
	return view, err
}

// Search is Rows.Search. It keeps the words.
func (m *Memory) Search(ctx context.Context, s *Store, v *index.View, parts []string) ([]bool, error) {
	_, dir := m.at(s, s.Dir(v.Kind().Folder))
	return s.Rows(v.Kind()).Search(ctx, v, &dir.words, parts)
}

// Searchable is Rows.Searchable. It keeps the terms.
func (m *Memory) Searchable(ctx context.Context, s *Store, v *index.View) (*index.Searchable, error) {
	_, dir := m.at(s, s.Dir(v.Kind().Folder))
	return s.Rows(v.Kind()).Searchable(ctx, v, &dir.terms)
}

// States is Store.States.
func (m *Memory) States(ctx context.Context, s *Store) (states States, err error) {
	at, dir := m.at(s, s.Live.Claims())
	err = at.refresh(ctx, dir, func(names []string) error {
		if names == nil {
			states, err = s.States()
		} else {
			states = s.StatesAfter(dir.states, names)
		}
		if err == nil {
			dir.states = states
		}
		return err
	})
	return states, err
}

// Kept is how many rows are kept.
func (m *Memory) Kept() (rows int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, at := range m.workspaces {
		at.mu.Lock()
		for _, dir := range at.folders {
			rows += int(dir.rows.Load())
		}
		at.mu.Unlock()
	}
	return rows
}

// Close stops following, and forgets everything. The memory can be used on, and then looks at all files.
func (m *Memory) Close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, at := range m.workspaces {
		if at.follower != nil {
			at.follower.Stop()
		}
	}
	m.workspaces, m.Watcher = nil, nil
}

// at returns a workspace, and a folder of it, of which nothing is known at first. It begins to follow a workspace that
// nobody asked about before.
func (m *Memory) at(s *Store, path string) (*remembered, *folder) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := s.Root + "\x00" + string(s.Live)
	at := m.workspaces[key]
	if at == nil {
		at = &remembered{folders: map[string]*folder{}}
		if m.Watcher != nil {
			at.follower = m.Watcher.Follow(s.Layout)
		}
		if m.workspaces == nil {
			m.workspaces = map[string]*remembered{}
		}
		m.workspaces[key] = at
	}
	at.mu.Lock()
	defer at.mu.Unlock()
	dir := at.folders[path]
	if dir == nil {
		dir = &folder{pending: map[string]bool{}, all: true}
		at.folders[path] = dir
	}
	return at, dir
}

// A look at all files is made at least so often, for what the operating system does not report; but looks take no more
// than one part in wholeShare of the time.
const (
	wholeEvery = 2 * time.Second
	wholeShare = 50
)

// refresh has a folder read: those files that may have changed since it was read before, or all, for which names is
// nil. If that fails, all are read the next time.
func (r *remembered) refresh(ctx context.Context, dir *folder, read func(names []string) error) error {
	dir.looking.Lock()
	defer dir.looking.Unlock()
	names, whole := r.changed(ctx, dir)
	begun := time.Now()
	whole = whole || begun.Sub(dir.whole) > max(wholeEvery, wholeShare*dir.took)
	if whole {
		names = nil
	}
	if err := read(names); err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		dir.all = true
		return err
	}
	if whole {
		dir.whole, dir.took = begun, time.Since(begun)
	}
	return nil
}

// changed takes the names of the files in a folder that may have changed since it was asked about before.
func (r *remembered) changed(ctx context.Context, dir *folder) (names []string, all bool) {
	if r.follower == nil {
		return nil, true
	}
	r.taking.Lock() // what one caller takes concerns the others too: they must not look before it is handed out
	defer r.taking.Unlock()
	paths, everything := r.follower.Changed(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, other := range r.folders {
		other.all = other.all || everything
	}
	for _, path := range paths {
		if other := r.folders[filepath.Dir(path)]; other != nil {
			other.pending[filepath.Base(path)] = true
		}
	}
	names = slices.AppendSeq([]string{}, maps.Keys(dir.pending))
	all, dir.all = dir.all, false
	clear(dir.pending)
	return names, all
}

// Cache keeps records that were read from files, for a process that reads them often. It never returns an old record:
// each call compares size, times and inode of every file that it is about, and reads those that differ, and those that
// are so new that they may have changed within one step of the file system's clock. The zero value is ready to use.
type Cache struct {
	grain time.Duration // of the clock; 0 for disk.ClockGrain, set in tests

	mu      sync.Mutex
	records map[string]cachedRecord // by the path of the file
}

// mostCached is how many records are kept. With more it begins anew, so that memory is bounded.
const mostCached = 4096

type cachedRecord struct {
	of    disk.Stamp // of the file, when it was read
	value any
}

// Of returns a reader of a store's records that uses the cache. Callers share the records and must not change them;
// bodies are as in lists.
func (c *Cache) Of(s *Store) kind.Reader { return cached{c, s} }

// cached reads records through a Cache.
type cached struct {
	*Cache
	store *Store
}

// Read is Store.Read, with the body as in lists.
func (c cached) Read(k *kind.Kind, id string) (any, error) {
	if err := k.ParseID(id); err != nil {
		return nil, err
	}
	var v any
	err := place.Try(c.store.Layout, k, id, func(path string) (err error) { v, err = c.read(k, id, path); return err })
	return v, notFound(k, id, err)
}

// read reads a record from its file, which lies at a path, unless the file is unchanged since the last time.
func (c cached) read(k *kind.Kind, id, path string) (any, error) {
	young, before := time.Now().Add(-cmp.Or(c.grain, disk.ClockGrain)), disk.StampOf(path)
	c.mu.Lock()
	old, ok := c.records[path]
	c.mu.Unlock()
	if ok && old.of == before {
		return old.value, nil
	}
	f, err := c.store.readAt(k, id, path, layout.Patient())
	if err != nil {
		return nil, err
	}
	v := k.Lean(f.value)
	if !before.OlderThan(young) || disk.StampOf(path) != before {
		return v, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.records == nil || len(c.records) >= mostCached {
		c.records = map[string]cachedRecord{}
	}
	c.records[path] = cachedRecord{before, v}
	return v, nil
}

// Kept is how many records are kept.
func (c *Cache) Kept() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.records)
}
