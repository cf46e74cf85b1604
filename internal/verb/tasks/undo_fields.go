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
	for _, name := range names {
		if !oneAsBefore(ed, name, before) {
			return false
		}
	}
	return true
}

func oneAsBefore(ed *task.Edit, name string, before task.Task) bool {
	switch name {
	case "title":
		ed.Title = &before.Title
	case "body":
		ed.Body = &before.Body
	case "priority":
		ed.Priority = &before.Priority
	case "due":
		ed.Due = &before.Due
	case "mode":
		ed.Mode = &before.Mode
	case "repo":
		ed.Repo = &before.Repo
	case "labels":
		ed.Labels = &before.Labels
	case "parent":
		ed.Parent = &before.Parent
	case "scope":
		ed.Scope = &before.Scope
	case "requires_evidence":
		ed.Evidence = &before.RequiresEvidence
	case "checks", "timeout":
		ed.Checks = unsettled(before.Checks)
	default:
		return linkAsBefore(ed, name, before)
	}
	return true
}

// unsettled are checks without their results, which an edit does not give.
func unsettled(checks []task.Check) *[]task.Check {
	out := slices.Clone(checks)
	for i := range out {
		out[i].Result = record.Pending
	}
	return &out
}

// linkAsBefore is oneAsBefore for links, optional fields and fields of the user's own.
func linkAsBefore(ed *task.Edit, name string, before task.Task) bool {
	for _, kind := range task.LinkKinds {
		if kind.Name == name {
			if ed.Links == nil {
				ed.Links = map[string][]record.ID{}
			}
			ed.Links[name] = *before.LinksOf(name)
			return true
		}
	}
	if _, known := before.Own[name]; !known && before.Extra[name] != nil {
		return false // it held more than one value
	}
	if ed.Own == nil {
		ed.Own = map[string]string{}
	}
	ed.Own[name] = before.Own[name]
	return true
}
