package verb

import (
	"context"
	"time"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// Session is a session as every verb returns it: the durable record, and what this clone knows of it alive.
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
	OpenChecks  []OpenCheck    `json:"open_checks,omitempty"` // of finish: what still stands between the task and its close
}

// OpenCheck is a check that a close would not accept as it is.
type OpenCheck struct {
	Check int    `json:"check"` // index
	Desc  string `json:"desc"`
	State string `json:"state"` // pending, failed, or stale: passed, but on another state of the working tree
}

// openChecks lists what stands between a task and its close.
func (w *Workspace) openChecks(ctx context.Context, s *store.Store, t task.Task) []OpenCheck {
	p := task.Proof{Tree: fingerprint(w.tree(ctx, s))}
	var out []OpenCheck
	standings := s.Config.Flow.Standings(t, p)
	for i, c := range t.Checks {
		switch standing := standings(i); {
		case standing == task.Pass:
		case standing == task.Fail:
			out = append(out, OpenCheck{i, c.Desc, "failed"})
		case c.Result == task.Pass && !c.Manual():
			out = append(out, OpenCheck{i, c.Desc, "stale"})
		default:
			out = append(out, OpenCheck{i, c.Desc, "pending"})
		}
	}
	return out
}

// showSession reads a session and returns it in full.
func (w *Workspace) showSession(s *store.Store, id string) (Session, error) {
	ses, err := s.Session(id)
	if err != nil {
		return Session{}, err
	}
	return w.viewSession(s, ses), nil
}

func (w *Workspace) viewSession(s *store.Store, ses session.Session) Session {
	t, _ := w.Reads.Find(s)(ses.Task)
	out := Session{
		ID: ses.ID, Task: ses.Task, Actor: ses.Actor, Client: ses.Client, Model: ses.Model,
		Status: ses.Status, Health: w.health(s, ses, t),
		StartedAt: instant(ses.StartedAt), EndedAt: instant(ses.EndedAt),
		Branch: ses.Branch, Worktree: ses.Worktree, Head: ses.Head, Summary: ses.Summary, Reason: ses.Reason,
	}
	if beat := s.Heartbeat(ses.ID); beat != nil {
		out.Progress = beat.Progress
	}
	if ses.Status == session.Active {
		out.HeartbeatAt = instant(ses.LastSign(t, s.Heartbeat(ses.ID)))
	}
	return out
}
