package transfer

import (
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/task"
)

// Item is a task as another system says it. Names are ids in that system; the texts are as they stand there, and what
// does not fit a task is made to fit or reported.
type Item struct {
	Ref      string   `json:"ref" doc:"its id in the source; a second import knows it by that"`
	Title    string   `json:"title" doc:"what is to be done; cut to one line"`
	Body     string   `json:"body,omitempty" doc:"the rest, in Markdown"`
	State    string   `json:"state,omitempty" doc:"open, started, review, done or dropped, or a state of this workspace; open by default" values:"open,started,review,done,dropped"`
	Was      string   `json:"was,omitempty" doc:"the word of the source for its state"`
	Priority string   `json:"priority,omitempty" doc:"0 to 4, or high, medium, low"`
	Rank     string   `json:"rank,omitempty" doc:"the word of the source for its priority"`
	Labels   []string `json:"labels,omitempty" doc:"words to find it by"`
	Deps     []string `json:"deps,omitempty" doc:"what must be closed first: ids in the source"`
	Parent   string   `json:"parent,omitempty" doc:"what groups it: an id in the source"`
	Related  []string `json:"related,omitempty" doc:"what it has to do with: ids in the source"`
	Found    []string `json:"discovered_from,omitempty" doc:"the work during which it was found: ids in the source"`
	Same     []string `json:"duplicates,omitempty" doc:"what it repeats: ids in the source"`

	Acceptance []string  `json:"acceptance,omitempty" doc:"what must hold: each becomes a manual check"`
	Checks     []Check   `json:"checks,omitempty" doc:"checks, of a task that was one of cairn's"`
	Comments   []Comment `json:"comments,omitempty" doc:"what was said about it, the oldest first"`
	Assignee   string    `json:"assignee,omitempty" doc:"who holds it: an actor, or a name that becomes human:NAME"`
	Due        string    `json:"due,omitempty" doc:"a date or a time"`
	task.Optional
	Mode  string   `json:"mode,omitempty" doc:"auto or pair, of a task that was one of cairn's"`
	Scope []string `json:"scope,omitempty" doc:"globs of the paths it is about"`
	URL   string   `json:"url,omitempty" doc:"its address"`

	Created   string `json:"created,omitempty" doc:"when it was made there"`
	CreatedBy string `json:"created_by,omitempty" doc:"by whom"`
	Closed    string `json:"closed,omitempty" doc:"when it was closed there"`
	ClosedBy  string `json:"closed_by,omitempty" doc:"by whom"`
	Reason    string `json:"reason,omitempty" doc:"why it was closed"`

	Fields  verb.Values `json:"fields,omitempty" doc:"more of it, by name: a field where this workspace has one of that name, else it stands in the body"`
	LeftOut []Loss      `json:"left_out,omitempty" doc:"what the source says of it and no field here holds; for the report"`
}

// WordsRef names an item without an id, by its file and by the words that tell it from others there. A second import may
// find it reworded.
func WordsRef(file string, words ...string) string {
	return file + "#" + record.ContentHash(words...)[:12]
}

// Check is a check of a task that was one of cairn's.
type Check struct {
	Desc    string `json:"desc" doc:"what it verifies"`
	Cmd     string `json:"cmd,omitempty" doc:"shell command that must exit 0"`
	Cwd     string `json:"cwd,omitempty" doc:"folder to run in"`
	Timeout int    `json:"timeout,omitempty" doc:"seconds"`
	By      string `json:"by,omitempty" doc:"who may attest it"`
}

// Comment is what somebody said about an item.
type Comment struct {
	By   string `json:"by,omitempty" doc:"who, in the words of the source"`
	At   string `json:"at,omitempty" doc:"when, in the words of the source"`
	Text string `json:"text" doc:"what"`
}

// Loss is something that an item says and a task cannot.
type Loss struct {
	Field string `json:"field" doc:"what the source calls it"`
	Value string `json:"value,omitempty" doc:"the beginning of what it says"`
}

// The states of an item. Each system's words are mapped to these, and these to the states of the workspace.
const (
	Open    = "open"
	Started = "started"
	Review  = "review"
	Done    = "done"
	Dropped = "dropped"
)

// Lose notes that something of the item has no place, if there is anything.
func (it *Item) Lose(field, value string) {
	if value == "" {
		return
	}
	it.LeftOut = append(it.LeftOut, Loss{field, value})
}
