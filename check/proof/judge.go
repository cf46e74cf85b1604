package proof

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cairn-tasks/cairn/task"
)

// Finding is one thing that is wrong, where, and how it is mended. Nothing that Fix says destroys anything.
type Finding struct {
	Rule     RuleID   `json:"rule"`
	Severity Severity `json:"severity"`
	Path     string   `json:"path"`           // from the workspace root, with forward slashes
	Line     int      `json:"line,omitempty"` // 0 when no line is to blame
	Task     task.ID  `json:"task,omitempty"` // the task concerned, if the file is about one
	Message  string   `json:"message"`        // what is wrong; one line
	Fix      string   `json:"fix"`            // how it is mended, with the command where there is one
}

// Judge holds a tree against the rules. Findings come by path, line and rule; those that config switches off are left out.
// The cost grows with the size of the tree, not faster.
//
// Where config.yaml is not sound nobody knows the states, and what depends on them is not judged.
func Judge(tree Tree) []Finding {
	j := newJudge(tree, nil)
	j.flow = tree.Config.Flow
	return j.all()
}

// Judge holds the tree against the rules, and the change against those that need a base. What the change itself loosens in
// the config does not count yet.
func (c *Change) Judge() []Finding {
	j := newJudge(c.Tree, c)
	j.flow = c.flow()
	return j.all()
}

// judge is one run over a tree.
type judge struct {
	Tree
	flow   task.Flow // what the states mean; only if the config is sound
	change *Change   // nil if there is no base
	byName map[task.ID]*TaskFile
	found  []found
	needs  map[task.ID]bool // tasks that others depend on; nil until it is asked

	closes   map[task.ID]bool       // the tasks that the change closes; nil until it is asked for
	sigs     map[string][]*TaskFile // the tasks that signatures stand in; nil until it is asked for
	searches int                    // for what signatures were made for
}

func (j *judge) all() []Finding {
	j.files()
	j.graph()
	j.gates()
	j.approvals()
	j.history()
	j.trust()
	j.hygiene()
	return j.findings()
}

// found is a finding before the line is looked up and config had its say.
type found struct {
	Finding
	file *File
	at   Path // what of the file is to blame; nil if Line says it, or nothing does
}

func newJudge(tree Tree, change *Change) *judge {
	j := &judge{Tree: tree, change: change, byName: make(map[task.ID]*TaskFile, len(tree.Tasks))}
	for i := range j.Tasks {
		j.byName[j.Tasks[i].Name] = &j.Tasks[i]
	}
	return j
}

// report notes a finding of a rule, with the rule's own severity and mend. What is returned may be changed until the next.
func (j *judge) report(id RuleID, file *File, at Path, format string, args ...any) *found {
	rule, _ := Lookup(id)
	j.found = append(j.found, found{
		Finding: Finding{Rule: id, Severity: rule.Severity, Path: file.Path, Message: fmt.Sprintf(format, args...), Fix: rule.Mend},
		file:    file,
		at:      at,
	})
	return &j.found[len(j.found)-1]
}

// reportTask is report for the file of a task.
func (j *judge) reportTask(id RuleID, f *TaskFile, at Path, format string, args ...any) *found {
	got := j.report(id, &f.File, at, format, args...)
	got.Task = f.Name
	return got
}

func (f *found) mend(format string, args ...any) *found {
	f.Fix = fmt.Sprintf(format, args...)
	return f
}

// findings applies the config's severities, looks the lines up and sorts. Each file is parsed again once, and only if there
// is something to say of it: trees are too large to keep them parsed.
func (j *judge) findings() []Finding {
	for i := range j.found {
		j.found[i].Severity = j.severity(j.found[i].Finding)
	}
	j.found = slices.DeleteFunc(j.found, func(f found) bool { return f.Severity == Off })
	slices.SortStableFunc(j.found, func(a, b found) int { return cmp.Compare(a.Path, b.Path) })
	out := make([]Finding, len(j.found))
	var last *File
	var doc Document
	for i, f := range j.found {
		if f.at != nil {
			if f.file != last {
				last = f.file
				doc = last.document()
			}
			if doc != nil {
				f.Line = doc.Line(f.at)
			}
		}
		out[i] = f.Finding
	}
	Sort(out)
	return out
}

// Sort puts findings in the order in which Judge returns them.
func Sort(findings []Finding) {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule))
	})
}
