package task

import (
	"fmt"
	"slices"
	"strings"
)

// Delete appends a task's last entry. It returns HAS_DEPENDENTS, naming them, while one of all depends on it or is grouped
// by it.
func Delete(t Task, all []Task, s Stamp) (Task, *Entry, error) {
	var names []string
	for _, other := range all {
		if other.Parent == t.ID || slices.Contains(other.Deps, t.ID) {
			names = append(names, string(other.ID))
		}
	}
	if len(names) > 0 {
		return t, nil, hasDependents(names)
	}
	return commit(t, s.entry(Deleted))
}

const dependentsNamed = 5

func hasDependents(names []string) error {
	shown := names[:min(len(names), dependentsNamed)]
	more := ""
	if n := len(names) - len(shown); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	e := Errorf(HasDependents, "needed by %s%s", strings.Join(shown, ", "), more).
		WithHint("look at what needs it; a task that is given up is moved to an abandoned state instead").
		WithNext("get", map[string]any{"id": names[0]})
	e.Details = map[string]any{"dependents": shown, "total": len(names)}
	return e
}
