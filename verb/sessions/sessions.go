package sessions

import (
	"context"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/record"
	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
)

// HeartbeatIn is the input of Heartbeat.
type HeartbeatIn struct {
	Session  verb.SessionID `json:"session" doc:"session that is alive" cli:"arg"`
	Progress string         `json:"progress,omitempty" doc:"what is being done, for other readers" cli:"arg"`
	verb.Once
}

// Heartbeat says that a session is alive. It changes no committed file.
func Heartbeat(ctx context.Context, w *verb.Workspace, in HeartbeatIn) (verb.Session, error) {
	if err := task.ValidText("progress", in.Progress); err != nil {
		return verb.Session{}, err
	}
	s, err := w.Open()
	if err != nil {
		return verb.Session{}, err
	}
	id := string(in.Session)
	if err := w.Beat(ctx, s, id, in.Progress); err != nil {
		return verb.Session{}, err
	}
	return w.View(s).SessionByID(id)
}

// GetIn is the input of Get.
type GetIn struct {
	Session verb.SessionID `json:"session" doc:"session to read" cli:"arg"`
}

// Get returns a session, with its health as of now.
func Get(_ context.Context, w *verb.Workspace, in GetIn) (verb.Session, error) {
	s, err := w.Open()
	if err != nil {
		return verb.Session{}, err
	}
	return w.View(s).SessionByID(string(in.Session))
}

// ListIn is the input of List. A filter that is left out lets everything through.
type ListIn struct {
	Task   task.ID        `json:"task,omitempty" doc:"only sessions on this task"`
	Actor  string         `json:"actor,omitempty" doc:"only sessions of this actor; me for yours" from:"actors"`
	Status session.Status `json:"status,omitempty" doc:"only active, finished, canceled or abandoned ones" values:"active,finished,canceled,abandoned"`
	Health session.Health `json:"health,omitempty" doc:"only sessions that are active, stalled, awaiting_review or ended" values:"active,stalled,awaiting_review,ended"`
	Limit  verb.Count     `json:"limit,omitempty" doc:"how many to return; 50 by default, 500 at most"`
	Cursor string         `json:"cursor,omitempty" doc:"next_cursor of the page before"`
}

// ListOut is a page of sessions.
type ListOut struct {
	Sessions   []verb.Session `json:"sessions"`
	Total      int            `json:"total"`                 // that fit the filters, on all pages
	NextCursor string         `json:"next_cursor,omitempty"` // of the next page, of sessions or of problems
	verb.Problems
}

// List returns the sessions that fit the filters, the newest first.
func List(ctx context.Context, w *verb.Workspace, in ListIn) (ListOut, error) {
	s, err := w.Open()
	if err != nil {
		return ListOut{}, err
	}
	if err := in.valid(); err != nil {
		return ListOut{}, err
	}
	who, err := w.ActorNamed(in.Actor)
	if err != nil {
		return ListOut{}, err
	}
	all, problems, err := record.Sessions.List(ctx, s)
	if err != nil {
		return ListOut{}, err
	}
	view := w.View(s).OfMany()
	var fit []verb.Ranked[verb.Session]
	for _, ses := range all {
		if in.Task != "" && ses.Task != in.Task || in.Actor != "" && ses.Actor != who || in.Status != "" && ses.Status != in.Status {
			continue
		}
		if v := view.Session(ses); in.Health == "" || v.Health == in.Health {
			fit = append(fit, verb.Ranked[verb.Session]{At: verb.Position{Key: verb.NewestFirst(ses.StartedAt), ID: verb.Descending(ses.ID)}, Item: v})
		}
	}
	page, err := verb.Page(fit, problems, w.PageIn("sessions", in.Cursor, in.Limit))
	return ListOut{Sessions: page.Items, Total: page.Total, NextCursor: page.Next, Problems: page.Problems}, err
}

func (in ListIn) valid() error {
	if err := verb.ValidLimit(in.Limit); err != nil {
		return err
	}
	switch in.Status {
	case "", session.Active, session.Finished, session.Canceled, session.Abandoned:
	default:
		return verb.BadInput("status", "is %q", in.Status).WithHint("active, finished, canceled or abandoned")
	}
	switch in.Health {
	case "", session.Alive, session.Stalled, session.AwaitingReview, session.Ended:
	default:
		return verb.BadInput("health", "is %q", in.Health).WithHint("active, stalled, awaiting_review or ended")
	}
	return nil
}
