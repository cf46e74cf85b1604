package tasks

import (
	"context"
	"slices"

	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
)

// GetIn is the input of Get.
type GetIn struct {
	ID      task.ID  `json:"id" doc:"task to read" cli:"arg"`
	Mode    string   `json:"mode,omitempty" doc:"summary: a row of list; full: up to 256 KiB of body and 200 entries; context: the task and all that is around it" values:"summary,full,context"`
	Include []string `json:"include,omitempty" doc:"parts of the context to add: blockers, dependents, children, sessions, logs, git"`
	Part    string   `json:"part,omitempty" doc:"only this part, in pieces, where an answer was cut: body, provenance (the oldest first), file (as it is), blockers, dependents, children"`
	Offset  int      `json:"offset,omitempty" doc:"with part: next_offset of the piece before"`
}

const (
	summaryMode = "summary"
	fullMode    = "full"
	contextMode = "context"
)

// Get returns a task: body, checks with their results, provenance, and what is derived. It is a Row in the mode summary, a
// Context in the mode context or with parts included, a Part if one is asked for, and else a Task.
func Get(ctx context.Context, w *verb.Workspace, in GetIn) (any, error) {
	if !slices.Contains([]string{"", summaryMode, fullMode, contextMode}, in.Mode) {
		return nil, verb.BadInput("mode", "is %q", in.Mode).WithHint("summary, full or context; leave it out for the usual")
	}
	if err := in.validPart(); err != nil {
		return nil, err
	}
	parts, err := in.parts()
	if err != nil {
		return nil, err
	}
	s, err := w.Open()
	if err != nil {
		return nil, err
	}
	t, err := s.Get(in.ID)
	if err != nil {
		return nil, err
	}
	switch {
	case in.Part != "":
		return readPart(ctx, w, s, t, in)
	case in.Mode == summaryMode && len(parts) == 0:
		return w.View(s).Row(t, s.Find), nil
	}
	out := w.View(s).WholeTask(t)
	switch {
	case !w.Bounded:
	case in.Mode == fullMode:
		out = out.Cut(verb.Most)
	default:
		out = out.Cut(verb.Usual)
	}
	if len(parts) == 0 {
		return out, nil
	}
	return around(ctx, w, s, out, parts)
}

// parts are the parts of the context that are asked for.
func (in GetIn) parts() ([]string, error) {
	if in.Mode == contextMode {
		return contextParts, nil
	}
	for _, part := range in.Include {
		if !slices.Contains(contextParts, part) {
			return nil, verb.BadInput("include", "names %q", part).WithHint("blockers, dependents, children, sessions, logs or git")
		}
	}
	return in.Include, nil
}
