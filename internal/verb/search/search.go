// Package search holds the verb that looks for words in the records of all kinds.
package search

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/index"
	"github.com/cairn-tasks/cairn/store/index/terms"
	"github.com/cairn-tasks/cairn/store/kind"
)

// Verbs are the verbs that look in records of all kinds.
var Verbs = verb.Group{Name: "ledger", Toolset: verb.Ledger}.Of(
	verb.Declare(Search, verb.Verb{Name: "search", Title: "Search everything",
		Summary: "Find records of every kind by words, the best first, each with the passage in which the words are.",
		When:    "Before you do, decide or write down something again. It finds other forms of a word, parts of identifiers, and what is near to a word that nothing has.",
	}),
)

// In is the input of Search. A filter that is left out lets everything through.
type In struct {
	Q      string        `json:"q" doc:"words to look for; a record need not have all of them" cli:"arg"`
	Kind   string        `json:"kind,omitempty" doc:"only records of this kind, such as task or knowledge" from:"kinds"`
	Status record.Status `json:"status,omitempty" doc:"only records in this state" from:"states"`
	Label  string        `json:"label,omitempty" doc:"only records with this label" from:"labels"`
	Since  string        `json:"since,omitempty" doc:"only what was written since: a date, a time such as 2026-06-21T10:00:00Z, or how long ago, such as 24h"`
	Parent record.ID     `json:"parent,omitempty" doc:"only this task and those below it, and what is about them"`
	Limit  verb.Count    `json:"limit,omitempty" doc:"how many to return; 20 by default, 100 at most"`
	Cursor string        `json:"cursor,omitempty" doc:"next_cursor of the page before"`
}

// Out is a page of what was found, the best first.
type Out struct {
	verb.Items[Item]

	// Near are the words that no record has, and what was looked for instead.
	Near map[string][]string `json:"near,omitempty"`
}

// Item is a record that was found.
type Item struct {
	ID      string        `json:"id"`
	Kind    string        `json:"kind"`
	Title   string        `json:"title"`
	Status  record.Status `json:"status,omitempty"`
	Snippet string        `json:"snippet"` // the passage in which the words are, on one line
	Rank    float64       `json:"rank"`    // the higher the better; it says nothing across queries

	OnBranch string `json:"on_branch,omitempty"` // the branch that alone has it, or has it as it is now
}

const (
	usualLimit = 20
	maxLimit   = 100
	maxQuery   = 1000 // bytes
)

// Search finds records by words. All kinds are one collection, also for a caller who asks about one of them. A task
// that is worked on is found by what its work tree has of it, in the place that it has by what it says here. Records that
// only work trees or other branches have come behind all others, by how many of the words they have.
func Search(ctx context.Context, w *verb.Workspace, s *store.Store, in In) (Out, error) {
	q, err := Query(in.Q)
	if err != nil {
		return Out{}, err
	}
	if in.Limit > maxLimit {
		return Out{}, verb.BadInput("limit", "is %d", in.Limit).WithHint("1 to %d; ask for the next page with cursor", maxLimit)
	}
	keep, err := in.filter(ctx, w, s)
	if err != nil {
		return Out{}, err
	}
	ranking, problems, err := w.Reads.Rank(ctx, s, q, kind.Kinds()...)
	if err != nil {
		return Out{}, err
	}
	beside, err := in.others(ctx, w, s)
	if err != nil {
		return Out{}, err
	}
	var fit []verb.Ranked[index.Ranked]
	add := func(r index.Ranked) {
		if keep(r) {
			fit = append(fit, verb.Ranked[index.Ranked]{At: verb.Position{Key: verb.Highest(r.Score), ID: r.Row.ID}, Item: r})
		}
	}
	ranks := map[string]float64{} // that records have by what they say here, while a work tree has them as they are now
	for _, r := range ranking.Found {
		if slices.ContainsFunc(beside, func(o verb.Others) bool { return o.Kind == r.Kind && o.InWorkTree(r.Row.ID) != nil }) {
			ranks[r.Row.ID] = r.Score
			continue
		}
		add(r)
	}
	of, seen := map[*kind.Row]verb.Others{}, map[string]bool{}
	for _, o := range beside {
		for _, r := range Among(o, q) {
			if !seen[r.Row.ID] {
				seen[r.Row.ID], of[r.Row], r.Score = true, o, max(r.Score, ranks[r.Row.ID])
				add(r)
			}
		}
	}
	show := func(r index.Ranked) Item {
		if o, ok := of[r.Row]; ok {
			return otherItem(o, r, hitsOf(q))
		}
		return itemOf(s, r, ranking.Terms)
	}
	paging := verb.Paging{Limit: verb.Limit(cmp.Or(in.Limit, usualLimit)), Cursor: in.Cursor}
	page, err := verb.PageOf(fit, show, problems, w.PageIn(in.order(), paging))
	if err != nil {
		return Out{}, err
	}
	return Out{Items: page, Near: ranking.Near}, nil
}

