package verb

import (
	"context"

	"github.com/cairn-tasks/cairn/task"
)

// GetIn is the input of Get.
type GetIn struct {
	ID task.ID `json:"id" doc:"task to read" cli:"arg"`
}

// Get returns a task in full: body, checks with their results, provenance, and what is derived.
func (w *Workspace) Get(_ context.Context, in GetIn) (Task, error) {
	s, err := w.open()
	if err != nil {
		return Task{}, err
	}
	return w.show(s, in.ID)
}
