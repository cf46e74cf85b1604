package proof

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// graphRules judge the references of tasks to tasks, and to records of other kinds that they can depend on. A record
// whose file cannot be read exists: the file is a finding, a reference to it is none.
type graphRules struct{ *judge }

func (r graphRules) apply() {
	r.edges(edgeKind{
		dangling: DanglingDep, circle: DepCycle, others: r.others,
		of:   func(t task.Task) []record.ID { return t.Deps },
		at:   func(i int) Path { return Path{"deps", i} },
		verb: "waits for", remove: func(from, to record.ID, why string) string {
			return fmt.Sprintf("cairn update %s --remove-dep %s --reason '%s'", from, to, why)
		},
	})
	r.edges(edgeKind{
		dangling: DanglingParent, circle: ParentCycle,
		of:   parents,
		at:   func(int) Path { return Path{"parent"} },
		verb: "belongs to", remove: func(from, _ record.ID, _ string) string {
			return fmt.Sprintf("cairn update %s --parent ''", from)
		},
	})
	r.links()
	r.caseClashes()
}

// edgeKind is one of the two kinds of reference: a dependency or a parent.
type edgeKind struct {
	dangling, circle Rule
	others           map[record.ID]*RecordFile // records of other kinds that can be referred to, which refer to nothing
	of               func(task.Task) []record.ID
	at               func(i int) Path
	verb             string                                      // what a task with such a reference does, for messages
	remove           func(from, to record.ID, why string) string // the command that takes a reference away
}

func parents(t task.Task) []record.ID {
	if t.Parent == "" {
		return nil
	}
	return []record.ID{t.Parent}
}

func (r graphRules) edges(kind edgeKind) {
	next := func(id record.ID) []record.ID { return kind.of(r.byName[id].Task) }
	known := func(id record.ID) []record.ID {
		return slices.DeleteFunc(slices.Clone(next(id)), func(to record.ID) bool { return r.byName[to] == nil })
	}
	var names []record.ID
	for _, f := range r.Tasks {
		names = append(names, f.ID())
		for n, to := range next(f.ID()) {
			if r.byName[to] == nil && kind.others[to] == nil {
				r.report(kind.dangling, &f.File, kind.at(n), "%s %s, which does not exist", kind.verb, to).
					fix("bring its file back from git; if it is gone for good: %s", kind.remove(f.ID(), to, "it is gone for good"))
			}
		}
	}
	for _, circle := range task.Circles(names, known) {
		r.circle(kind, circle)
	}
}

// circle reports every task of a circle, at the reference that leads on in the circle.
func (r graphRules) circle(kind edgeKind, circle []record.ID) {
	in := record.SetOf(circle)
	for _, id := range circle {
		f := r.byName[id]
		to := kind.of(f.Task)
		n := slices.IndexFunc(to, func(to record.ID) bool { return in[to] })
		r.report(kind.circle, &f.File, kind.at(n), "%s itself%s", kind.verb, through(circle)).
			fix("take one of the circle out of it: %s", kind.remove(id, to[n], "they waited in a circle"))
	}
}

// mostNamed is how many ids of one circle a message names.
const mostNamed = 8

func through(circle []record.ID) string {
	if len(circle) == 1 {
		return ""
	}
	names := make([]string, 0, mostNamed)
	for _, id := range circle[:min(len(circle), mostNamed)] {
		names = append(names, string(id))
	}
	return ", in a circle of " + strings.Join(names, ", ") + record.AndMore(len(circle)-len(names))
}

// caseClashes compares the names of the files of each kind, not the ids in them: it is files that clash.
func (r graphRules) caseClashes() {
	first := make(map[record.Ref]string, len(r.Tasks)+len(r.Records))
	for _, f := range r.All() {
		lower := record.Ref{Kind: f.Ref.Kind, ID: strings.ToLower(f.Ref.ID)}
		if other, ok := first[lower]; ok {
			r.report(CaseClash, f, Path{"id"}, "differs from %s only in case", other)
			continue
		}
		first[lower] = f.Ref.ID
	}
}
