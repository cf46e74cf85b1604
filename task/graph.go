package task

import (
	"iter"
	"maps"
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
func (l Lifecycle) BlockedBy(t Task, find Find) []record.ID {
	return OpenAmong(t.Deps, func(id record.ID) bool {
		dep, ok := find(id)
		return ok && l.DepClosed(dep)
	})
}

// OpenAmong lists those of some dependencies that are not closed, in their order.
func OpenAmong(deps []record.ID, closed func(record.ID) bool) []record.ID {
	return record.Those(deps, func(id record.ID) bool { return !closed(id) })
}

// openDeps lists the given dependencies of a task that exist and are not closed.
func (l Lifecycle) openDeps(t Task, ids []record.ID, find Find) []record.ID {
	var open []record.ID
	for _, id := range ids {
		if dep, ok := find(id); ok && slices.Contains(t.Deps, id) && !l.DepClosed(dep) {
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
// members are in the order of ids, which are all that next leads to. The cost is linear in tasks and edges.
func Circles(ids []record.ID, next func(record.ID) []record.ID) [][]record.ID {
	index := make(map[record.ID]int, len(ids))
	for i, id := range ids {
		index[id] = i
	}
	edges := make([][]int, len(ids))
	for i, id := range ids {
		for _, to := range next(id) {
			edges[i] = append(edges[i], index[to])
		}
	}
	_, rings := Rings(len(ids), slices.Values(slices.Sorted(maps.Values(index))), func(i int) []int { return edges[i] })
	slices.SortFunc(rings, slices.Compare)
	var out [][]record.ID
	for _, ring := range rings {
		if len(ring) == 1 && !slices.Contains(edges[ring[0]], ring[0]) {
			continue
		}
		circle := make([]record.ID, len(ring))
		for i, n := range ring {
			circle[i] = ids[n]
		}
		out = append(out, circle)
	}
	return out
}

// Rings finds the rings among n nodes: nodes that lead to one another along next are one ring, and any other node is a
// ring of its own. It looks at the nodes that the starts lead to. It returns the number of the ring of each node, -1 for
// one that it did not look at, and the nodes of each ring, sorted. A ring stands behind all that it leads to. This is
// Tarjan's search, with a stack of its own, since a chain may be long.
func Rings(n int, starts iter.Seq[int], next func(int) []int) (of []int, rings [][]int) {
	type visit struct {
		node int
		next []int
	}
	of = slices.Repeat([]int{-1}, n)
	found, low, count := make([]int, n), make([]int, n), 0 // numbers from 1 on, in the order of the walk
	var open []int                                         // found, and in no ring yet
	var walk []visit
	enter := func(node int) {
		count++
		found[node], low[node] = count, count
		open, walk = append(open, node), append(walk, visit{node, next(node)})
	}
	for start := range starts {
		if found[start] == 0 {
			enter(start)
		}
		for len(walk) > 0 {
			at := &walk[len(walk)-1]
			node := at.node
			if len(at.next) > 0 {
				to := at.next[0]
				at.next = at.next[1:]
				switch {
				case found[to] == 0:
					enter(to)
				case of[to] < 0:
					low[node] = min(low[node], found[to])
				}
				continue
			}
			walk = walk[:len(walk)-1]
			if len(walk) > 0 {
				up := walk[len(walk)-1].node
				low[up] = min(low[up], low[node])
			}
			if low[node] < found[node] {
				continue
			}
			from := len(open) - 1
			for open[from] != node {
				from--
			}
			for _, member := range open[from:] {
				of[member] = len(rings)
			}
			rings = append(rings, slices.Sorted(slices.Values(open[from:])))
			open = open[:from]
		}
	}
	return of, rings
}

// without lists what is in one list and not in another, none twice.
func without(list, other []record.ID) []record.ID {
	in := record.SetOf(other)
	return record.Unique(slices.DeleteFunc(slices.Clone(list), func(id record.ID) bool { return in[id] }))
}
