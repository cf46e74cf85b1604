package transfer

import (
	"cmp"
	"maps"
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
	Known  int    `json:"known"`             // items that were imported before
	Tasks  []Made `json:"tasks"`             // the tasks that are made; the first 50 for an agent

	Changed []Changed `json:"changed"`           // what was imported before and the source says otherwise since; likewise
	Update  bool      `json:"update,omitempty"`  // what can be is taken over
	Updated int       `json:"updated,omitempty"` // tasks of which something is

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
	ImportOut
	lost map[string]*NoPlace
}

func newReport(source string) *report {
	out := ImportOut{Source: source, Tasks: []Made{}, Changed: []Changed{}, States: []Mapping{}, Priorities: []Mapping{}, NoPlace: []NoPlace{}}
	return &report{out, map[string]*NoPlace{}}
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
	r.Made++
	r.Tasks = append(r.Tasks, Made{From: it.Ref, Title: t.Title, Status: t.Status, Priority: t.Priority})
	r.States = counted(r.States, cmp.Or(oneLine(it.Was), it.State, Open), string(t.Status))
	r.Priorities = counted(r.Priorities, cmp.Or(oneLine(it.Rank), it.Priority, "none"), strconv.Itoa(int(t.Priority)))
	r.Checks += len(t.Checks)
	for _, c := range t.Checks {
		if !c.Manual() {
			r.Commands++
		}
	}
}

// counted counts that a word of the source became another. Mappings are sorted by what words became.
func counted(all []Mapping, from, to string) []Mapping {
	one := Mapping{record.Clip(from, 80), to, 1}
	at, there := slices.BinarySearchFunc(all, one, func(a, b Mapping) int {
		return cmp.Or(cmp.Compare(a.To, b.To), cmp.Compare(a.From, b.From))
	})
	if there {
		all[at].Count++
		return all
	}
	return slices.Insert(all, at, one)
}

// end returns what was collected, in an order that does not change from run to run.
func (r *report) end() ImportOut {
	for _, field := range slices.Sorted(maps.Keys(r.lost)) {
		r.NoPlace = append(r.NoPlace, *r.lost[field])
	}
	return r.ImportOut
}
