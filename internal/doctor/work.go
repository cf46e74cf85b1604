package doctor

import (
	"context"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

const noSign = "session %s of %s has given no sign of life for more than %v"

// work finds open tasks whose holder gives no sign of life, and sessions that were left open. It repairs none of that:
// a record is its holder's until somebody takes it over.
func (e *examination) work(ctx context.Context) error {
	tasks, _, err := kind.Tasks.List(ctx, e.records)
	if err != nil {
		return err
	}
	sessions, _, err := kind.Sessions.List(ctx, e.records)
	if err != nil {
		return err
	}
	known, stalled := e.Store.KnownOf(), map[string]bool{}
	for _, t := range tasks {
		if !e.Store.Config.Flow.IsClosed(t.Status) {
			stalled[e.claim(t, known(t.ID.Ref()))] = true
		}
	}
	for _, ses := range sessions {
		if ses.Status == session.Active && !stalled[ses.ID] {
			e.session(ses, known)
		}
	}
	return nil
}

// claim finds what is wrong with the claim on an open task, of which live is known, and returns the session that the
// finding is about, if any.
func (e *examination) claim(t task.Task, live session.Live) (ses string) {
	hold, of := session.Holder(t.Header(), live, e.Now()), t.ID.Ref()
	fix := "if the work is to go on: cairn claim " + string(t.ID) + " --takeover"
	switch {
	case !hold.Lapsed:
		return ""
	case live.Gone:
		e.findIn(of, worktreeGone, fix, "held by %s in %s, which is no longer there", hold.Actor, live.State.Lease.Worktree)
	case hold.Live() && hold.Session != "":
		e.findIn(of, sessionStalled, fix, noSign, hold.Session, hold.Actor, live.StaleAfter)
	default:
		e.findIn(of, claimExpired, fix, "held by %s, whose claim expired at %s", hold.Actor, hold.Until.Format("2006-01-02T15:04:05Z"))
	}
	return hold.Session
}

// session finds what is wrong with an active session. It reads again what looks wrong, since the session and its task
// were not read at one moment: another process may have begun or ended the session in between.
func (e *examination) session(ses session.Session, known func(record.Ref) session.Live) {
	before := len(e.found)
	if ses.Task == "" {
		e.judgeSession(ses, record.Header{}, session.Live{StaleAfter: e.Store.Config.StaleAfter})
		return
	}
	if e.judgeTaskSession(e.records, ses, known(ses.Task.Ref())); len(e.found) == before {
		return
	}
	e.found = e.found[:before]
	ses, err := kind.Sessions.Get(e.Store, ses.ID)
	if err == nil && ses.Status == session.Active && ses.Task != "" {
		e.judgeTaskSession(e.Store, ses, e.Store.Known(ses.Task.Ref()))
	}
}

// judgeTaskSession finds what is wrong with an active session. Its task is read from a reader, and live is what is
// known of that task.
func (e *examination) judgeTaskSession(from kind.Reader, ses session.Session, live session.Live) {
	t, err := kind.Tasks.Get(from, ses.Task)
	switch {
	case record.CodeOf(err) == record.NotFound:
		e.find(sessionWithoutTask, kind.Sessions.File(ses.ID), "bring the task's file back from git", "task %s does not exist", ses.Task).
			about(ses.Task.Ref())
	case err == nil: // a broken task is a finding of its own
		e.judgeSession(ses, t.Header(), live)
	}
}

// judgeSession finds what is wrong with an active session about a task, or about none.
func (e *examination) judgeSession(ses session.Session, about record.Header, live session.Live) {
	flow, ends := e.Store.Config.Flow, string(ses.Actor)+" ends it: cairn cancel "+ses.ID+" REASON"
	find := func(id proof.RuleID, format string, args ...any) {
		f := e.find(id, kind.Sessions.File(ses.ID), ends, format, args...)
		f.Task = ses.Task
	}
	var held error
	if ses.Task != "" {
		held = ses.Held(about, live, e.Store.Worktree)
	}
	over := record.CodeOf(held) == record.SessionEnded // which refuses a cancel too
	if over {
		ends = "merge the branch on which it ended, or write status: abandoned into its file"
	}
	switch {
	case ses.Task != "" && flow.IsClosed(about.Status):
		find(sessionLeftOpen, "the session is active, and %s is closed (%s)", ses.Task, about.Status)
	case over:
		find(sessionLeftOpen, "%s, and its file says that it is active", record.MessageOf(held))
	case ses.Health(about, flow.Review, e.Store.Heartbeat(ses.ID), live.StaleAfter, e.Now()) == session.Stalled:
		find(sessionStalled, noSign, ses.ID, ses.Actor, live.StaleAfter)
	}
}
