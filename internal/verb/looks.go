package verb

import (
	"context"
	"fmt"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/index"
	"github.com/cairn-tasks/cairn/store/index/terms"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Look returns the rows of all records of a kind as their files say. A process that shares its reads reads only what
// changed since it looked before, and those who ask during one look share the next.
func (r *SharedReads) Look(ctx context.Context, s *store.Store, k *kind.Kind) (*index.View, error) {
	if r == nil {
		return s.Rows(k).Look(ctx)
	}
	shared, leave := Share(r, "rows "+k.Name+" "+workspaceOf(s), func(ctx context.Context) (*index.View, error) { return r.memory.Rows(ctx, s, k) })
	defer leave()
	return shared(ctx)
}

// workspaceOf is a name of a workspace, and of the live state that it has.
func workspaceOf(s *store.Store) string { return s.Root + "\x00" + string(s.Live) }

// Search returns for each row of a view whether all words occur in what the record says.
func (r *SharedReads) Search(ctx context.Context, s *store.Store, v *index.View, words []string) ([]bool, error) {
	if r == nil {
		return s.Rows(v.Kind()).Search(ctx, v, &index.Words{}, words)
	}
	return r.memory.Search(ctx, s, v, words)
}

// Searchable returns the terms of the records of a view, for index.Rank.
func (r *SharedReads) Searchable(ctx context.Context, s *store.Store, v *index.View) (*index.Searchable, error) {
	if r == nil {
		return s.Rows(v.Kind()).Searchable(ctx, v, &index.Terms{})
	}
	return r.memory.Searchable(ctx, s, v)
}

// Rank finds the records of some kinds that have words of a query, by their rank in all of them together. It also lists
// the files that could not be read.
func (r *SharedReads) Rank(ctx context.Context, s *store.Store, q terms.Query, kinds ...*kind.Kind) (index.Ranking, []problem.Problem, error) {
	parts := make([]*index.Searchable, 0, len(kinds))
	var problems []problem.Problem
	for _, k := range kinds {
		view, err := r.Look(ctx, s, k)
		if err != nil {
			return index.Ranking{}, nil, err
		}
		part, err := r.Searchable(ctx, s, view)
		if err != nil {
			return index.Ranking{}, nil, err
		}
		parts, problems = append(parts, part), append(problems, view.Problems()...)
	}
	return index.Rank(q, parts), problems, nil
}

// KnownOf is store.Store.KnownOf, and with it whether the clone may know of progress that the file of a record lacks. A
// process that shares its reads reads only the states that changed.
func (r *SharedReads) KnownOf(ctx context.Context, s *store.Store) (known func(record.Ref) session.Live, carried func(record.Ref) bool) {
	if r == nil {
		return s.KnownOf(), func(record.Ref) bool { return true }
	}
	return s.KnownFrom(func() store.States {
		shared, leave := Share(r, "states "+workspaceOf(s), func(ctx context.Context) (store.States, error) { return r.memory.States(ctx, s) })
		defer leave()
		states, err := shared(ctx)
		if err != nil {
			states, _ = s.States() // who cannot wait for others reads them alone
		}
		return states
	})
}

// keptWaits is which tasks of a set wait for others.
type keptWaits struct {
	set  *index.Set
	flow string // which states are closed
	of   []waits
}

// waits returns whether each task of a graph waits for others. A process that shares its reads asks again only about
// what was touched.
func (r *SharedReads) waits(g *Graph) []waits {
	if r == nil {
		return keptWaits{}.after(g).of
	}
	key := workspaceOf(g.store)
	r.mu.Lock()
	before := r.kept[key]
	r.mu.Unlock()
	now := before.after(g)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept == nil {
		r.kept = map[string]keptWaits{}
	}
	r.kept[key] = now
	return now.of
}

// after is what is kept once a graph was asked.
func (k keptWaits) after(g *Graph) keptWaits {
	now := keptWaits{set: g.Set(), flow: fmt.Sprint(g.store.Config.Flow.Closed)}
	if now.set == k.set && now.flow == k.flow {
		return k
	}
	now.of = make([]waits, len(g.Rows()))
	if k.set == nil || now.flow != k.flow || !now.set.SameIDs(k.set) {
		for n, r := range g.Rows() {
			now.of[n] = g.waitsOf(r)
		}
		return now
	}
	copy(now.of, k.of)
	for _, id := range now.set.Touched(k.set) {
		now.of[now.set.Number(id)] = g.waitsOf(g.Row(record.ID(id)))
	}
	return now
}

// openChildren is which open children the tasks of a graph wait for. A process that shares its reads asks again only
// once tasks changed.
func (r *SharedReads) openChildren(g *Graph) *openChildren {
	flow := fmt.Sprint(g.store.Config.Flow.Closed)
	find := func() *openChildren { return &openChildren{set: g.Set(), flow: flow, of: openChildrenOf(g)} }
	if r == nil {
		return find()
	}
	key := workspaceOf(g.store)
	r.mu.Lock()
	before := r.children[key]
	r.mu.Unlock()
	if before != nil && before.set == g.Set() && before.flow == flow {
		return before
	}
	now := find()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.children == nil {
		r.children = map[string]*openChildren{}
	}
	r.children[key] = now
	return now
}
