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
	Session verb.SessionID `json:"session" doc:"session to end" cli:"arg"`
	Summary string         `json:"summary" doc:"what was done, for the reviewer; 4 KiB at most" cli:"arg"`
	Status  string         `json:"status,omitempty" doc:"succeeded (default), or failed: hands nothing over" oneof:"succeeded,failed"`
	Head    string         `json:"head,omitempty" doc:"commit to review; read from git by default" mcp:"quiet"`
	LeftIn
	verb.Once
}

// LeftIn is what who ends a session leaves to who goes on.
type LeftIn struct {
	Next     []string `json:"next,omitempty" doc:"what is next, for who goes on"`
	Blockers []string `json:"blockers,omitempty" doc:"what stands in the way" cli:"flag=blocker"`
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

// stamp is what the entries of the end of a session say.
func (in LeftIn) stamp(w *verb.Workspace, text string) record.Stamp {
	s := w.Stamp(text)
	s.Detail = record.Detail{Next: in.Next, Blockers: in.Blockers}
	return s
}

// Finish ends a session. One that succeeded hands its task over for review, and does not close it. Where the workspace
// gates the review, the command checks must pass first; if they do not, the session goes on. One that failed releases
// its task, which stays where it is. A session about no task just ends.
func Finish(ctx context.Context, w *verb.Workspace, _ *store.Store, in FinishIn) (verb.Session, error) {
	if err := in.valid(); err != nil {
		return verb.Session{}, err
	}
	s, ses, err := own(w, in.Session)
	if err != nil {
		return verb.Session{}, err
	}
	head, err := headOr(ctx, s, in.Head)
	if err != nil {
		return verb.Session{}, err
	}
	switch {
	case in.Status == failed:
		return giveUp(ctx, w, s, ses, session.Failed, in.stamp(w, in.Summary), head)
	case ses.Task == "":
		return endFree(ctx, w, s, ses.ID, session.Finished, in.stamp(w, in.Summary), head)
	default:
		return handOver(ctx, w, s, ses, in.stamp(w, in.Summary), head)
	}
}

const failed = "failed"

func (in FinishIn) valid() error {
	if err := in.LeftIn.valid(); err != nil {
		return err
	}
	return record.RequiredText("summary", in.Summary, "say what the reviewer should know")
}

// handOver hands the task of a session over for review.
func handOver(ctx context.Context, w *verb.Workspace, s *store.Store, ses session.Session, stamp record.Stamp, head string) (verb.Session, error) {
	flow := s.Config.Flow
	decide := func(wc verb.WriteContext, p task.Proof) (task.Task, *record.Entry, error) {
		ses, err := wc.SessionAtWork(ses.ID)
		if err != nil {
			return wc.Task, nil, err
		}
		stamp := stamp
		stamp.Session = ses.ID
		t, entry, err := flow.Finish(wc.Task, p, kind.Deps(wc.Tx, wc.Store.Config.Flow), stamp)
		if err != nil {
			return wc.Task, nil, err
		}
		kind.Sessions.Put(wc.Tx, ses.End(session.Finished, stamp).AtHead(head))
		if wc.Hold.Session == ses.ID && wc.Hold.Live() {
			wc.Tx.Claim(t.ID.Ref(), wc.Lease(ctx, ""))
		}
		return t, entry, nil
	}
	review := gates.Transition{To: flow.Review, Preview: gates.Unchanged, Decide: decide}
	if _, err := review.Make(ctx, w, s, ses.Task); err != nil {
		return verb.Session{}, err
	}
	out, err := w.View(s).SessionByID(ses.ID)
	if err != nil {
		return verb.Session{}, err
	}
	t, err := kind.Tasks.Get(s, ses.Task)
	out.OpenChecks, out.TaskStatus = gates.OpenChecks(ctx, s, t), t.Status
	return out, err
}

// endFree ends a session about no task.
func endFree(ctx context.Context, w *verb.Workspace, s *store.Store, id string, to session.Status, stamp record.Stamp, head string) (verb.Session, error) {
	made := &session.Key{Session: id}
	_, err := verb.Change{Kind: kind.Sessions.Kind, IDs: []string{id}, Made: made, Decide: func(wc verb.WriteContext) (any, error) {
		ses := wc.Was.(session.Session)
		return ses.End(to, stamp).AtHead(head), ses.Usable(w.Actor())
	}}.Run(ctx, w, s)
	if err != nil {
		return verb.Session{}, err
	}
	return w.View(s).SessionByID(id)
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
	ses, err := kind.Sessions.Get(s, string(id))
	if err != nil {
		return nil, session.Session{}, err
	}
	if ses.Task == "" {
		err = w.Idempotency.Recorded(ses.Provenance, session.Key{Session: ses.ID})
	} else {
		_, err = w.ReadForWrite(s, ses.Task)
	}
	if verb.IsDone(err) {
		return nil, ses, err
	}
	return s, ses, verb.WithSession(ses.Usable(w.Actor()), ses.ID)
}

// CancelIn is the input of Cancel.
type CancelIn struct {
	Session verb.SessionID `json:"session" doc:"session to end" cli:"arg"`
	Reason  string         `json:"reason" doc:"why the attempt ends; 4 KiB at most" cli:"arg"`
	LeftIn
	verb.Once
}

// Cancel ends a session and releases its task, which stays open where it is. A session about no task just ends.
func Cancel(ctx context.Context, w *verb.Workspace, _ *store.Store, in CancelIn) (verb.Session, error) {
	err := record.RequiredText("reason", in.Reason, "say why the attempt ends")
	if err == nil {
		err = in.valid()
	}
	if err != nil {
		return verb.Session{}, err
	}
	s, ses, err := own(w, in.Session)
	if err != nil {
		return verb.Session{}, err
	}
	return giveUp(ctx, w, s, ses, session.Canceled, in.stamp(w, in.Reason), "")
}

// giveUp ends a session that failed or was canceled, at a commit or "" for one that is not known, and releases its
// task.
func giveUp(ctx context.Context, w *verb.Workspace, s *store.Store, ses session.Session, to session.Status, stamp record.Stamp, head string) (verb.Session, error) {
	if ses.Task == "" {
		return endFree(ctx, w, s, ses.ID, to, stamp, head)
	}
	how := record.Canceled
	if to == session.Failed {
		how = record.Failed
	}
	left, err := w.ChangeIn(ctx, s, ses.Task, func(wc verb.WriteContext) (task.Task, *record.Entry, error) {
		ses, err := wc.OwnSession(ses.ID)
		if err != nil {
			return wc.Task, nil, err
		}
		stamp := stamp
		stamp.Session = ses.ID
		t, entry, err := task.EndAttempt(wc.Task, how, ses.Actor, stamp)
		kind.Sessions.Put(wc.Tx, ses.End(to, stamp).AtHead(head))
		if wc.Hold.Session == ses.ID {
			wc.Tx.Claim(t.ID.Ref(), nil)
		}
		return t, entry, err
	})
	if err != nil {
		return verb.Session{}, err
	}
	out, err := w.View(s).SessionByID(ses.ID)
	out.TaskStatus = left.Status
	return out, err
}
