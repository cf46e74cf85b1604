// Package desk begins the session of whoever works on a task in a work tree: the executor of a job, or the agent of a
// pair.
package desk

import (
	"cmp"
	"context"
	"path/filepath"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/sessions"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// PairRole is the role of the session of a pair, by which it is known.
const PairRole = "pair"

// Desk is where somebody works on a task.
type Desk struct {
	Task record.ID
	Acts *verb.Workspace // the work tree, in the name of whoever works there
	At   *store.Store    // the same workspace
	Top  string          // of the work tree
	By   record.Actor    // who asked for the work
	Job  string          // "" for a pair
	Why  string          // what entries say
}

// Begin opens a session, and returns its id. It first releases the task if its holder is not at work on it, and moves a
// task in review back to work. A claim that has lapsed is taken over.
func (d Desk) Begin(ctx context.Context, in sessions.BeginIn) (string, error) {
	if err := d.release(ctx); err != nil {
		return "", err
	}
	if err := tasks.BackToWork(ctx, d.Acts, d.At, d.Task, d.Why); err != nil {
		return "", err
	}
	in.ID, in.ExpectedActor, in.Beside = d.Task, string(d.Acts.Actor()), true
	if h, err := d.hold(); err == nil {
		in.Takeover = h.Lapsed // so has that of an earlier job whose supervisor is gone
	}
	ses, err := verb.Do(ctx, d.Acts, sessions.Begin, in)
	return ses.ID, err
}

// hold is who holds the task, as the work tree sees it.
func (d Desk) hold() (session.Claim, error) {
	t, err := kind.Tasks.Get(d.At, d.Task)
	if err != nil {
		return session.Claim{}, err
	}
	return session.Holder(t.Header(), d.At.Known(t.ID.Ref()), d.Acts.Now()), nil
}

// release ends the hold on the task of these, who are not at work on it: for a job an earlier one, since no other job
// of the task is live; whoever handed the task over in this work tree; and the actor who asked for the work, unless
// they are in a session. Any other hold is left for Begin to refuse.
func (d Desk) release(ctx context.Context) error {
	h, err := d.hold()
	if err != nil || !h.Holds() || h.Mine(d.Acts.Actor(), d.At.Worktree) && (h.Session == "" || d.Job == "") {
		return err
	}
	if ses, err := kind.Sessions.Get(d.At, h.Session); err == nil && ses.Status == session.Active {
		if ses.Job == "" || d.Job == "" {
			return nil
		}
		return d.Cancel(ctx, ses.ID, ses.Actor, ses.Job+" has ended, and "+d.Job+" goes on")
	}
	if h.Actor != d.By && h.Worktree != d.Top {
		return nil
	}
	as := d.Acts.InNameOf(h.Actor)
	if h.Worktree != "" && !h.Actor.Human() {
		as.Dir = cmp.Or(RootIn(d.At, h.Worktree), as.Dir)
	}
	_, err = verb.Do(ctx, as, tasks.Release, tasks.ReleaseIn{ID: verb.RecordID(d.Task), Reason: d.Why})
	return err
}

// LetGo ends what holds the task in the work tree, in the name of whoever holds it: their session, or their claim.
func (d Desk) LetGo(ctx context.Context) error {
	h, err := d.hold()
	if err != nil || !h.Holds() || h.Worktree != d.Top {
		return err
	}
	if ses, err := kind.Sessions.Get(d.At, h.Session); err == nil && ses.Status == session.Active {
		return d.Cancel(ctx, ses.ID, ses.Actor, d.Why)
	}
	_, err = verb.Do(ctx, d.Acts.InNameOf(h.Actor), tasks.Release, tasks.ReleaseIn{ID: verb.RecordID(d.Task), Reason: d.Why})
	return err
}

// Cancel cancels a session in the name of the actor to whom it belongs.
func (d Desk) Cancel(ctx context.Context, id string, who record.Actor, why string) error {
	_, err := verb.Do(ctx, d.Acts.InNameOf(who), sessions.Cancel, sessions.CancelIn{Session: verb.SessionID(id), Reason: why})
	return err
}

// RootIn is the folder of the workspace in another work tree of its clone; "" for none.
func RootIn(s *store.Store, top string) string {
	rel, err := filepath.Rel(s.Worktree, s.Root)
	if top == "" || err != nil {
		return ""
	}
	return filepath.Join(top, rel)
}
