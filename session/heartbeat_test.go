package session_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
)

// What a heartbeat leaves out stays as it was said before; false is said, and not left out.
func TestHeartbeatAfter(t *testing.T) {
	yes, no := true, false
	before := session.Heartbeat{Progress: "half", Counts: map[string]int{"flaky": 2}, Head: "c0ffee", Branch: "fix", Dirty: &yes}
	if got := (session.Heartbeat{}).After(&before); got.Progress != "half" || got.Counts["flaky"] != 2 || got.Head != "c0ffee" || got.Branch != "fix" || !*got.Dirty {
		t.Errorf("an empty one says %+v", got)
	}
	next := session.Heartbeat{Progress: "all", Counts: map[string]int{"flaky": 0}, Dirty: &no}
	if got := next.After(&before); got.Progress != "all" || got.Counts["flaky"] != 0 || *got.Dirty || got.Branch != "fix" {
		t.Errorf("the next one says %+v", got)
	}
}

// Live state may have come with a copied folder: what no heartbeat of ours says counts as none.
func TestHostileHeartbeat(t *testing.T) {
	many := map[string]int{}
	for i := range 51 {
		many[fmt.Sprint("n", i)] = i
	}
	for name, beat := range map[string]session.Heartbeat{
		"a name that is no word": {Counts: map[string]int{"\x1b[2J": 1}},
		"too many":               {Counts: many},
		"a head that is none":    {Head: "--upload-pack=x"},
		"a branch over lines":    {Branch: "a\nb"},
	} {
		beat.Session = "ses-1"
		src, err := json.Marshal(beat)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := session.ParseHeartbeat(src, "ses-1"); record.CodeOf(err) != record.InvalidInput {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The sessions above one are found up to one that nobody knows, and a circle is one however long it is.
func TestAncestors(t *testing.T) {
	known := map[string]string{"ses-1": "ses-2", "ses-2": "ses-gone", "ses-a": "ses-b", "ses-b": "ses-c", "ses-c": "ses-b"}
	find := func(id string) (session.Session, bool) {
		parent, ok := known[id]
		return session.Session{ID: id, Parent: parent}, ok
	}
	one, _ := find("ses-1")
	if above, ok := session.Ancestors(one, find); !ok || !slices.Equal(above, []string{"ses-2", "ses-gone"}) {
		t.Errorf("above it are %v, %v", above, ok)
	}
	for _, id := range []string{"ses-a", "ses-b"} {
		if s, _ := find(id); true {
			if _, ok := session.Ancestors(s, find); ok {
				t.Errorf("%s is in no circle", id)
			}
		}
	}
}
