package task

import (
	"slices"
	"strings"
)

// DepsHash identifies the dependencies of a task, in whatever order: 16 hex digits.
func DepsHash(of ID, deps []ID) string {
	sorted := unique(deps)
	slices.Sort(sorted)
	return digest(append([]string{string(of)}, texts(sorted)...)...)
}

// WithDeps returns what a list of dependencies becomes by an entry that says what was added and taken away.
func (e Entry) WithDeps(deps []ID) []ID {
	if len(e.AddDeps)+len(e.RemoveDeps) == 0 {
		return deps
	}
	gone := setOf(e.RemoveDeps)
	out := slices.DeleteFunc(slices.Clone(deps), func(id ID) bool { return gone[id] })
	have := setOf(out)
	for _, id := range e.AddDeps {
		if !have[id] {
			have[id] = true
			out = append(out, id) // one that a file names twice is not this entry's business
		}
	}
	return out
}

// mayDropDeps decides whether dependencies that are still open may be taken away. It needs a reason, for what the task waits for
// was asked of it; once work has begun it needs a person or a maintainer too. One that is closed, or does not exist, gates
// nothing and may go.
func (f Flow) mayDropDeps(t Task, ed Edit, find Find, e Entry) error {
	open := f.openDeps(t, ed.RemoveDeps, find)
	if len(open) == 0 {
		return nil
	}
	names := joinIDs(open, ", ")
	switch {
	case f.HasLeft(t) && !ed.MayWeaken:
		return Errorf(Forbidden, "work has begun, and %s is open: only a person may let it go", names).
			WithHint("ask a person to run %s with a reason", CallTo("update", "id", t.ID).ByPerson()).
			WithNext("get", map[string]any{"id": string(open[0])})
	case strings.TrimSpace(e.Text) == "":
		return Errorf(InvalidInput, "%s is open: to wait for it no more needs a reason", names).
			WithHint("say why in reason")
	}
	return nil
}

// openDeps lists those of the ids that the task depends on and that exist and are not closed.
func (f Flow) openDeps(t Task, ids []ID, find Find) []ID {
	var open []ID
	for _, id := range ids {
		if dep, ok := find(id); ok && slices.Contains(t.Deps, id) && !f.IsClosed(dep.Status) {
			open = append(open, id)
		}
	}
	return open
}

func texts[T ~string](in []T) []string {
	out := make([]string, len(in))
	for i, v := range in {
		out[i] = string(v)
	}
	return out
}
