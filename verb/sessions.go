package verb

import (
	"context"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// HeartbeatIn is the input of Heartbeat.
type HeartbeatIn struct {
	Session  SessionID `json:"session" doc:"session that is alive" cli:"arg"`
	Progress string    `json:"progress,omitempty" doc:"what is being done, for whoever looks" cli:"arg"`
	Once
}

// Heartbeat says that a session is alive. It changes no committed file.
func (w *Workspace) Heartbeat(ctx context.Context, in HeartbeatIn) (Session, error) {
	if err := task.ValidText("progress", in.Progress); err != nil {
		return Session{}, err
	}
	s, err := w.open()
	if err != nil {
		return Session{}, err
	}
	id := string(in.Session)
	if err := w.beat(ctx, s, id, in.Progress); err != nil {
		return Session{}, err
	}
	return w.showSession(s, id)
}

// beat writes a heartbeat. Progress that says nothing leaves what was said before.
func (w *Workspace) beat(ctx context.Context, s *store.Store, id, progress string) error {
	return w.update(ctx, s, func(tx *store.Tx) error {
		ses, err := tx.Session(id)
		if err != nil {
			return err
		}
		if err := w.inScope(ses.Task); err != nil {
			return err
		}
		t, err := tx.Task(ses.Task)
		if err != nil {
			t = task.Task{ID: ses.Task} // its file may lie on another branch; live state knows who holds it
		}
		if _, err := w.usable(s, scene{tx: tx, t: t}, id); err != nil {
			return err
		}
		if old := s.Heartbeat(id); old != nil && progress == "" {
			progress = old.Progress
		}
		w.remember(tx, ses.Task, id)
		tx.Beat(session.Heartbeat{Session: id, Actor: w.Actor, At: w.Now().UTC(), Progress: progress})
		return nil
	})
}

// GetSessionIn is the input of GetSession.
type GetSessionIn struct {
	Session SessionID `json:"session" doc:"session to read" cli:"arg"`
}

// GetSession returns a session, with its health as of now.
func (w *Workspace) GetSession(_ context.Context, in GetSessionIn) (Session, error) {
	s, err := w.open()
	if err != nil {
		return Session{}, err
	}
	return w.showSession(s, string(in.Session))
}

// ListSessionsIn is the input of ListSessions. A filter that is left out lets everything through.
type ListSessionsIn struct {
	Task   task.ID        `json:"task,omitempty" doc:"only sessions on this task"`
	Actor  string         `json:"actor,omitempty" doc:"only sessions of this actor; me for yours" from:"actors"`
	Status session.Status `json:"status,omitempty" doc:"only active, finished, canceled or abandoned ones" values:"active,finished,canceled,abandoned"`
	Health session.Health `json:"health,omitempty" doc:"only sessions that are active, stalled, awaiting_review or ended" values:"active,stalled,awaiting_review,ended"`
	Limit  Count          `json:"limit,omitempty" doc:"how many to return; 50 unless told, 500 at most"`
	Cursor string         `json:"cursor,omitempty" doc:"next_cursor of the page before"`
}

// Sessions is a page of sessions.
type Sessions struct {
	Sessions   []Session `json:"sessions"`
	Total      int       `json:"total"`                 // that fit the filters, on all pages
	NextCursor string    `json:"next_cursor,omitempty"` // of the next page, of sessions or of problems
	Problems
}

// ListSessions returns the sessions that fit the filters, the newest first.
func (w *Workspace) ListSessions(ctx context.Context, in ListSessionsIn) (Sessions, error) {
	s, err := w.open()
	if err != nil {
		return Sessions{}, err
	}
	if err := in.valid(); err != nil {
		return Sessions{}, err
	}
	who, err := w.actor(in.Actor)
	if err != nil {
		return Sessions{}, err
	}
	all, problems, err := s.Sessions(ctx)
	if err != nil {
		return Sessions{}, err
	}
	var fit []ranked[Session]
	for _, ses := range all {
		if in.Task != "" && ses.Task != in.Task || in.Actor != "" && ses.Actor != who || in.Status != "" && ses.Status != in.Status {
			continue
		}
		if v := w.viewSession(s, ses); in.Health == "" || v.Health == in.Health {
			fit = append(fit, ranked[Session]{place{youthKey(ses.StartedAt), descending(ses.ID)}, v})
		}
	}
	total := len(fit)
	shown, err := page(fit, problems, w.pageIn("sessions", in.Cursor, in.Limit))
	return Sessions{Sessions: shown.items, Total: total, NextCursor: shown.next, Problems: shown.problemsOf(problems)}, err
}

func (in ListSessionsIn) valid() error {
	if in.Limit > maxLimit {
		return badInput("limit", "is %d", in.Limit).WithHint("1 to %d; ask for the next page with cursor", maxLimit)
	}
	switch in.Status {
	case "", session.Active, session.Finished, session.Canceled, session.Abandoned:
	default:
		return badInput("status", "is %q", in.Status).WithHint("active, finished, canceled or abandoned")
	}
	switch in.Health {
	case "", session.Alive, session.Stalled, session.AwaitingReview, session.Ended:
	default:
		return badInput("health", "is %q", in.Health).WithHint("active, stalled, awaiting_review or ended")
	}
	return nil
}
