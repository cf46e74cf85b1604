package search

import (
	"context"
	"slices"

	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/branches"
	"github.com/cairn-tasks/cairn/store/index"
	"github.com/cairn-tasks/cairn/store/index/terms"
	"github.com/cairn-tasks/cairn/store/kind"
)

// others are the records of the kinds that are asked for that only other branches have, and, before them, those of work
// trees, which may be among them.
func (in In) others(ctx context.Context, w *verb.Workspace, s *store.Store) (all []verb.Others, err error) {
	g, err := w.Graph(ctx, s)
	if err != nil {
		return nil, err
	}
	for _, k := range kind.Kinds() {
		if in.Kind != "" && in.Kind != k.Name {
			continue
		}
		there, err := g.InWorkTrees(ctx, k)
		if err != nil {
			return nil, err
		}
		all = append(all, there)
		if !slices.Contains(branches.Kinds(), k) || len(s.Others().All()) == 0 {
			continue
		}
		of, err := w.Others(ctx, s, k)
		if err != nil {
			return nil, err
		}
		all = append(all, of)
	}
	return all, nil
}

// hitsOf are the terms of a query.
func hitsOf(q terms.Query) terms.Hits {
	hits := terms.Hits{}
	for n, w := range q {
		for _, term := range w.Terms {
			hits[term] = n
		}
	}
	return hits
}

// Among finds those that have words of a query, and reads their files for it. Each is worth less than any record that is
// here.
func Among(o verb.Others, q terms.Query) (all []index.Ranked) {
	for _, r := range o.Rows() {
		text, have := textOf(o, r), 0
		for n := range q {
			if hitsOf(q[n : n+1]).In(text) {
				have++
			}
		}
		if have > 0 {
			all = append(all, index.Ranked{Kind: o.Kind, Row: r, Score: least * float64(have) / float64(len(q))})
		}
	}
	return all
}

// least is less than the rank of a record that the collection ranks.
const least = 0.000_001

// text is all that one of them says.
func textOf(o verb.Others, r *kind.Row) string {
	v, err := o.Read(o.Kind, r.ID)
	if err != nil {
		return r.Title
	}
	says := o.Kind.Wording(v)
	return says.Name + "\n" + says.Body + "\n" + says.Rest
}

// otherItem shows one of them.
func otherItem(o verb.Others, r index.Ranked, hits terms.Hits) Item {
	return Item{
		ID: r.Row.ID, Kind: r.Kind.Name, Title: verb.Head(r.Row.Title, titleShown), Status: r.Row.Status,
		Snippet: terms.Passage(textOf(o, r.Row), hits, snippetShown), Rank: rounded(r.Score), OnBranch: o.Branch(r.Row.ID),
	}
}
