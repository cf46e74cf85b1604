// Package activity holds the verbs about what happens in a workspace: the history of its records, and waiting until one
// of them changes.
package activity

import (
	"context"
	"errors"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/watch"
)

// Verbs are the verbs about what happens in a workspace.
var Verbs = verb.Group{Name: "tasks", Toolset: verb.Records}.Of(
	verb.Declare(Wait, verb.Verb{Name: "wait", Toolset: verb.Core, Title: "Wait for a change", Waits: true,
		Exit: func(out any) int {
			if out.(Waited).Code == WaitTimeout { // before anything happened
				return verb.ExitTimedOut
			}
			return 0
		},
		Summary: "Wait until a record, a session, or the tasks that fit filters change, and say what changed.",
		When:    "Better than asking again. Pass the cursor of the last answer, and nothing is missed.",
	}),
	verb.Declare(History, verb.Verb{Name: "history", Follows: true, Title: "Read the history",
		Summary: "List who did what to which record, the newest first, deleted tasks included.",
		When:    "To catch up after a pause, or to see what an actor did.",
	}),
	verb.Declare(Log, verb.Verb{Name: "log", Follows: true, Title: "Tell what happened",
		Summary: "Tell the story of a record, or of all: what was done to it, and the commits beside it, the newest first.",
		When:    "To understand how a task came to be as it is. history has the entries alone, with more filters.",
	}),
	verb.Declare(Stats, verb.Verb{Name: "stats", Title: "Add up what was done, and what it cost",
		Summary: "Add up what was done in a time and what it cost: tasks closed, attempts, what came back, tokens and money, time at work and time waited for what.",
		When:    "To see where time and money go: by executor, model, label, actor or week.",
	}),
)

// WaitIn is the input of Wait. It names one thing to watch: a task or another record, a session, a job, or the tasks
// that fit the filters; all tasks if it names nothing.
type WaitIn struct {
	ID            verb.RecordID   `json:"id,omitempty" doc:"record to watch" cli:"arg"`
	Session       verb.SessionID  `json:"session,omitempty" doc:"session to watch"`
	Job           string          `json:"job,omitempty" doc:"job to watch" from:"jobs"`
	Ready         bool            `json:"ready,omitempty" doc:"true: until a task can be started"`
	Status        string          `json:"status,omitempty" doc:"in this state, or open" from:"open-states"`
	Assignee      *string         `json:"assignee" doc:"of an actor, me, or unassigned" from:"actors" mcp:"quiet"`
	Label         string          `json:"label,omitempty" doc:"with this label" from:"labels" mcp:"quiet"`
	Parent        record.ID       `json:"parent,omitempty" doc:"children of this task" mcp:"quiet"`
	WaitForStatus []record.Status `json:"wait_for_status,omitempty" doc:"with id or job: until it is in one of these states" from:"states"`
	Timeout       *float64        `json:"timeout_seconds" doc:"how long at most; 0 does not wait"`
	Cursor        string          `json:"cursor,omitempty" doc:"of the answer before; with id also a time"`
}

// WaitCode says how a wait ended.
type WaitCode string

// The ways in which a wait ends.
const (
	TaskChanged        WaitCode = "TASK_CHANGED"
	AlreadyAtStatus    WaitCode = "ALREADY_AT_STATUS"
	ChangedSinceCursor WaitCode = "CHANGED_SINCE_CURSOR"
	WaitTimeout        WaitCode = "WAIT_TIMEOUT"
	WaitInterrupted    WaitCode = "WAIT_INTERRUPTED"
	TaskDeleted        WaitCode = "TASK_DELETED"
	ClaimLost          WaitCode = "CLAIM_LOST"
)

