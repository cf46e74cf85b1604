package sessions

import (
	"cmp"
	"context"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// SummaryIn is the input of Summary.
type SummaryIn struct {
	Session verb.SessionID `json:"session,omitempty" doc:"session to sum up; the one in CAIRN_SESSION by default" cli:"arg"`
}

// SummaryOut is what a session produced: counts of what was written under it.
type SummaryOut struct {
	Session   string         `json:"session"`
	Task      record.ID      `json:"task,omitempty"`
	Label     string         `json:"label,omitempty"`
	Actor     record.Actor   `json:"actor"`
	Status    session.Status `json:"status"`
	StartedAt *time.Time     `json:"started_at,omitempty"`
	EndedAt   *time.Time     `json:"ended_at,omitempty"`

	TasksCreated int  `json:"tasks_created"`
	TasksClosed  int  `json:"tasks_closed"`
	Notes        int  `json:"notes"` // and comments
	Decisions    int  `json:"decisions"`
	Knowledge    int  `json:"knowledge"`
	Handoffs     int  `json:"handoffs"`
	Refs         int  `json:"refs"`                   // references that were added or changed
	Sessions     int  `json:"sessions"`               // that began under it
	Commits      int  `json:"commits"`                // on its branch since it began
	More         bool `json:"more_commits,omitempty"` // there are more than so many
}

const mostCommits = 1000

// Summary counts what a session produced, by the entries that name it, in records of every kind.
func Summary(ctx context.Context, w *verb.Workspace, s *store.Store, in SummaryIn) (SummaryOut, error) {
	id := cmp.Or(string(in.Session), w.Session)
	if id == "" {
		return SummaryOut{}, verb.BadInput("session", "is missing, and CAIRN_SESSION names none").
			WithHint("%s lists the sessions", record.CallTo("list_sessions"))
	}
	ses, err := kind.Sessions.Get(s, id)
	if err != nil {
		return SummaryOut{}, err
	}
	shown := w.View(s).Session(ses)
	out := SummaryOut{
		Session: ses.ID, Task: ses.Task, Label: ses.Label, Actor: ses.Actor, Status: ses.Status, StartedAt: shown.StartedAt, EndedAt: shown.EndedAt,
	}
	for _, k := range kind.Kinds() {
		if err := out.count(ctx, w, s, k, ses); err != nil {
			return out, err
		}
	}
	from, to := commitsOf(ctx, s, ses)
	out.Commits = s.Git().Between(ctx, from, to, mostCommits+1)
	if out.Commits > mostCommits {
		out.Commits, out.More = mostCommits, true
	}
	return out, nil
}

// count adds what was written under a session to the records of a kind. Only those that were written to since the
// session began are read.
func (o *SummaryOut) count(ctx context.Context, w *verb.Workspace, s *store.Store, k *kind.Kind, ses session.Session) error {
	view, err := w.Reads.Look(ctx, s, k)
	if err != nil {
		return err
	}
	began := int64(0)
	if !ses.StartedAt.IsZero() {
		began = ses.StartedAt.Unix()
	}
	for _, r := range view.Rows() {
		if k == kind.Sessions.Kind && r.Fact(kind.SessionParent) == ses.ID {
			o.Sessions++
		}
		if r.Newest < began {
			continue
		}
		v, err := w.Reads.Of(s).Read(k, r.ID)
		if err != nil {
			continue // it is gone, or broken, by now
		}
		o.add(s.Config.Flow, k, k.Header(v).Log, ses.ID)
	}
	return nil
}

// add counts the entries that were written to one record under a session.
func (o *SummaryOut) add(flow task.Flow, k *kind.Kind, log record.Log, ses string) {
	created := map[*kind.Kind]*int{
		kind.Tasks.Kind: &o.TasksCreated, kind.Decisions.Kind: &o.Decisions, kind.Knowledge.Kind: &o.Knowledge,
		kind.Handoffs.Kind: &o.Handoffs,
	}[k]
	closed, refs := false, map[string]bool{}
	for _, e := range log {
		if e.Session != ses {
			continue
		}
		if e.Did == record.Created && created != nil {
			*created++
		}
		if e.Did == record.Noted {
			o.Notes++
		}
		closed = closed || k == kind.Tasks.Kind && flow.IsClosed(e.To)
		for _, ref := range e.Said().Refs {
			refs[ref] = true
		}
	}
	if closed {
		o.TasksClosed++
	}
	o.Refs += len(refs)
}

// commitsOf is between which commits a session worked; "" for what is not known. Of one that goes on these are the
// commit at which it began and the newest on its branch.
func commitsOf(ctx context.Context, s *store.Store, ses session.Session) (from, to string) {
	beat := session.Heartbeat{}
	if newest := s.Heartbeat(ses.ID); newest != nil {
		beat = *newest
	}
	branch := cmp.Or(beat.Branch, ses.Branch)
	switch {
	case ses.Base != "":
		return ses.Base, ses.Head
	case ses.Status != session.Active:
		return ses.Head, beat.Head // a canceled one does not say where it ended
	case branch != "":
		return ses.Head, "refs/heads/" + branch
	default:
		return ses.Head, cmp.Or(beat.Head, s.Head(ctx).Commit)
	}
}
