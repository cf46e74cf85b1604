package activity

import (
	"context"
	"fmt"
	"time"

	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/store/record"
	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
)

// HistoryIn is the input of History. A filter that is left out lets everything through.
type HistoryIn struct {
	ID     verb.RecordID `json:"id,omitempty" doc:"only this task" cli:"arg"`
	Actor  string        `json:"actor,omitempty" doc:"only what this actor did; me for you" from:"actors"`
	Since  string        `json:"since,omitempty" doc:"only what was done since: a date, a time such as 2026-06-21T10:00:00Z, or how long ago, such as 24h"`
	Limit  verb.Count    `json:"limit,omitempty" doc:"how many to return; 50 by default, 500 at most"`
	Cursor string        `json:"cursor,omitempty" doc:"next_cursor of the page before"`
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
	records, problems, err := everything(ctx, w, s)
	if err != nil {
		return HistoryOut{}, err
	}
	var events []verb.Ranked[Event]
	found := in.ID == ""
	for _, r := range records {
		found = found || r.Ref.ID == string(in.ID)
		events = append(events, eventsOf(r, keep)...)
	}
	if !found {
		k, v, err := record.Find(s, string(in.ID)) // one whose entries are not among those of everything
		if err != nil {
			return HistoryOut{}, err
		}
		events = eventsOf(logged{Header: k.Header(v)}, keep)
	}
	page, err := verb.Page(events, problems, w.PageIn("history", in.Cursor, in.Limit))
	return HistoryOut{Entries: page.Items, Total: page.Total, NextCursor: page.Next, Problems: page.Problems}, err
}

// logged is a record, and what is needed to tell of its entries.
type logged struct {
	task.Header
	descs   verb.Descs
	deleted bool
}

// everything reads the records of all kinds, those included that this clone deleted, and the config. It names the files that could
// not be read.
func everything(ctx context.Context, w *verb.Workspace, s *store.Store) (all []logged, problems []problem.Problem, err error) {
	entries, err := s.ConfigEntries()
	if err != nil {
		problems = append(problems, problem.Of(s.Rel(s.ConfigFile()), err))
	}
	all = append(all, logged{Header: task.Header{Ref: task.Ref{Kind: "config", ID: "config"}, Title: s.Rel(s.ConfigFile()), Log: entries}})
	for _, k := range record.Kinds() {
		if k.Repeats {
			continue
		}
		there, unread, err := w.Reads.Of(s).All(ctx, k)
		if err != nil {
			return nil, nil, err
		}
		deleted, err := s.Trash().Deleted(k)
		if err != nil {
			return nil, nil, err
		}
		problems = append(problems, unread...)
		for i, v := range append(there, deleted...) {
			r := logged{Header: k.Header(v), deleted: i >= len(there)}
			if t, ok := v.(task.Task); ok {
				r.descs = verb.DescsOf(t)
			}
			all = append(all, r)
		}
	}
	return all, problems, nil
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
		return (in.ID == "" || record.ID == string(in.ID)) && (in.Actor == "" || e.Who == who) && !e.At.Before(since)
	}, err
}

// eventsOf lists the entries of a record. Among those of one second the later written is the newer.
func eventsOf(record logged, keep func(task.Ref, task.Entry) bool) []verb.Ranked[Event] {
	var out []verb.Ranked[Event]
	for i, e := range record.Log {
		if !keep(record.Ref, e) {
			continue
		}
		event := Event{Title: record.Title, Deleted: record.deleted, Entry: verb.ViewEntry(e, record.descs)}
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
