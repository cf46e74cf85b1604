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
		told: notices{any: make(chan struct{}, 1)},
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
	told            notices
	bells           map[chan struct{}]bool
	done            chan struct{}
}

// run rings until the watch is done. The lock is the Watcher's, and protects the bells.
func (w *watch) run(mu *sync.Mutex) {
	poll := time.NewTimer(w.pollAfter())
	defer poll.Stop()
	for {
		select {
		case <-w.done:
			if w.events != nil {
				_ = w.events.Close()
			}
			return
		case <-w.told.any:
			w.heed()
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

// heed looks after the folders where the system told of them.
func (w *watch) heed() {
	gone, lost, folders := w.told.take()
	if lost {
		clear(w.known)
	}
	for _, dir := range gone {
		delete(w.known, dir) // the next of its name may even have its inode
	}
	if folders {
		w.follow()
	}
}

func (w *watch) pollAfter() time.Duration {
	if w.blind {
		return min(fastPoll, w.slow)
	}
	return w.slow
}

// listen takes what the system tells until the watcher is closed. It calls nothing of the watcher: that holds its lock while
// it waits for an error to be taken, and whoever asked for the lock then would wait forever.
func (w *watch) listen(events *fsnotify.Watcher) {
	for {
		select {
		case e, open := <-events.Events:
			if !open {
				return
			}
			w.hear(e)
		case err, open := <-events.Errors:
			if !open {
				return
			}
			w.told.add(nil, errors.Is(err, fsnotify.ErrEventOverflow), true)
		}
	}
}

// hear notes an event, if it is about what is watched. Writers use names that begin with a dot for what is not whole yet.
func (w *watch) hear(e fsnotify.Event) {
	switch {
	case slices.Contains(w.folders, e.Name):
		var gone []string
		if e.Has(fsnotify.Remove | fsnotify.Rename) {
			gone = []string{e.Name}
		}
		w.told.add(gone, false, true)
	case e.Op == fsnotify.Chmod:
	case slices.Contains(w.leaves, filepath.Dir(e.Name)) && !strings.HasPrefix(filepath.Base(e.Name), "."):
		w.told.add(nil, false, false)
	}
}

// notices is what the system told and nobody has heeded yet.
type notices struct {
	any chan struct{} // holds one if there is something

	mu      sync.Mutex
	gone    []string // folders that were moved or removed
	lost    bool     // events were dropped, perhaps about folders
	folders bool     // it is about folders
}

func (n *notices) add(gone []string, lost, folders bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.gone = append(n.gone, gone...)
	n.lost, n.folders = n.lost || lost, n.folders || folders
	select {
	case n.any <- struct{}{}:
	default:
	}
}

func (n *notices) take() (gone []string, lost, folders bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	gone, lost, folders = n.gone, n.lost, n.folders
	n.gone, n.lost, n.folders = nil, false, false
	return gone, lost, folders
}

// follow has the system watch the folders that are there now, in place of those that were.
func (w *watch) follow() {
	if w.events == nil {
		events, err := w.open()
		if w.blind = err != nil; w.blind {
			return // most likely there are too many watchers; perhaps there are fewer by the next time
		}
		w.events = events
		go w.listen(events)
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
