package activity

import (
	"cmp"
	"context"
	"fmt"
	"slices"
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
	all, problems, err := in.logs(ctx, w, s)
	if err != nil {
		return HistoryOut{}, err
	}
	paging := w.PageIn("history", in.Cursor, in.Limit)
	events, unread := in.events(all, keep, paging)
	if len(all) == 0 && in.ID != "" {
		k, v, err := record.Find(s, string(in.ID)) // one whose entries are not among those of logs, or that is not there
		if err != nil {
			return HistoryOut{}, err
		}
		events = eventsOf(logged{Header: k.Header(v)}, keep)
	}
	page, err := verb.Page(events, problems, paging)
	return HistoryOut{Entries: page.Items, Total: page.Total + unread, NextCursor: page.Next, Problems: page.Problems}, err
}

// logged is a record, and what is needed to tell of its entries.
type logged struct {
	task.Header
	descs   verb.Descs
	deleted bool
}

// logOf is the provenance of a record that may not have been read yet.
type logOf struct {
	newest  int64 // when the newest entry was made, in seconds since 1970
	entries int
	read    func() logged
}

// logs finds the records of all kinds, those included that this clone deleted, and the config. Those in which nothing can fit are left
// out. It names the files that could not be read.
func (in HistoryIn) logs(ctx context.Context, w *verb.Workspace, s *store.Store) (all []logOf, problems []problem.Problem, err error) {
	since, who, err := in.bounds(w)
	if err != nil {
		return nil, nil, err
	}
	add := func(row record.Row, read func() logged) {
		mayFit := (in.Actor == "" || row.Wrote(who)) && (since.IsZero() || row.Newest >= since.Unix())
		if in.ID == "" && mayFit || row.ID == string(in.ID) { // that the one asked for is there must show
			all = append(all, logOf{row.Newest, row.Entries, read})
		}
	}
	config := logged{Header: task.Header{Ref: task.Ref{Kind: "config", ID: "config"}, Title: s.Rel(s.ConfigFile())}}
	if config.Log, err = s.ConfigEntries(); err != nil {
		problems = append(problems, problem.Of(s.Rel(s.ConfigFile()), err))
	}
	add(record.RowOf(config.Header), func() logged { return config })
	for _, k := range record.Kinds() {
		if k.Repeats {
			continue
		}
		view, err := w.Reads.Look(ctx, s, k)
		if err != nil {
			return nil, nil, err
		}
		deleted, err := s.Trash().Deleted(k)
		if err != nil {
			return nil, nil, err
		}
		problems = append(problems, view.Problems()...)
		for _, r := range view.Rows() {
			add(*r, func() logged {
				v, err := s.Read(k, r.ID)
				if err != nil { // it is gone meanwhile
					return logged{}
				}
				return recorded(k, v, false)
			})
		}
		for _, v := range deleted {
			add(k.Row(v), func() logged { return recorded(k, v, true) })
		}
	}
	return all, problems, nil
}

// recorded is a record that was read.
func recorded(k *record.Kind, v any, deleted bool) logged {
	r := logged{Header: k.Header(v), deleted: deleted}
	if t, ok := v.(task.Task); ok {
		r.descs = verb.DescsOf(t)
	}
	return r
}

const readAtOnce = 32 // records, before it is asked whether the page is full

// events lists what is on a page and what fits before it, and counts the entries that it did not need to read. The newest records come
// first: once a page is full of what is newer than everything in the others, they are not read, unless a filter makes it unknown how many
// of their entries fit.
func (in HistoryIn) events(all []logOf, keep func(task.Ref, task.Entry) bool, page verb.PageIn) (events []verb.Ranked[Event], unread int) {
	slices.SortStableFunc(all, func(a, b logOf) int { return cmp.Compare(b.newest, a.newest) })
	lazy, isBehind := in.Actor == "" && in.Since == "", page.Behind()
	var behind []int64 // the times of events that may be on the page
	for i, l := range all {
		if lazy && i%readAtOnce == 0 && len(behind) > page.Limit() {
			slices.SortFunc(behind, func(a, b int64) int { return cmp.Compare(b, a) })
			if behind[page.Limit()] > l.newest {
				for _, rest := range all[i:] {
					unread += rest.entries
				}
				return events, unread
			}
		}
		more := eventsOf(l.read(), keep)
		for _, e := range more {
			if isBehind(e.At) {
				behind = append(behind, e.Item.At.Unix())
			}
		}
		events = append(events, more...)
	}
	return events, 0
}

// bounds reads the filters that are about when and by whom.
func (in HistoryIn) bounds(w *verb.Workspace) (since time.Time, who task.Actor, err error) {
	if who, err = w.ActorNamed(in.Actor); err == nil {
		since, err = verb.Moment("since", in.Since, w.Now())
	}
	return since, who, err
}

// filter reads the filters.
func (in HistoryIn) filter(w *verb.Workspace) (func(task.Ref, task.Entry) bool, error) {
	if err := verb.ValidLimit(in.Limit); err != nil {
		return nil, err
	}
	since, who, err := in.bounds(w)
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
