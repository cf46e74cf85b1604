package watch

import (
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/fsnotify/fsnotify"
)

// New returns a Watcher that polls so often, and asks open for the system's watches.
func New(poll time.Duration, open func() (*fsnotify.Watcher, error)) *Watcher {
	return &Watcher{poll: poll, open: open}
}

// Watched is how many workspaces are watched.
func (w *Watcher) Watched() int { return len(w.watches) }

// Hears reports whether an event of the system rings for a workspace.
func Hears(l layout.Layout, e fsnotify.Event) bool {
	w := &watch{layout: l, folders: foldersOf(l), leaves: leavesOf(l), heard: make(chan struct{}, 1)}
	w.hear(e)
	return len(w.heard) > 0
}

// Follows reports whether the system watches a folder of the only workspace.
func (w *Watcher) Follows(dir string) bool {
	for _, at := range w.watches {
		return slices.Contains(at.events.WatchList(), dir)
	}
	return false
}
