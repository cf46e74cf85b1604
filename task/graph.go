package task

import (
	"slices"
	"strings"
)

// DepsHash identifies the dependencies of a task, regardless of their order: 16 hex digits.
func DepsHash(of ID, deps []ID) string {
	sorted := Unique(deps)
	slices.Sort(sorted)
	return digest(append([]string{string(of)}, texts(sorted)...)...)
}

// WithDeps applies to a list of dependencies what an entry added and removed.
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
			out = append(out, id)
		}
	}
	return out
}

// BlockedBy lists the dependencies of a task that are not closed, in their order. A dependency that cannot be found is one of them.
func (f Flow) BlockedBy(t Task, find Find) []ID {
	return OpenAmong(t.Deps, func(id ID) bool {
		dep, ok := find(id)
		return ok && f.DepClosed(dep)
	})
}

// OpenAmong lists those of some dependencies that are not closed, in their order.
func OpenAmong(deps []ID, closed func(ID) bool) []ID {
	var open []ID
	for _, id := range deps {
		if !closed(id) {
			open = append(open, id)
		}
	}
	return open
}

// Ready reports whether every dependency is closed. The task's own state does not matter.
func (f Flow) Ready(t Task, find Find) bool { return len(f.BlockedBy(t, find)) == 0 }

// openDeps lists the given dependencies of a task that exist and are not closed.
func (f Flow) openDeps(t Task, ids []ID, find Find) []ID {
	var open []ID
	for _, id := range ids {
		if dep, ok := find(id); ok && slices.Contains(t.Deps, id) && !f.DepClosed(dep) {
			open = append(open, id)
		}
	}
	return open
}

// ValidDeps returns DANGLING_DEP if one of the ids does not exist, and DEP_CYCLE if the task, depending on them, would wait for itself,
// directly or through others.
func ValidDeps(id ID, deps []ID, find Find) error {
	return validEdges(id, deps, find, "dependency", func(t Task) []ID { return t.Deps })
}

// ValidParent is ValidDeps for the parent: it must be a task that exists, and may not be a descendant of the task.
func ValidParent(id, parent ID, find Find) error {
	if parent == "" {
		return nil
	}
	tasks := func(id ID) (Task, bool) {
		t, ok := find(id)
		return t, ok && t.Other == nil
	}
	return validEdges(id, []ID{parent}, tasks, "parent", func(t Task) []ID {
		if t.Parent == "" {
			return nil
		}
		return []ID{t.Parent}
	})
}

func validEdges(id ID, to []ID, find Find, kind string, next func(Task) []ID) error {
	came := map[ID]ID{} // shared by the searches: what an earlier one visited does not lead to id
	for _, target := range to {
		if _, ok := find(target); !ok && target != id {
			return Errorf(DanglingDep, "%s %s does not exist, or cannot be read", kind, target).
				WithHint("%s says which; %s shows what there is", CallTo("get", "id", target), CallTo("list"))
		}
		if path := pathTo(target, id, came, find, next); path != nil {
			return Errorf(DepCycle, "%s would wait for itself: %s", id, JoinIDs(append([]ID{id}, path...), " -> ")).
				WithHint("leave out %s %s", kind, target)
		}
	}
	return nil
}

// pathTo returns the ids from start to goal along next, both ends included, or nil if there is no path. It visits no task twice, and
// none that is in came, so it ends in a graph that already has circles.
func pathTo(start, goal ID, came map[ID]ID, find Find, next func(Task) []ID) []ID {
	if _, seen := came[start]; seen {
		return nil
	}
	came[start] = ""
	queue := []ID{start}
	for len(queue) > 0 {
		id := queue[0]
		queue = queue[1:]
		if id == goal {
			return backtrack(came, id)
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

func backtrack(came map[ID]ID, id ID) []ID {
	var path []ID
	for ; id != ""; id = came[id] {
		path = append([]ID{id}, path...)
	}
	return path
}

// Circles returns the groups of tasks that lead to one another, and so back to themselves, along next. Groups and their members are in the
// order of ids. The cost is linear in tasks and edges.
func Circles(ids []ID, next func(ID) []ID) [][]ID {
	w := circleWalk{next: next, seen: map[ID]int{}, low: map[ID]int{}, open: map[ID]bool{}}
	for _, id := range ids {
		if w.seen[id] == 0 {
			w.visit(id)
		}
	}
	index := make(map[ID]int, len(ids))
	for i, id := range ids {
		index[id] = i
	}
	inOrder := func(a, b ID) int { return index[a] - index[b] }
	for _, circle := range w.circles {
		slices.SortFunc(circle, inOrder)
	}
	slices.SortFunc(w.circles, func(a, b []ID) int { return inOrder(a[0], b[0]) })
	return w.circles
}

// circleWalk is Tarjan's search for strongly connected components.
type circleWalk struct {
	next    func(ID) []ID
	seen    map[ID]int // the number of a task in the order of visits, from 1
	low     map[ID]int // the lowest number of an open task that it leads to
	open    map[ID]bool
	path    []ID // the open tasks
	circles [][]ID
}

func (w *circleWalk) visit(id ID) {
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
func (w *circleWalk) close(id ID) []ID {
	var group []ID
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

// JoinIDs joins ids as text.
func JoinIDs(ids []ID, sep string) string {
	return strings.Join(texts(ids), sep)
}

func orNone(ids []ID) string {
	if len(ids) == 0 {
		return "none"
	}
	return JoinIDs(ids, ", ")
}

func texts[T ~string](in []T) []string {
	out := make([]string, len(in))
	for i, v := range in {
		out[i] = string(v)
	}
	return out
}

// without lists what is in one list and not in another, none twice.
func without(list, other []ID) []ID {
	in := setOf(other)
	return Unique(slices.DeleteFunc(slices.Clone(list), func(id ID) bool { return in[id] }))
}

func setOf[T comparable](list []T) map[T]bool {
	out := make(map[T]bool, len(list))
	for _, v := range list {
		out[v] = true
	}
	return out
}

// Unique returns a list without what comes again in it; nil for an empty one.
func Unique[T comparable](in []T) []T {
	var out []T
	seen := make(map[T]bool, len(in))
	for _, v := range in {
		if !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}
