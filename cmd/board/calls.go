package board

import (
	"context"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// Board is what there is to show, as it was at one moment.
type Board struct {
	Name     string          // of the workspace
	Columns  []Column        // in the order of the flow
	States   []record.Status // to which a task can be moved
	Problems verb.Problems   // files that could not be read, and are in no column
	Waiting  int             // how many things wait for the person who leads

	Short  func(record.ID) string             // the part of an id that is enough to type; nil for the whole
	Starts func(verb.Row, record.Status) bool // whether to move a task there is to start it; nil for never
}

// Column is the tasks in a state, or in all closed states.
type Column struct {
	Name   string
	States []record.Status // the first is where a task goes that is moved into the column
	Closed bool            // its tasks are done with; the newest come first
	Total  int             // of tasks that fit the query
	Tasks  []verb.Row      // the first of these
}

// Query is what a person asked to see.
type Query struct {
	Text  string // words in id, title, body, labels or notes; "" for all
	Where string // in the filter language of list; "" for all
	Mine  bool   // only what the person holds

	Want map[string]int // how many tasks of a column to load, by its name; Page where it says nothing
}

func (q Query) filters() []string {
	var out []string
	if q.Text != "" {
		out = append(out, "find: "+safe(q.Text))
	}
	if q.Where != "" {
		out = append(out, "where: "+safe(q.Where))
	}
	if q.Mine {
		out = append(out, "mine")
	}
	return out
}

// Page is how many tasks of a column are loaded before anybody has scrolled through them.
const Page = 100

// Wanted is how many tasks of a column are to be loaded.
func (q Query) Wanted(column string) int {
	if n, ok := q.Want[column]; ok {
		return n
	}
	return Page
}

// Calls is what the board shows and does. Every method but Explain may be called beside the others.
type Calls interface {
	// Load reads the board.
	Load(context.Context, Query) (Board, error)
	// Wait returns once something may have changed since it last returned, or ctx has ended.
	Wait(context.Context)
	// Show returns a task as a page for a terminal of a width, with its colours.
	Show(ctx context.Context, id record.ID, width int) (string, error)
	// Do calls a verb, and returns the task that it was about as it is afterwards. Report is told what a long call is
	// doing. It returns ErrAsks if a person has to be asked at the terminal first, and then has done nothing.
	Do(ctx context.Context, name string, in map[string]any, report func(string)) (verb.Task, error)
	// Ask is Do with the terminal at hand, for what Do returned ErrAsks for.
	Ask(ctx context.Context, name string, in map[string]any) Away
	// Edit has a task edited in the person's editor.
	Edit(ctx context.Context, id record.ID) Away
	// Explain says what went wrong in one line, and what to do about it in another, or "".
	Explain(error) (text, hint string)
}

// Away is work that needs the terminal, which the board gives away for it.
type Away interface {
	tea.ExecCommand
	// Result is the task afterwards, once Run has returned without an error.
	Result() verb.Task
}

// ErrAsks says that a verb puts a question to a person.
var ErrAsks = errors.New("a person has to be asked at the terminal")

func (b Board) find(id record.ID) (column, card int, ok bool) {
	for i, c := range b.Columns {
		if n := slices.IndexFunc(c.Tasks, func(r verb.Row) bool { return r.ID == id }); n >= 0 {
			return i, n, true
		}
	}
	return 0, 0, false
}

func (b Board) short(id record.ID) string {
	if b.Short == nil {
		return string(id)
	}
	return b.Short(id)
}
