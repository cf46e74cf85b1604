package verb

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// watched is something that many look at, and that notes how often it was looked at.
type watched struct {
	state string
	looks int
	hold  chan struct{} // each look takes one before it ends
}

func (w *watched) look(ctx context.Context) (snapshot, error) {
	w.looks++
	seen := snapshot{cursor: w.state}
	select {
	case <-w.hold:
		return seen, nil
	case <-ctx.Done():
		return snapshot{}, ctx.Err()
	}
}

// Two hundred who look during one look make one more for all of them, since that one may have missed what they ask about.
func TestLooksAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at, looks := &watched{state: "old", hold: make(chan struct{})}, &Looks{}
		var all sync.WaitGroup
		see := func(want string) {
			look, leave := looks.join("tasks", at.look)
			all.Go(func() {
				defer leave()
				if seen, err := look(t.Context()); err != nil || seen.cursor != want {
					t.Errorf("saw %q, want %q (%v)", seen.cursor, want, err)
				}
			})
		}
		see("old")
		synctest.Wait()
		at.state = "new"
		for range 200 {
			see("new")
		}
		synctest.Wait()
		at.hold <- struct{}{}
		at.hold <- struct{}{}
		all.Wait()
		if at.looks != 2 || len(looks.shared) > 0 {
			t.Errorf("%d looks were made, and %d are kept", at.looks, len(looks.shared))
		}
	})
}

// Who gives up while looking for others leaves the look to the next of them.
func TestALookThatIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at, looks := &watched{state: "new", hold: make(chan struct{})}, &Looks{}
		first, leave := looks.join("tasks", at.look)
		defer leave()
		second, leave := looks.join("tasks", at.look)
		defer leave()
		ctx, giveUp := context.WithCancel(t.Context())
		go func() { _, _ = first(ctx) }()
		synctest.Wait()
		done := make(chan struct{})
		go func() {
			defer close(done)
			if seen, err := second(t.Context()); err != nil || seen.cursor != "new" {
				t.Errorf("saw %q (%v)", seen.cursor, err)
			}
		}()
		synctest.Wait()
		giveUp()
		at.hold <- struct{}{}
		<-done
		if at.looks != 2 {
			t.Errorf("%d looks were made", at.looks)
		}
	})
}

// What is watched under one name is seen alike by all: another state, actor or workspace is another name.
func TestSubject(t *testing.T) {
	me, other := "me", "agent:b"
	a := &Workspace{Actor: "agent:a"}
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
