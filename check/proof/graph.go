package proof

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/task"
)

// graph judges what the tasks say of one another. A task whose file cannot be read exists all the same: its file is a
// finding, and whoever names it is none.
func (j *judge) graph() {
	j.edges(edgeKind{
		dangling: DanglingDep, circle: DepCycle,
		of:   func(t task.Task) []task.ID { return t.Deps },
		at:   func(i int) Path { return Path{"deps", i} },
		says: "waits for", mend: "cairn update %s --remove-dep %s",
	})
	j.edges(edgeKind{
		dangling: DanglingParent, circle: ParentCycle,
		of:   parents,
		at:   func(int) Path { return Path{"parent"} },
		says: "belongs to", mend: "cairn update %s --parent names another one than %s, or '' for none",
	})
	j.caseClashes()
}

// edgeKind is one of the two kinds of edge in the graph.
type edgeKind struct {
	dangling, circle RuleID
	of               func(task.Task) []task.ID
	at               func(i int) Path
	says             string // what a task with such an edge does
	mend             string // of the ids at both ends
}

func parents(t task.Task) []task.ID {
	if t.Parent == "" {
		return nil
	}
	return []task.ID{t.Parent}
}

func (j *judge) edges(kind edgeKind) {
	next := func(id task.ID) []task.ID { return kind.of(j.byName[id].Task) }
	known := func(id task.ID) []task.ID {
		return slices.DeleteFunc(slices.Clone(next(id)), func(to task.ID) bool { return j.byName[to] == nil })
	}
	var names []task.ID
	for i := range j.Tasks {
		f := &j.Tasks[i]
		names = append(names, f.Name)
		for n, to := range next(f.Name) {
			if j.byName[to] == nil {
				j.reportTask(kind.dangling, f, kind.at(n), "%s %s, which does not exist", kind.says, to).
					mend("bring its file back from git; if it is gone for good, "+kind.mend, f.Name, to)
			}
		}
	}
	for _, circle := range task.Circles(names, known) {
		j.circle(kind, circle)
	}
}

// circle is a finding of every task in it, on the edge that keeps it there.
func (j *judge) circle(kind edgeKind, circle []task.ID) {
	in := make(map[task.ID]bool, len(circle))
	for _, id := range circle {
		in[id] = true
	}
	for _, id := range circle {
		f := j.byName[id]
		to := kind.of(f.Task)
		n := slices.IndexFunc(to, func(to task.ID) bool { return in[to] })
		j.reportTask(kind.circle, f, kind.at(n), "%s itself%s", kind.says, through(circle)).mend(kind.mend, id, to[n])
	}
}

// mostNamed is how many ids a message names of one circle.
const mostNamed = 8

func through(circle []task.ID) string {
	if len(circle) == 1 {
		return ""
	}
	names := make([]string, 0, mostNamed)
	for _, id := range circle[:min(len(circle), mostNamed)] {
		names = append(names, string(id))
	}
	more := ""
	if n := len(circle) - len(names); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return ", in a circle of " + strings.Join(names, ", ") + more
}

// caseClashes looks at the names of files, since it is files that clash.
func (j *judge) caseClashes() {
	first := make(map[string]task.ID, len(j.Tasks))
	for i := range j.Tasks {
		f := &j.Tasks[i]
		lower := strings.ToLower(string(f.Name))
		if other, ok := first[lower]; ok {
			j.reportTask(CaseClash, f, Path{"id"}, "differs from %s only in case", other)
			continue
		}
		first[lower] = f.Name
	}
}
