package tasks

import (
	"context"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/record"
	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
)

// NoteIn is the input of Note.
type NoteIn struct {
	ID   verb.RecordID `json:"id" doc:"task to note it on" cli:"arg"`
	Text string        `json:"text" doc:"what is worth remembering; 4 KiB at most" cli:"arg"`
	verb.Once
}

// Note appends text to the provenance of a task, or of another record, without changing anything else. Anybody may, also if somebody
// else holds the task. It returns a verb.Task, or a verb.Record for a record of another kind. A session takes no notes: what there is to
// say of an attempt belongs to its task.
func Note(ctx context.Context, w *verb.Workspace, in NoteIn) (any, error) {
	if err := task.RequiredText("text", in.Text, "say what is worth remembering"); err != nil {
		return nil, err
	}
	s, err := w.Open()
	if err != nil {
		return nil, err
	}
	k, v, err := record.Find(s, string(in.ID))
	ses, isSession := v.(session.Session)
	switch {
	case isSession:
		return nil, task.Errorf(task.InvalidInput, "a session takes no notes").WithHint("%s notes it on its task", task.CallTo("note", "id", ses.Task))
	case k != record.Tasks.Kind && err != nil:
		return nil, err
	case k != record.Tasks.Kind:
		return w.ChangeAny(ctx, s, k, string(in.ID), func(v any) (any, error) { return k.With(v, w.Stamp(in.Text).Entry(task.Noted)) })
	}
	return w.ChangeIn(ctx, s, task.ID(in.ID), func(wc verb.WriteContext) (task.Task, *task.Entry, error) {
		return task.Note(wc.Task, w.Stamp(in.Text))
	})
}
