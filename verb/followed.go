package verb

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/store"
)

// Follower tells which files of a workspace may have changed. A *watch.Following asks the operating system.
type Follower interface {
	// Changed returns the paths of the files that may have changed since the call before, or all if any may have. It knows of every
	// change that was complete before the call.
	Changed(ctx context.Context) (paths []string, all bool)
	Stop()
}

// A look at all files is made at least so often, for what the operating system does not report; but looks take no more than one part in
// wholeShare of the time.
const (
	wholeEvery = 2 * time.Second
	wholeShare = 50
)

// followed is a workspace of which a process keeps what it read.
type followed struct {
	key      string
	follower Follower // nil if every look is at all files
	claims   *folder
	states   store.States // used by one look at a time

	taking sync.Mutex

	mu      sync.Mutex
	kinds   map[string]*keptView
	waits   keptWaits
	folders map[string]*folder // by path
}

// folder is a folder of which a process keeps what it read.
type folder struct {
	whole time.Time // when the newest look at all files began; used by one look at a time
	took  time.Duration

	pending map[string]bool // names of files that may have changed since the newest look; guarded by followed.mu
	all     bool            // any may have; likewise
}

// at returns a workspace, and begins to follow one that nobody asked about before.
func (r *SharedReads) at(s *store.Store) *followed {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := s.Root + "\x00" + string(s.Live)
	at := r.followed[key]
	if at == nil {
		at = &followed{key: key, kinds: map[string]*keptView{}, folders: map[string]*folder{}}
		at.claims = at.folder(s.Live.Claims())
		if r.Follow != nil {
			at.follower = r.Follow(s.Layout)
		}
		if r.followed == nil {
			r.followed = map[string]*followed{}
		}
		r.followed[key] = at
	}
	return at
}

// folder returns the folder at a path, of which nothing is known at first. The caller holds the lock, or nobody else has the workspace.
func (f *followed) folder(path string) *folder {
	dir := f.folders[path]
	if dir == nil {
		dir = &folder{pending: map[string]bool{}, all: true}
		f.folders[path] = dir
	}
	return dir
}

// refresh has a folder read: all files, or those that may have changed since it was read before. If that fails, all are read the next time.
func (f *followed) refresh(ctx context.Context, dir *folder, read func(names []string, whole bool) error) error {
	names, whole := f.changed(ctx, dir)
	begun := time.Now()
	whole = whole || begun.Sub(dir.whole) > max(wholeEvery, wholeShare*dir.took)
	if err := read(names, whole); err != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		dir.all = true
		return err
	}
	if whole {
		dir.whole, dir.took = begun, time.Since(begun)
	}
	return nil
}

// changed takes the names of the files in a folder that may have changed since it was asked about before.
func (f *followed) changed(ctx context.Context, dir *folder) (names []string, all bool) {
	if f.follower == nil {
		return nil, true
	}
	f.taking.Lock() // what one caller takes concerns the others too: they must not look before it is handed out
	defer f.taking.Unlock()
	paths, everything := f.follower.Changed(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, other := range f.folders {
		other.all = other.all || everything
	}
	for _, path := range paths {
		if other := f.folders[filepath.Dir(path)]; other != nil {
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

// Close stops following. The reads can be used on, and then look at all files.
func (r *SharedReads) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, at := range r.followed {
		if at.follower != nil {
			at.follower.Stop()
		}
	}
	r.followed, r.Follow = nil, nil
}

// Kept is how many records are kept in memory, as rows or whole.
func (r *SharedReads) Kept() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	kept := r.records.Kept()
	for _, at := range r.followed {
		kept += at.kept()
	}
	return kept
}

func (f *followed) kept() (rows int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, k := range f.kinds {
		rows += int(k.rows.Load())
	}
	return rows
}
