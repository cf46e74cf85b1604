package doctor

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// work finds open tasks whose holder gives no sign of life, and sessions that were left open. It repairs none of that:
// a record is its holder's until somebody takes it over.
func (v Visit) work(ctx context.Context) ([]Finding, error) {
	tasks, _, err := kind.Tasks.List(ctx, v.records)
	if err != nil {
		return nil, err
	}
	sessions, _, err := kind.Sessions.List(ctx, v.records)
	if err != nil {
		return nil, err
	}
	var out []Finding
	known, stalled := v.Store.KnownOf(), map[string]bool{}
	for _, t := range tasks {
		if v.Store.Config.Flow.IsClosed(t.Status) {
			continue
		}
		f, about := v.claim(t, known(t.ID.Ref()))
		if about != "" {
			stalled[about] = true
		}
		out = append(out, f...)
	}
	for _, ses := range sessions {
		if ses.Status == session.Active && !stalled[ses.ID] {
			out = append(out, v.session(ses, known)...)
		}
	}
	return out, nil
}

// stranded finds progress on a branch that is gone unmerged. Tasks wait for it, and only a person knows that it was
// given up, so it is dropped only with consent.
func (v Visit) stranded(ctx context.Context) ([]Finding, error) {
	stranded, err := v.Store.Stranded(ctx)
	var out []Finding
	for _, r := range stranded {
		where := "the worktree " + filepath.Base(r.Worktree)
		if r.Branch != "" {
			where = "branch " + r.Branch
		}
		message := fmt.Sprintf("waits for what was written on %s (%s), and no branch, worktree or stash has that any more", where, r.Status)
		changes := []string{fmt.Sprintf("forget that %s was %s on %s", r.Ref.ID, r.Status, where)}
		out = append(out, find(StrandedRecord, v.fileOf(r.Ref), message, "").about(r.Ref).
			fixable(changes, func(ctx context.Context) error { return v.Store.DropProgress(ctx, r.Ref, r.Entry) }))
	}
	return out, err
}

// fileOf is the path of a record from the workspace root.
func (v Visit) fileOf(of record.Ref) string {
	k, ok := kind.Named(of.Kind)
	if !ok {
		return ""
	}
	return v.Store.File(k, of.ID)
}

// claim finds what is wrong with the claim on an open task, of which live is known, and returns the session that the
// finding is about, if any.
func (v Visit) claim(t task.Task, live session.Live) (found []Finding, ses string) {
	hold := session.Holder(t.Header(), live, v.Now())
	if !hold.Lapsed {
		return nil, ""
	}
	path, fix := v.Store.File(kind.Tasks.Kind, string(t.ID)), "cairn claim "+string(t.ID)+" --takeover, if the work is to go on"
	about := func(id ID, format string, args ...any) []Finding {
		return []Finding{find(id, path, fmt.Sprintf(format, args...), fix).about(t.ID.Ref())}
	}
	switch {
	case live.Gone:
		return about(WorktreeGone, "held by %s in %s, which is no longer there", hold.Actor, live.State.Lease.Worktree), hold.Session
	case hold.Live() && hold.Session != "":
		return about(SessionStalled, "session %s of %s has given no sign of life for more than %v", hold.Session, hold.Actor, live.StaleAfter), hold.Session
	default:
		return about(ClaimExpired, "held by %s, whose claim expired at %s", hold.Actor, hold.Until.Format("2006-01-02T15:04:05Z")), hold.Session
	}
}

// session finds what is wrong with an active session. It reads again what looks wrong, since the session and its task
// were not read at one moment: another process may have begun or ended the session in between.
func (v Visit) session(ses session.Session, known func(record.Ref) session.Live) []Finding {
	if ses.Task == "" {
		return v.free(ses)
	}
	if len(v.judgeSession(v.records, ses, known(ses.Task.Ref()))) == 0 {
		return nil
	}
	ses, err := kind.Sessions.Get(v.Store, ses.ID)
	if err != nil || ses.Status != session.Active || ses.Task == "" {
		return nil
	}
	return v.judgeSession(v.Store, ses, v.Store.Known(ses.Task.Ref()))
}

// free finds what is wrong with an active session about no task.
func (v Visit) free(ses session.Session) []Finding {
	stale := v.Store.Config.StaleAfter
	if ses.Health(record.Header{}, "", v.Store.Heartbeat(ses.ID), stale, v.Now()) != session.Stalled {
		return nil
	}
	message := fmt.Sprintf("session %s of %s has given no sign of life for more than %v", ses.ID, ses.Actor, stale)
	fix := fmt.Sprintf("%s ends it: cairn cancel %s REASON", ses.Actor, ses.ID)
	return []Finding{find(SessionStalled, kind.Sessions.File(ses.ID), message, fix)}
}

// judgeSession finds what is wrong with an active session. Its task is read from a reader, and live is what is known of
// that task.
func (v Visit) judgeSession(from kind.Reader, ses session.Session, live session.Live) []Finding {
	path := kind.Sessions.File(ses.ID)
	t, err := kind.Tasks.Get(from, ses.Task)
	if record.CodeOf(err) == record.NotFound {
		return []Finding{find(SessionWithoutTask, path, fmt.Sprintf("task %s does not exist", ses.Task), "bring the task's file back from git").about(ses.Task.Ref())}
	}
	if err != nil {
		return nil // a broken task is a finding of its own
	}
	held := ses.Held(t.Header(), live, v.Store.Worktree)
	over := record.CodeOf(held) == record.SessionEnded // which refuses a cancel too
	ends := fmt.Sprintf("%s ends it: cairn cancel %s REASON", ses.Actor, ses.ID)
	if over {
		ends = "merge the branch on which it ended, or write status: abandoned into its file"
	}
	flow := v.Store.Config.Flow
	switch {
	case flow.IsClosed(t.Status):
		message := fmt.Sprintf("the session is active, and %s is closed (%s)", t.ID, t.Status)
		return []Finding{find(SessionLeftOpen, path, message, ends).about(t.ID.Ref())}
	case over:
		message := record.MessageOf(held)
		return []Finding{find(SessionLeftOpen, path, message+", and its file says that it is active", ends).about(t.ID.Ref())}
	case ses.Health(t.Header(), flow.Review, v.Store.Heartbeat(ses.ID), live.StaleAfter, v.Now()) == session.Stalled:
		message := fmt.Sprintf("session %s of %s has given no sign of life for more than %v", ses.ID, ses.Actor, live.StaleAfter)
		return []Finding{find(SessionStalled, path, message, ends).about(t.ID.Ref())}
	default:
		return nil
	}
}
