package task

import "strings"

// BlockedBy lists the dependencies of a task that are not closed, in their order. One that cannot be found is among them.
func (f Flow) BlockedBy(t Task, find Find) []ID {
	var open []ID
	for _, id := range t.Deps {
		if dep, ok := find(id); !ok || !f.IsClosed(dep.Status) {
			open = append(open, id)
		}
	}
	return open
}

// Ready reports whether every dependency is closed. It says nothing about the task's own state.
func (f Flow) Ready(t Task, find Find) bool { return len(f.BlockedBy(t, find)) == 0 }

// ValidDeps returns DANGLING_DEP if one of the ids does not exist, and DEP_CYCLE if a task that depended on them would, in
// the end, wait for itself.
func ValidDeps(id ID, deps []ID, find Find) error {
	return validEdges(id, deps, find, "dependency", func(t Task) []ID { return t.Deps })
}

// ValidParent is ValidDeps for the parent: it must exist and may not be a descendant of the task.
func ValidParent(id, parent ID, find Find) error {
	if parent == "" {
		return nil
	}
	return validEdges(id, []ID{parent}, find, "parent", func(t Task) []ID {
		if t.Parent == "" {
			return nil
		}
		return []ID{t.Parent}
	})
}

func validEdges(id ID, to []ID, find Find, kind string, next func(Task) []ID) error {
	for _, target := range to {
		if _, ok := find(target); !ok && target != id {
			return Errorf(DanglingDep, "%s %s does not exist, or cannot be read", kind, target).
				WithHint("cairn show %s says which; cairn list shows what there is", target)
		}
		if path := pathTo(target, id, find, next); path != nil {
			return Errorf(DepCycle, "%s would wait for itself: %s", id, joinIDs(append([]ID{id}, path...), " -> ")).
				WithHint("leave out %s %s", kind, target)
		}
	}
	return nil
}

// pathTo returns the ids from start to goal along next, both ends included, or nil if there is no way. It visits every
// task once, so a graph that already holds circles cannot keep it busy.
func pathTo(start, goal ID, find Find, next func(Task) []ID) []ID {
	came := map[ID]ID{start: ""}
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

func joinIDs(ids []ID, sep string) string {
	parts := make([]string, len(ids))
	for i, id := range ids {
		parts[i] = string(id)
	}
	return strings.Join(parts, sep)
}
