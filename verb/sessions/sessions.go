package sessions

import (
	"context"
	"time"

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
	all, err := w.Reads.Look(ctx, s, record.Sessions.Kind)
	if err != nil {
		return ListOut{}, err
	}
	view := w.View(s).OfMany(ctx)
	var fit []verb.Ranked[*record.Row]
	for _, r := range all.Rows() {
		if in.Task != "" && r.Parent != in.Task || in.Actor != "" && r.Assignee != who || in.Status != "" && string(r.Status) != string(in.Status) {
			continue
		}
		if in.Health == "" || view.SessionOf(r).Health == in.Health {
			fit = append(fit, verb.Ranked[*record.Row]{At: verb.Position{Key: verb.NewestFirst(time.Unix(r.Created, 0)), ID: verb.Descending(r.ID)}, Item: r})
		}
	}
	page, err := verb.PageOf(fit, view.SessionOf, all.Problems(), w.PageIn("sessions", in.Cursor, in.Limit))
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
