package verb

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"

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
	Status    string  `json:"status,omitempty" doc:"only tasks in this state"`
	Assignee  *string `json:"assignee" doc:"only tasks of this actor; me for yours, unassigned for nobody's"`
	Ready     *bool   `json:"ready" doc:"only tasks whose deps are all closed (true) or not (false)"`
	Execution string  `json:"execution,omitempty" doc:"only tasks whose session is active, stalled or awaiting_review"`
	Label     string  `json:"label,omitempty" doc:"only tasks with this label"`
	Priority  string  `json:"priority,omitempty" doc:"only tasks of this priority, 0 (drop everything) to 4 (someday)"`
	Parent    task.ID `json:"parent,omitempty" doc:"only children of this task"`
	Limit     int     `json:"limit,omitempty" doc:"how many to return; 50 unless told, 500 at most"`
	Cursor    string  `json:"cursor,omitempty" doc:"next_cursor of the page before"`
}

// List is a page of the graph.
type List struct {
	Tasks      []Row           `json:"tasks"`
	Total      int             `json:"total"` // that fit the filters, on all pages
	NextCursor string          `json:"next_cursor,omitempty"`
	Problems   []store.Problem `json:"problems"` // files that could not be read, and are in no list
}

// List returns the tasks that fit the filters, the most urgent first and the older first among equals.
func (w *Workspace) List(ctx context.Context, in ListIn) (List, error) {
	s, err := w.open()
	if err != nil {
		return List{}, err
	}
	keep, err := w.filter(s, in)
	if err != nil {
		return List{}, err
	}
	tasks, problems, err := s.List(ctx)
	if err != nil {
		return List{}, err
	}
	byID := make(map[task.ID]task.Task, len(tasks))
	for _, t := range tasks {
		byID[t.ID] = t
	}
	find := func(id task.ID) (task.Task, bool) { t, ok := byID[id]; return t, ok }
	rows := []Row{}
	for _, t := range tasks {
		if !keep.task(t) {
			continue
		}
		if row := w.row(s, t, find); keep.row(row) {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.ID, b.ID)) })
	return page(rows, noNil(problems), in)
}

// filter is a ListIn that was checked.
type filter struct {
	in       ListIn
	assignee task.Actor
	priority task.Priority
}

func (w *Workspace) filter(s *store.Store, in ListIn) (filter, error) {
	f := filter{in: in}
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
	if in.Limit < 0 || in.Limit > maxLimit {
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
		(in.Parent == "" || t.Parent == in.Parent)
}

// row looks at what is derived. A task that was carried further elsewhere is not ready here.
func (f filter) row(r Row) bool {
	return (f.in.Ready == nil || (r.Ready && r.Elsewhere == nil) == *f.in.Ready) &&
		(f.in.Execution == "" || r.Execution == f.in.Execution)
}

// page cuts out what was asked for. The cursor is the place of the last row shown, so that it stays good when tasks come
// and go.
func page(rows []Row, problems []store.Problem, in ListIn) (List, error) {
	out := List{Tasks: rows, Total: len(rows), Problems: problems}
	if in.Cursor != "" {
		after, err := base64.RawURLEncoding.DecodeString(in.Cursor)
		if err != nil || !cursorForm.Match(after) {
			return List{}, badInput("cursor", "is not one that list returned").WithHint("leave it out to begin at the top")
		}
		start := slices.IndexFunc(rows, func(r Row) bool { return rank(r) > string(after) })
		if start < 0 {
			start = len(rows)
		}
		out.Tasks = rows[start:]
	}
	limit := cmp.Or(in.Limit, defaultLimit)
	if len(out.Tasks) > limit {
		out.Tasks = out.Tasks[:limit]
		out.NextCursor = base64.RawURLEncoding.EncodeToString([]byte(rank(out.Tasks[limit-1])))
	}
	return out, nil
}

// cursorForm is what rank makes.
var cursorForm = regexp.MustCompile(`^[0-4] \S+$`)

// rank sorts as text the way rows are sorted.
func rank(r Row) string { return fmt.Sprintf("%d %s", r.Priority, r.ID) }
