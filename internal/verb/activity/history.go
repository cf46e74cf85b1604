package activity

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/task"
)

const configKind = "config"

// HistoryIn is the input of History. A filter that is left out lets everything through.
type HistoryIn struct {
	ID      verb.RecordID `json:"id,omitempty" doc:"only this task" cli:"arg"`
	Actor   string        `json:"actor,omitempty" doc:"only what this actor did; me for you" from:"actors"`
	Kind    string        `json:"kind,omitempty" doc:"only records of this kind: task, session, proposal and so on, or config" from:"kinds-and-config"`
	Did     string        `json:"did,omitempty" doc:"only entries of this kind, such as created, transitioned, noted or updated" values:"created,claimed,released,assigned,began,finished,canceled,taken_over,transitioned,checked,attested,noted,updated"`
	Session string        `json:"session,omitempty" doc:"only what was done in this session" from:"sessions"`
	Since   string        `json:"since,omitempty" doc:"only what was done since: a date, a time such as 2026-06-21T10:00:00Z, or how long ago, such as 24h"`
	Until   string        `json:"until,omitempty" doc:"only what was done before: likewise"`
	verb.Paging
}

// HistoryOut is a page of what was done, the newest first.
type HistoryOut struct {
	Entries    []Event `json:"entries" result:"rows"`
	Total      int     `json:"total"`                 // that fit the filters, on all pages
	NextCursor string  `json:"next_cursor,omitempty"` // of the next page, of entries or of problems
	verb.Problems
}

// Event is an entry, and the task or the other record that it belongs to.
type Event struct {
	Task    record.ID `json:"task,omitempty"`
	Record  string    `json:"record,omitempty"` // config, or the id of a record that is no task
	Title   string    `json:"title"`
	Deleted bool      `json:"deleted,omitempty"` // the task was deleted in this clone since
	verb.Entry
}

// History returns the entries of all records in one list: those that this clone deleted included, and of the config. Of
// a session it leaves out that it began and ended, which its task says, unless the session is asked for.
func History(ctx context.Context, w *verb.Workspace, s *store.Store, in HistoryIn) (HistoryOut, error) {
	f, err := in.filters(w)
	if err != nil {
		return HistoryOut{}, err
	}
	if ses, err := kind.Sessions.Get(s, in.Session); in.Session != "" && err == nil && ses.StartedAt.After(f.since) {
		f.since = ses.StartedAt // so that records at rest since are not read
	}
	all, problems, err := f.logs(ctx, w, s)
	if err != nil {
		return HistoryOut{}, err
	}
	paging := w.PageIn("history", in.Paging)
	events, unread := f.events(all, paging)
	page, err := verb.Page(events, problems, paging)
	for i := range page.Items {
		e := &page.Items[i]
		f.tellChanges(ctx, s, cmp.Or(string(e.Task), e.Record), &e.Entry)
	}
	return HistoryOut{Entries: page.Items, Total: page.Total + unread, NextCursor: page.NextCursor, Problems: page.Problems}, err
}

// logged is a record, and what is needed to tell of its entries.
type logged struct {
	record.Header
	descs   verb.Descs
	level   func(n int) *verb.Evidence // nil for a record that is no task
	repeats func(record.Entry) bool    // nil for a record that repeats none
	deleted bool
}

// logOf is the provenance of a record that may not have been read yet.
type logOf struct {
	newest  int64 // when the newest entry was made, in seconds since 1970
	entries int
	read    func() logged
}

