package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Watcher tells when the tasks, sessions and claims of a workspace may have changed. Everybody who watches one workspace
// through a Watcher shares what it asks of the system, so a process needs one. The zero value is ready.
type Watcher struct {
	open func() (*fsnotify.Watcher, error) // another in tests; nil for the system's
	poll time.Duration                     // another in tests; 0 for slowPoll

	mu      sync.Mutex
	watches map[string]*watch // by the folders that are watched
}

const (
	slowPoll = 2 * time.Second // for what the system loses: overflows, network mounts, folders that were replaced
	fastPoll = time.Second     // where the system tells nothing
)

// Watch ticks when something may have changed, and at least every two seconds. A tick says neither what nor whether: whoever
// hears one reads the files. Whatever is written after Watch has returned is followed by a tick; ticks that nobody has taken
// yet are one. It never fails: where the system gives no watches it looks every second. Stop is to be called once.
func (w *Watcher) Watch(l Layout) (ticks <-chan struct{}, stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := l.Root + "\x00" + l.Live
	at := w.watches[key]
	if at == nil {
		at = w.begin(l)
		if w.watches == nil {
			w.watches = map[string]*watch{}
		}
		w.watches[key] = at
	}
	bell := make(chan struct{}, 1)
	at.bells[bell] = true
	return bell, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if delete(at.bells, bell); len(at.bells) == 0 {
			close(at.done)
			delete(w.watches, key)
		}
	}
}

// begin watches the folders of a workspace. The caller holds the lock.
func (w *Watcher) begin(l Layout) *watch {
	at := &watch{
		folders: l.watchedFolders(), leaves: l.watchedLeaves(), open: w.open, slow: w.poll,
		known: map[string]fs.FileInfo{}, bells: map[chan struct{}]bool{}, done: make(chan struct{}),
	}
	if at.open == nil {
		at.open = fsnotify.NewWatcher
	}
	if at.slow == 0 {
		at.slow = slowPoll
	}
	at.follow()
	go at.run(&w.mu)
	return at
}

// watchedLeaves are the folders whose files are watched: a rename over a file ends a watch on it, but none on its folder.
func (l Layout) watchedLeaves() []string {
	return []string{l.TasksDir(), l.SessionsDir(), filepath.Join(l.Live, "claims"), filepath.Join(l.Live, "live")}
}

// watchedFolders are the leaves and what they lie in, the outermost first: a folder that is replaced is noticed in its parent.
func (l Layout) watchedFolders() []string {
	folders := []string{l.Root, filepath.Join(l.Root, Folder)}
	if l.Repo != nil {
		folders = append(folders, l.Repo.CommonDir, filepath.Dir(l.Live))
	}
	return append(append(folders, l.Live), l.watchedLeaves()...)
}

// watch is what the system tells of one workspace, merged into ticks.
type watch struct {
	folders, leaves []string
	open            func() (*fsnotify.Watcher, error)
	slow            time.Duration
	events          *fsnotify.Watcher      // nil while the system has none to give
	known           map[string]fs.FileInfo // the folders that the system watches, as they were then
	blind           bool                   // to something that is there
	bells           map[chan struct{}]bool
	done            chan struct{}
}

// run rings until the watch is done. The lock is the Watcher's, and protects the bells.
func (w *watch) run(mu *sync.Mutex) {
	poll := time.NewTimer(w.pollAfter())
	defer poll.Stop()
	for {
		var events <-chan fsnotify.Event
		var errs <-chan error
		if w.events != nil {
			events, errs = w.events.Events, w.events.Errors
		}
		select {
		case <-w.done:
			if w.events != nil {
				_ = w.events.Close()
			}
			return
		case e := <-events:
			if !w.hears(e) {
				continue
			}
		case err := <-errs:
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				clear(w.known) // events about folders may have been among those that were dropped
			}
			w.follow()
		case <-poll.C:
			w.follow()
			poll.Reset(w.pollAfter())
		}
		mu.Lock()
		for bell := range w.bells {
			select {
			case bell <- struct{}{}:
			default: // it has not been heard yet, and says no more twice than once
			}
		}
		mu.Unlock()
	}
}

func (w *watch) pollAfter() time.Duration {
	if w.blind {
		return min(fastPoll, w.slow)
	}
	return w.slow
}

// hears reports whether an event is about what is watched. Writers use names that begin with a dot for what is not whole yet.
func (w *watch) hears(e fsnotify.Event) bool {
	switch {
	case slices.Contains(w.folders, e.Name):
		if e.Has(fsnotify.Remove | fsnotify.Rename) {
			delete(w.known, e.Name) // the next of its name may even have its inode
		}
		w.follow()
		return true
	case e.Op == fsnotify.Chmod:
		return false
	default:
		return slices.Contains(w.leaves, filepath.Dir(e.Name)) && !strings.HasPrefix(filepath.Base(e.Name), ".")
	}
}

// follow has the system watch the folders that are there now, in place of those that were.
func (w *watch) follow() {
	if w.events == nil {
		events, err := w.open()
		if w.blind = err != nil; w.blind {
			return // most likely there are too many watchers; perhaps there are fewer by the next time
		}
		w.events = events
	}
	w.blind = false
	watched := w.events.WatchList()
	for _, dir := range w.folders {
		info, err := os.Stat(dir)
		if err == nil && w.known[dir] != nil && os.SameFile(info, w.known[dir]) && slices.Contains(watched, dir) {
			continue
		}
		delete(w.known, dir)
		_ = w.events.Remove(dir) // what was there under this name
		if err != nil {
			continue // its parent tells when it comes
		}
		if err := w.events.Add(dir); err != nil {
			w.blind = w.blind || !isMissing(err)
			continue
		}
		w.known[dir] = info
	}
}
