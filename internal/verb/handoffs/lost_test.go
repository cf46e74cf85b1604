package handoffs_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/handoffs"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
)

// Whoever held a task until its file said otherwise finds that in the inbox, until it is acknowledged. An item about
// what made the claim is another one.
func TestALostClaimIsInTheInbox(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	id := verbtest.Must(t, w, "create", verbtest.Args{"title": "Round discounts"}).ID
	path := filepath.Join(w.Dir, ".cairn", "tasks", id+".md")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	inbox := func(ack ...string) []handoffs.Item {
		t.Helper()
		in := verbtest.Args{"types": []string{"lost"}}
		if len(ack) > 0 {
			in["ack"] = ack
		}
		found, err := verbtest.Call[verb.Items[handoffs.Item]](t, w, "inbox", in)
		if err != nil {
			t.Fatal(err)
		}
		return found.Items
	}
	verbtest.Must(t, w, "claim", verbtest.Args{"id": id})
	if found := inbox(); len(found) != 0 {
		t.Fatalf("got %+v of a claim that holds", found)
	}
	if err := os.WriteFile(path, before, 0o644); err != nil {
		t.Fatal(err)
	}
	found := inbox()
	if len(found) != 1 || found[0].Record != id || found[0].Why == "" {
		t.Fatalf("got %+v", found)
	}
	if found := inbox(found[0].ID); len(found) != 0 {
		t.Errorf("got %+v after it was acknowledged", found)
	}
	s, err := w.Open()
	if err != nil {
		t.Fatal(err)
	}
	if state := s.State(record.ID(id).Ref()); state != nil && state.Lease != nil {
		t.Errorf("the lease stayed: %+v", state.Lease)
	}
}