// Waited is how a wait ended, and what it watched as it was then.
type Waited struct {
	Code         WaitCode      `json:"code"`
	Changed      []Change      `json:"changed"`                 // since the wait began, or as far as entries tell since the cursor; 50 at most
	Entries      []verb.Entry  `json:"entries"`                 // new ones of the task, the newest 10
	EntriesTotal int           `json:"entries_total,omitempty"` // how many are new, if not all are here
	Task         *verb.Row     `json:"task,omitempty"`
	Session      *verb.Session `json:"session,omitempty"`
	Record       *verb.Record  `json:"record,omitempty"` // of another kind than these
	Job          any           `json:"job,omitempty"`
	Tasks        []verb.Row    `json:"tasks,omitzero"` // those that fit the filters, the 20 most urgent
	Total        *int          `json:"total,omitempty"`
	Cursor       string        `json:"cursor"` // of this answer, for the next call
}

// GoneAfter is how long a file must be missing before it counts as gone: git and editors take files away for a moment.
const GoneAfter = 2 * time.Second

const waitReportsEvery = 10 * time.Second // clients give up after a minute without a report

// Wait blocks until what it watches changes or meets the condition, until the time is up, or until the server is told
// to end. It misses nothing: it watches for changes before it first reads, and a change since the cursor ends it at
// once. A cursor is a hash of what was read, so it is good after a restart and in another process. Changes that come
// close together may be answered as one.
func Wait(ctx context.Context, w *verb.Workspace, s *store.Store, in WaitIn) (Waited, error) {
	w, done := equipped(w)
	defer done()
	in = in.jobNamed(s)
	read, err := reader(w, s, in)
	if err != nil {
		return Waited{}, err
	}
	limit, err := waitLimit(w, s, in.Timeout)
	if err != nil {
		return Waited{}, err
	}
	ticks, stop := w.Watcher.Watch(s.Layout)
	defer stop()
	read, leave := verb.Share(w.Reads, in.subject(w, s), read)
	defer leave()
	l := waitLoop{in: in, read: read, began: time.Now(), limit: limit}
	return l.run(ctx, ticks, w.Progress)
}

// jobNamed is the input with the id of a job in its own place, if it was given as that of a record.
func (in WaitIn) jobNamed(s *store.Store) WaitIn {
	if !verb.OwnWork().IsJob(string(in.ID)) || in.Job != "" {
		return in
	}
	if _, _, err := kind.Find(s, string(in.ID)); record.CodeOf(err) == record.NotFound {
		in.Job, in.ID = string(in.ID), ""
	}
	return in
}

// equipped is the workspace with a watcher and shared reads: those of its process, or its own until done is called.
func equipped(w *verb.Workspace) (equipped *verb.Workspace, done func()) {
	own, done := *w, func() {}
	watcher, _ := own.Watcher.(*watch.Watcher)
	if own.Watcher == nil {
		watcher = &watch.Watcher{}
		own.Watcher = watcher
	}
	if own.Reads == nil {
		own.Reads = &verb.SharedReads{}
		if watcher != nil {
			own.Reads = verb.NewSharedReads(watcher)
		}
		done = own.Reads.Close
	}
	return &own, done
}

// subject names what a wait watches, by values alone: waits with the same subject share their reads.
func (in WaitIn) subject(w *verb.Workspace, s *store.Store) string {
	in.Timeout, in.Cursor = nil, ""
	var me record.Actor // where the answer depends on who asks
	if in.Assignee != nil && verb.IsMe(*in.Assignee) {
		me = w.Actor()
	}
	return string(jsonOf([]any{s.Root, sharable(s.Config), me, w.Bounded, in}))
}

// sharable is the config without the keys, which each store reads from the same file for itself.
func sharable(c kind.Config) kind.Config {
	c.Flow.Signers = nil
	return c
}

// waitLimit is how long a wait may last. A caller that gave no limit and gets no reports of progress waits as long as
// its patience, if that is known.
func waitLimit(w *verb.Workspace, s *store.Store, seconds *float64) (time.Duration, error) {
	longest := s.Config.WaitMax
	if seconds == nil {
		limit := min(s.Config.WaitDefault, longest)
		if w.Patience > 0 && w.Progress == nil {
			limit = min(limit, w.Patience)
		}
		return limit, nil
	}
	if *seconds < 0 || *seconds > longest.Seconds() {
		return 0, record.Errorf(record.InvalidTimeout, "timeout_seconds is %v", *seconds).
			WithHint("0 to %v; wait again with the cursor for longer", longest.Seconds())
	}
	return time.Duration(*seconds * float64(time.Second)), nil
}

