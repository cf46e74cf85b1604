package task

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Task is one node of the graph, as its file says.
type Task struct {
	ID       ID
	Title    string
	Status   Status
	Priority Priority
	Due      Due // "" for none
	Labels   []string
	Mode     Mode     // who does it
	Assignee Actor    // "" when nobody
	Parent   ID       // grouping only; gates nothing
	Deps     []ID     // must be closed before this may leave the initial state
	Scope    []string // globs of the paths that it is about
	Repo     string   // the repository of the workspace in which its files are and its commands run; "" for the workspace's own
	Checks   []Check  // each names the task's Repo, see InRepo
	Refs     []Reference
	Links    // to records that it does not wait for

	RequiresEvidence bool // it is closed as done only with a commit, a pull request, or a command check that passed

	Provenance Log
	Body       string
	Rev        Rev               // revision of the file this was read from
	Extra      map[string]any    // keys of the file that cairn does not know
	Own        map[string]string // values of Optional, of the config's fields, and of other keys in Extra that hold one value, as the text in the file

	// Other is set if this is no task, but a record of another kind as a dependency. Only ID, Title, Status, Labels, Provenance and Rev are
	// set then.
	Other *Other
}

// Other is the kind of a record that is a dependency.
type Other struct {
	Kind   string            // in a Ref
	Closed func(Status) bool // which of its states are closed
}

// Dep returns a record of another kind as a dependency.
func (h Header) Dep(closed func(Status) bool) Task {
	return Task{
		ID: ID(h.Ref.ID), Title: h.Title, Status: h.Status, Labels: h.Labels, Provenance: h.Log, Rev: h.Rev,
		Other: &Other{h.Ref.Kind, closed},
	}
}

// With returns the task with e behind the other entries of its log.
func (t Task) With(e Entry) Task {
	t.Provenance = t.Provenance.Add(e)
	return t
}

// Header returns what the task has in common with records of other kinds.
func (t Task) Header() Header {
	return Header{
		Ref: t.ID.Ref(), Title: t.Title, Status: t.Status, Assignee: t.Assignee, Labels: t.Labels,
		Refs: t.Refs, Log: t.Provenance, Rev: t.Rev,
	}
}

// Find returns another task, or what stands for another record that tasks can depend on. It reports false for one that does not
// exist or cannot be read.
type Find func(ID) (Task, bool)

// Rev is a content revision: equal revisions mean equal bytes.
type Rev string

// ID names a task, and with ".md" behind it its file.
type ID string

const maxID = 80

// ParseID accepts what may be the name of a task file: a prefix of letters, digits and underscores, a dash, then letters,
// digits, dots, underscores and dashes; at most 80 bytes. Such a name can never lead out of its folder.
func ParseID(s string) (ID, error) {
	prefix, rest, _ := strings.Cut(s, "-")
	if len(s) > maxID || !isPrefix(prefix) || !IsWord(rest, "._-") {
		return "", Errorf(InvalidInput, "%q is not a task id", Clip(s, 100)).WithHint("an id looks like PROJ-01j8x2k7q7f3az")
	}
	return ID(s), nil
}

// ParsePrefix accepts what may stand before the dash of an id: a letter, then letters, digits and underscores; at most 32.
func ParsePrefix(s string) (string, error) {
	if len(s) > 32 || !isPrefix(s) {
		return "", Errorf(InvalidInput, "prefix %q is not a letter followed by letters, digits and underscores, 32 at most", Clip(s, 40)).
			WithHint("a prefix looks like PROJ")
	}
	return s, nil
}

// isPrefix reports whether s is a letter followed by letters, digits and underscores.
func isPrefix(s string) bool { return IsWord(s, "_") && (s[0] < '0' || s[0] > '9') && s[0] != '_' }

// IsWord reports whether s is made of letters and digits of ASCII and of some other characters of ASCII, and is not empty.
func IsWord(s, others string) bool {
	for _, c := range []byte(s) {
		if letter := 'a' <= c|0x20 && c|0x20 <= 'z'; !letter && (c < '0' || c > '9') && strings.IndexByte(others, c) < 0 {
			return false
		}
	}
	return s != ""
}

const crockford = "0123456789abcdefghjkmnpqrstvwxyz"

// NewID makes an id: the prefix, a dash, 10 characters of the time in milliseconds and 4 random ones, in Crockford base32.
// Ids sort by age. Two ids of the same millisecond are equal once in a million times, so the file must be created exclusively.
func NewID(prefix string, now time.Time, random io.Reader) (ID, error) {
	token, err := Token(now, random)
	return ID(prefix + "-" + token), err
}

// Token returns the part of a new id behind the dash.
func Token(now time.Time, random io.Reader) (string, error) {
	var noise [3]byte
	if _, err := io.ReadFull(random, noise[:]); err != nil {
		return "", Errorf(IO, "no randomness to make an id: %w", err)
	}
	r := uint64(noise[0])<<16 | uint64(noise[1])<<8 | uint64(noise[2])
	return base32(uint64(now.UnixMilli()), 10) + base32(r, 4), nil
}

// base32 writes the lowest 5*width bits of n.
func base32(n uint64, width int) string {
	out := make([]byte, width)
	for i := width - 1; i >= 0; i-- {
		out[i] = crockford[n&31]
		n >>= 5
	}
	return string(out)
}

// Actor is who does something: a kind (human, agent, service or ci), a colon, and a name. It is what a caller says of itself; nothing
// proves it.
type Actor string

// ActorKinds lists what may stand before the colon of an actor.
var ActorKinds = []string{"human", "agent", "service", "ci"}

// ParseActor accepts kind:name, with 1 to 64 letters, digits and ._@+- in the name.
func ParseActor(s string) (Actor, error) {
	kind, name, _ := strings.Cut(s, ":")
	if !slices.Contains(ActorKinds, kind) || len(name) > 64 || !IsWord(name, "._@+-") {
		return "", Errorf(InvalidInput, "%q is not an actor", Clip(s, 100)).
			WithHint("an actor is human:, agent:, service: or ci: and a name of letters, digits and ._@+-, such as agent:claude-1")
	}
	return Actor(s), nil
}

// Human reports whether the actor says it is a person.
func (a Actor) Human() bool { return strings.HasPrefix(string(a), "human:") }

// OrNobody returns the actor in words: "nobody" for none.
func (a Actor) OrNobody() string {
	if a == "" {
		return "nobody"
	}
	return string(a)
}

// Agent reports whether the actor says it is a coding agent.
func (a Actor) Agent() bool { return strings.HasPrefix(string(a), "agent:") }

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
		return 0, Errorf(InvalidInput, "priority %q is not 0 to 4", Clip(s, 40)).
			WithHint("0 is urgent, 4 is someday; critical, urgent, high, medium, normal, low and backlog are accepted too")
	}
	return Priority(n), nil
}

// Clip is the beginning of a text that a message quotes: at most n bytes of it, and an ellipsis if there are more.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
