package verb

import (
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/index"
	"github.com/cairn-tasks/cairn/store/kind"
)

// A task with open children is not handed out: its children are the work. It waits for each of them, but for one that
// waits for it in turn, by deps or by children of its own: of two tasks that would wait for each other the parent comes
// first.

// openChildren is which open children tasks wait for.
type openChildren struct {
	set  *index.Set
	flow string
	of   map[string][]record.ID // by the parent's id, sorted
}

// OpenChildren lists the open children that a task waits for, sorted by id. A closed task waits for none.
func (g *Graph) OpenChildren(r *kind.Row) []record.ID { return g.open().of[r.ID] }

// waiting reports whether the task of the nth row waits for a dep, or for a child.
func (g *Graph) waiting(n int) bool {
	return g.Blocked(n) || len(g.OpenChildren(g.Rows()[n])) > 0
}

// openChildrenOf finds the open children of all tasks.
func openChildrenOf(g *Graph) map[string][]record.ID {
	edges := map[int][]int{} // from a parent to its open children, by the numbers of rows
	rows, flow := g.Rows(), g.store.Config.Flow
	for n, r := range rows {
		if r.Parent == "" || flow.IsClosed(r.Status) {
			continue
		}
		if p := g.Set().Number(string(r.Parent)); p >= 0 && p != n && !flow.IsClosed(rows[p].Status) {
			edges[p] = append(edges[p], n)
		}
	}
	if len(edges) == 0 {
		return nil
	}
	circle := circles{g: g, children: edges, at: map[int]*visit{}}
	out := make(map[string][]record.ID, len(edges))
	for p, children := range edges {
		for _, c := range children {
			if !circle.both(p, c) {
				out[rows[p].ID] = append(out[rows[p].ID], record.ID(rows[c].ID))
			}
		}
	}
	return out
}

// circles finds which tasks wait for each other, directly or through others: the strongly connected parts of the graph
// of deps and children, by Tarjan's algorithm, with a stack of its own so that a long chain is no deep recursion.
type circles struct {
	g        *Graph
	children map[int][]int
	at       map[int]*visit
	stack    []int
	count    int
}

// visit is what is known of a task that was visited.
type visit struct {
	order, low int
	part       int // the part that it belongs to, from 1; 0 while that is not known
	next       []int
}

// both reports whether two tasks wait for each other.
func (c *circles) both(a, b int) bool {
	for _, n := range []int{a, b} {
		if c.at[n] == nil {
			c.walk(n)
		}
	}
	return c.at[a].part == c.at[b].part
}

// enter begins the visit of a task.
func (c *circles) enter(n int) {
	c.count++
	c.at[n] = &visit{order: c.count, low: c.count, next: c.waitsFor(n)}
	c.stack = append(c.stack, n)
}

// waitsFor are the open tasks that a task may wait for.
func (c *circles) waitsFor(n int) []int {
	next := slices.Clone(c.children[n])
	for _, id := range c.g.Rows()[n].Deps {
		if d := c.g.Set().Number(string(id)); d >= 0 && !c.g.store.Config.Flow.IsClosed(c.g.Rows()[d].Status) {
			next = append(next, d)
		}
	}
	return next
}

// walk visits all tasks that one leads to.
func (c *circles) walk(from int) {
	c.enter(from)
	for path := []int{from}; len(path) > 0; {
		n := path[len(path)-1]
		v := c.at[n]
		if len(v.next) > 0 {
			to := v.next[0]
			v.next = v.next[1:]
			switch seen := c.at[to]; {
			case seen == nil:
				c.enter(to)
				path = append(path, to)
			case seen.part == 0:
				v.low = min(v.low, seen.order)
			}
			continue
		}
		path = path[:len(path)-1]
		if len(path) > 0 {
			above := c.at[path[len(path)-1]]
			above.low = min(above.low, v.low)
		}
		if v.low == v.order {
			c.leave(n, v.order)
		}
	}
}

// leave closes a part: the tasks on the stack down to the one that it began with.
func (c *circles) leave(first, part int) {
	for {
		n := c.stack[len(c.stack)-1]
		c.stack = c.stack[:len(c.stack)-1]
		c.at[n].part = part
		if n == first {
			return
		}
	}
}
