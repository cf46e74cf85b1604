package verb

import (
	"context"
	"slices"

	"github.com/cairn-tasks/cairn/task"
)

// GetIn is the input of Get.
type GetIn struct {
	ID      task.ID  `json:"id" doc:"task to read" cli:"arg"`
	Mode    string   `json:"mode,omitempty" doc:"summary: a row of list; full: nothing is cut; context: the task and all that is around it"`
	Include []string `json:"include,omitempty" doc:"parts of the context to add: blockers, dependents, children, sessions, logs, git"`
}

const (
	summaryMode = "summary"
	fullMode    = "full"
	contextMode = "context"
)

// Get returns a task: body, checks with their results, provenance, and what is derived. It is a Row in the mode summary, a
// Context in the mode context or with parts included, and else a Task.
func (w *Workspace) Get(ctx context.Context, in GetIn) (any, error) {
	if !slices.Contains([]string{"", summaryMode, fullMode, contextMode}, in.Mode) {
		return nil, badInput("mode", "is %q", in.Mode).WithHint("summary, full or context; leave it out for the usual")
	}
	parts, err := in.parts()
	if err != nil {
		return nil, err
	}
	s, err := w.open()
	if err != nil {
		return nil, err
	}
	t, err := s.Get(in.ID)
	if err != nil {
		return nil, err
	}
	if in.Mode == summaryMode && len(parts) == 0 {
		return w.row(s, t, s.Find), nil
	}
	out := w.view(s, t)
	if in.Mode == fullMode {
		out = w.whole(s, t)
	}
	if len(parts) == 0 {
		return out, nil
	}
	return w.around(ctx, s, out, parts)
}

// parts are the parts of the context that are asked for.
func (in GetIn) parts() ([]string, error) {
	if in.Mode == contextMode {
		return contextParts, nil
	}
	for _, part := range in.Include {
		if !slices.Contains(contextParts, part) {
			return nil, badInput("include", "names %q", part).WithHint("blockers, dependents, children, sessions, logs or git")
		}
	}
	return in.Include, nil
}
