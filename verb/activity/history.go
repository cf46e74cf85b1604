package activity

import (
	"context"
	"fmt"
	"time"

	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
)

// HistoryIn is the input of History. A filter that is left out lets everything through.
type HistoryIn struct {
	ID     task.ID    `json:"id,omitempty" doc:"only this task" cli:"arg"`
	Actor  string     `json:"actor,omitempty" doc:"only what this actor did; me for you" from:"actors"`
	Since  string     `json:"since,omitempty" doc:"only what was done since: a date, a time such as 2026-06-21T10:00:00Z, or how long ago, such as 24h"`
	Limit  verb.Count `json:"limit,omitempty" doc:"how many to return; 50 by default, 500 at most"`
	Cursor string     `json:"cursor,omitempty" doc:"next_cursor of the page before"`
}

// HistoryOut is a page of what was done, the newest first.
type HistoryOut struct {
	Entries    []Event `json:"entries"`
	Total      int     `json:"total"`                 // that fit the filters, on all pages
	NextCursor string  `json:"next_cursor,omitempty"` // of the next page, of entries or of problems
	verb.Problems
}

// Event is an entry, and the task or the other record that it belongs to.
type Event struct {
	Task    task.ID `json:"task,omitempty"`
	Record  string  `json:"record,omitempty"` // config, or the id of a proposal
	Title   string  `json:"title"`
	Deleted bool    `json:"deleted,omitempty"` // the task was deleted in this clone since
	verb.Entry
}

// History returns the entries of all records in one list: of tasks, of those that this clone deleted, of proposals and of the
// config.
func History(ctx context.Context, w *verb.Workspace, in HistoryIn) (HistoryOut, error) {
	s, err := w.Open()
	if err != nil {
		return HistoryOut{}, err
	}
	keep, err := in.filter(w)
	if err != nil {
		return HistoryOut{}, err
	}
	tasks, problems, err := w.Reads.List(ctx, s)
	if err != nil {
		return HistoryOut{}, err
	}
	deleted, err := s.Deleted()
	if err != nil {
		return HistoryOut{}, err
	}
	if in.ID != "" && !has(tasks, in.ID) && !has(deleted, in.ID) {
		_, err := s.Get(in.ID)
		return HistoryOut{}, err
	}
	var events []verb.Ranked[Event]
	for _, t := range tasks {
		events = append(events, eventsOf(t.Header(), verb.DescsOf(t), false, keep)...)
	}
	for _, t := range deleted {
		events = append(events, eventsOf(t.Header(), verb.DescsOf(t), true, keep)...)
	}
	logged, unread, err := s.Logged()
	if err != nil {
		return HistoryOut{}, err
	}
	for _, l := range logged {
		record := task.Header{Ref: task.Ref{ID: l.Name}, Title: l.Title, Log: l.Provenance}
		events = append(events, eventsOf(record, nil, false, keep)...)
	}
	page, err := verb.Page(events, append(problems, unread...), w.PageIn("history", in.Cursor, in.Limit))
	return HistoryOut{Entries: page.Items, Total: page.Total, NextCursor: page.Next, Problems: page.Problems}, err
}

func has(tasks []task.Task, id task.ID) bool {
	_, ok := verb.FindIn(tasks)(id)
	return ok
}

// filter reads the filters.
func (in HistoryIn) filter(w *verb.Workspace) (func(task.Ref, task.Entry) bool, error) {
	if err := verb.ValidLimit(in.Limit); err != nil {
		return nil, err
	}
	who, err := w.ActorNamed(in.Actor)
	if err != nil {
		return nil, err
	}
	since, err := moment(in.Since, w.Now())
	return func(record task.Ref, e task.Entry) bool {
		return (in.ID == "" || record == in.ID.Ref()) && (in.Actor == "" || e.Who == who) && !e.At.Before(since)
	}, err
}

// eventsOf lists the entries of a record. Among those of one second the later written is the newer.
func eventsOf(record task.Header, descs verb.Descs, deleted bool, keep func(task.Ref, task.Entry) bool) []verb.Ranked[Event] {
	var out []verb.Ranked[Event]
	for i, e := range record.Log {
		if !keep(record.Ref, e) {
			continue
		}
		event := Event{Title: record.Title, Deleted: deleted, Entry: verb.ViewEntry(e, descs)}
		if record.Ref.Kind == task.KindName {
			event.Task = task.ID(record.Ref.ID)
		} else {
			event.Record = record.Ref.ID
		}
		at := verb.Position{Key: verb.NewestFirst(e.At), ID: fmt.Sprintf("%s %06d", record.Ref.ID, len(record.Log)-i)}
		out = append(out, verb.Ranked[Event]{At: at, Item: event})
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
	return time.Time{}, verb.BadInput("since", "is %q", text).WithHint("2026-06-21, 2026-06-21T10:00:00Z, or 24h for the last day")
}
