package watch

import (
	"context"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/store/layout"
)

// Following knows which files of a workspace may have changed since it was last asked.
type Following struct {
	at   *watch
	stop func()

	mu    sync.Mutex
	names map[string]bool // paths of files
	all   bool            // any file may have changed
}

// manyNames is how many files are remembered one by one. After more changes any file may have changed.
const manyNames = 4096

// Follow begins to follow a workspace. Call Stop once.
func (w *Watcher) Follow(l layout.Layout) *Following {
	_, stop := w.Watch(l)
	w.mu.Lock()
	at := w.watches[l.Root+"\x00"+string(l.Live)]
	w.mu.Unlock()
	f := &Following{at: at, stop: stop, names: map[string]bool{}, all: true}
	at.following.add(f)
	return f
}

// Stop ends it.
func (f *Following) Stop() {
	f.at.following.remove(f)
	f.stop()
}

// Changed returns the paths of the files that may have changed since the call before, or all if any may have. It knows
// of every change that was complete before the call, as far as the system reports changes: not those made on other
// machines of a network file system, and not those that a program makes through memory that it mapped.
func (f *Following) Changed(ctx context.Context) (paths []string, all bool) {
	known := f.at.barrier.pass(ctx) && f.at.sees()
	f.mu.Lock()
	defer f.mu.Unlock()
	for path := range f.names {
		paths = append(paths, path)
	}
	all = f.all || !known
	f.names, f.all = map[string]bool{}, false
	return paths, all
}

func (f *Following) add(path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.names) >= manyNames {
		f.names, f.all = map[string]bool{}, true
	}
	f.names[path] = true
}

func (f *Following) addAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.names, f.all = map[string]bool{}, true
}

// followers are those who follow one workspace.
type followers struct {
	mu      sync.Mutex
	all     map[*Following]bool
	reports int // about folders, which may have been replaced, so that the new ones are not watched yet
	handled int // of the reports: after them all folders were watched that were there
}

func (s *followers) add(f *Following) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[*Following]bool{}
	}
	s.all[f] = true
}

func (s *followers) remove(f *Following) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, f)
}

// changed says that a file may have changed.
func (s *followers) changed(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for f := range s.all {
		f.add(path)
	}
}

// lost says that any file may have changed. If folders may have been replaced, that holds until settled is called.
func (s *followers) lost(folders bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if folders {
		s.reports++
	}
	for f := range s.all {
		f.addAll()
	}
}

// begin returns what to pass to settled.
func (s *followers) begin() (reports int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reports
}

// settled says that all folders are watched which were there at begin, and whether some are watched anew.
func (s *followers) settled(begun int, anew bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handled = begun
	for f := range s.all {
		if anew {
			f.addAll()
		}
	}
}

// sees reports whether the system reports every change.
func (w *watch) sees() bool {
	w.following.mu.Lock()
	defer w.following.mu.Unlock()
	return w.following.handled == w.following.reports && !w.blind.Load()
}

// barrier waits until the system has reported everything that happened before: it makes a file that is watched, and
// waits for the report. Reports of one system watch come in order.
type barrier struct {
	live string

	mu      sync.Mutex
	waiting map[string]chan struct{} // by the path of the file; closed by its report
}

// barrierPatience is how long a report is waited for. It usually takes a tenth of a millisecond.
const barrierPatience = 100 * time.Millisecond

// pass reports whether everything that happened before the call has been reported. Where reports of several folders do
// not come in order, it cannot tell.
func (b *barrier) pass(ctx context.Context) bool {
	if runtime.GOOS != "linux" {
		return false
	}
	path, report := atomicfile.TempName(filepath.Join(b.live, "watch")), make(chan struct{})
	b.await(path, report)
	defer b.forget(path)
	if _, err := atomicfile.Blink(path); err != nil {
		return false
	}
	late := time.NewTimer(barrierPatience)
	defer late.Stop()
	select {
	case <-report:
		return true
	case <-late.C:
	case <-ctx.Done():
	}
	return false
}

func (b *barrier) await(path string, report chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting[path] = report
}

func (b *barrier) forget(path string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.waiting, path)
}

// hear takes a report.
func (b *barrier) hear(path string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if report, ok := b.waiting[path]; ok {
		close(report)
		delete(b.waiting, path)
	}
}
