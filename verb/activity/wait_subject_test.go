package activity

import (
	"testing"

	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
)

// What is watched under one name is seen alike by all: another state, actor or workspace is another name.
func TestSubject(t *testing.T) {
	me, other := "me", "agent:b"
	a := &verb.Workspace{Actor: "agent:a"}
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
		{"another state to wait for", WaitIn{ID: "T-1", WaitForStatus: []task.Status{"done"}}, WaitIn{ID: "T-1"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &store.Store{}
			if same := tt.one.subject(a, s) == tt.two.subject(a, s); same != tt.same {
				t.Errorf("%q and %q", tt.one.subject(a, s), tt.two.subject(a, s))
			}
		})
	}
}
