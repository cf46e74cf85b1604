package task_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/task"
	"pgregory.net/rapid"
)

// flow is what the tests go by: the states that init writes.
var flow = task.Flow{
	States:    []task.Status{"backlog", "in_progress", "in_review", "done", "canceled"},
	Initial:   "backlog",
	Working:   "in_progress",
	Review:    "in_review",
	Closed:    []task.Status{"done", "canceled"},
	Abandoned: []task.Status{"canceled"},
}

const (
	claude = task.Actor("agent:claude-1")
	gemini = task.Actor("agent:gemini")
	shah   = task.Actor("human:shah")
)

var now = time.Date(2026, 6, 21, 10, 0, 0, 0, time.UTC)

// by is a write of an actor, now.
func by(who task.Actor) task.Stamp { return task.Stamp{Who: who, At: now} }

// saying is a write with a text.
func saying(who task.Actor, text string) task.Stamp { return task.Stamp{Who: who, At: now, Text: text} }

// graph is a set of tasks that can be found.
func graph(tasks ...task.Task) task.Find {
	return func(id task.ID) (task.Task, bool) {
		for _, t := range tasks {
			if t.ID == id {
				return t, true
			}
		}
		return task.Task{}, false
	}
}

var alone = graph()

// node is a task in a state, with dependencies.
func node(id task.ID, status task.Status, deps ...task.ID) task.Task {
	return task.Task{ID: id, Title: "Task " + string(id), Status: status, Priority: task.DefaultPriority, Deps: deps}
}

func wantCode(t *testing.T, err error, want task.Code) {
	t.Helper()
	if task.CodeOf(err) != want {
		t.Errorf("got %v, want %q", err, want)
	}
}

// ParseID accepts the form that docs/format.md gives, and nothing else.
func TestParseIDAcceptsTheFormOfThePage(t *testing.T) {
	form := regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*-[A-Za-z0-9._-]+$`)
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.StringMatching("[A-Za-z0-9_.@\\[`{^ é\n/:-]{0,8}")).Draw(t, "id")
		if _, err := task.ParseID(s); (err == nil) != form.MatchString(s) {
			t.Fatalf("%q: %v", s, err)
		}
	})
}

func TestParseID(t *testing.T) {
	for _, tt := range []struct {
		name, id string
		ok       bool
	}{
		{"a minted one", "PROJ-01j8x2k7q7f3az", true},
		{"one numbered by hand", "PROJ-001", true},
		{"a lower-case prefix with an underscore", "my_proj2-1", true},
		{"dots, dashes and underscores behind the dash", "PROJ-1.2_a-b", true},
		{"the longest", "P-" + strings.Repeat("x", 78), true},
		{"one byte longer", "P-" + strings.Repeat("x", 79), false},
		{"nothing", "", false},
		{"no dash", "PROJ001", false},
		{"nothing behind the dash", "PROJ-", false},
		{"nothing before it", "-001", false},
		{"a prefix that begins with a digit", "1PROJ-001", false},
		{"a path", "../PROJ-001", false},
		{"a path behind the dash", "PROJ-/../../etc", false},
		{"a backslash", `PROJ-1\2`, false},
		{"a colon, which projects will use", "web:PROJ-1", false},
		{"a space", "PROJ-1 ", false},
		{"a line break", "PROJ-1\n", false},
		{"letters of other scripts", "PROJ-größe", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := task.ParseID(tt.id)
			if ok := err == nil && string(got) == tt.id; ok != tt.ok {
				t.Errorf("ParseID(%q) = %q, %v", tt.id, got, err)
			}
			if !tt.ok {
				wantCode(t, err, task.InvalidInput)
			}
		})
	}
}

func TestParsePrefix(t *testing.T) {
	for _, tt := range []struct {
		name, prefix string
		ok           bool
	}{
		{"letters", "PROJ", true},
		{"one letter", "p", true},
		{"digits and underscores after the first", "p2_x", true},
		{"32 characters", strings.Repeat("p", 32), true},
		{"33 characters", strings.Repeat("p", 33), false},
		{"nothing", "", false},
		{"a digit first", "2p", false},
		{"a dash", "my-proj", false},
		{"a line break", "PROJ\n", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := task.ParsePrefix(tt.prefix); (err == nil) != tt.ok {
				t.Errorf("ParsePrefix(%q): %v", tt.prefix, err)
			}
		})
	}
}

