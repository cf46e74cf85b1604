package store

import (
	"cmp"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/place"
)

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
