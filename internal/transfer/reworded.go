package transfer

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// wordsRef is a ref as WordsRef makes it, or one that tells it from an equal one.
var wordsRef = regexp.MustCompile(`#[0-9a-f]{12}(\.[0-9]+)?$`)

// reworded finds for items that are known by their words, and are not known, which task that is no more in the source
// they were: one below the same parent that has the same title, or most words of the title, or a child of the same
// title. What fits several alike is none. From then on they count as imported before.
func (d *draft) reworded(items []Item) {
	r := rewording{d, d.orphans(items), map[string][]Item{}}
	if len(r.gone) == 0 {
		return
	}
	for _, it := range items {
		r.below[it.Parent] = append(r.below[it.Parent], it)
	}
	done := map[string]bool{}
	for _, it := range items { // a parent stands before what is below it
		if !done[it.Parent] {
			done[it.Parent] = true
			r.match(r.below[it.Parent], func(t task.Task, it Item) int { return alike(t.Title == it.Title) })
			r.match(r.below[it.Parent], r.likeness)
		}
	}
}

// rewording matches items with tasks.
type rewording struct {
	*draft
	gone  map[record.ID][]task.Task // that are no more in the source, by their parent
	below map[string][]Item         // items by the ref of their parent
}

// orphans are the tasks that were imported by their words and are no more in the source, by their parent.
func (d *draft) orphans(items []Item) map[record.ID][]task.Task {
	there := map[string]bool{}
	for _, it := range items {
		there[d.name(it.Ref)] = true
	}
	out := map[record.ID][]task.Task{}
	for _, id := range slices.Sorted(maps.Keys(d.came)) {
		if ref := d.came[id]; wordsRef.MatchString(ref) && !there[ref] {
			if t, ok := d.find(id); ok {
				out[t.Parent] = append(out[t.Parent], t)
			}
		}
	}
	return out
}

// match gives each of some items of one parent the task that is like it most.
func (r rewording) match(items []Item, like func(task.Task, Item) int) {
	for _, it := range items {
		of := target(r.source, it.Ref)
		parent := r.known[target(r.source, it.Parent)]
		if _, before := r.known[of]; before || !wordsRef.MatchString(it.Ref) || it.Parent != "" && parent == "" {
			continue
		}
		best, most, several := -1, 0, false
		for i, t := range r.gone[parent] {
			n := like(t, it)
			if before, _, _ := strings.Cut(r.came[t.ID], "#"); !strings.HasPrefix(r.name(it.Ref), before+"#") {
				n = 0
			}
			if n > most {
				best, most, several = i, n, false
			} else if n == most {
				several = true
			}
		}
		if best >= 0 && !several {
			id := r.gone[parent][best].ID
			r.known[of], r.came[id] = id, r.name(it.Ref)
			r.gone[parent] = slices.Delete(r.gone[parent], best, best+1)
		}
	}
}

// likeness is how much an item is like a task: by the children that both have, and by the words of the title.
func (r rewording) likeness(t task.Task, it Item) int {
	n := 0
	for _, child := range r.below[it.Ref] {
		was := r.known[target(r.source, child.Ref)]
		old, _ := r.find(was)
		same := func(one task.Task) bool { return one.Title == child.Title }
		n += 100 * alike(was != "" && old.Parent == t.ID || slices.ContainsFunc(r.gone[t.ID], same))
	}
	a, b := strings.Fields(strings.ToLower(t.Title)), strings.Fields(strings.ToLower(it.Title))
	common := len(record.Those(record.Unique(a), func(word string) bool { return slices.Contains(b, word) }))
	if n == 0 && 2*common <= max(len(a), len(b)) {
		return 0
	}
	return n + common
}

func alike(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