// logs finds the records of all kinds, those included that this clone deleted, and the config. Those in which nothing
// can fit are left out. It names the files that could not be read, and returns NOT_FOUND for an id that is nowhere.
func (f filters) logs(ctx context.Context, w *verb.Workspace, s *store.Store) (all []logOf, problems []problem.Problem, err error) {
	add := func(of string, row kind.Row, read func() logged) {
		if f.ID == "" && row.OwnEntries() > 0 && f.mayFit(of, &row) || row.ID == string(f.ID) { // that the one asked for is there must show
			all = append(all, logOf{row.Newest, row.OwnEntries(), read})
		}
	}
	config := logged{Header: record.Header{Ref: record.Ref{Kind: configKind, ID: configKind}, Title: s.Rel(s.ConfigFile())}}
	var unread error
	if config.Log, unread = s.ConfigEntries(); unread != nil {
		problems = append(problems, problem.Of(s.Rel(s.ConfigFile()), unread))
	}
	add(configKind, kind.RowOf(config.Header), func() logged { return config })
	g, err := w.Graph(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	known := w.View(s)
	for _, k := range kind.Kinds() {
		if f.Kind != "" && f.Kind != k.Name {
			continue
		}
		there, err := g.InWorkTrees(ctx, k)
		if err != nil {
			return nil, nil, err
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
		f.there[k] = there
		for _, r := range slices.Concat(view.Rows(), there.Rows()) {
			if at := there.InWorkTree(r.ID); at != nil && view.Find(r.ID) == r {
				continue // as it is there it comes below
			}
			add(k.Name, *r, func() logged {
				v, err := there.Read(k, r.ID)
				if err != nil { // it is gone meanwhile
					return logged{}
				}
				return recorded(known, k, v, false)
			})
		}
		for _, v := range deleted {
			add(k.Name, k.Row(v), func() logged { return recorded(known, k, v, true) })
		}
	}
	if len(all) == 0 && f.ID != "" {
		_, _, err = kind.Find(s, string(f.ID))
	}
	return all, problems, err
}

func recorded(view verb.View, k *kind.Kind, v any, deleted bool) logged {
	r := logged{Header: k.Header(v), deleted: deleted, repeats: func(e record.Entry) bool { return k.Repeats(v, e) }}
	if t, ok := v.(task.Task); ok {
		r.descs, r.level = verb.DescsOf(t), view.EvidenceAt(t)
	}
	return r
}

const readAtOnce = 32 // records, before it is asked whether the page is full

// events lists what is on a page and what fits before it, and counts the entries that it did not need to read. The
// newest records come first: once a page is full of what is newer than everything in the others, they are not read,
// unless a filter makes it unknown how many of their entries fit.
func (f filters) events(all []logOf, page verb.PageIn) (events []verb.Ranked[Event], unread int) {
	sorted.By(all, func(a, b logOf) int { return cmp.Compare(b.newest, a.newest) })
	every := f.Actor == "" && f.Since == "" && f.Until == "" && f.Did == "" && f.Session == "" // entry fits of a record that does
	lazy, isBehind := every && !f.whole, page.Behind()
	var behind []int64 // the times of events that may be on the page
	for i, l := range all {
		if lazy && i%readAtOnce == 0 && len(behind) > page.Limit() {
			sorted.By(behind, func(a, b int64) int { return cmp.Compare(b, a) })
			if behind[page.Limit()] > l.newest {
				for _, rest := range all[i:] {
					unread += rest.entries
				}
				return events, unread
			}
		}
		more := f.eventsOf(l.read())
		for _, e := range more {
			if isBehind(e.At) {
				behind = append(behind, e.Item.At.Unix())
			}
		}
		events = append(events, more...)
	}
	return events, 0
}

type filters struct {
	HistoryIn
	since, until time.Time // until is zero for none
	who          record.Actor
	whole        bool // every record is read, because the oldest entries are asked for
	past         map[string]*verb.Past
	there        map[*kind.Kind]verb.Others // what work trees have
}

func (in HistoryIn) filters(w *verb.Workspace) (f filters, err error) {
	f.HistoryIn, f.past, f.there = in, map[string]*verb.Past{}, map[*kind.Kind]verb.Others{}
	if err := verb.KnownKind(in.Kind, configKind); err != nil {
		return f, err
	}
	if f.who, err = w.ActorNamed(in.Actor); err != nil {
		return f, err
	}
	if f.since, err = verb.Moment("since", in.Since, w.Now()); err == nil {
		f.until, err = verb.Moment("until", in.Until, w.Now())
	}
	return f, err
}

// mayFit reports whether a record can have an entry that fits, by its row.
func (f filters) mayFit(k string, row *kind.Row) bool {
	return (f.Kind == "" || f.Kind == k) && (f.Actor == "" || row.Wrote(f.who)) && (f.since.IsZero() || row.Newest >= f.since.Unix()) &&
		(f.until.IsZero() || row.Created == 0 || row.Created <= f.until.Unix())
}

// fits reports whether an entry fits. One that repeats that of another record does only if this record is asked for.
func (f filters) fits(l logged, e record.Entry) bool {
	return (f.ID == "" || l.Ref.ID == string(f.ID)) && (f.Kind == "" || f.Kind == l.Ref.Kind) && (f.Actor == "" || e.Who == f.who) &&
		(f.Did == "" || string(e.Did) == f.Did) && (f.Session == "" || e.Session == f.Session || l.Ref.ID == f.Session) &&
		!e.At.Before(f.since) && (f.until.IsZero() || e.At.Before(f.until)) && (f.ID != "" || l.repeats == nil || !l.repeats(e))
}

// eventsOf lists the entries of a record. Among those of one second the later written is the newer.
func (f filters) eventsOf(rec logged) []verb.Ranked[Event] {
	var out []verb.Ranked[Event]
	for i, e := range rec.Log {
		if !f.fits(rec, e) {
			continue
		}
		event := Event{Title: rec.Title, Deleted: rec.deleted, Entry: verb.ViewEntry(e, rec.descs)}
		event.Hash, event.Place = e.ShortHash(), i
		if rec.level != nil {
			event.Evidence = rec.level(i)
		}
		if rec.Ref.Kind == record.TaskKind {
			event.Task = record.ID(rec.Ref.ID)
		} else {
			event.Record = rec.Ref.ID
		}
		at := verb.Position{Key: verb.NewestFirst(e.At), ID: fmt.Sprintf("%s %06d", rec.Ref.ID, len(rec.Log)-i)}
		out = append(out, verb.Ranked[Event]{At: at, Item: event})
	}
	return out
}

// tellChanges gives an entry of a record the values of the fields that it changed. For one record commits are asked too.
// What cannot be read has no values.
func (f filters) tellChanges(ctx context.Context, s *store.Store, id string, e *verb.Entry) {
	if len(e.Changed()) == 0 {
		return
	}
	past := f.past[id]
	if past == nil {
		k, v, err := f.find(s, id)
		if err != nil {
			return
		}
		past = verb.PastOf(s, k, k.Header(v))
		if string(f.ID) == id {
			_ = past.Recall(ctx, s, k.Ref(id))
		}
		f.past[id] = past
	}
	e.Changes = past.Changes(e.Place)
}

// find finds a record as logs did.
func (f filters) find(s *store.Store, id string) (*kind.Kind, any, error) {
	for k, o := range f.there {
		if at := o.InWorkTree(id); at != nil {
			return k, at.Value, nil
		}
	}
	return kind.Find(s, id)
}
