package verb

import (
	"context"
	"errors"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// FinishIn is the input of Finish.
type FinishIn struct {
	Session SessionID `json:"session" doc:"session to end" cli:"arg"`
	Summary string    `json:"summary" doc:"what was done, for the reviewer; 4 KiB at most" cli:"arg"`
	Head    string    `json:"head,omitempty" doc:"commit to review, which must exist; read from git by default"`
	Once
}

// Finish hands a task over for review and ends the session. It does not close the task. Where the workspace gates the
// review, the command checks must pass first; if they do not, the session goes on.
func (w *Workspace) Finish(ctx context.Context, in FinishIn) (Session, error) {
	if err := task.RequiredText("summary", in.Summary, "say what the reviewer should know"); err != nil {
		return Session{}, err
	}
	s, ses, err := w.mine(in.Session)
	if err != nil {
		return Session{}, err
	}
	flow := s.Config.Flow
	head, err := headOr(ctx, s, in.Head)
	if err != nil {
		return Session{}, err
	}
	decide := func(sc scene, p task.Proof) (task.Task, *task.Entry, error) {
		ses, err := w.usable(s, sc, ses.ID)
		if err != nil {
			return sc.t, nil, err
		}
		stamp := w.stamp(in.Summary)
		stamp.Session = ses.ID
		t, entry, err := flow.Finish(sc.t, p, sc.tx.Find, stamp)
		if err != nil {
			return sc.t, nil, err
		}
		ended := ses.End(session.Finished, stamp)
		if head != "" {
			ended.Head = head
		}
		sc.tx.PutSession(ended)
		if sc.hold.Session == ses.ID && sc.hold.How == session.Claimed {
			sc.tx.Claim(t.ID, w.lease(ctx, s, "", sc.now))
		}
		return t, entry, nil
	}
	if _, err := w.move(ctx, s, ses.Task, transit{flow.Review, unchanged, decide}); err != nil {
		return Session{}, err
	}
	out, err := w.showSession(s, ses.ID)
	if err != nil {
		return Session{}, err
	}
	t, err := s.Get(ses.Task)
	out.OpenChecks = w.openChecks(ctx, s, t)
	return out, err
}

// headOr is the commit that a caller names, in full, or the one that is checked out if the caller names none.
func headOr(ctx context.Context, s *store.Store, name string) (string, error) {
	if name == "" {
		return s.Head(ctx).Commit, nil
	}
	return s.Commit(ctx, "head", name)
}

// mine reads a session of the caller that is still active, before anything expensive is done for it.
func (w *Workspace) mine(id SessionID) (*store.Store, session.Session, error) {
	s, err := w.open()
	if err != nil {
		return nil, session.Session{}, err
	}
	ses, err := s.Session(string(id))
	if err != nil {
		return nil, session.Session{}, err
	}
	if _, err := w.read(s, ses.Task); errors.As(err, new(doneError)) {
		return nil, ses, err
	}
	return s, ses, withSession(ses.Usable(w.Actor), ses.ID)
}

// usable reads a session for a write of its actor, in the worktree that it is at work in.
func (w *Workspace) usable(s *store.Store, sc scene, id string) (session.Session, error) {
	ses, err := sc.tx.Session(id)
	if err != nil {
		return ses, err
	}
	if err := ses.Usable(w.Actor); err != nil {
		return ses, withSession(err, id)
	}
	return ses, withSession(ses.Held(sc.t.Header(), sc.tx.Live(sc.t.ID), s.Worktree), id)
}

func withSession(err error, id string) error { return withID(err, task.ID(id)) }

// CancelIn is the input of Cancel.
type CancelIn struct {
	Session SessionID `json:"session" doc:"session to end" cli:"arg"`
	Reason  string    `json:"reason" doc:"why the attempt ends; 4 KiB at most" cli:"arg"`
	Once
}

// Cancel ends a session and releases its task, which stays open where it is.
func (w *Workspace) Cancel(ctx context.Context, in CancelIn) (Session, error) {
	if err := task.RequiredText("reason", in.Reason, "say why the attempt ends"); err != nil {
		return Session{}, err
	}
	s, ses, err := w.mine(in.Session)
	if err != nil {
		return Session{}, err
	}
	_, err = w.changeIn(ctx, s, ses.Task, func(s *store.Store, sc scene) (task.Task, *task.Entry, error) {
		ses, err := w.usable(s, sc, ses.ID)
		if err != nil {
			return sc.t, nil, err
		}
		stamp := w.stamp(in.Reason)
		stamp.Session = ses.ID
		t, entry, err := task.Cancel(sc.t, ses.Actor, stamp)
		sc.tx.PutSession(ses.End(session.Canceled, stamp))
		if sc.hold.Session == ses.ID {
			sc.tx.Claim(t.ID, nil)
		}
		return t, entry, err
	})
	if err != nil {
		return Session{}, err
	}
	return w.showSession(s, ses.ID)
}
