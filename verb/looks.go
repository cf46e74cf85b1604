package verb

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/index"
	"github.com/cairn-tasks/cairn/store/record"
)

// Follower tells which files of a workspace may have changed. A *watch.Following asks the operating system.
type Follower interface {
	// Changed returns the paths of the files that may have changed since the call before, or all if any may have.
	Changed(ctx context.Context) (paths []string, all bool)
	Stop()
}

// A look at the stamps of all files is made at least so often, for what the operating system does not report; but it takes no more than
// one part in wholeShare of the time.
const (
	wholeEvery = 2 * time.Second
	wholeShare = 50
)

// followed is a workspace of which a process keeps views.
type followed struct {
	follower Follower // nil if every look is at all files

	mu    sync.Mutex
	kinds map[string]*keptView
}

// keptView is what a process keeps of the records of one kind in one workspace.
type keptView struct {
	words index.Words

	view  *index.View // of the newest look; this and what follows is used by one look at a time
	whole time.Time   // when that was last at all files
	took  time.Duration

	pending map[string]bool // names of files that may have changed since; guarded by followed.mu
	all     bool            // any may have; likewise
}

// Look returns the rows of all records of a kind as their files say. A process that shares its reads reads only what changed since it
// looked before, and those who ask during one look share the next.
func (r *SharedReads) Look(ctx context.Context, s *store.Store, k *record.Kind) (*index.View, error) {
	if r == nil {
		return s.Look(ctx, k)
	}
	kept, at := r.kept(s, k)
	shared, leave := Share(r, "look "+s.Root+" "+k.Name, func(ctx context.Context) (*index.View, error) {
		err := at.refresh(ctx, s, k, kept)
		return kept.view, err
	})
	defer leave()
	return shared(ctx)
}

// refresh brings a view up to date.
func (f *followed) refresh(ctx context.Context, s *store.Store, k *record.Kind, kept *keptView) error {
	names, all := f.changed(ctx, s, k)
	begun := time.Now()
	if !all && kept.view != nil && begun.Sub(kept.whole) < max(wholeEvery, wholeShare*kept.took) {
		view, err := s.LookAt(ctx, k, kept.view, names)
		if err != nil {
			f.lost(k)
			return err
		}
		kept.view = view
		return nil
	}
	view, err := s.LookAfter(ctx, k, kept.view)
	if err != nil {
		f.lost(k)
		return err
	}
	kept.view, kept.whole, kept.took = view, begun, time.Since(begun)
	return nil
}

// changed takes the names of the files of a kind that may have changed since it was last asked about that kind.
func (f *followed) changed(ctx context.Context, s *store.Store, k *record.Kind) (names []string, all bool) {
	if f.follower == nil {
		return nil, true
	}
	paths, everything := f.follower.Changed(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, other := range f.kinds {
		other.all = other.all || everything
	}
	for _, path := range paths {
		for name, other := range f.kinds {
			if kind, ok := record.Named(name); ok && filepath.Dir(path) == s.Dir(kind.Folder) {
				other.pending[filepath.Base(path)] = true
			}
		}
	}
	kept := f.kinds[k.Name]
	for name := range kept.pending {
		names = append(names, name)
	}
	all, kept.all = kept.all, false
	clear(kept.pending)
	return names, all
}

// lost says that a look failed, after it had taken the names of the files that may have changed.
func (f *followed) lost(k *record.Kind) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kinds[k.Name].all = true
}

// Search returns for each row of a view whether all words occur in what the record says.
func (r *SharedReads) Search(ctx context.Context, s *store.Store, v *index.View, words []string) ([]bool, error) {
	if r == nil {
		return s.Search(ctx, v, &index.Words{}, words)
	}
	kept, _ := r.kept(s, v.Kind())
	return s.Search(ctx, v, &kept.words, words)
}

// kept returns what is kept of a kind, and begins to follow a workspace that nobody asked about before.
func (r *SharedReads) kept(s *store.Store, k *record.Kind) (*keptView, *followed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := s.Root + "\x00" + string(s.Live)
	at := r.followed[key]
	if at == nil {
		at = &followed{kinds: map[string]*keptView{}}
		if r.Follow != nil {
			at.follower = r.Follow(s.Layout)
		}
		if r.followed == nil {
			r.followed = map[string]*followed{}
		}
		r.followed[key] = at
	}
	at.mu.Lock()
	defer at.mu.Unlock()
	kept := at.kinds[k.Name]
	if kept == nil {
		kept = &keptView{pending: map[string]bool{}, all: true}
		at.kinds[k.Name] = kept
	}
	return kept, at
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
