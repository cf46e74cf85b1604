package verb

import (
	"cmp"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// Session is a session as every verb returns it: its committed record, and what this clone alone knows.
type Session struct {
	ID          string         `json:"id"`
	Task        record.ID      `json:"task,omitempty"`
	Label       string         `json:"label,omitempty"`
	Goal        string         `json:"goal,omitempty"`
	Role        string         `json:"role,omitempty"`
	Parent      string         `json:"parent,omitempty"` // the session under which it began
	Series      string         `json:"series,omitempty"`
	Actor       record.Actor   `json:"actor"`
	Client      string         `json:"client,omitempty"`
	Model       string         `json:"model,omitempty"`
	Status      session.Status `json:"status"`
	Health      session.Health `json:"health"`
	StartedAt   *time.Time     `json:"started_at,omitempty"`
	EndedAt     *time.Time     `json:"ended_at,omitempty"`
	HeartbeatAt *time.Time     `json:"heartbeat_at,omitempty"`
	Progress    string         `json:"progress,omitempty"`
	Now         *SessionNow    `json:"now,omitempty"` // of an active one: what it reported besides
	Branch      string         `json:"branch,omitempty"`
	Worktree    string         `json:"worktree,omitempty"`
	Base        string         `json:"base,omitempty"` // of one that ended at another commit than it began at: that one
	Head        string         `json:"head,omitempty"`
	Summary     string         `json:"summary,omitempty"`
	Reason      string         `json:"reason,omitempty"`
	Used        *session.Usage `json:"used,omitempty"` // by the program of a job, as it told
	Refs        []Ref          `json:"refs,omitempty"`
	RefsTotal   int            `json:"refs_total,omitempty"` // how many references there are, if only the newest are here
	Comments    *Thread        `json:"comments,omitempty"`   // of get, if they are asked for
	Rev         record.Rev     `json:"rev,omitempty"`
	Notices     []Notice       `json:"notices,omitempty"`     // of a note: the mentions that reach nobody
	Replayed    bool           `json:"replayed,omitempty"`    // the call was made before, under the same idempotency key
	Last        *Last          `json:"last,omitempty"`        // of begin: how the last attempt at the task ended
	Decisions   *Governing     `json:"decisions,omitempty"`   // of begin: those that govern the task
	OpenChecks  []OpenCheck    `json:"open_checks,omitempty"` // of finish: what still stands between the task and its close
	TaskStatus  record.Status  `json:"task_status,omitempty"` // of finish and cancel: the state in which that leaves the task

	Children      []Child `json:"children,omitempty"`       // sessions below it, if they were asked for
	ChildrenTotal int     `json:"children_total,omitempty"` // how many there are, if only the first are here
}

// SessionNow is what the newest heartbeats of a session report beside its progress. Only its own clone knows.
type SessionNow struct {
	Counts map[string]int `json:"counts,omitempty"`
	Head   string         `json:"head,omitempty"`
	Branch string         `json:"branch,omitempty"`
	Dirty  *bool          `json:"dirty,omitempty"`
}

// Child is a session in the tree below another.
type Child struct {
	ID        string         `json:"id"`
	Parent    string         `json:"parent"`
	Depth     int            `json:"depth"` // 1 directly below
	Task      record.ID      `json:"task,omitempty"`
	Label     string         `json:"label,omitempty"`
	Role      string         `json:"role,omitempty"`
	Actor     record.Actor   `json:"actor"`
	Status    session.Status `json:"status"`
	Health    session.Health `json:"health"`
	StartedAt *time.Time     `json:"started_at,omitempty"`
	EndedAt   *time.Time     `json:"ended_at,omitempty"`
	Told      string         `json:"told,omitempty"` // its summary, reason or progress, shortened
}

// Told is what a session says of itself: how it ended, or what it does.
func (s Session) Told() string { return cmp.Or(s.Summary, s.Reason, s.Progress) }

// OpenCheck is a check that a close would not accept as it is.
type OpenCheck struct {
	Check int    `json:"check"` // index
	Desc  string `json:"desc"`
	State string `json:"state"` // pending, failed, or stale: passed, but on another state of the working tree
}

// SessionByID reads a session and shows it.
func (v View) SessionByID(id string) (Session, error) {
	ses, err := kind.Sessions.Get(v.Store, id)
	if err != nil {
		return Session{}, err
	}
	return v.Session(ses), nil
}

// SessionOf reads a session and shows it. Of one that is gone meanwhile it shows what its row says.
func (v View) SessionOf(r *kind.Row) Session {
	ses, err := kind.Sessions.Get(v.Store, r.ID)
	if err != nil {
		ses = session.Session{
			ID: r.ID, Task: r.Parent, Label: r.Title, Parent: r.Fact(kind.SessionParent), Series: r.Fact(kind.SessionSeries), Actor: r.Assignee, Status: session.Status(r.Status), StartedAt: time.Unix(r.Created, 0),
		}
	}
	return v.Session(ses)
}

// Session shows a session as verbs return it.
func (v View) Session(ses session.Session) Session {
	t := task.Task{}
	if ses.Task != "" {
		t, _ = v.reads.Find(v.Store)(ses.Task)
	}
	beat := v.Store.Heartbeat(ses.ID)
	out := Session{
		ID: ses.ID, Task: ses.Task, Label: ses.Label, Goal: ses.Goal, Role: ses.Role, Parent: ses.Parent, Series: ses.Series,
		Actor: ses.Actor, Client: ses.Client, Model: ses.Model,
		Status: ses.Status, Health: v.health(ses, t.Header()),
		StartedAt: instant(ses.StartedAt), EndedAt: instant(ses.EndedAt),
		Branch: ses.Branch, Worktree: ses.Worktree, Base: ses.Base, Head: ses.Head, Summary: ses.Summary, Reason: ses.Reason,
		Refs: ses.Refs, Rev: ses.Rev,
	}
	if ses.Used != (session.Usage{}) {
		out.Used = &ses.Used
	}
	if v.Bounded {
		out.Refs, out.RefsTotal = newest(out.Refs, Usual.List, Usual.ListRoom)
	}
	if beat != nil {
		out.Progress = beat.Progress
	}
	if ses.Status != session.Active {
		return out
	}
	out.HeartbeatAt = instant(ses.LastSign(t.Provenance, beat))
	if beat != nil && (len(beat.Counts) > 0 || beat.Head+beat.Branch != "" || beat.Dirty != nil) {
		out.Now = &SessionNow{beat.Counts, beat.Head, beat.Branch, beat.Dirty}
	}
	return out
}
