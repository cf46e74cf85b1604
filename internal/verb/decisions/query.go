package decisions

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/search"
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
	OnBranch     string            `json:"on_branch,omitempty"` // the branch that alone has it, where it governs nothing here
}

const choiceShown = 500

// Query is a page of the decisions that fit.
func Query(ctx context.Context, w *verb.Workspace, s *store.Store, in QueryIn) (verb.Items[Row], error) {
	fits, err := in.filter(ctx, w, s)
	if err != nil {
		return verb.Items[Row]{}, err
	}
	view, err := w.Reads.Look(ctx, s, kind.Decisions.Kind)
	if err != nil {
		return verb.Items[Row]{}, err
	}
	order := verb.Succession(view.Rows())
	others := verb.OthersOf(s, kind.Decisions.Kind, view.Rows(), view.Problems())
	return verb.QueryRows(ctx, w, s, kind.Decisions.Kind, in.Paging,
		func(r *kind.Row) bool { return fits(r) && in.says(others, r) },
		func(r *kind.Row) Row { return row(w, others, r, order) }, others.Rows()...)
}

// filter returns whether what the row of a decision says fits.
func (in QueryIn) filter(ctx context.Context, w *verb.Workspace, s *store.Store) (func(*kind.Row) bool, error) {
	var path task.Glob
	if in.Path != "" {
		var err error
		if path, _, err = verb.PathGlob(s, in.Path); err != nil {
			return nil, verb.BadInput("path", "%q is no path in the workspace", in.Path).
				WithHint("a path from the folder that holds .cairn, with forward slashes")
		}
	}
	since, err := verb.Moment("since", in.Since, w.Now())
	if err != nil {
		return nil, err
	}
	within, err := search.Within(ctx, w, s, in.Parent)
	return func(r *kind.Row) bool {
		return (in.Status == "" || r.Status == in.Status) &&
			(since.IsZero() || r.Created >= since.Unix()) &&
			(in.About == "" || slices.Contains(r.All(kind.AboutFact), string(in.About))) && within(r) &&
			(in.Path == "" || slices.ContainsFunc(task.ScopeOf(r.All(kind.ScopeFact)), path.Meets))
	}, err
}

// says reports whether all words occur in a decision, which is read for it.
func (in QueryIn) says(from kind.Reader, r *kind.Row) bool {
	words := strings.Fields(strings.ToLower(in.Text))
	if len(words) == 0 {
		return true
	}
	d, err := kind.Decisions.Get(from, ledger.DecisionID(r.ID))
	if err != nil {
		return false
	}
	text := []string{kind.Decisions.Text(d), d.Choice, strings.Join(d.Scope, " ")}
	for _, o := range d.Options {
		text = append(text, o.Label, o.Summary, o.Pros, o.Cons)
	}
	all := strings.ToLower(strings.Join(text, "\n"))
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(all, word) })
}

// row shows a decision in a list. Of one that is gone meanwhile it shows what its row says.
func row(w *verb.Workspace, others verb.Others, r *kind.Row, order ledger.Succession) Row {
	d, err := kind.Decisions.Get(others, ledger.DecisionID(r.ID))
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
		OnBranch: others.Branch(r.ID),
	}
}
