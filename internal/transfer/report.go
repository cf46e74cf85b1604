package transfer

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// ImportOut is what an import made, or, of a dry run, what it would make.
type ImportOut struct {
	Source string `json:"source"`
	DryRun bool   `json:"dry_run,omitempty"` // nothing was written
	Read   int    `json:"read"`              // items that the source has
	Made   int    `json:"made"`              // tasks
	Known  int    `json:"known"`             // items that were imported before, and are left as they are
	Tasks  []Made `json:"tasks"`             // the tasks that are made; the first 50 for an agent

	States     []Mapping `json:"states"`     // of the tasks that are made
	Priorities []Mapping `json:"priorities"` // likewise
	Deps       int       `json:"deps"`
	Parents    int       `json:"parents"`
	Links      int       `json:"links"`
	Checks     int       `json:"checks"`
	Commands   int       `json:"commands"` // checks that run a command: look at them before you run them
	Notes      int       `json:"notes"`

	NoPlace  []NoPlace `json:"no_place"` // what the source says and no task does
	Replayed bool      `json:"replayed,omitempty"`
}

// Made is a task that an import makes.
type Made struct {
	ID       record.ID     `json:"id,omitempty"` // "" in a dry run
	From     string        `json:"from"`         // its id in the source
	Title    string        `json:"title"`
	Status   record.Status `json:"status"`
	Priority task.Priority `json:"priority"`
}

// Mapping says what a word of the source became.
type Mapping struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Count int    `json:"count"`
}

// NoPlace is something of the source that no task says.
type NoPlace struct {
	Field    string   `json:"field"`
	Count    int      `json:"count"`
	Examples []string `json:"examples"` // three at most: the item, and what it says
}

const examplesShown = 3

// report collects what an import does.
type report struct {
	out        ImportOut
	states     map[[2]string]int
	priorities map[[2]string]int
	lost       map[string]*NoPlace
}

func newReport(source string) *report {
	return &report{
		out:    ImportOut{Source: source, Tasks: []Made{}},
		states: map[[2]string]int{}, priorities: map[[2]string]int{}, lost: map[string]*NoPlace{},
	}
}

// lose notes that something of an item has no place.
func (r *report) lose(ref, field, value string) {
	field = record.Clip(oneLine(field), 80)
	n := r.lost[field]
	if n == nil {
		n = &NoPlace{Field: field, Examples: []string{}}
		r.lost[field] = n
	}
	n.Count++
	if len(n.Examples) < examplesShown {
		example := record.Clip(oneLine(ref), 80)
		if value = record.Clip(oneLine(value), 100); value != "" {
			example += ": " + value
		}
		n.Examples = append(n.Examples, example)
	}
}

// made notes that an item becomes a task.
func (r *report) made(it Item, t task.Task) {
	r.out.Made++
	r.out.Tasks = append(r.out.Tasks, Made{From: it.Ref, Title: t.Title, Status: t.Status, Priority: t.Priority})
	r.states[[2]string{cmp.Or(oneLine(it.Was), it.State, Open), string(t.Status)}]++
	r.priorities[[2]string{cmp.Or(oneLine(it.Rank), it.Priority, "none"), strconv.Itoa(int(t.Priority))}]++
	r.out.Checks += len(t.Checks)
	for _, c := range t.Checks {
		if !c.Manual() {
			r.out.Commands++
		}
	}
}

// end returns what was collected, in an order that does not change from run to run.
func (r *report) end() ImportOut {
	out := r.out
	out.States, out.Priorities = mappings(r.states), mappings(r.priorities)
	out.NoPlace = []NoPlace{}
	for _, n := range r.lost {
		out.NoPlace = append(out.NoPlace, *n)
	}
	slices.SortFunc(out.NoPlace, func(a, b NoPlace) int { return cmp.Compare(a.Field, b.Field) })
	return out
}

func mappings(counts map[[2]string]int) []Mapping {
	out := []Mapping{}
	for pair, n := range counts {
		out = append(out, Mapping{record.Clip(pair[0], 80), pair[1], n})
	}
	slices.SortFunc(out, func(a, b Mapping) int { return cmp.Or(cmp.Compare(a.To, b.To), cmp.Compare(a.From, b.From)) })
	return out
}
