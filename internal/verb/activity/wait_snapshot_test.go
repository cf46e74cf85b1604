package activity

import (
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
)

// What a wait says of a row is what differs between the JSON of the row before and after, whatever kind of record it
// is.
func TestChangesOfARow(t *testing.T) {
	type rec struct {
		Status string   `json:"status"`
		Size   int      `json:"size"`
		Tags   []string `json:"tags"`
		Text   string   `json:"text,omitempty"`
		Author *struct {
			Name string `json:"name"`
		} `json:"author"`
	}
	for _, tt := range []struct {
		name        string
		before, now any
		want        []Change
	}{
		{"nothing", rec{Status: "draft"}, rec{Status: "draft"}, nil},
		{"a text and a number", rec{Status: "draft"}, rec{Status: "approved", Size: 3},
			[]Change{{Field: "status", From: "draft", To: "approved"}, {Field: "size", From: "0", To: "3"}}},
		{"a list", rec{Tags: []string{"red"}}, rec{Tags: []string{"red", "blue"}}, []Change{{Field: "tags", From: "red", To: "red, blue"}}},
		{"an empty list for none", rec{}, rec{Tags: []string{}}, nil},
		{"a key that comes", rec{}, rec{Text: "<b>"}, []Change{{Field: "text", To: "<b>"}}},
		{"a key that goes", rec{Text: "b"}, rec{}, []Change{{Field: "text", From: "b"}}},
		{"a long value", rec{Text: "b"}, rec{Text: strings.Repeat("b", 300)}, []Change{{Field: "text"}}},
		{"an object", map[string]any{"author": map[string]any{"name": "ada"}}, map[string]any{"author": map[string]any{"name": "bob"}},
			[]Change{{Field: "author", From: `{"name":"ada"}`, To: `{"name":"bob"}`}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before, now := watchOne("decision", "D-1", "", tt.before, nil), watchOne("decision", "D-1", "", tt.now, nil)
			if got := now.changes(before).changes; !slices.Equal(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

// Of rows that fit a filter those that come and go are changes too. Rows with equal stamps are not marshalled.
func TestChangesOfManyRows(t *testing.T) {
	type rec struct {
		Status string `json:"status"`
	}
	of := func(id, stamp, status string) *row {
		return &row{id: id, stamp: stamp, value: func() any {
			if stamp == "same" {
				t.Errorf("%s is marshalled", id)
			}
			return rec{status}
		}}
	}
	before := snapshot{many: true, rows: []*row{of("A", "same", "x"), of("B", "1", "x"), of("C", "1", "x")}}
	now := snapshot{many: true, rows: []*row{of("A", "same", "x"), of("C", "2", "y"), of("D", "1", "x")}}
	want := []Change{
		{Task: "B", Field: "fits", From: "yes", To: "no"}, {Task: "C", Field: "status", From: "x", To: "y"}, {Task: "D", Field: "fits", From: "no", To: "yes"},
	}
	if got := now.changes(before).changes; !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// Waits share their reads only if they watch the same: another state, actor or task is another subject. Each call opens
// the store anew.
func TestSubject(t *testing.T) {
	me, other := "me", "agent:b"
	a := &verb.Workspace{Dir: t.TempDir(), Actor: verb.As("agent:a")}
	if _, _, err := store.Init(a.Dir, "PROJ"); err != nil {
		t.Fatal(err)
	}
	open := func(t *testing.T) *store.Store {
		s, err := a.Open()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, tt := range []struct {
		name string
		one  WaitIn
		two  WaitIn
		same bool
	}{
		{"another time and cursor", WaitIn{Ready: true}, WaitIn{Ready: true, Timeout: new(float64), Cursor: "0123456789abcdef-0"}, true},
		{"another task", WaitIn{ID: "T-1"}, WaitIn{ID: "T-2"}, false},
		{"another state", WaitIn{Status: "done"}, WaitIn{Status: "backlog"}, false},
		{"another assignee", WaitIn{Assignee: &me}, WaitIn{Assignee: &other}, false},
		{"an assignee, and none", WaitIn{Ready: true, Assignee: new(string)}, WaitIn{Ready: true}, false},
		{"another state to wait for", WaitIn{ID: "T-1", WaitForStatus: []record.Status{"done"}}, WaitIn{ID: "T-1"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if one, two := tt.one.subject(a, open(t)), tt.two.subject(a, open(t)); (one == two) != tt.same {
				t.Errorf("got %q and %q", one, two)
			}
		})
	}
	b := *a
	b.Actor = verb.As("agent:b")
	mine := WaitIn{Assignee: &me}
	if one, two := mine.subject(a, open(t)), mine.subject(&b, open(t)); one == two {
		t.Errorf("got %q for what is mine, of two actors", one)
	}
	one := WaitIn{Ready: true}.subject(a, open(t))
	if two := (WaitIn{Ready: true}).subject(&b, open(t)); one != two {
		t.Errorf("got %q and %q for what is nobody's", one, two)
	}
	s := open(t)
	s.Config.Flow.States = append(slices.Clone(s.Config.Flow.States), "parked")
	if two := (WaitIn{Ready: true}).subject(a, s); one == two {
		t.Errorf("got %q for two configs", one)
	}
}
