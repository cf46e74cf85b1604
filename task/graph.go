package task

import (
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
)

// DepsHash identifies the dependencies of a task, regardless of their order: 16 hex digits.
func DepsHash(of record.ID, deps []record.ID) string {
	sorted := record.Unique(deps)
	slices.Sort(sorted)
	return record.Digest(append([]string{string(of)}, record.Texts(sorted)...)...)
}

// BlockedBy lists the dependencies of a task that are not closed, in their order. A dependency that cannot be found is
// one of them.
func (f Flow) BlockedBy(t Task, find Find) []record.ID {
	return OpenAmong(t.Deps, func(id record.ID) bool {
		dep, ok := find(id)
		return ok && f.DepClosed(dep)
	})
}

// OpenAmong lists those of some dependencies that are not closed, in their order.
func OpenAmong(deps []record.ID, closed func(record.ID) bool) []record.ID {
	var open []record.ID
	for _, id := range deps {
		if !closed(id) {
			open = append(open, id)
		}
	}
	return open
}

// openDeps lists the given dependencies of a task that exist and are not closed.
func (f Flow) openDeps(t Task, ids []record.ID, find Find) []record.ID {
	var open []record.ID
	for _, id := range ids {
		if dep, ok := find(id); ok && slices.Contains(t.Deps, id) && !f.DepClosed(dep) {
			open = append(open, id)
		}
	}
	return open
}

// ValidDeps returns DANGLING_DEP if one of the ids does not exist, and DEP_CYCLE if the task, depending on them, would
// wait for itself, directly or through others.
func ValidDeps(id record.ID, deps []record.ID, find Find) error {
	return validEdges(id, deps, find, "dependency", func(t Task) []record.ID { return t.Deps })
}

// ValidParent is ValidDeps for the parent: it must be a task that exists, and may not be a descendant of the task.
func ValidParent(id, parent record.ID, find Find) error {
	if parent == "" {
		return nil
	}
	tasks := func(id record.ID) (Task, bool) {
		t, ok := find(id)
		return t, ok && t.Other == nil
	}
	return validEdges(id, []record.ID{parent}, tasks, "parent", func(t Task) []record.ID {
		if t.Parent == "" {
			return nil
		}
		return []record.ID{t.Parent}
	})
}

func validEdges(id record.ID, to []record.ID, find Find, kind string, next func(Task) []record.ID) error {
	came := map[record.ID]record.ID{} // shared by the searches: what an earlier one visited does not lead to id
	for _, target := range to {
		if _, ok := find(target); !ok && target != id {
			return record.Errorf(record.DanglingDep, "%s %s does not exist, or cannot be read", kind, target).
				WithHint("%s says which; %s shows what there is", record.CallTo("get", "id", target), record.CallTo("list"))
		}
		if path := pathTo(target, id, came, find, next); path != nil {
			return record.Errorf(record.DepCycle, "%s would wait for itself: %s", id, record.JoinIDs(append([]record.ID{id}, path...), " -> ")).
				WithHint("leave out %s %s", kind, target)
		}
	}
	return nil
}

// pathTo returns the ids from start to goal along next, both ends included, or nil if there is no path. It visits no
// task twice, and none that is in came, so it ends in a graph that already has circles.
func pathTo(start, goal record.ID, came map[record.ID]record.ID, find Find, next func(Task) []record.ID) []record.ID {
	if _, seen := came[start]; seen {
		return nil
	}
	came[start] = ""
	queue := []record.ID{start}
	for len(queue) > 0 {
		id := queue[0]
		queue = queue[1:]
		if id == goal {
			var path []record.ID
			for ; id != ""; id = came[id] {
				path = append([]record.ID{id}, path...)
			}
			return path
		}
		t, _ := find(id)
		for _, n := range next(t) {
			if _, seen := came[n]; !seen {
				came[n] = id
				queue = append(queue, n)
			}
		}
	}
	return nil
}

// Circles returns the groups of tasks that lead to one another, and so back to themselves, along next. Groups and their
// members are in the order of ids. The cost is linear in tasks and edges.
func Circles(ids []record.ID, next func(record.ID) []record.ID) [][]record.ID {
	w := circleWalk{next: next, seen: map[record.ID]int{}, low: map[record.ID]int{}, open: map[record.ID]bool{}}
	for _, id := range ids {
		if w.seen[id] == 0 {
			w.visit(id)
		}
	}
	index := make(map[record.ID]int, len(ids))
	for i, id := range ids {
		index[id] = i
	}
	inOrder := func(a, b record.ID) int { return index[a] - index[b] }
	for _, circle := range w.circles {
		slices.SortFunc(circle, inOrder)
	}
	slices.SortFunc(w.circles, func(a, b []record.ID) int { return inOrder(a[0], b[0]) })
	return w.circles
}

// circleWalk is Tarjan's search for strongly connected components.
type circleWalk struct {
	next    func(record.ID) []record.ID
	seen    map[record.ID]int // the number of a task in the order of visits, from 1
	low     map[record.ID]int // the lowest number of an open task that it leads to
	open    map[record.ID]bool
	path    []record.ID // the open tasks
	circles [][]record.ID
}

func (w *circleWalk) visit(id record.ID) {
	n := len(w.seen) + 1
	w.seen[id], w.low[id], w.open[id] = n, n, true
	w.path = append(w.path, id)
	self := false
	for _, to := range w.next(id) {
		self = self || to == id
		if w.seen[to] == 0 {
			w.visit(to)
		}
		if w.open[to] {
			w.low[id] = min(w.low[id], w.low[to])
		}
	}
	if w.low[id] < n {
		return
	}
	if group := w.close(id); len(group) > 1 || self {
		w.circles = append(w.circles, group)
	}
}

// close takes a task, and those that were visited since, off the path, and returns them.
func (w *circleWalk) close(id record.ID) []record.ID {
	var group []record.ID
	for {
		last := w.path[len(w.path)-1]
		w.path = w.path[:len(w.path)-1]
		w.open[last] = false
		group = append(group, last)
		if last == id {
			return group
		}
	}
}

// without lists what is in one list and not in another, none twice.
func without(list, other []record.ID) []record.ID {
	in := record.SetOf(other)
	return record.Unique(slices.DeleteFunc(slices.Clone(list), func(id record.ID) bool { return in[id] }))
}
