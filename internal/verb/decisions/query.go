package decisions

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// QueryIn is the input of Query. A filter that is left out lets everything through.
type QueryIn struct {
	Text   string        `json:"text,omitempty" doc:"only decisions that say all these words somewhere"`
	Status record.Status `json:"status,omitempty" doc:"only decisions in this state" oneof:"proposed,accepted,rejected"`
	Path   string        `json:"path,omitempty" doc:"only decisions whose scope meets this path of the workspace, or this glob"`
	Since  string        `json:"since,omitempty" doc:"only what was logged since: a date, a time such as 2026-06-21T10:00:00Z, or how long ago, such as 24h"`
	About  verb.RecordID `json:"about,omitempty" doc:"only decisions about this record"`
	Parent record.ID     `json:"parent,omitempty" doc:"only decisions about this task, or about tasks that belong to it"`
	verb.Paging
}

// Row is a decision in a list.
type Row struct {
	ID           ledger.DecisionID `json:"id"`
	Title        string            `json:"title"`
	Choice       string            `json:"choice"`
	Status       record.Status     `json:"status"`
	Supersedes   ledger.DecisionID `json:"supersedes,omitempty"`
	SupersededBy ledger.DecisionID `json:"superseded_by,omitempty"` // which governs in its place
	Scope        []string          `json:"scope"`
	CreatedAt    *time.Time        `json:"created_at,omitempty"`
}

// choiceShown is how many bytes of a choice a row for an agent has.
const choiceShown = 500

// Query is a page of the decisions that fit.
func Query(ctx context.Context, w *verb.Workspace, s *store.Store, in QueryIn) (verb.Items[Row], error) {
	var none verb.Items[Row]
	f, err := in.filter(w, s)
	if err != nil {
		return none, err
	}
	view, err := w.Reads.Look(ctx, s, kind.Decisions.Kind)
	if err != nil {
		return none, err
	}
	if in.Parent != "" {
		g, err := w.Graph(ctx, s)
		if err != nil {
			return none, err
		}
		if f.about, err = g.Below(in.Parent); err != nil {
			return none, err
		}
	}
	order := verb.Succession(view.Rows())
	return verb.QueryRows(ctx, w, s, kind.Decisions.Kind, in.Paging,
		func(r *kind.Row) bool { return f.fits(r) && f.says(s, r) },
		func(r *kind.Row) Row { return row(w, s, r, order) })
}

// filter is the input, read.
type filter struct {
	in    QueryIn
	since time.Time
	paths []task.Glob     // none, or one
	about map[string]bool // ids of which one is to be among those that it is about; nil for any
	words []string        // in lower case
}

func (in QueryIn) filter(w *verb.Workspace, s *store.Store) (filter, error) {
	f := filter{in: in, words: strings.Fields(strings.ToLower(in.Text))}
	if in.Path != "" {
		g, _, err := verb.PathGlob(s, in.Path)
		if err != nil {
			return f, verb.BadInput("path", "%q is no path in the workspace", in.Path).WithHint("a path from the folder that holds .cairn, with forward slashes")
		}
		f.paths = []task.Glob{g}
	}
	var err error
	f.since, err = verb.Moment("since", in.Since, w.Now())
	return f, err
}

// fits reports whether what the row of a decision says fits.
func (f filter) fits(r *kind.Row) bool {
	about := r.All(kind.AboutFact)
	return (f.in.Status == "" || r.Status == f.in.Status) &&
		(f.since.IsZero() || r.Created >= f.since.Unix()) &&
		(f.in.About == "" || slices.Contains(about, string(f.in.About))) &&
		(f.about == nil || slices.ContainsFunc(about, func(id string) bool { return f.about[id] })) &&
		(f.paths == nil || slices.ContainsFunc(task.ScopeOf(r.All(kind.ScopeFact)), f.paths[0].Meets))
}

// says reports whether all words occur in a decision, which is read for it.
func (f filter) says(s *store.Store, r *kind.Row) bool {
	if len(f.words) == 0 {
		return true
	}
	d, err := kind.Decisions.Get(s, ledger.DecisionID(r.ID))
	if err != nil {
		return false
	}
	text := []string{kind.Decisions.Text(d), d.Choice, strings.Join(d.Scope, " ")}
	for _, o := range d.Options {
		text = append(text, o.Label, o.Summary, o.Pros, o.Cons)
	}
	all := strings.ToLower(strings.Join(text, "\n"))
	return !slices.ContainsFunc(f.words, func(word string) bool { return !strings.Contains(all, word) })
}

// row shows a decision in a list. Of one that is gone meanwhile it shows what its row says.
func row(w *verb.Workspace, s *store.Store, r *kind.Row, order ledger.Succession) Row {
	d, err := kind.Decisions.Get(s, ledger.DecisionID(r.ID))
	if err != nil {
		d.Scope = r.All(kind.ScopeFact)
	}
	if w.Bounded {
		d.Choice = verb.Head(d.Choice, choiceShown)
	}
	id := ledger.DecisionID(r.ID)
	return Row{
		ID: id, Title: r.Title, Choice: d.Choice, Status: r.Status, Supersedes: ledger.DecisionID(r.Fact(kind.SupersedesFact)),
		SupersededBy: order.SupersededBy(id), Scope: verb.NoNil(d.Scope), CreatedAt: verb.SecondsAt(r.Created),
	}
}
