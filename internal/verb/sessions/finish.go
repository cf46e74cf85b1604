package sessions

import (
	"cmp"
	"context"
	"fmt"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/gates"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// FinishIn is the input of Finish.
type FinishIn struct {
	Session verb.SessionID `json:"session,omitempty" doc:"session to end, or its task; your only one by default" cli:"arg" else:"session"`
	Summary string         `json:"summary" doc:"what was done, for the reviewer; 4 KiB at most" cli:"arg"`
	Status  string         `json:"status,omitempty" doc:"succeeded (default), or failed: hands nothing over" oneof:"succeeded,failed"`
	Head    string         `json:"head,omitempty" doc:"commit to review; read from git by default" mcp:"quiet"`
	LeftIn
	verb.Once
}

// LeftIn is what who ends a session leaves to who goes on.
type LeftIn struct {
	Next     []string `json:"next,omitempty" doc:"what is next, for who goes on" mcp:"quiet"`
	Blockers []string `json:"blockers,omitempty" doc:"what stands in the way" cli:"flag=blocker" mcp:"quiet"`
}

const maxLeft = 50 // lines

func (in LeftIn) valid() error {
	return cmp.Or(validLines("next", in.Next), validLines("blockers", in.Blockers))
}

func validLines(name string, lines []string) error {
	if len(lines) > maxLeft {
		return verb.BadInput(name, "has %d lines, more than %d", len(lines), maxLeft).WithHint("make tasks of them")
	}
	for i, line := range lines {
		if err := record.ValidLine(fmt.Sprintf("%s[%d]", name, i), line); err != nil {
			return err
		}
	}
	return nil
}

// ending is how a session ends.
type ending struct {
	ses   session.Session
	to    session.Status
	stamp record.Stamp // what the entries say
	head  string       // the commit; "" for one that is not known
}

// ending is the end of a session of the caller that is still active, as the reader of its entries gets to know it.
func (in LeftIn) ending(
	ctx context.Context, w *verb.Workspace, s *store.Store, id verb.SessionID, to session.Status, text string,
) (ending, error) {
	if id == "" { // a lone argument that was meant for one
		if _, _, err := kind.Find(s, text); err == nil {
			return ending{}, verb.BadInput("the text", "is missing, and %s is a record", text).WithHint("say what was done, or why it ends")
		}
	}
	id, err := meant(ctx, w, s, id)
	if err != nil {
		return ending{}, err
	}
	ses, err := own(w, s, string(id))
	e := ending{ses: ses, to: to, stamp: w.Stamp(text)}
	e.stamp.Detail = record.Detail{Next: in.Next, Blockers: in.Blockers}
	return e, err
}

// of is a session after its end.
func (e ending) of(ses session.Session) session.Session { return ses.End(e.to, e.stamp).AtHead(e.head) }

const failed = "failed"

// Finish ends a session. One that succeeded hands its task over for review, and does not close it. Where the workspace
// gates the review, the command checks must pass first; if they do not, the session goes on. One that failed releases
// its task, which stays where it is. A session about no task just ends.
func Finish(ctx context.Context, w *verb.Workspace, s *store.Store, in FinishIn) (verb.Session, error) {
	err := cmp.Or(in.valid(), record.RequiredText("summary", in.Summary, "say what the reviewer should know"))
	if err != nil {
		return verb.Session{}, err
	}
	to := session.Finished
	if in.Status == failed {
		to = session.Failed
	}
	e, err := in.ending(ctx, w, s, in.Session, to, in.Summary)
	if err == nil {
		e.head, err = headOr(ctx, s, in.Head)
	}
	if err != nil {
		return verb.Session{}, err
	}
	return e.make(ctx, w, s)
}

// make makes the write, and shows the session.
func (e ending) make(ctx context.Context, w *verb.Workspace, s *store.Store) (verb.Session, error) {
	var err error
	switch {
	case e.ses.Task == "":
		err = e.alone(ctx, w, s)
	case e.to == session.Finished:
		err = e.handOver(ctx, w, s)
	default:
		err = e.giveUp(ctx, w, s)
	}
	if err != nil {
		return verb.Session{}, err
	}
	out, err := w.View(s).SessionByID(e.ses.ID)
	if err != nil || e.ses.Task == "" {
		return out, err
	}
	t, err := kind.Tasks.Get(s, e.ses.Task)
	if out.TaskStatus = t.Status; e.to == session.Finished {
		out.OpenChecks = gates.OpenChecks(ctx, s, t)
	}
	return out, err
}

// alone ends a session about no task.
func (e ending) alone(ctx context.Context, w *verb.Workspace, s *store.Store) error {
	made := &session.Key{Session: e.ses.ID}
	_, err := verb.Change{Kind: kind.Sessions.Kind, IDs: []string{e.ses.ID}, Made: made, Decide: func(wc verb.WriteContext) (any, error) {
		ses := wc.Was.(session.Session)
		return e.of(ses), ses.Usable(w.Actor())
	}}.Run(ctx, w, s)
	return err
}

// handOver hands the task of a session over for review.
func (e ending) handOver(ctx context.Context, w *verb.Workspace, s *store.Store) error {
	decide := func(wc verb.WriteContext, p task.Proof) (task.Task, *record.Entry, error) {
		ses, err := wc.SessionAtWork(e.ses.ID)
		if err != nil {
			return wc.Task, nil, err
		}
		e.stamp.Session = ses.ID
		t, entry, err := wc.Store.Config.Flow.Finish(wc.Task, p, kind.Deps(wc.Tx, wc.Store.Config.Flow), e.stamp)
		if err != nil {
			return wc.Task, nil, err
		}
		kind.Sessions.Put(wc.Tx, e.of(ses))
		if wc.Hold.Session == ses.ID && wc.Hold.Live() {
			wc.Tx.Claim(t.ID.Ref(), wc.Lease(ctx, ""))
		}
		return t, entry, nil
	}
	_, err := gates.Transition{To: s.Config.Flow.Review, Preview: gates.Unchanged, Decide: decide}.Make(ctx, w, s, e.ses.Task)
	return err
}

// giveUp ends a session that failed or was canceled, and releases its task.
func (e ending) giveUp(ctx context.Context, w *verb.Workspace, s *store.Store) error {
	how := record.Canceled
	if e.to == session.Failed {
		how = record.Failed
	}
	_, err := w.ChangeIn(ctx, s, e.ses.Task, func(wc verb.WriteContext) (task.Task, *record.Entry, error) {
		ses, err := wc.OwnSession(e.ses.ID)
		if err != nil {
			return wc.Task, nil, err
		}
		e.stamp.Session = ses.ID
		t, entry, err := task.EndAttempt(wc.Task, how, ses.Actor, e.stamp)
		kind.Sessions.Put(wc.Tx, e.of(ses))
		if wc.Hold.Session == ses.ID {
			wc.Tx.Claim(t.ID.Ref(), nil)
		}
		return t, entry, err
	})
	return err
}

// headOr is the commit that a caller names, in full, or the one that is checked out if the caller names none.
func headOr(ctx context.Context, s *store.Store, name string) (string, error) {
	if name == "" {
		return s.Head(ctx).Commit, nil
	}
	return s.Git().Commit(ctx, "head", name)
}

// own reads a session of the caller that is still active, before anything expensive is done for it.
func own(w *verb.Workspace, s *store.Store, id string) (session.Session, error) {
	ses, err := kind.Sessions.Get(s, id)
	if err != nil {
		return ses, err
	}
	if ses.Task == "" {
		err = w.Idempotency.Recorded(ses.Provenance, session.Key{Session: id})
	} else {
		_, err = w.ReadForWrite(s, ses.Task)
	}
	if verb.IsDone(err) {
		return ses, err
	}
	return ses, verb.WithSession(ses.Usable(w.Actor()), id)
}

// CancelIn is the input of Cancel.
type CancelIn struct {
	Session verb.SessionID `json:"session,omitempty" doc:"session to end, or its task; your only one by default" cli:"arg" else:"session"`
	Reason  string         `json:"reason" doc:"why the attempt ends; 4 KiB at most" cli:"arg"`
	LeftIn
	verb.Once
}

// Cancel ends a session and releases its task, which stays open where it is. A session about no task just ends.
func Cancel(ctx context.Context, w *verb.Workspace, s *store.Store, in CancelIn) (verb.Session, error) {
	err := cmp.Or(record.RequiredText("reason", in.Reason, "say why the attempt ends"), in.valid())
	if err != nil {
		return verb.Session{}, err
	}
	e, err := in.ending(ctx, w, s, in.Session, session.Canceled, in.Reason)
	if err != nil {
		return verb.Session{}, err
	}
	return e.make(ctx, w, s)
}
