package task

import (
	"slices"
	"strconv"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Task is one node of the graph, as its file says.
type Task struct {
	ID       record.ID
	Title    string
	Status   record.Status
	Priority Priority
	Due      Due // "" for none
	Labels   []string
	Mode     Mode         // who does it
	Assignee record.Actor // "" when nobody
	Parent   record.ID    // grouping only; gates nothing
	Deps     []record.ID  // must be closed before this may leave the initial state
	Scope    []string     // globs of the paths that it is about
	Repo     string       // the repository of the workspace in which its files are and its commands run; "" for the workspace's own
	Checks   []Check      // each names the task's Repo, see InRepo
	Refs     []record.Reference
	Links    // to records that it does not wait for

	RequiresEvidence bool // it is closed as done only with a commit, a pull request, or a command check that passed

	Provenance record.Log
	Body       string
	Rev        record.Rev        // revision of the file this was read from
	Extra      map[string]any    // keys of the file that cairn does not know
	Own        map[string]string // values of Optional, of the config's fields, and of other keys in Extra that hold one value, as the text in the file

	// Other is set if this is no task, but a record of another kind as a dependency. Only ID, Title, Status, Labels,
	// Provenance and Rev are set then.
	Other *Other
}

// Other is the kind of a record that is a dependency.
type Other struct {
	Kind   string                   // in a Ref
	Closed func(record.Status) bool // which of its states are closed
}

// DepOf returns a record of another kind as a dependency.
func DepOf(h record.Header, closed func(record.Status) bool) Task {
	return Task{
		ID: record.ID(h.Ref.ID), Title: h.Title, Status: h.Status, Labels: h.Labels, Provenance: h.Log, Rev: h.Rev,
		Other: &Other{h.Ref.Kind, closed},
	}
}

// With returns the task with e behind the other entries of its log.
func (t Task) With(e record.Entry) Task {
	t.Provenance = t.Provenance.Add(e)
	return t
}

// Header returns what the task has in common with records of other kinds.
func (t Task) Header() record.Header {
	return record.Header{
		Ref: t.ID.Ref(), Title: t.Title, Status: t.Status, Assignee: t.Assignee, Labels: t.Labels,
		Refs: t.Refs, Log: t.Provenance, Rev: t.Rev,
	}
}

// HasHolder reports whether any entry changed the holder.
func (t Task) HasHolder() bool {
	return slices.ContainsFunc(t.Provenance, func(e record.Entry) bool {
		_, ok := e.Holder()
		return ok
	})
}

// Find returns another task, or what stands for another record that tasks can depend on. It reports false for one that
// does not exist or cannot be read.
type Find func(record.ID) (Task, bool)

// Priority runs from 0 (drop everything) to 4 (someday).
type Priority int

// DefaultPriority is the priority of a task that sets none.
const DefaultPriority Priority = 2

var priorityWords = map[string]Priority{
	"critical": 0, "urgent": 0, "high": 1, "medium": 2, "normal": 2, "low": 3, "backlog": 4,
}

// ParsePriority reads a number from 0 to 4 or one of the usual words; "" is the default.
func ParsePriority(s string) (Priority, error) {
	if s == "" {
		return DefaultPriority, nil
	}
	if p, ok := priorityWords[s]; ok {
		return p, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > 4 {
		return 0, record.Errorf(record.InvalidInput, "priority %q is not 0 to 4", record.Clip(s, 40)).
			WithHint("0 is urgent, 4 is someday; critical, urgent, high, medium, normal, low and backlog are accepted too")
	}
	return Priority(n), nil
}
