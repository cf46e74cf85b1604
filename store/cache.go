package store

import (
	"cmp"
	"context"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/task"
)

// Cache keeps tasks as they were read from their files, for a process that reads them again and again. It is never the cause
// of a wrong answer: each call looks at every file that it is about, and reads those that are not the same by size, times
// and inode, or that are so young that they may have changed within one step of the file system's clock. The tasks that it
// returns are shared with other callers, and not to be changed; their bodies are as List has them. The zero value is ready.
type Cache struct {
	grain time.Duration // another in tests; 0 for clockGrain

	mu    sync.Mutex
	tasks map[string]cachedTask // by the path of the file
}

type cachedTask struct {
	of   fileStamp // of the file, as it was when it was read
	task task.Task
}

// clockGrain is the coarsest step of a file system's clock.
const clockGrain = 2 * time.Second

// Get is Store.Get, but for the body.
func (c *Cache) Get(s *Store, id task.ID) (task.Task, error) {
	t, err := c.read(s, id, &patience{patient})
	return t, found(id, err)
}

// List is Store.List.
func (c *Cache) List(ctx context.Context, s *Store) ([]task.Task, []Problem, error) {
	tasks, problems, err := s.list(ctx, func(id task.ID, wait *patience) (task.Task, error) { return c.read(s, id, wait) })
	if err == nil {
		c.forget(s, tasks)
	}
	return tasks, problems, err
}

// read takes a task from its file, unless that is still the one that it was taken from before.
func (c *Cache) read(s *Store, id task.ID, wait *patience) (task.Task, error) {
	path := s.task(id)
	young, before := time.Now().Add(-cmp.Or(c.grain, clockGrain)), stampOf(path)
	c.mu.Lock()
	old, ok := c.tasks[path]
	c.mu.Unlock()
	if ok && old.of == before {
		return old.task, nil
	}
	_, t, err := s.readTaskPatiently(id, wait)
	t = gist(t)
	if err == nil && before.olderThan(young) && stampOf(path) == before {
		c.keep(path, cachedTask{before, t})
	}
	return t, err
}

func (c *Cache) keep(path string, t cachedTask) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tasks == nil {
		c.tasks = map[string]cachedTask{}
	}
	c.tasks[path] = t
}

// forget drops what is no longer among the tasks of a workspace.
func (c *Cache) forget(s *Store, tasks []task.Task) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.tasks) <= len(tasks) {
		return
	}
	there := make(map[string]bool, len(tasks))
	for _, t := range tasks {
		there[s.task(t.ID)] = true
	}
	maps.DeleteFunc(c.tasks, func(path string, _ cachedTask) bool { return filepath.Dir(path) == s.TasksDir() && !there[path] })
}

// fileStamp tells two states of a file apart. The zero value is that of no file, and of any on a system that tells too little.
type fileStamp struct {
	size, modified, changed int64 // bytes, and nanoseconds since 1970
	inode                   uint64
}

func stampOf(path string) fileStamp {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return fileStamp{}
	}
	return newFileStamp(info)
}

// olderThan reports whether a file was last changed before a moment.
func (f fileStamp) olderThan(at time.Time) bool {
	return f != fileStamp{} && max(f.modified, f.changed) < at.UnixNano()
}