// Query reads what somebody looks for. It returns INVALID_INPUT for one without words.
func Query(q string) (terms.Query, error) {
	if len(q) > maxQuery {
		return nil, verb.BadInput("q", "has %d bytes", len(q)).WithHint("%d at most; a few words find more than many", maxQuery)
	}
	out := terms.Parse(q)
	if len(out) == 0 {
		none := verb.BadInput("q", "has no word")
		if record.Blank(q) {
			return nil, none.WithHint("say a few words that the record has")
		}
		return nil, none.WithHint("say a few words that the record has; %s finds signs, such as emoji",
			record.CallTo("list", "where", fmt.Sprintf("title~%q", q)).OnlyShown())
	}
	return out, nil
}

// order names the list, so that a cursor is refused in another one.
func (in In) order() string {
	h := fnv.New64a()
	fmt.Fprintf(h, "%q", []string{in.Q, in.Kind, string(in.Status), in.Label, in.Since, string(in.Parent)})
	return fmt.Sprintf("search %x", h.Sum64())
}

func (in In) filter(ctx context.Context, w *verb.Workspace, s *store.Store) (func(index.Ranked) bool, error) {
	since, err := verb.Moment("since", in.Since, w.Now())
	if err = cmp.Or(verb.KnownKind(in.Kind), err); err != nil {
		return nil, err
	}
	within, err := Within(ctx, w, s, in.Parent)
	if err != nil {
		return nil, err
	}
	return func(r index.Ranked) bool {
		return (in.Kind == "" || r.Kind.Name == in.Kind) && (in.Status == "" || r.Row.Status == in.Status) &&
			(in.Label == "" || record.HasLabel(r.Row.Labels, in.Label)) &&
			(since.IsZero() || !time.Unix(r.Row.Newest, 0).Before(since.Truncate(time.Second))) && within(r.Row)
	}, nil
}

// Within returns whether a record belongs to a task or to one of those below it: because it is one, or is about one.
// Every record does to "". It returns NOT_FOUND if there is no such task.
func Within(ctx context.Context, w *verb.Workspace, s *store.Store, parent record.ID) (func(*kind.Row) bool, error) {
	if parent == "" {
		return func(*kind.Row) bool { return true }, nil
	}
	g, err := w.Graph(ctx, s)
	if err != nil {
		return nil, err
	}
	below, err := g.Below(parent)
	if err != nil {
		return nil, err
	}
	return func(r *kind.Row) bool {
		return below[r.ID] || below[string(r.Parent)] || slices.ContainsFunc(r.All(kind.AboutFact), func(id string) bool { return below[id] })
	}, nil
}

const (
	titleShown   = 200 // bytes
	snippetShown = 240
)

// itemOf shows a record. Its file is read for the snippet; if it is gone meanwhile, there is none.
func itemOf(s *store.Store, r index.Ranked, hits terms.Hits) Item {
	return Item{
		ID: r.Row.ID, Kind: r.Kind.Name, Title: verb.Head(r.Row.Title, titleShown), Status: r.Row.Status,
		Snippet: Snippet(s, r.Kind, r.Row.ID, hits), Rank: rounded(r.Score),
	}
}

func rounded(rank float64) float64 { return math.Round(rank*1000) / 1000 }

// Snippet is the passage of a record in which the terms are; the beginning of its body if only its title has them.
func Snippet(s kind.Reader, k *kind.Kind, id string, hits terms.Hits) string {
	v, err := s.Read(k, id)
	if err != nil {
		return ""
	}
	says := k.Wording(v)
	text := says.Body
	if text == "" || !hits.In(text) && hits.In(says.Rest) {
		text = says.Rest
	}
	return terms.Passage(text, hits, snippetShown)
}
