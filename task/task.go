package task

import (
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Task is one node of the graph, as its file says.
type Task struct {
	ID        record.ID
	Title     string
	Status    record.Status
	Priority  Priority
	Due       Due // "" for none
	Labels    []string
	Mode      Mode         // who does it
	Assignee  record.Actor // "" when nobody
	Parent    record.ID    // grouping only; gates nothing
	Deps      []record.ID  // must be closed before this may leave the initial state
	Scope     []string     // globs of the paths that it is about
	MayChange []string     // globs of files on which its checks stand and which the work may change, see Flow.MayChange
	Repo      string       // the repository of the workspace in which its files are and its commands run; "" for the workspace's own
	Checks    []Check      // each names the task's Repo, see InRepo
	Refs      []record.Reference
	Links     // to records that it does not wait for

	RequiresEvidence bool // it is closed as done only with a commit, a pull request, or a command check that passed

	Provenance record.Log
	Body       string
	Rev        record.Rev        // revision of the file this was read from
	Extra      map[string]any    // keys of the file that cairn does not know
	Own        map[string]string // values of Optional, of the config's fields, and of other keys in Extra that hold one value, as the text in the file

	// Other is set if this is no task, but a record of another kind as a dependency. Only ID, Title, Status, Labels,
	// Provenance and Rev are set then.
	Other *Other
}

// Other is the kind of a record that is a dependency.
type Other struct {
	Kind   string                   // in a Ref
	Closed func(record.Status) bool // which of its states are closed
}

// DepOf returns a record of another kind as a dependency.
func DepOf(h record.Header, closed func(record.Status) bool) Task {
	return Task{
		ID: record.ID(h.Ref.ID), Title: h.Title, Status: h.Status, Labels: h.Labels, Provenance: h.Log, Rev: h.Rev,
		Other: &Other{h.Ref.Kind, closed},
	}
}

// After returns the task as an entry leaves it: its state, holder and dependencies. The log and the results of checks
// stay as they are. Writes, cairn check and the putting back of lost entries go by it.
func (t Task) After(e record.Entry) Task {
	if e.To != "" {
		t.Status = e.To
	}
	if who, ok := e.Holder(); ok {
		t.Assignee = who
	}
	t.Deps = e.WithDeps(t.Deps)
	return t
}

// With returns the task with e behind the other entries of its log.
func (t Task) With(e record.Entry) Task {
	t.Provenance = t.Provenance.Add(e)
	return t
}

// Header returns what the task has in common with records of other kinds.
func (t Task) Header() record.Header {
	return record.Header{
		Ref: t.ID.Ref(), Title: t.Title, Status: t.Status, Assignee: t.Assignee, Labels: t.Labels,
		Refs: t.Refs, Log: t.Provenance, Rev: t.Rev,
	}
}

// HasHolder reports whether any entry changed the holder.
func (t Task) HasHolder() bool {
	return slices.ContainsFunc(t.Provenance, func(e record.Entry) bool {
		_, ok := e.Holder()
		return ok
	})
}

// Find returns another task, or what stands for another record that tasks can depend on. It reports false for one that
// does not exist or cannot be read.
type Find func(record.ID) (Task, bool)

// Priority runs from 0 (drop everything) to 4 (someday).
type Priority int

// DefaultPriority is the priority of a task that sets none.
const DefaultPriority Priority = 2

var priorityWords = map[string]Priority{
	"critical": 0, "urgent": 0, "high": 1, "medium": 2, "normal": 2, "low": 3, "backlog": 4,
}

// ParsePriority reads a number from 0 to 4 or one of the usual words; "" is the default.
func ParsePriority(s string) (Priority, error) {
	if s == "" {
		return DefaultPriority, nil
	}
	if p, ok := priorityWords[s]; ok {
		return p, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > 4 {
		return 0, record.Errorf(record.InvalidInput, "priority %q is not 0 to 4", record.Clip(s, 40)).
			WithHint("0 is urgent, 4 is someday; critical, urgent, high, medium, normal, low and backlog are accepted too")
	}
	return Priority(n), nil
}

// Links are what a task says of its relation to other records, by their ids. They gate nothing.
type Links struct {
	DiscoveredFrom []record.ID `json:"discovered_from,omitempty"` // in whose course it was found that this is to be done
	Duplicates     []record.ID `json:"duplicates,omitempty"`      // that ask for the same, and stand
	Related        []record.ID `json:"related,omitempty"`         // that who reads this should know of
}

// MaxLinks is the most of one kind that a write may give a task.
const MaxLinks = 200

// Link is one kind of link: its key in files and inputs, and how it reads from either end.
type Link struct {
	Name    string // discovered_from
	Says    string // "discovered from": what the task that has it is to the other
	Reverse string // "discovered": what the other is to that task
}

// LinkKinds lists the kinds of link, in the order of their keys.
var LinkKinds = []Link{
	{"discovered_from", "discovered from", "led to"},
	{"duplicates", "duplicates", "duplicated by"},
	{"related", "related to", "related to"},
}

// LinksOf returns the links of one kind.
func (l *Links) LinksOf(name string) *[]record.ID {
	switch name {
	case "discovered_from":
		return &l.DiscoveredFrom
	case "duplicates":
		return &l.Duplicates
	default:
		return &l.Related
	}
}

// Count is how many links there are.
func (l Links) Count() int { return len(l.DiscoveredFrom) + len(l.Duplicates) + len(l.Related) }

// linkFields are the links as fields. Whether there are such records is not asked here.
func linkFields() []Field {
	var out []Field
	for _, kind := range LinkKinds {
		name := kind.Name
		out = append(out, Field{Name: name, At: func(t *Task) any { return t.LinksOf(name) }, allows: func(t Task) error {
			ids := *t.LinksOf(name)
			if t.ID != "" && slices.Contains(ids, t.ID) {
				return record.Errorf(record.InvalidInput, "%s names the task itself", name).WithHint("leave it out")
			}
			if len(ids) > MaxLinks {
				return record.Errorf(record.InvalidInput, "%s has %d ids, more than %d", name, len(ids), MaxLinks).
					WithHint("name the parent of many of them")
			}
			return record.ValidLines(name, record.Texts(ids)...)
		}})
	}
	return out
}

// Mode says who does a task: an agent alone, as a job, or an agent and a person together; "" for either.
type Mode string

// The modes.
const (
	AutoMode Mode = "auto"
	PairMode Mode = "pair"
)

// Modes is every mode.
var Modes = []Mode{AutoMode, PairMode}

// ParseMode accepts a mode, in any case of letters; "" is none. It returns INVALID_INPUT for anything else.
func ParseMode(s string) (Mode, error) {
	m := Mode(strings.ToLower(s))
	return m, m.valid()
}

func (m Mode) valid() error {
	if m == "" {
		return nil
	}
	return record.OneOf("mode", m, Modes)
}

// ModeInStatus is the mode that a caller wrote where a state is asked for, as systems do that keep both in one list; ""
// for anything else, and for a word that is a state of this workspace.
func (l Lifecycle) ModeInStatus(s string) Mode {
	if l.Known(record.Status(s)) == nil {
		return ""
	}
	if m, err := ParseMode(s); err == nil {
		return m
	}
	return ""
}

// maxRepo is the most bytes of the name of a repository in the config.
const maxRepo = 64

// ValidRepo returns INVALID_INPUT for what is no name of a repository: letters, digits and ._- , at most 64, and
// neither "." nor "..". "" is none.
func ValidRepo(name string) error {
	if name == "" || len(name) <= maxRepo && record.IsWord(name, "._-") && strings.Trim(name, ".") != "" {
		return nil
	}
	return record.Errorf(record.InvalidInput, "repo %q is not the name of a repository", record.Clip(name, 100)).WithHint("%s lists those of the workspace", record.CallTo("repo_list"))
}

// InRepo returns the task as one whose files are in a repository of the workspace: its commands run there, so each asks
// for something else than the same command did elsewhere.
func (t Task) InRepo(name string) Task {
	t.Repo, t.Checks = name, slices.Clone(t.Checks)
	for i := range t.Checks {
		if t.Checks[i].Repo = name; t.Checks[i].Manual() {
			t.Checks[i].Repo = ""
		}
	}
	return t
}
