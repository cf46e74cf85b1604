package sessions

import (
	"context"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/record"
	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
	"github.com/cairn-tasks/cairn/verb/gates"
)

// FinishIn is the input of Finish.
type FinishIn struct {
	Session verb.SessionID `json:"session" doc:"session to end" cli:"arg"`
	Summary string         `json:"summary" doc:"what was done, for the reviewer; 4 KiB at most" cli:"arg"`
	Head    string         `json:"head,omitempty" doc:"commit to review, which must exist; read from git by default"`
	verb.Once
}

// Finish hands a task over for review and ends the session. It does not close the task. Where the workspace gates the
// review, the command checks must pass first; if they do not, the session goes on.
func Finish(ctx context.Context, w *verb.Workspace, in FinishIn) (verb.Session, error) {
	if err := task.RequiredText("summary", in.Summary, "say what the reviewer should know"); err != nil {
		return verb.Session{}, err
	}
	s, ses, err := own(w, in.Session)
	if err != nil {
		return verb.Session{}, err
	}
	flow := s.Config.Flow
	head, err := headOr(ctx, s, in.Head)
	if err != nil {
		return verb.Session{}, err
	}
	decide := func(wc verb.WriteContext, p task.Proof) (task.Task, *task.Entry, error) {
		ses, err := wc.OwnSession(ses.ID)
		if err != nil {
			return wc.Task, nil, err
		}
		stamp := w.Stamp(in.Summary)
		stamp.Session = ses.ID
		t, entry, err := flow.Finish(wc.Task, p, record.Deps(wc.Tx, wc.Store.Config.Flow), stamp)
		if err != nil {
			return wc.Task, nil, err
		}
		ended := ses.End(session.Finished, stamp)
		if head != "" {
			ended.Head = head
		}
		record.Sessions.Put(wc.Tx, ended)
		if wc.Hold.Session == ses.ID && wc.Hold.How == session.Claimed {
			wc.Tx.Claim(t.ID.Ref(), wc.Lease(ctx, ""))
		}
		return t, entry, nil
	}
	handOver := gates.Transition{To: flow.Review, Preview: gates.Unchanged, Decide: decide}
	if _, err := handOver.Make(ctx, w, s, ses.Task); err != nil {
		return verb.Session{}, err
	}
	out, err := w.View(s).SessionByID(ses.ID)
	if err != nil {
		return verb.Session{}, err
	}
	t, err := record.Tasks.Get(s, ses.Task)
	out.OpenChecks = gates.OpenChecks(ctx, s, t)
	return out, err
}

// headOr is the commit that a caller names, in full, or the one that is checked out if the caller names none.
func headOr(ctx context.Context, s *store.Store, name string) (string, error) {
	if name == "" {
		return s.Head(ctx).Commit, nil
	}
	return s.Git().Commit(ctx, "head", name)
}

// own reads a session of the caller that is still active, before anything expensive is done for it.
func own(w *verb.Workspace, id verb.SessionID) (*store.Store, session.Session, error) {
	s, err := w.Open()
	if err != nil {
		return nil, session.Session{}, err
	}
	ses, err := record.Sessions.Get(s, string(id))
	if err != nil {
		return nil, session.Session{}, err
	}
	if _, err := w.ReadForWrite(s, ses.Task); verb.IsDone(err) {
		return nil, ses, err
	}
	return s, ses, verb.WithSession(ses.Usable(w.Actor()), ses.ID)
}

// CancelIn is the input of Cancel.
type CancelIn struct {
	Session verb.SessionID `json:"session" doc:"session to end" cli:"arg"`
	Reason  string         `json:"reason" doc:"why the attempt ends; 4 KiB at most" cli:"arg"`
	verb.Once
}

// Cancel ends a session and releases its task, which stays open where it is.
func Cancel(ctx context.Context, w *verb.Workspace, in CancelIn) (verb.Session, error) {
	if err := task.RequiredText("reason", in.Reason, "say why the attempt ends"); err != nil {
		return verb.Session{}, err
	}
	s, ses, err := own(w, in.Session)
	if err != nil {
		return verb.Session{}, err
	}
	_, err = w.ChangeIn(ctx, s, ses.Task, func(wc verb.WriteContext) (task.Task, *task.Entry, error) {
		ses, err := wc.OwnSession(ses.ID)
		if err != nil {
			return wc.Task, nil, err
		}
		stamp := w.Stamp(in.Reason)
		stamp.Session = ses.ID
		t, entry, err := task.Cancel(wc.Task, ses.Actor, stamp)
		record.Sessions.Put(wc.Tx, ses.End(session.Canceled, stamp))
		if wc.Hold.Session == ses.ID {
			wc.Tx.Claim(t.ID.Ref(), nil)
		}
		return t, entry, err
	})
	if err != nil {
		return verb.Session{}, err
	}
	return w.View(s).SessionByID(ses.ID)
}
