package feedback_test

import (
	"slices"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/feedback"
	"github.com/cairn-tasks/cairn/internal/verb/search"
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

// What is looked for is found in all that feedback says: its text, its context and what was noted about it, too. The
// search of all records finds the same.
func TestFeedbackIsFoundByItsText(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	made, err := verbtest.Call[feedback.Created](t, w, "feedback_create", verbtest.Args{
		"title": "Slow", "body": "The zebra is striped.", "context": "in the savanna", "tool": "board"})
	if err != nil {
		t.Fatal(err)
	}
	verbtest.Must(t, w, "feedback_create", verbtest.Args{"title": "Other", "body": "Nothing of it."})
	verbtest.Must(t, w, "note", verbtest.Args{"id": made.ID, "text": "seen by a giraffe"})
	for _, words := range []string{"ZEBRA", "savanna", "giraffe", "board", "slow"} {
		out, err := verbtest.Call[verb.Items[feedback.Item]](t, w, "feedback_query", verbtest.Args{"q": words})
		if err != nil || len(out.Items) != 1 || out.Items[0].ID != string(made.ID) {
			t.Errorf("%s: %+v, %v", words, out.Items, err)
		}
		found, err := verbtest.Call[search.Out](t, w, "search", verbtest.Args{"q": words})
		if err != nil || !slices.ContainsFunc(found.Items.Items, func(h search.Item) bool { return h.ID == string(made.ID) }) {
			t.Errorf("search %s: %+v, %v", words, found.Items.Items, err)
		}
	}
	if _, err := verbtest.Call[verb.Items[feedback.Item]](t, w, "feedback_query", verbtest.Args{"q": "elephant"}); record.CodeOf(err) != "" {
		t.Error(err)
	}
}
