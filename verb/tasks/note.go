package tasks

import (
	"context"

	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
)

// NoteIn is the input of Note.
type NoteIn struct {
	ID   task.ID `json:"id" doc:"task to note it on" cli:"arg"`
	Text string  `json:"text" doc:"what is worth remembering; 4 KiB at most" cli:"arg"`
	verb.Once
}

// Note appends text to the provenance without changing anything else. Anybody may, also if somebody else holds the task.
func Note(ctx context.Context, w *verb.Workspace, in NoteIn) (verb.Task, error) {
	if err := task.RequiredText("text", in.Text, "say what is worth remembering"); err != nil {
		return verb.Task{}, err
	}
	return w.Change(ctx, in.ID, func(wc verb.WriteContext) (task.Task, *task.Entry, error) {
		return task.Note(wc.Task, w.Stamp(in.Text))
	})
}
