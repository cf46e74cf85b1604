package watch

import (
	"context"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/store/layout"
)

// Following knows which files of a workspace may have changed since it was last asked.
type Following struct {
	at    *watch
	stop  func()
	names map[string]bool // paths of files; guarded by watch.mu
	all   bool            // any file may have changed; likewise
}

// manyNames is how many files are remembered one by one. After more changes any file may have changed.
const manyNames = 4096

// Follow begins to follow a workspace. Call Stop once.
func (w *Watcher) Follow(l layout.Layout) *Following {
	at, _, stop := w.share(l)
	f := &Following{at: at, stop: stop, names: map[string]bool{}, all: true}
	at.mu.Lock()
	defer at.mu.Unlock()
	at.following[f] = true
	return f
}

// Stop ends it.
func (f *Following) Stop() {
	f.at.mu.Lock()
	delete(f.at.following, f)
	f.at.mu.Unlock()
	f.stop()
}

// Changed returns the paths of the files that may have changed since the call before, or all if any may have. It knows
// of every change that was complete before the call, as far as the system reports changes: not those made on other
// machines of a network file system, and not those that a program makes through memory that it mapped.
func (f *Following) Changed(ctx context.Context) (paths []string, all bool) {
	known := f.at.caughtUp(ctx)
	f.at.mu.Lock()
	defer f.at.mu.Unlock()
	paths = slices.Collect(maps.Keys(f.names))
	all = f.all || !known || f.at.handled != f.at.reports || f.at.blind.Load()
	f.names, f.all = map[string]bool{}, false
	return paths, all
}

// changed says that a file may have changed. The caller holds the lock.
func (w *watch) changed(path string) {
	for f := range w.following {
		if len(f.names) >= manyNames {
			f.names, f.all = map[string]bool{}, true
		}
		f.names[path] = true
	}
}

// anyChanged says that any file may have changed. The caller holds the lock.
func (w *watch) anyChanged() {
	for f := range w.following {
		f.names, f.all = map[string]bool{}, true
	}
}

// patience is how long a report is waited for. It usually takes a tenth of a millisecond.
const patience = 100 * time.Millisecond

// caughtUp waits until the system has reported everything that happened before the call: it makes a file that is
// watched, and waits for the report. Reports of one system watch come in order; where those of several folders do not,
// it reports false, since it cannot tell.
func (w *watch) caughtUp(ctx context.Context) bool {
	if runtime.GOOS != "linux" {
		return false
	}
	path, report := atomicfile.TempName(filepath.Join(string(w.layout.Live), "watch")), make(chan struct{})
	w.mu.Lock()
	w.awaited[path] = report
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		delete(w.awaited, path)
		w.mu.Unlock()
	}()
	if _, err := atomicfile.Blink(path); err != nil {
		return false
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-report:
		return true
	case <-late.C:
	case <-ctx.Done():
	}
	return false
}
