package directory_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/directory"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
)

// Calls that register one actor at once come to one record, and what each of them says is in it.
func TestRegisterAtOnce(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	ids := []string{"agent:a", "agent:b", "agent:c", "agent:d", "agent:a", "agent:b"}
	got := make([]string, len(ids))
	var calls sync.WaitGroup
	for i, id := range ids {
		calls.Go(func() {
			own := *w
			own.Actor = verb.As(record.Actor(id))
			r, err := verbtest.CallAny(t, &own, "register", verbtest.Args{"actor": "me", "external_ref": "x@example.org", "capabilities": []string{"go"}})
			if err != nil {
				t.Error(err)
			}
			got[i] = r.ID
		})
	}
	calls.Wait()
	for _, id := range got {
		if id != got[0] {
			t.Errorf("the calls made %v", got)
		}
	}
	if files, err := os.ReadDir(filepath.Join(w.Dir, ".cairn", "actors")); err != nil || len(files) != 1 {
		t.Errorf("there are %v (%v)", files, err)
	}
}

// Anybody registers themselves; others an operator does.
func TestWhoMayRegister(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	for _, tt := range []struct {
		name    string
		profile verb.Profile
		scope   record.ID
		actor   string
		code    record.Code
	}{
		{"a viewer", verb.Viewer, "", "me", record.Forbidden},
		{"oneself", verb.PairWorker, "", "me", ""},
		{"oneself by name", verb.PairWorker, "", "agent:claude-1", ""},
		{"another", verb.PairWorker, "", "agent:claude-2", record.Forbidden},
		{"another, as an operator", verb.Operator, "", "agent:claude-2", ""},
		{"in the scope of a task", verb.Operator, "PROJ-1", "me", record.OutOfScope},
		{"nobody", verb.Operator, "", "unassigned", record.InvalidInput},
	} {
		own := *w
		own.Rights, own.Actor = verb.Rights{Profile: tt.profile, Scope: tt.scope}, verb.As("agent:claude-1")
		if _, err := verbtest.CallAny(t, &own, "register", verbtest.Args{"actor": tt.actor}); record.CodeOf(err) != tt.code {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.code)
		}
	}
}

// A call that is repeated under its key answers with the record, and the key serves no other call.
func TestRegisterOnce(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	in := verbtest.Args{"actor": "agent:a", "role": "reads", "idempotency_key": "k"}
	verbtest.Must(t, w, "register", in)
	if again := verbtest.Must(t, w, "register", in); !again.Replayed || again.ID != "agent:a" {
		t.Errorf("again: %+v", again)
	}
	in["role"] = "writes"
	if _, err := verbtest.CallAny(t, w, "register", in); record.CodeOf(err) != record.Conflict {
		t.Errorf("other arguments: %v", err)
	}
}

// A page of the directory goes on where the one before ended, and a file that cannot be read is a problem and hides
// nobody else.
func TestPages(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	for _, id := range []string{"agent:a", "agent:b", "human:c"} {
		verbtest.Must(t, w, "register", verbtest.Args{"actor": id})
	}
	if err := os.WriteFile(filepath.Join(w.Dir, ".cairn", "actors", "agent.broken.md"), []byte("---\nid: [\n---\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var seen []record.Actor
	for cursor := ""; ; {
		out, err := verbtest.Call[any](t, w, "directory", verbtest.Args{"limit": 2, "cursor": cursor})
		page, _ := out.(verb.Items[directory.Actor])
		if err != nil || page.Total != 4 { // and human:lee, who wrote
			t.Fatalf("got %+v, %v", page, err)
		}
		if cursor == "" && len(page.Problems.Problems) != 1 {
			t.Errorf("the problems are %+v", page.Problems)
		}
		for _, a := range page.Items {
			if seen = append(seen, a.ID); a.Registered != (a.ID != "human:lee") || a.LastWrote != nil != (a.ID == "human:lee") {
				t.Errorf("got %+v", a)
			}
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	if len(seen) != 4 {
		t.Errorf("seen %v", seen)
	}
}
