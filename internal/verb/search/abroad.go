package search

import (
	"context"

	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/index"
	"github.com/cairn-tasks/cairn/store/index/terms"
	"github.com/cairn-tasks/cairn/store/kind"
)

// abroad is the tasks that only other branches have, of which each file is read.
type abroad struct{ verb.Abroad }

// abroad looks for them, unless only records of another kind are asked for.
func (in In) abroad(ctx context.Context, w *verb.Workspace, s *store.Store) (abroad, error) {
	if in.Kind != "" && in.Kind != kind.Tasks.Name || len(s.Others().Read()) == 0 {
		return abroad{}, nil
	}
	g, err := w.Graph(ctx, s)
	if err != nil {
		return abroad{}, err
	}
	return abroad{g.Abroad()}, nil
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

// found are those that have words of a query. Each is worth less than any record that is here.
func (a abroad) found(q terms.Query) (all []index.Ranked) {
	for _, r := range a.Rows() {
		text, have := a.text(r), 0
		for n := range q {
			if hitsOf(q[n : n+1]).In(text) {
				have++
			}
		}
		if have > 0 {
			all = append(all, index.Ranked{Kind: kind.Tasks.Kind, Row: r, Score: least * float64(have) / float64(len(q))})
		}
	}
	return all
}

// least is less than the rank of a record that the collection ranks.
const least = 0.000_001

// text is all that one of them says.
func (a abroad) text(r *kind.Row) string {
	t, err := a.Task(r)
	if err != nil {
		return r.Title
	}
	says := kind.Tasks.Wording(t)
	return says.Name + "\n" + says.Body + "\n" + says.Rest
}

// item shows one of them.
func (a abroad) item(r index.Ranked, hits terms.Hits) Item {
	return Item{
		ID: r.Row.ID, Kind: r.Kind.Name, Title: verb.Head(r.Row.Title, titleShown), Status: r.Row.Status,
		Snippet: terms.Passage(a.text(r.Row), hits, snippetShown), OnBranch: a.Branch(r.Row),
	}
}
