// Package watch reports when something in a workspace may have changed.
package watch

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/fsnotify/fsnotify"
)

// Watcher reports when the records, claims and heartbeats of a workspace may have changed. All who watch one workspace
// through a Watcher share one set of the system's watches, so a process needs only one. The zero value is ready to use.
type Watcher struct {
	open func() (*fsnotify.Watcher, error) // nil for fsnotify.NewWatcher; set in tests
	poll time.Duration                     // 0 for slowPoll; set in tests

	mu      sync.Mutex
	watches map[string]*watch // by the folders that are watched
}

const (
	slowPoll = 2 * time.Second // for what the system does not report: overflows, network mounts, folders that were replaced
	fastPoll = time.Second     // if the system reports nothing
)

// Watch returns a channel that ticks when something may have changed, and at least every two seconds. Every write after
// Watch has returned is followed by a tick. A tick does not say what changed, or whether anything did: the receiver
// reads the files. Ticks that are not received yet are merged into one. Watch never fails: without watches of the
// system it ticks every second. Call stop once.
func (w *Watcher) Watch(l layout.Layout) (ticks <-chan struct{}, stop func()) {
	_, ticks, stop = w.share(l)
	return ticks, stop
}

// share begins to watch a workspace, unless somebody watches it already.
func (w *Watcher) share(l layout.Layout) (at *watch, ticks <-chan struct{}, stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := l.Root + "\x00" + string(l.Live)
	at = w.watches[key]
	if at == nil {
		at = w.begin(l)
		if w.watches == nil {
			w.watches = map[string]*watch{}
		}
		w.watches[key] = at
	}
	bell := make(chan struct{}, 1)
	at.bells[bell] = true
	return at, bell, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if delete(at.bells, bell); len(at.bells) == 0 {
			close(at.done)
			delete(w.watches, key)
		}
	}
}

// begin watches the folders of a workspace. The caller holds the lock.
func (w *Watcher) begin(l layout.Layout) *watch {
	at := &watch{
		layout: l, folders: foldersOf(l), leaves: leavesOf(l), open: w.open, slow: cmp.Or(w.poll, slowPoll),
		known: map[string]fs.FileInfo{}, bells: map[chan struct{}]bool{}, done: make(chan struct{}),
		heard: make(chan struct{}, 1), following: map[*Following]bool{}, awaited: map[string]chan struct{}{},
	}
	if at.open == nil {
		at.open = fsnotify.NewWatcher
	}
	at.follow()
	go at.run(&w.mu)
	return at
}

// leavesOf lists the folders whose files are watched, without those of records at rest, which come and go. Files are
// not watched themselves, since a rename over a file ends its watch.
func leavesOf(l layout.Layout) []string {
	var leaves []string
	for _, folder := range kind.Folders() {
		leaves = append(leaves, l.Dir(folder))
	}
	return append(leaves, l.Live.Claims(), l.Live.Heartbeats(), l.Live.Jobs())
}

// foldersOf lists the leaves and the folders around them, outer ones first: that a folder is replaced shows in its
// parent.
func foldersOf(l layout.Layout) []string {
	folders := []string{l.Root, l.Top()}
	if l.Repo != nil {
		folders = append(folders, l.Repo.CommonDir, filepath.Dir(string(l.Live)))
	}
	folders = append(folders, string(l.Live))
	for _, rest := range kind.Rests() {
		folders = append(folders, l.Dir(rest))
	}
	return append(folders, leavesOf(l)...)
}

// watch turns what the system reports about one workspace into ticks.
type watch struct {
	layout          layout.Layout
	folders, leaves []string
	open            func() (*fsnotify.Watcher, error)
	slow            time.Duration
	events          *fsnotify.Watcher      // nil while the system gives no watches
	known           map[string]fs.FileInfo // the watched folders, as they were when they were added
	blind           atomic.Bool            // some folder exists that is not watched
	bells           map[chan struct{}]bool
	done            chan struct{}
	heard           chan struct{} // has a value if the system has reported something that is not handled

	mu        sync.Mutex
	gone      []string // reported and not handled: folders that were moved or removed
	lost      bool     // likewise: events were dropped, perhaps about folders
	moved     bool     // likewise: some report is about a folder
	reports   int      // about folders, which may have been replaced, so that the new ones are not watched yet
	handled   int      // of the reports: after them all folders were watched that were there
	following map[*Following]bool
	awaited   map[string]chan struct{} // by the path of a file; closed by its report
}

