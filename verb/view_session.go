package verb

import (
	"time"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/record"
	"github.com/cairn-tasks/cairn/task"
)

// Session is a session as every verb returns it: its committed record, and what this clone alone knows.
type Session struct {
	ID          string         `json:"id"`
	Task        task.ID        `json:"task,omitempty"`
	Actor       task.Actor     `json:"actor"`
	Client      string         `json:"client,omitempty"`
	Model       string         `json:"model,omitempty"`
	Status      session.Status `json:"status"`
	Health      session.Health `json:"health"`
	StartedAt   *time.Time     `json:"started_at,omitempty"`
	EndedAt     *time.Time     `json:"ended_at,omitempty"`
	HeartbeatAt *time.Time     `json:"heartbeat_at,omitempty"`
	Progress    string         `json:"progress,omitempty"`
	Branch      string         `json:"branch,omitempty"`
	Worktree    string         `json:"worktree,omitempty"`
	Head        string         `json:"head,omitempty"`
	Summary     string         `json:"summary,omitempty"`
	Reason      string         `json:"reason,omitempty"`
	Replayed    bool           `json:"replayed,omitempty"`    // the call was made before, under the same idempotency key
	Decisions   *Governing     `json:"decisions,omitempty"`   // of begin: those that govern the task
	OpenChecks  []OpenCheck    `json:"open_checks,omitempty"` // of finish: what still stands between the task and its close
}

// OpenCheck is a check that a close would not accept as it is.
type OpenCheck struct {
	Check int    `json:"check"` // index
	Desc  string `json:"desc"`
	State string `json:"state"` // pending, failed, or stale: passed, but on another state of the working tree
}

// SessionByID reads a session and shows it.
func (v View) SessionByID(id string) (Session, error) {
	ses, err := record.Sessions.Get(v.Store, id)
	if err != nil {
		return Session{}, err
	}
	return v.Session(ses), nil
}

// SessionOf reads a session and shows it. Of one that is gone meanwhile it shows what its row says.
func (v View) SessionOf(r *record.Row) Session {
	ses, err := record.Sessions.Get(v.Store, r.ID)
	if err != nil {
		ses = session.Session{
			ID: r.ID, Task: r.Parent, Actor: r.Assignee, Status: session.Status(r.Status), StartedAt: time.Unix(r.Created, 0),
		}
	}
	return v.Session(ses)
}

// Session shows a session as verbs return it.
func (v View) Session(ses session.Session) Session {
	t, _ := v.reads.Find(v.Store)(ses.Task)
	beat := v.Store.Heartbeat(ses.ID)
	out := Session{
		ID: ses.ID, Task: ses.Task, Actor: ses.Actor, Client: ses.Client, Model: ses.Model,
		Status: ses.Status, Health: v.health(ses, t.Header()),
		StartedAt: instant(ses.StartedAt), EndedAt: instant(ses.EndedAt),
		Branch: ses.Branch, Worktree: ses.Worktree, Head: ses.Head, Summary: ses.Summary, Reason: ses.Reason,
	}
	if beat != nil {
		out.Progress = beat.Progress
	}
	if ses.Status == session.Active {
		out.HeartbeatAt = instant(ses.LastSign(t.Provenance, beat))
	}
	return out
}
