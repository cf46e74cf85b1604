package proof

import (
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// The rules of links, and of fields of the user's own.
const (
	LinkDangling RuleID = "link-dangling"
	FieldValue   RuleID = "field-value"
	FieldMissing RuleID = "field-missing"
)

var ownFieldRules = []Rule{
	{FieldValue, FileGroup, Error, "a field of the config's own has a value that it cannot have",
		"correct the value in the file, or with cairn update --set; fields in config.yaml says what can be"},
	{FieldMissing, FileGroup, Warning, "an open task lacks a field that the config requires",
		"give it with cairn update --set"},
	{LinkDangling, GraphGroup, Notice, "a task is linked to a record that does not exist",
		"bring the file back from git, or take the link away with cairn update"},
}

// ownFields judges the fields of the user's own in a task. Those that are missing are findings in open tasks only: a
// field may have been declared after a task was closed.
func (r fileRules) ownFields(f *TaskFile) {
	if !r.Config.Sound() {
		return
	}
	flow := r.Config.Flow
	for _, one := range flow.Fields {
		text, held := f.Task.Own[one.Name]
		_, err := one.Parse(text)
		switch unknown := f.Task.Extra[one.Name]; {
		case held && err != nil:
			got := r.reportTask(FieldValue, f, Path{one.Name}, "%s", record.MessageOf(err))
			if len(one.Choices) > 0 {
				got.fix("cairn update %s --set %s=VALUE with %s", f.Name, one.Name, orList(one.Choices))
			}
		case !held && unknown != nil && unknown != "":
			r.reportTask(FieldValue, f, Path{one.Name}, "%s must be one value, not a list or a mapping", one.Name)
		case !held && one.Required && !flow.IsClosed(f.Task.Status):
			r.reportTask(FieldMissing, f, nil, "%s is missing", one.Name).
				fix("cairn update %s --set %s=VALUE", f.Name, one.Name)
		}
	}
}

// orList names texts for a message.
func orList(texts []string) string {
	out := ""
	for i, text := range texts {
		switch {
		case i == 0:
		case i == len(texts)-1:
			out += " or "
		default:
			out += ", "
		}
		out += text
	}
	return out
}

// links judges the links of tasks to records of any kind.
func (r graphRules) links() {
	var others map[string]bool // by id, once one is asked for
	there := func(id record.ID) bool {
		if r.byName[id] != nil {
			return true
		}
		if others == nil {
			others = map[string]bool{}
			for i := range r.Records {
				others[r.Records[i].Name] = true
			}
		}
		return others[string(id)]
	}
	for i := range r.Tasks {
		f := &r.Tasks[i]
		for _, kind := range task.LinkKinds {
			for n, to := range *f.Task.LinksOf(kind.Name) {
				if !there(to) && record.ValidLine(kind.Name, string(to)) == nil {
					r.reportTask(LinkDangling, f, Path{kind.Name, n}, "%s %s, which does not exist", kind.Says, to)
				}
			}
		}
	}
}

// linkAt is the key of a task's links that is not valid.
func linkAt(t task.Task) Path {
	for _, kind := range task.LinkKinds {
		var one task.Links
		*one.LinksOf(kind.Name) = slices.Clone(*t.LinksOf(kind.Name))
		if task.ValidLinks(t.ID, one) != nil {
			return Path{kind.Name}
		}
	}
	return nil
}
