package verb

import (
	"github.com/cairn-tasks/cairn/internal/record"
)

// UnblocksMost returns the open task for which the most open tasks wait, directly or through others, and how many these
// are: 0 if none waits. It waits for no task itself. Of equals it is the most urgent, and of these the first by id.
func (g *Graph) UnblocksMost() (id record.ID, waiting int) {
	behind := g.behind()
	rows, best := g.Rows(), -1
	seen := make([]int, len(rows)) // by which search each was visited, from 1
	for n := range rows {
		if len(behind[n]) == 0 || g.waiting(n) {
			continue
		}
		found := 0
		seen[n] = n + 1
		for next := []int{n}; len(next) > 0; {
			at := next[len(next)-1]
			next = next[:len(next)-1]
			for _, b := range behind[at] {
				if seen[b] != n+1 {
					seen[b] = n + 1
					found++
					next = append(next, b)
				}
			}
		}
		if found > waiting || found == waiting && rows[n].Priority < rows[best].Priority {
			best, waiting = n, found
		}
	}
	if best < 0 {
		return "", 0
	}
	return record.ID(rows[best].ID), waiting
}

// behind lists, for each open task, the open tasks that wait for it: by a dep, or as its parent.
func (g *Graph) behind() [][]int {
	rows, flow := g.Rows(), g.store.Config.Flow
	out := make([][]int, len(rows))
	for n, r := range rows {
		if flow.IsClosed(r.Status) {
			continue
		}
		for _, ids := range [][]record.ID{r.Deps, g.OpenChildren(r)} {
			for _, id := range ids {
				if d := g.Set().Number(string(id)); d >= 0 && !flow.IsClosed(rows[d].Status) {
					out[d] = append(out[d], n)
				}
			}
		}
	}
	return out
}