type waitLoop struct {
	in    WaitIn
	read  readFunc
	began time.Time
	limit time.Duration

	first, last *snapshot // nil until something could be read
	gone        time.Time // since when a record of last is missing; zero if none is
}

func (l *waitLoop) run(ctx context.Context, ticks <-chan struct{}, progress func(verb.Progress)) (Waited, error) {
	timeout, report := time.NewTimer(l.limit), time.NewTicker(waitReportsEvery)
	defer timeout.Stop()
	defer report.Stop()
	for {
		out, err := l.readOnce(ctx)
		if out.Code != "" || err != nil && ctx.Err() == nil {
			return out, err
		}
		var stillGone <-chan time.Time
		if !l.gone.IsZero() {
			stillGone = time.After(GoneAfter - time.Since(l.gone))
		}
		select {
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), verb.ErrEndOfInput) {
				return l.end(WaitInterrupted), nil
			}
			return Waited{}, ctx.Err()
		case <-timeout.C:
			return l.end(WaitTimeout), nil
		case <-report.C:
			l.report(progress)
		case <-stillGone:
		case <-ticks:
		}
	}
}

func (l *waitLoop) report(progress func(verb.Progress)) {
	if progress != nil {
		took := time.Since(l.began)
		progress(verb.Progress{Done: took.Seconds(), Total: l.limit.Seconds(), Message: "waiting", Took: took})
	}
}

// readOnce reads what is watched once. An answer without a code means that the wait goes on.
func (l *waitLoop) readOnce(ctx context.Context) (Waited, error) {
	now, err := l.read(ctx)
	code := record.CodeOf(err)
	away := code == record.NotFound || code == record.BadFile // perhaps for a moment: git and editors write in parts
	switch {
	case err != nil && (!away || l.last == nil && l.in.Cursor == ""):
		return Waited{}, err
	case err == nil && (l.last == nil || !l.last.missing(now)):
		l.gone = time.Time{}
		return l.judge(now), nil
	case l.gone.IsZero():
		l.gone = time.Now()
		return Waited{}, nil
	case time.Since(l.gone) < GoneAfter:
		return Waited{}, nil
	case err == nil:
		return l.judge(now), nil
	case l.in.ID != "" && code == record.NotFound:
		return l.end(TaskDeleted), nil
	default:
		return Waited{}, err
	}
}

// judge compares a snapshot with the first one, the cursor, and the condition of the wait.
func (l *waitLoop) judge(now snapshot) Waited {
	begins := l.first == nil
	if begins || l.first.cursor == now.cursor {
		l.first = &now // keep the newer of two equal snapshots: other waits share that one
	}
	l.last = &now
	since := l.in.Cursor != "" && l.in.Cursor != now.cursor
	if !timeOf(l.in.Cursor).IsZero() {
		since = now.had(l.in.Cursor) < len(now.log)
	}
	switch {
	case now.lost:
		return now.waited(ClaimLost, news{})
	case l.in.conditional() && !now.met:
		return Waited{}
	case begins && since && len(l.in.WaitForStatus) == 0: // with wait_for_status AlreadyAtStatus says more
		return now.waited(ChangedSinceCursor, now.changesSince(l.in.Cursor))
	case begins && l.in.conditional():
		return now.waited(AlreadyAtStatus, news{})
	case now.cursor != l.first.cursor:
		return now.waited(TaskChanged, now.changes(*l.first))
	default:
		return Waited{}
	}
}

func (l *waitLoop) end(code WaitCode) Waited {
	if l.last == nil {
		return snapshot{cursor: l.in.Cursor}.waited(code, news{})
	}
	return l.last.waited(code, news{})
}

// conditional reports whether the wait is for a condition, and not for any change.
func (in WaitIn) conditional() bool { return in.Ready || len(in.WaitForStatus) > 0 }
