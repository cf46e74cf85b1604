package transfer

import (
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
)

// edges are what the items say of one another, as places in the list of items. What would make a task wait for itself,
// or stand below itself, is left out, and so is what names no item.
type edges struct {
	items  []Item
	place  map[string]int        // of an item, by its ref
	known  func(ref string) bool // whether an item was imported before
	lose   func(item Item, field, value string)
	deps   [][]string // for each item, what it waits for
	parent [][]string // for each item, what groups it: one at most
	order  []int      // of the items: each behind those that it waits for
}

func newEdges(items []Item, known func(string) bool, lose func(Item, string, string)) *edges {
	e := &edges{items: items, place: make(map[string]int, len(items)), known: known, lose: lose}
	for i, it := range items {
		e.place[it.Ref] = i
	}
	e.deps, e.parent = make([][]string, len(items)), make([][]string, len(items))
	for i, it := range items {
		e.deps[i] = e.there(it, "dep", it.Deps)
		if it.Parent != "" {
			e.parent[i] = e.there(it, "parent", []string{it.Parent})
		}
	}
	e.order = e.uncircle("dep", e.deps)
	e.uncircle("parent", e.parent)
	return e
}

// there lists those of some refs that name an item, or one that was imported before, none twice.
func (e *edges) there(it Item, field string, refs []string) []string {
	var out []string
	for _, ref := range record.Unique(refs) {
		_, here := e.place[ref]
		switch {
		case ref == it.Ref:
			e.lose(it, field+" on itself", ref)
		case here || e.known(ref):
			out = append(out, ref)
		default:
			e.lose(it, field+" that is not in the source", ref)
		}
	}
	return out
}

// uncircle takes away each edge that closes a circle, and lists the items so that each comes behind those that its edges
// lead to.
func (e *edges) uncircle(field string, of [][]string) (order []int) {
	const visiting, visited = 1, 2
	state := make([]int, len(e.items))
	var visit func(i int)
	visit = func(i int) {
		state[i] = visiting
		of[i] = slices.DeleteFunc(of[i], func(ref string) bool {
			to, here := e.place[ref]
			if !here {
				return false
			}
			if state[to] == 0 {
				visit(to)
			}
			if state[to] == visiting {
				e.lose(e.items[i], field+" that closes a circle", ref)
				return true
			}
			return false
		})
		state[i] = visited
		order = append(order, i)
	}
	for i := range e.items {
		if state[i] == 0 {
			visit(i)
		}
	}
	return order
}
