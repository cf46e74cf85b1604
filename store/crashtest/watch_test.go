package crashtest

import (
	"errors"
	"strings"
	"sync"

	"github.com/cairn-tasks/cairn/internal/disk"
)

// A strike takes the place of a call.
type strike func(c disk.Call, do func() error) error

// Which calls are struck, by their number from 1.
func never(int) bool            { return false }
func only(n int) func(int) bool { return func(i int) bool { return i == n } }
func from(n int) func(int) bool { return func(i int) bool { return i >= n } }

// watchers are the houses whose calls are watched, by their folder: stories play side by side.
var watchers sync.Map // string -> *watcher

func intercept(c disk.Call, do func() error) error {
	watching := (*watcher)(nil)
	watchers.Range(func(dir, w any) bool {
		if strings.HasPrefix(c.Path, dir.(string)) {
			watching = w.(*watcher)
		}
		return watching == nil
	})
	if watching == nil {
		return do()
	}
	return watching.intercept(c, do)
}

// watcher sees the calls of one house, and strikes those that hit names.
type watcher struct {
	hit    func(n int) bool
	strike strike
	links  bool

	mu    sync.Mutex
	calls []disk.Call
}

// intercept never flushes anything to the disk: that is for power cuts, and takes its time.
func (w *watcher) intercept(c disk.Call, do func() error) error {
	w.mu.Lock()
	w.calls = append(w.calls, c)
	n := len(w.calls)
	w.mu.Unlock()
	if c.Op == disk.Sync {
		do = func() error { return nil }
	}
	if c.Op == disk.Link && !w.links {
		do = func() error { return refused(errors.ErrUnsupported)(c, nil) }
	}
	if w.hit(n) {
		return w.strike(c, do)
	}
	return do()
}

// watched runs fn, and returns the calls that it made in the house.
func (h *house) watched(hit func(n int) bool, s strike, fn func() error) ([]disk.Call, error) {
	w := &watcher{hit: hit, strike: s, links: h.links}
	watchers.Store(h.dir, w)
	defer watchers.Delete(h.dir)
	err := fn()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calls, err
}
