package session

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/task"
)

// Prefix is what stands before the dash of a session's id.
const Prefix = "ses"

// Status is how far a session has come. It only ever leaves active.
type Status string

// The statuses of a session.
const (
	Active    Status = "active"
	Finished  Status = "finished"
	Canceled  Status = "canceled"
	Abandoned Status = "abandoned" // ended by somebody else's takeover
)

// Health is how a session is doing now.
type Health string

// The healths of a session.
const (
	Alive          Health = "active"
	Stalled        Health = "stalled"         // no sign of life for longer than session_stale_after
	AwaitingReview Health = "awaiting_review" // the task's last attempt, finished, and the task is in review
	Ended          Health = "ended"
)

// Session is the durable record of an attempt.
type Session struct {
	ID        string
	Task      task.ID // "" for kinds of session that are not about a task
	Actor     task.Actor
	Client    string
	Model     string
	Status    Status
	StartedAt time.Time
	EndedAt   time.Time // zero while active
	Branch    string
	Worktree  string // name of the folder, never its path
	Head      string // commit it began at; after finish, the one it ended at
	Summary   string
	Reason    string
}

// originalID is the form of ids that the original cairn minted: ses_ and 24 hex digits.
var originalID = regexp.MustCompile(`^` + Prefix + `_[A-Za-z0-9._-]+$`)

const maxID = 80 // bytes, as for a task

// ParseID accepts what may be the name of a session file: the form of a task id, or that of the original cairn, which has
// an underscore where ours has a dash. Neither can lead out of its folder.
func ParseID(s string) (string, error) {
	_, err := task.ParseID(s)
	if ours, original := err == nil && strings.HasPrefix(s, Prefix), len(s) <= maxID && originalID.MatchString(s); !ours && !original {
		return "", task.Errorf(task.InvalidInput, "%q is not a session id", s).WithHint("cairn list-sessions shows them")
	}
	return s, nil
}

// Heartbeat is the newest sign of life of a session that the clone has seen.
type Heartbeat struct {
	Session  string     `json:"session"`
	Actor    task.Actor `json:"actor"`
	At       time.Time  `json:"at"`
	Progress string     `json:"progress,omitempty"`
}

// End ends a session: as Finished with a summary, as Canceled or Abandoned with a reason.
func (s Session) End(to Status, at time.Time, text string) Session {
	s.Status, s.EndedAt = to, at.UTC().Truncate(time.Second)
	if to == Finished {
		s.Summary = text
	} else {
		s.Reason = text
	}
	return s
}

// EndAs ends a session as another record of it has ended.
func (s Session) EndAs(end Session) Session {
	s.Status, s.EndedAt, s.Head, s.Summary, s.Reason = end.Status, end.EndedAt, end.Head, end.Summary, end.Reason
	return s
}

// Usable returns SESSION_ENDED if the session is over, and NOT_YOURS if it is not the actor's.
func (s Session) Usable(by task.Actor) error {
	if s.Actor != by {
		return task.Errorf(task.NotYours, "the session belongs to %s", s.Actor).WithHint("begin a session of your own")
	}
	if s.Status != Active {
		return task.Errorf(task.SessionEnded, "the session is over (%s)", s.Status).
			WithHint("begin a new one, if there is more to do").
			WithNext("get", map[string]any{"id": string(s.Task)})
	}
	return nil
}

// Held returns why an active session may not go on here, although its file says nothing against it: SESSION_ENDED if its
// claim was taken over or let go in another worktree, ALREADY_CLAIMED if it is at work there.
func (s Session) Held(file task.Task, live Live, worktree string) error {
	lease := live.Record.heldBy(file)
	if lease == nil {
		if live.Record != nil && slices.Contains(live.Record.Ended, s.ID) {
			return ended("its claim was let go in another worktree")
		}
		return nil // nobody here ever claimed it: the session came with the files
	}
	switch {
	case lease.Session != s.ID:
		return ended(string(lease.Actor) + " holds the task on " + place(lease.Branch, lease.Worktree))
	case !s.Actor.Human() && !live.Gone && lease.Worktree != "" && lease.Worktree != worktree:
		return freeWork(task.Errorf(task.AlreadyClaimed, "the session is at work on %s", place(lease.Branch, lease.Worktree)).
			WithHint("go on there, or take another task: cairn ready"))
	default:
		return nil
	}
}

func ended(why string) error {
	return task.Errorf(task.SessionEnded, "the session is over: %s", why).WithHint("begin a new one, if there is more to do")
}

// Health derives how the session is doing. The task is the one it is about; beat may be nil, as it always is in another
// clone than the session's: then the actor's newest entry speaks for it.
func (s Session) Health(t task.Task, review task.Status, beat *Heartbeat, staleAfter time.Duration, now time.Time) Health {
	switch s.Status {
	case Active:
		if now.Sub(s.LastSign(t, beat)) > staleAfter {
			return Stalled
		}
		return Alive
	case Finished:
		if t.ID == s.Task && t.Status == review && t.Provenance.LastSession() == s.ID {
			return AwaitingReview
		}
	case Canceled, Abandoned:
	}
	return Ended
}

// LastSign is the newest sign of life: a heartbeat, an entry of the actor on the task, or the beginning.
func (s Session) LastSign(t task.Task, beat *Heartbeat) time.Time {
	sign := latest(s.StartedAt, t.Provenance.NewestBy(s.Actor))
	if beat != nil {
		sign = latest(sign, beat.At)
	}
	return sign
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
