package verb

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

const (
	defaultLimit = 50
	maxLimit     = 500
)

// ListIn is the input of List. A filter that is left out lets everything through.
type ListIn struct {
	Status    string  `json:"status,omitempty" doc:"only tasks in this state" from:"states"`
	Assignee  *string `json:"assignee" doc:"only tasks of this actor; me for yours, unassigned for nobody's" from:"actors"`
	Ready     *bool   `json:"ready" doc:"only tasks whose deps are all closed (true) or not (false)"`
	Execution string  `json:"execution,omitempty" doc:"only tasks whose session is active, stalled or awaiting_review" values:"active,stalled,awaiting_review"`
	Label     string  `json:"label,omitempty" doc:"only tasks with this label" from:"labels"`
	Priority  string  `json:"priority,omitempty" doc:"only tasks of this priority, 0 (drop everything) to 4 (someday)" values:"0=drop everything,1=high,2=normal,3=low,4=someday"`
	Parent    task.ID `json:"parent,omitempty" doc:"only children of this task"`
	Text      string  `json:"text,omitempty" doc:"only tasks in whose id, title, body, labels or notes all of these words occur"`
	Sort      string  `json:"sort,omitempty" doc:"priority (the most urgent first, unless told), created, updated (the newest first), title or id" values:"priority,created,updated,title,id"`
	Limit     Count   `json:"limit,omitempty" doc:"how many to return; 50 unless told, 500 at most"`
	Cursor    string  `json:"cursor,omitempty" doc:"next_cursor of the page before"`
}

// List is a page of the graph.
type List struct {
	Tasks      []Row  `json:"tasks"`
	Total      int    `json:"total"`                 // that fit the filters, on all pages
	NextCursor string `json:"next_cursor,omitempty"` // of the next page, of tasks or of problems
	Problems
}

// Problems are the files that could not be read, and are in no list.
type Problems struct {
	Problems      []store.Problem `json:"problems"`                 // 50 on a page
	ProblemsTotal int             `json:"problems_total,omitempty"` // how many there are, if not all are on this page
}

// problems are those on a page, of all.
func (p onPage[T]) problemsOf(all []store.Problem) Problems {
	out := Problems{Problems: p.problems}
	if len(p.problems) < len(all) {
		out.ProblemsTotal = len(all)
	}
	return out
}

// List returns the tasks that fit the filters, in the order asked for; equals by id.
func (w *Workspace) List(ctx context.Context, in ListIn) (List, error) {
	s, err := w.open()
	if err != nil {
		return List{}, err
	}
	in.Sort = cmp.Or(in.Sort, byPriority)
	keep, err := w.filter(s, in)
	if err != nil {
		return List{}, err
	}
	tasks, problems, err := w.Reads.List(ctx, s)
	if err != nil {
		return List{}, err
	}
	keep.body = s.Body
	find := finder(tasks)
	var rows []ranked[Row]
	for _, t := range tasks {
		if !keep.task(t) {
			continue
		}
		if row := w.row(s, t, find); keep.row(row) {
			rows = append(rows, ranked[Row]{keep.order(t), row})
		}
	}
	total := len(rows)
	shown, err := page(rows, problems, w.pageIn(in.Sort, in.Cursor, in.Limit))
	for i, row := range shown.items {
		shown.items[i] = w.rowCut(row)
	}
	return List{Tasks: shown.items, Total: total, NextCursor: shown.next, Problems: shown.problemsOf(problems)}, err
}

// filter is a ListIn that was checked.
type filter struct {
	in       ListIn
	assignee task.Actor
	priority task.Priority
	words    []string             // of Text, in lower case
	body     func(task.ID) string // reads what a list has a digest of
	order    func(task.Task) place
}

func (w *Workspace) filter(s *store.Store, in ListIn) (filter, error) {
	order, ok := orders[in.Sort]
	if !ok {
		return filter{}, badInput("sort", "is %q", in.Sort).WithHint("priority, created, updated, title or id")
	}
	f := filter{in: in, words: strings.Fields(strings.ToLower(in.Text)), order: order}
	if in.Status != "" {
		if err := s.Config.Flow.Known(task.Status(in.Status)); err != nil {
			return f, err
		}
	}
	executions := []string{string(session.Alive), string(session.Stalled), string(session.AwaitingReview)}
	if in.Execution != "" && !slices.Contains(executions, in.Execution) {
		return f, badInput("execution", "is %q", in.Execution).WithHint("active, stalled or awaiting_review")
	}
	priority, err := task.ParsePriority(in.Priority)
	if err != nil {
		return f, err
	}
	f.priority = priority
	if in.Limit > maxLimit {
		return f, badInput("limit", "is %d", in.Limit).WithHint("1 to %d; ask for the next page with cursor", maxLimit)
	}
	if in.Assignee != nil {
		who, err := w.actor(*in.Assignee)
		if err != nil {
			return f, err
		}
		f.assignee = who
	}
	return f, nil
}

// task looks at what the file alone says.
func (f filter) task(t task.Task) bool {
	in := f.in
	return (in.Status == "" || string(t.Status) == in.Status) &&
		(in.Assignee == nil || t.Assignee == f.assignee) &&
		(in.Label == "" || slices.Contains(t.Labels, in.Label)) &&
		(in.Priority == "" || t.Priority == f.priority) &&
		(in.Parent == "" || t.Parent == in.Parent) &&
		f.mentions(t)
}

// row looks at what is derived. A task that was carried further elsewhere is not ready here.
func (f filter) row(r Row) bool {
	return (f.in.Ready == nil || (r.Ready && r.Elsewhere == nil) == *f.in.Ready) &&
		(f.in.Execution == "" || r.Execution == f.in.Execution)
}

// mentions reports whether every word occurs in what a task says.
func (f filter) mentions(t task.Task) bool {
	if len(f.words) == 0 {
		return true
	}
	said := []string{string(t.ID), t.Title, strings.Join(t.Labels, " ")}
	if !store.Digested(t.Body) {
		said = append(said, t.Body)
	}
	for _, e := range t.Provenance {
		said = append(said, e.Text)
	}
	left := absent(f.words, strings.Join(said, "\n"))
	return len(left) == 0 || store.Digested(t.Body) && len(absent(left, f.body(t.ID))) == 0
}

// absent are the words, in lower case, that do not occur in a text.
func absent(words []string, text string) []string {
	text = strings.ToLower(text)
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool { return strings.Contains(text, word) })
}
