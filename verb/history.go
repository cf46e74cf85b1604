package verb

import (
	"context"
	"fmt"
	"time"

	"github.com/cairn-tasks/cairn/task"
)

// HistoryIn is the input of History. A filter that is left out lets everything through.
type HistoryIn struct {
	ID     task.ID `json:"id,omitempty" doc:"only this task" cli:"arg"`
	Actor  string  `json:"actor,omitempty" doc:"only what this actor did; me for you" from:"actors"`
	Since  string  `json:"since,omitempty" doc:"only what was done since: a date, a time such as 2026-06-21T10:00:00Z, or how long ago, such as 24h"`
	Limit  Count   `json:"limit,omitempty" doc:"how many to return; 50 unless told, 500 at most"`
	Cursor string  `json:"cursor,omitempty" doc:"next_cursor of the page before"`
}

// History is a page of what was done, the newest first.
type History struct {
	Entries    []Event `json:"entries"`
	Total      int     `json:"total"`                 // that fit the filters, on all pages
	NextCursor string  `json:"next_cursor,omitempty"` // of the next page, of entries or of problems
	Problems
}

// Event is an entry, and the task or the other record that it belongs to.
type Event struct {
	Task    task.ID `json:"task,omitempty"`
	Record  string  `json:"record,omitempty"` // config, or the id of a proposal
	Title   string  `json:"title"`
	Deleted bool    `json:"deleted,omitempty"` // the task was deleted in this clone since
	Entry
}

// History returns the provenance of all tasks in one list, those included that this clone deleted, and of what else was written:
// the config and proposals.
func (w *Workspace) History(ctx context.Context, in HistoryIn) (History, error) {
	s, err := w.open()
	if err != nil {
		return History{}, err
	}
	keep, err := w.historyFilter(in)
	if err != nil {
		return History{}, err
	}
	tasks, problems, err := w.Reads.List(ctx, s)
	if err != nil {
		return History{}, err
	}
	deleted, err := s.Deleted()
	if err != nil {
		return History{}, err
	}
	if in.ID != "" && !has(tasks, in.ID) && !has(deleted, in.ID) {
		_, err := s.Get(in.ID)
		return History{}, err
	}
	var events []ranked[Event]
	for _, t := range tasks {
		events = append(events, eventsOf(t, false, keep)...)
	}
	for _, t := range deleted {
		events = append(events, eventsOf(t, true, keep)...)
	}
	logged, unread, err := s.Logged()
	if err != nil {
		return History{}, err
	}
	for _, l := range logged {
		for _, e := range eventsOf(task.Task{ID: task.ID(l.Name), Title: l.Title, Provenance: l.Provenance}, false, keep) {
			e.item.Task, e.item.Record = "", l.Name
			events = append(events, e)
		}
	}
	problems = append(problems, unread...)
	total := len(events)
	shown, err := page(events, problems, w.pageIn("history", in.Cursor, in.Limit))
	return History{Entries: shown.items, Total: total, NextCursor: shown.next, Problems: shown.problemsOf(problems)}, err
}

func has(tasks []task.Task, id task.ID) bool {
	_, ok := finder(tasks)(id)
	return ok
}

// historyFilter reads the filters.
func (w *Workspace) historyFilter(in HistoryIn) (func(task.ID, task.Entry) bool, error) {
	if in.Limit > maxLimit {
		return nil, badInput("limit", "is %d", in.Limit).WithHint("1 to %d; ask for the next page with cursor", maxLimit)
	}
	who, err := w.actor(in.Actor)
	if err != nil {
		return nil, err
	}
	since, err := moment(in.Since, w.Now())
	return func(id task.ID, e task.Entry) bool {
		return (in.ID == "" || id == in.ID) && (in.Actor == "" || e.Who == who) && !e.At.Before(since)
	}, err
}

// eventsOf lists a task's entries. Among those of one second the later written is the newer.
func eventsOf(t task.Task, deleted bool, keep func(task.ID, task.Entry) bool) []ranked[Event] {
	var out []ranked[Event]
	descs := descsOf(t)
	for i, e := range t.Provenance {
		if keep(t.ID, e) {
			at := place{youthKey(e.At), fmt.Sprintf("%s %06d", t.ID, len(t.Provenance)-i)}
			out = append(out, ranked[Event]{at, Event{Task: t.ID, Title: t.Title, Deleted: deleted, Entry: viewEntry(e, descs)}})
		}
	}
	return out
}

// moment reads a point in time: a date, a time, or how long before now.
func moment(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return now.Add(-ago), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, badInput("since", "is %q", text).WithHint("2026-06-21, 2026-06-21T10:00:00Z, or 24h for the last day")
}