func TestParseActor(t *testing.T) {
	for _, tt := range []struct {
		name, actor string
		ok          bool
	}{
		{"a person", "human:shah", true},
		{"an agent", "agent:claude-1", true},
		{"a service", "service:bot", true},
		{"a pipeline", "ci:main", true},
		{"an address", "human:ada.b+x@example.com", true},
		{"a name of 64 characters", "human:" + strings.Repeat("a", 64), true},
		{"a name of 65", "human:" + strings.Repeat("a", 65), false},
		{"no kind", "shah", false},
		{"an unknown kind", "robot:shah", false},
		{"an upper-case kind", "Human:shah", false},
		{"no name", "human:", false},
		{"a space", "human:ada b", false},
		{"a second colon", "human:ada:b", false},
		{"a line break", "human:ada\n", false},
		{"a quote, which would need escaping in YAML", "human:o'hara", false},
		{"nothing", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := task.ParseActor(tt.actor)
			if ok := err == nil && string(got) == tt.actor; ok != tt.ok {
				t.Errorf("ParseActor(%q) = %q, %v", tt.actor, got, err)
			}
		})
	}
}

func TestKindOfActor(t *testing.T) {
	if !shah.Human() || shah.Agent() || !claude.Agent() || claude.Human() {
		t.Error("human:shah is a person and agent:claude-1 an agent, and nothing else")
	}
	if task.Actor("").Human() || task.Actor("ci:main").Human() {
		t.Error("neither nobody nor a pipeline is a person")
	}
}

func TestParsePriority(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       task.Priority
		ok         bool
	}{
		{"nothing is the default", "", 2, true},
		{"the most urgent", "0", 0, true},
		{"the least", "4", 4, true},
		{"critical", "critical", 0, true},
		{"urgent", "urgent", 0, true},
		{"high", "high", 1, true},
		{"medium", "medium", 2, true},
		{"normal", "normal", 2, true},
		{"low", "low", 3, true},
		{"backlog", "backlog", 4, true},
		{"beyond the least", "5", 0, false},
		{"below zero", "-1", 0, false},
		{"a fraction", "1.5", 0, false},
		{"an unknown word", "whenever", 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := task.ParsePriority(tt.text)
			if got != tt.want || (err == nil) != tt.ok {
				t.Errorf("ParsePriority(%q) = %d, %v", tt.text, got, err)
			}
		})
	}
}

// zeros is randomness that is not random.
func zeros() *bytes.Reader { return bytes.NewReader(make([]byte, 3)) }

func TestNewID(t *testing.T) {
	id, err := task.NewID("PROJ", time.UnixMilli(33), bytes.NewReader([]byte{0xff, 0xff, 0xff}))
	if err != nil {
		t.Fatal(err)
	}
	if want := task.ID("PROJ-0000000011zzzz"); id != want {
		t.Errorf("minted %s, want 10 characters of time and 4 random ones: %s", id, want)
	}
	if parsed, err := task.ParseID(string(id)); err != nil || parsed != id {
		t.Errorf("%s does not parse: %v", id, err)
	}
}

// Ids sort by age, and hold no letter that can be mistaken for another.
func TestIDsSortByAge(t *testing.T) {
	var last task.ID
	for i := range 2000 {
		id, err := task.NewID("PROJ", now.Add(time.Duration(i*i)*time.Millisecond), zeros())
		if err != nil {
			t.Fatal(err)
		}
		if id <= last && i > 0 {
			t.Fatalf("%s, minted later, does not sort behind %s", id, last)
		}
		if token := string(id)[len("PROJ-"):]; strings.ContainsAny(token, "iloU") || strings.ToLower(token) != token {
			t.Fatalf("%s is not lower-case Crockford base32", id)
		}
		last = id
	}
}

func TestNewIDWithoutRandomness(t *testing.T) {
	_, err := task.NewID("PROJ", now, bytes.NewReader(nil))
	wantCode(t, err, task.IO)
}
