package store

import (
	"cmp"
	"context"
	"maps"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/store/problem"
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
func (c *Cache) Of(s *Store) Cached { return Cached{c, s} }

// Cached reads records through a Cache. It is a kind.Reader and a kind.Lister.
type Cached struct {
	cache *Cache
	store *Store
}

// Read is Store.Read, with the body as in lists.
func (c Cached) Read(k *kind.Kind, id string) (any, error) {
	if err := k.ParseID(id); err != nil {
		return nil, err
	}
	var v any
	err := place.Try(c.store.Layout, k, id, func(path string) (err error) {
		v, err = c.read(k, id, path, layout.Patient())
		return err
	})
	return v, notFound(k, id, err)
}

// All is Store.All.
func (c Cached) All(ctx context.Context, k *kind.Kind) ([]any, []problem.Problem, error) {
	all, problems, err := c.store.list(ctx, k, func(at place.File, wait *layout.Patience) (any, error) {
		return c.read(k, at.ID, c.store.Abs(at.Path), wait)
	})
	if err == nil {
		c.forget(k, all)
	}
	return all, problems, err
}

// read reads a record from its file, which lies at a path, unless the file is unchanged since the last time.
func (c Cached) read(k *kind.Kind, id, path string, wait *layout.Patience) (any, error) {
	young, before := time.Now().Add(-cmp.Or(c.cache.grain, disk.ClockGrain)), disk.StampOf(path)
	c.cache.mu.Lock()
	old, ok := c.cache.records[path]
	c.cache.mu.Unlock()
	if ok && old.of == before {
		return old.value, nil
	}
	f, err := c.store.readAt(k, id, path, wait)
	if err != nil {
		return nil, err
	}
	v := k.Lean(f.value)
	if !before.OlderThan(young) || disk.StampOf(path) != before {
		return v, nil
	}
	c.cache.mu.Lock()
	defer c.cache.mu.Unlock()
	if c.cache.records == nil || len(c.cache.records) >= mostCached {
		c.cache.records = map[string]cachedRecord{}
	}
	c.cache.records[path] = cachedRecord{before, v}
	return v, nil
}

// Kept is how many records are kept.
func (c *Cache) Kept() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.records)
}

// forget drops the records of a kind that no longer exist.
func (c Cached) forget(k *kind.Kind, all []any) {
	c.cache.mu.Lock()
	defer c.cache.mu.Unlock()
	if len(c.cache.records) <= len(all) {
		return
	}
	there := make(map[string]bool, len(all)) // by id
	for _, v := range all {
		there[k.Header(v).Ref.ID] = true
	}
	maps.DeleteFunc(c.cache.records, func(path string, _ cachedRecord) bool {
		of, id, ok := kind.At(c.store.Rel(path))
		return ok && of == k && !there[id]
	})
}
