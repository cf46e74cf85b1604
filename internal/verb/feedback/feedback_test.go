package feedback_test

import (
	"testing"

	"github.com/cairn-tasks/cairn/internal/verb/feedback"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
)

// Feedback with the fingerprint of a live one is that one, also for the same call made again when that one is shipped.
// Then another is made.
func TestFingerprint(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	report := func(key string) feedback.Created {
		t.Helper()
		out, err := verbtest.Call[feedback.Created](t, w, "feedback_create", verbtest.Args{"title": "Slow", "body": "It takes long.", "fingerprint": "slow", "idempotency_key": key})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	first := report("a")
	if again := report("b"); !again.Reused || again.ID != first.ID {
		t.Errorf("while it is open: %+v", again)
	}
	verbtest.Must(t, w, "update", verbtest.Args{"id": first.ID, "to": "shipped"})
	if again := report("b"); !again.Replayed || again.ID != first.ID {
		t.Errorf("the same call again: %+v", again)
	}
	if next := report("c"); next.Reused || next.ID == first.ID {
		t.Errorf("once it is shipped: %+v", next)
	}
}
