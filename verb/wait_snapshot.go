package verb

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// Change is a field that is not what it was. What is short is told with its old and new value.
type Change struct {
	Task  task.ID `json:"task,omitempty"` // which of several
	Field string  `json:"field"`          // fits says whether a task is among those that fit the filters
	From  string  `json:"from,omitempty"`
	To    string  `json:"to,omitempty"`
}

const (
	changesShown    = 50
	newEntriesShown = 10
	newTextShown    = 500 // bytes of an entry's text
	valuesShown     = 240 // bytes of an old and a new value
)

// snapshot is what a look at the watched found. It is shared by those who looked together, and not to be changed.
type snapshot struct {
	facts  map[string]func() facts // by id
	many   bool                    // they are of all tasks that fit filters
	there  func(id string) bool
	met    bool // it is as it was waited for
	cursor string
	show   func() Waited // what is watched, as it is returned; nil if nothing was found
	task   task.Task
}

// facts are what can change of a task or a session, in the order in which changes are told.
type facts []fact

type fact struct{ name, value string }

// factsOf are the facts of a task that its file says, and what it waits for.
func factsOf(flow task.Flow, t task.Task, find task.Find) facts {
	var checks []string
	for _, c := range t.Checks {
		checks = append(checks, c.Desc+" "+string(c.Result))
	}
	return facts{
		{"status", string(t.Status)}, {"assignee", string(t.Assignee)}, {"blocked_by", words(flow.BlockedBy(t, find))},
		{"title", t.Title}, {"priority", fmt.Sprint(t.Priority)}, {"labels", words(t.Labels)}, {"parent", string(t.Parent)},
		{"deps", words(t.Deps)}, {"checks", words(checks)}, {"body", t.Body}, {revFact, string(t.Rev)},
	}
}

// factsOfHold are who holds a task, and how far it was carried elsewhere. Signs of life are none. Of a write that is under
// way nothing is seen before its entry is in the file.
func factsOfHold(t task.Task, live session.Live, now time.Time) facts {
	if live.Record != nil {
		seen := live.Record.Seen(t.Header())
		live.Record = &seen
	}
	hold, elsewhere := session.Holder(t.Header(), live, now), session.IsBehind(t.Header(), live)
	return facts{
		{"claim", string(hold.Actor)}, {"session", hold.Session}, {"worktree", hold.Worktree}, {"elsewhere", string(elsewhere.Status)},
	}
}

const revFact = "rev" // changes with every other, and is told of none

// factsOfSession are the facts of a session, signs of life included.
func factsOfSession(s Session) facts {
	return facts{
		{"status", string(s.Status)}, {"health", string(s.Health)}, {"progress", s.Progress}, {"heartbeat_at", clock(s.HeartbeatAt)},
		{"summary", s.Summary}, {"reason", s.Reason}, {"head", s.Head}, {"ended_at", clock(s.EndedAt)},
	}
}

func words[T ~string](list []T) string {
	var out []string
	for _, word := range list {
		out = append(out, string(word))
	}
	return strings.Join(out, ", ")
}

func clock(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.Format(time.RFC3339)
}

// cursorOf is a hash of what was seen, and of what it is about. Behind a dash it says how many entries there were.
func cursorOf(about string, seen []string, entries int) string {
	return fmt.Sprintf("%s-%d", hash(append([]string{about}, seen...)...)[:16], entries)
}

// under is what a snapshot has of one thing alone.
func (f facts) under(id string) map[string]func() facts {
	return map[string]func() facts{id: func() facts { return f }}
}

func (f facts) values() (out []string) {
	for _, one := range f {
		out = append(out, one.value)
	}
	return out
}

var cursorForm = regexp.MustCompile(`^[0-9a-f]{16}-[0-9]+$`)

// missing reports whether something that was seen before has no file now.
func (s snapshot) missing(now snapshot) bool {
	for id := range s.facts {
		if !now.there(id) {
			return true
		}
	}
	return false
}

// news is what changed.
type news struct {
	changes []Change
	entries []task.Entry
}

// told is the answer that tells what was seen.
func (s snapshot) told(code WaitCode, n news) Waited {
	var out Waited
	if s.show != nil {
		out = s.show()
	}
	out.Code, out.Cursor, out.Changed, out.Entries = code, s.cursor, noNil(n.changes), []Entry{}
	if len(out.Changed) > changesShown {
		out.Changed = out.Changed[:changesShown]
	}
	if len(n.entries) > newEntriesShown {
		out.EntriesTotal = len(n.entries)
		n.entries = n.entries[len(n.entries)-newEntriesShown:]
	}
	descs := descsOf(s.task)
	for _, e := range n.entries {
		e.Text = head(e.Text, newTextShown)
		out.Entries = append(out.Entries, viewEntry(e, descs))
	}
	return out
}

// changes is what changed since an earlier snapshot.
func (s snapshot) changes(before snapshot) news {
	n := news{entries: s.entriesFrom(len(before.task.Provenance))}
	ids := maps.Clone(before.facts)
	maps.Copy(ids, s.facts)
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		for _, c := range difference(before.of(id), s.of(id)) {
			if s.many {
				c.Task = task.ID(id)
			}
			n.changes = append(n.changes, c)
		}
	}
	return n
}

// of is the facts that were seen of an id; nil if none were.
func (s snapshot) of(id string) facts {
	if seen := s.facts[id]; seen != nil {
		return seen()
	}
	return nil
}

// difference tells two states of one thing apart. Of one that came or went it tells no more than that.
func difference(before, now facts) []Change {
	switch {
	case before == nil:
		return []Change{{Field: "fits", From: "no", To: "yes"}}
	case now == nil:
		return []Change{{Field: "fits", From: "yes", To: "no"}}
	}
	var out []Change
	for i, f := range now {
		was := before[i].value
		switch {
		case was == f.value, f.name == revFact:
		case len(was)+len(f.value) > valuesShown, store.Digested(was), store.Digested(f.value):
			out = append(out, Change{Field: f.name})
		default:
			out = append(out, Change{Field: f.name, From: was, To: f.value})
		}
	}
	return out
}

// changesSince is what changed since the answer that a cursor is from, as far as new entries tell.
func (s snapshot) changesSince(cursor string) news {
	_, count, _ := strings.Cut(cursor, "-")
	had, err := strconv.Atoi(count)
	if err != nil {
		return news{}
	}
	n := news{entries: s.entriesFrom(had)}
	var status, assignee *Change
	for _, e := range n.entries {
		if e.To != "" {
			if status == nil {
				status = &Change{Field: "status", From: string(e.From)}
			}
			status.To = string(e.To)
		}
		if e.Assignee != nil {
			assignee = &Change{Field: "assignee", To: string(*e.Assignee)}
		}
	}
	for _, c := range []*Change{status, assignee} {
		if c != nil {
			n.changes = append(n.changes, *c)
		}
	}
	return n
}

// entriesFrom are the entries of the task from an index on.
func (s snapshot) entriesFrom(n int) []task.Entry {
	return s.task.Provenance[min(n, len(s.task.Provenance)):]
}
