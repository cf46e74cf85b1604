package proof

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/cairn-tasks/cairn/check/proof/chain"
	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/task"
)

// Finding is one thing that is wrong: where, and how to fix it. Nothing that Fix says destroys anything.
type Finding struct {
	Rule     RuleID    `json:"rule"`
	Severity Severity  `json:"severity"`
	Path     string    `json:"path"`           // from the workspace root, with forward slashes
	Line     int       `json:"line,omitempty"` // 0 when no line is to blame
	Task     record.ID `json:"task,omitempty"` // the task concerned, if the file is about one
	Message  string    `json:"message"`        // what is wrong; one line
	Fix      string    `json:"fix"`            // how to fix it, with the command where there is one
}

// Judge applies the rules that need no base to a tree. Findings are sorted as Sort does; those of rules that config
// switches off are left out. The cost grows linearly with the tree.
//
// Where config.yaml is not sound nobody knows the states, and rules that depend on them are not applied.
func Judge(tree Tree) []Finding {
	j := newJudge(tree, nil)
	j.flow = tree.Config.Flow
	return j.all()
}

// Judge applies every rule to the tree and to the change. A rule or a gate that the change itself loosens in the config
// still counts for it.
func (c *Change) Judge() []Finding {
	j := newJudge(c.Tree, c)
	j.flow = c.flow()
	return j.all()
}

// judge is one run of the rules over a tree: what all groups of rules look up, and the findings that they report. Each
// group is a type of its own that embeds it.
type judge struct {
	Tree
	flow    task.Flow // what the states mean; only if the config is sound
	change  *Change   // nil if there is no base
	byName  map[record.ID]*TaskFile
	others  map[record.ID]*RecordFile  // records of other kinds that tasks can depend on
	named   map[record.Ref]*RecordFile // the records that are no tasks
	exists  map[string]bool            // the ids of records of any kind
	needed  map[record.ID]bool         // the tasks that others depend on: those may have started while these counted as closed
	brought map[record.ID]map[int]bool // the indexes of the entries that the change brings, by task
	closed  map[record.ID]bool         // the tasks that the change closes
	found   []found

	succeed map[ledger.DecisionID][]string // see successors
	parents chain.Known                    // of sessions
	lines   chain.Known                    // of decisions that supersede one another
}

func newJudge(tree Tree, change *Change) *judge {
	j := &judge{
		Tree: tree, change: change, byName: make(map[record.ID]*TaskFile, len(tree.Tasks)), others: tree.dependable(),
		named: make(map[record.Ref]*RecordFile, len(tree.Records)), exists: make(map[string]bool, len(tree.Tasks)+len(tree.Records)),
		needed: map[record.ID]bool{}, brought: map[record.ID]map[int]bool{}, closed: map[record.ID]bool{}, parents: chain.Known{}, lines: chain.Known{},
	}
	for _, f := range j.Tasks {
		j.byName[f.ID()] = f
		for _, dep := range f.Task.Deps {
			j.needed[dep] = true
		}
	}
	for _, f := range j.Records {
		j.named[f.Ref] = f
	}
	for _, f := range j.All() {
		j.exists[f.Ref.ID] = true
	}
	if change != nil {
		for _, p := range change.pairs {
			j.brought[p.now.ID()] = p.fresh
		}
		j.closed = record.SetOf(change.Closed())
	}
	return j
}

// all applies every group of rules.
func (j *judge) all() []Finding {
	approvals := &approvalRules{judge: j}
	fileRules{j}.apply()
	graphRules{j}.apply()
	(&refRules{judge: j}).apply()
	gateRules{j, approvals}.apply()
	approvals.apply()
	historyRules{j}.apply()
	recordRules{j}.apply()
	erasedRules{j}.apply()
	trustRules{j}.apply()
	hygieneRules{j}.apply()
	return j.findings()
}

// found is a finding whose line is not looked up and whose severity config has not set yet.
type found struct {
	Finding
	file *File
	at   Path // what in the file is to blame; nil if Line says it, or nothing in it is
}

// report adds a finding, with the rule's own severity and fix. The finding returned may be changed until the next
// report.
func (j *judge) report(rule Rule, file *File, at Path, format string, args ...any) *found {
	j.found = append(j.found, found{
		Finding: Finding{Rule: rule.ID, Severity: rule.Severity, Path: file.Path, Task: file.task(), Message: fmt.Sprintf(format, args...), Fix: rule.Fix},
		file:    file,
		at:      at,
	})
	return &j.found[len(j.found)-1]
}

// fix replaces the rule's general fix.
func (f *found) fix(format string, args ...any) *found {
	f.Fix = fmt.Sprintf(format, args...)
	return f
}

// allowing names in the fix which values are allowed, where the error about one knows them.
func (f *found) allowing(err error) *found {
	if e, ok := errors.AsType[*record.Error](err); ok && !e.Hint.Empty() {
		f.fix("correct the value in an editor: %s", e.Hint)
	}
	return f
}

// warnIf lowers a finding to a warning if a condition holds.
func (f *found) warnIf(condition bool) {
	if condition {
		f.Severity = Warning
	}
}

// findings applies the config's severities, looks the lines up and sorts. A file is parsed again, once, only if it has
// a finding: a tree is too large to keep every document parsed.
func (j *judge) findings() []Finding {
	for i := range j.found {
		j.found[i].Severity = j.severity(j.found[i].Finding)
	}
	j.found = slices.DeleteFunc(j.found, func(f found) bool { return f.Severity == Off })
	sorted.By(j.found, func(a, b found) int { return cmp.Compare(a.Path, b.Path) })
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

// severity is the severity of a finding by the config, but no lower than by the config of the base.
func (j *judge) severity(f Finding) Severity {
	now := j.Config.severity(f)
	if j.change == nil || !j.change.Base.Config.Sound() {
		return now
	}
	return Severities[max(rank(now), rank(j.change.Base.Config.severity(f)))]
}

// find is a task.Find in the tree.
func (j *judge) find(id record.ID) (task.Task, bool) {
	if f := j.byName[id]; f != nil {
		return sound(f)
	}
	return j.dep(j.others[id])
}

// findOrBase is a task.Find in the tree, and then in the base.
func (j *judge) findOrBase(id record.ID) (task.Task, bool) {
	if t, ok := j.find(id); ok {
		return t, true
	}
	return j.change.inBase(id)
}

func sound(f *TaskFile) (task.Task, bool) {
	if f == nil || !f.Sound() {
		return task.Task{}, false
	}
	return f.Task, true
}

// Sort puts findings in the order in which Judge returns them: by path, line and rule.
func Sort(findings []Finding) {
	sorted.By(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule))
	})
}

// Unite merges two lists of findings. A finding in both is listed once, with the higher severity of the two. The result
// is sorted.
func Unite(found, more []Finding) []Finding {
	type key struct {
		rule    RuleID
		path    string
		line    int
		message string
	}
	index := make(map[key]int, len(found))
	for i, f := range found {
		index[key{f.Rule, f.Path, f.Line, f.Message}] = i
	}
	for _, f := range more {
		i, ok := index[key{f.Rule, f.Path, f.Line, f.Message}]
		switch {
		case !ok:
			found = append(found, f)
		case f.Severity.AtLeast(found[i].Severity):
			found[i].Severity = f.Severity
		}
	}
	Sort(found)
	return found
}