// run ticks until the watch is done. The lock is that of the Watcher, and protects the bells.
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
		case <-w.heard:
			w.handle()
		case <-poll.C:
			w.follow()
			poll.Reset(w.pollAfter())
		}
		mu.Lock()
		for bell := range w.bells {
			select {
			case bell <- struct{}{}:
			default: // the last tick is not received yet
			}
		}
		mu.Unlock()
	}
}

// handle updates the watches after reports about folders.
func (w *watch) handle() {
	w.mu.Lock()
	gone, lost, moved := w.gone, w.lost, w.moved
	w.gone, w.lost, w.moved = nil, false, false
	w.mu.Unlock()
	if lost {
		clear(w.known)
	}
	for _, dir := range gone {
		delete(w.known, dir) // the next folder of this name may even have its inode
	}
	if moved {
		w.follow()
	}
}

func (w *watch) pollAfter() time.Duration {
	if w.blind.Load() {
		return min(fastPoll, w.slow)
	}
	return w.slow
}

// listen receives the system's reports until the watcher is closed. It calls no method of the watcher, which would
// deadlock: the watcher holds its lock while it waits for an error to be received.
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
			w.mu.Lock()
			w.lost = w.lost || errors.Is(err, fsnotify.ErrEventOverflow)
			w.hearOfFolder()
			w.mu.Unlock()
		}
	}
}

// hear notes an event if it is about a watched file or folder. Names that begin with a dot are temporary files.
func (w *watch) hear(e fsnotify.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if report, ok := w.awaited[e.Name]; ok {
		close(report)
		delete(w.awaited, e.Name)
	}
	switch {
	case slices.Contains(w.folders, e.Name) || w.restsIn(e.Name):
		if e.Has(fsnotify.Remove | fsnotify.Rename) {
			w.gone = append(w.gone, e.Name)
		}
		w.hearOfFolder()
	case e.Op == fsnotify.Chmod:
		w.changed(e.Name) // it may not be readable any more
	case (slices.Contains(w.leaves, filepath.Dir(e.Name)) || w.restsIn(filepath.Dir(e.Name))) && !strings.HasPrefix(filepath.Base(e.Name), "."):
		w.changed(e.Name)
		w.wake()
	}
}

// hearOfFolder notes that folders may have been replaced. The caller holds the lock.
func (w *watch) hearOfFolder() {
	w.reports++
	w.anyChanged()
	w.moved = true
	w.wake()
}

// wake has run handle what was reported.
func (w *watch) wake() {
	select {
	case w.heard <- struct{}{}:
	default:
	}
}

// restsIn reports whether a path is that of a folder of records at rest.
func (w *watch) restsIn(dir string) bool {
	return kind.IsFolder(w.layout.Rel(dir)) && !slices.Contains(w.folders, dir)
}

// others lists the folders to be watched beside those that always are: those of records at rest that there are, and
// those that were watched and may be gone.
func (w *watch) others() []string {
	var dirs []string
	for _, dir := range slices.AppendSeq(place.All(w.layout), maps.Keys(w.known)) {
		if !slices.Contains(w.folders, dir) && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// follow makes the system watch the folders that exist now.
func (w *watch) follow() {
	w.mu.Lock()
	begun := w.reports
	w.mu.Unlock()
	if w.events == nil {
		events, err := w.open()
		if err != nil {
			w.blind.Store(true)
			return // most likely there are too many watches; there may be fewer the next time
		}
		w.events = events
		go w.listen(events)
	}
	blind, anew := w.watchAll(w.folders)
	blindToo, anewToo := w.watchAll(w.others()) // listed now that the folders around them are watched: one that is made since is reported
	w.blind.Store(blind || blindToo)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.handled = begun; anew || anewToo {
		w.anyChanged()
	}
}

// watchAll makes the system watch those of some folders that exist. It reports whether one is there that cannot be
// watched, and whether one is watched anew.
func (w *watch) watchAll(dirs []string) (blind, anew bool) {
	watched := w.events.WatchList()
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		if err == nil && w.known[dir] != nil && os.SameFile(info, w.known[dir]) && slices.Contains(watched, dir) {
			continue
		}
		delete(w.known, dir)
		_ = w.events.Remove(dir) // the former folder of this name
		if err != nil {
			continue // its parent reports it when it is made
		}
		if err := w.events.Add(dir); err != nil {
			blind = blind || !problem.Missing(err)
			continue
		}
		w.known[dir], anew = info, true
	}
	return blind, anew
}
