package store

import (
	"context"
	"path/filepath"
	"sync"
	"time"
)

// A look at all files is made at least so often, for what the operating system does not report; but looks take no more
// than one part in wholeShare of the time.
const (
	wholeEvery = 2 * time.Second
	wholeShare = 50
)

// folder is a folder whose files a process keeps.
type folder struct {
	looking sync.Mutex // held during a look
	whole   time.Time  // when the newest look at all files began
	took    time.Duration

	pending map[string]bool // names of files that may have changed since the newest look; guarded by remembered.mu
	all     bool            // any may have; likewise
}

// folder returns the folder at a path, of which nothing is known at first. The caller holds the lock, or nobody else
// has the workspace.
func (r *remembered) folder(path string) *folder {
	dir := r.folders[path]
	if dir == nil {
		dir = &folder{pending: map[string]bool{}, all: true}
		r.folders[path] = dir
	}
	return dir
}

// refresh has a folder read: all files, or those that may have changed since it was read before. If that fails, all are
// read the next time.
func (r *remembered) refresh(ctx context.Context, dir *folder, read func(names []string, whole bool) error) error {
	dir.looking.Lock()
	defer dir.looking.Unlock()
	names, whole := r.changed(ctx, dir)
	begun := time.Now()
	whole = whole || begun.Sub(dir.whole) > max(wholeEvery, wholeShare*dir.took)
	if err := read(names, whole); err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		dir.all = true
		return err
	}
	if whole {
		dir.whole, dir.took = begun, time.Since(begun)
	}
	return nil
}

// changed takes the names of the files in a folder that may have changed since it was asked about before.
func (r *remembered) changed(ctx context.Context, dir *folder) (names []string, all bool) {
	if r.follower == nil {
		return nil, true
	}
	r.taking.Lock() // what one caller takes concerns the others too: they must not look before it is handed out
	defer r.taking.Unlock()
	paths, everything := r.follower.Changed(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, other := range r.folders {
		other.all = other.all || everything
	}
	for _, path := range paths {
		if other := r.folders[filepath.Dir(path)]; other != nil {
			other.pending[filepath.Base(path)] = true
		}
	}
	for name := range dir.pending {
		names = append(names, name)
	}
	all, dir.all = dir.all, false
	clear(dir.pending)
	return names, all
}
