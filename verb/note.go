package verb

import (
	"context"

	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// NoteIn is the input of Note.
type NoteIn struct {
	ID   task.ID `json:"id" doc:"task to note it on" cli:"arg"`
	Text string  `json:"text" doc:"what is worth remembering; 4 KiB at most" cli:"arg"`
	Once
}

// Note appends text to the provenance without changing anything else. Anybody may, whoever holds the task.
func (w *Workspace) Note(ctx context.Context, in NoteIn) (Task, error) {
	if err := task.RequiredText("text", in.Text, "say what is worth remembering"); err != nil {
		return Task{}, err
	}
	return w.change(ctx, in.ID, func(_ *store.Store, sc scene) (task.Task, *task.Entry, error) {
		return task.Note(sc.t, w.stamp(in.Text))
	})
}
