package verb

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/index"
	"github.com/cairn-tasks/cairn/store/record"
	"github.com/cairn-tasks/cairn/task"
)

// keptView is what a process keeps of the records of one kind in one workspace.
type keptView struct {
	folder *folder
	words  index.Words
	view   *index.View // of the newest look; used by one look at a time
	rows   atomic.Int64
}

// Look returns the rows of all records of a kind as their files say. A process that shares its reads reads only what changed since it
// looked before, and those who ask during one look share the next.
func (r *SharedReads) Look(ctx context.Context, s *store.Store, k *record.Kind) (*index.View, error) {
	if r == nil {
		return s.Look(ctx, k)
	}
	at := r.at(s)
	kept := at.kind(s, k)
	shared, leave := Share(r, "look "+at.key+" "+k.Name, func(ctx context.Context) (view *index.View, err error) {
		err = at.refresh(ctx, kept.folder, func(names []string, whole bool) error {
			if whole || kept.view == nil {
				view, err = s.LookAfter(ctx, k, kept.view)
			} else {
				view, err = s.LookAt(ctx, k, kept.view, names)
			}
			if err == nil {
				kept.view = view
				kept.rows.Store(int64(len(view.Rows())))
			}
			return err
		})
		return view, err
	})
	defer leave()
	return shared(ctx)
}

// kind returns what is kept of a kind.
func (f *followed) kind(s *store.Store, k *record.Kind) *keptView {
	f.mu.Lock()
	defer f.mu.Unlock()
	kept := f.kinds[k.Name]
	if kept == nil {
		kept = &keptView{folder: f.folder(s.Dir(k.Folder))}
		f.kinds[k.Name] = kept
	}
	return kept
}

// Search returns for each row of a view whether all words occur in what the record says.
func (r *SharedReads) Search(ctx context.Context, s *store.Store, v *index.View, words []string) ([]bool, error) {
	if r == nil {
		return s.Search(ctx, v, &index.Words{}, words)
	}
	return s.Search(ctx, v, &r.at(s).kind(s, v.Kind()).words, words)
}

// keptWaits is which tasks of a set wait for others.
type keptWaits struct {
	set  *index.Set
	flow string // which states are closed
	of   []waits
}

// waits returns whether each task of a graph waits for others. A process that shares its reads asks again only about what was touched.
func (r *SharedReads) waits(g *Graph) []waits {
	if r == nil {
		return keptWaits{}.after(g).of
	}
	at := r.at(g.store)
	at.mu.Lock()
	before := at.waits
	at.mu.Unlock()
	now := before.after(g)
	at.mu.Lock()
	defer at.mu.Unlock()
	at.waits = now
	return now.of
}

// after is what is kept once a graph was asked.
func (k keptWaits) after(g *Graph) keptWaits {
	now := keptWaits{g.Set(), fmt.Sprint(g.store.Config.Flow.Closed), make([]waits, len(g.Rows()))}
	if now.set == k.set && now.flow == k.flow {
		return k
	}
	if k.set == nil || now.flow != k.flow || !now.set.SameIDs(k.set) {
		for n, r := range g.Rows() {
			now.of[n] = g.waitsOf(r)
		}
		return now
	}
	copy(now.of, k.of)
	for _, id := range now.set.Touched(k.set) {
		now.of[now.set.Number(id)] = g.waitsOf(g.Row(task.ID(id)))
	}
	return now
}

// KnownOf is store.Store.KnownOf, and with it whether the clone may know of progress that the file of a record lacks. A process that shares
// its reads reads only the states that changed.
func (r *SharedReads) KnownOf(ctx context.Context, s *store.Store) (known func(task.Ref) session.Live, carried func(task.Ref) bool) {
	if r == nil {
		return s.KnownOf(), func(task.Ref) bool { return true }
	}
	return s.KnownFrom(func() store.States {
		states, err := r.states(ctx, s)
		if err != nil {
			states, _ = s.States() // who cannot wait for others reads them alone
		}
		return states
	})
}

// states reads the states of all records.
func (r *SharedReads) states(ctx context.Context, s *store.Store) (store.States, error) {
	at := r.at(s)
	shared, leave := Share(r, "states "+at.key, func(ctx context.Context) (states store.States, err error) {
		err = at.refresh(ctx, at.claims, func(names []string, whole bool) error {
			if whole {
				states, err = s.States()
			} else {
				states = s.StatesAfter(at.states, names)
			}
			if err == nil {
				at.states = states
			}
			return err
		})
		return states, err
	})
	defer leave()
	return shared(ctx)
}
