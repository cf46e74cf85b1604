package tasks

import (
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// before is the task as it was before its last entry, without the provenance. It reports false if this clone did not
// write that entry, or did not keep what it replaced.
func (u undo) before() (task.Task, bool) {
	hash := u.last.Hash()
	for _, line := range slices.Backward(u.wc.Store.Journal(u.wc.Task.ID.Ref())) {
		if line.Before == "" || line.Entry.Hash() != hash {
			continue
		}
		before, err := kind.Tasks.Parse([]byte(line.Before))
		return before, err == nil && before.ID == u.wc.Task.ID
	}
	return task.Task{}, false
}

// asBefore makes an edit that gives some fields what they said before. It reports false if no edit changes one of them.
func asBefore(ed *task.Edit, names []string, before task.Task) bool {
	ed.Set = task.Values{}
	settable := task.Settable()
	for _, name := range names {
		if name == "checks" || name == "timeout" {
			checks := slices.Clone(before.Checks) // an edit gives no results
			for i := range checks {
				checks[i].Result = record.Pending
			}
			ed.Checks = &checks
			continue
		}
		field := task.Field{Name: name}
		if i := slices.IndexFunc(settable, func(f task.Field) bool { return f.Name == name }); i >= 0 {
			field = settable[i]
		} else if _, known := before.Own[name]; !known && before.Extra[name] != nil {
			return false // it held more than one value
		}
		ed.Set[name] = field.Of(before)
	}
	return true
}
