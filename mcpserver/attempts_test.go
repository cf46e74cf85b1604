package mcpserver_test

import (
	"testing"

	"github.com/cairn-tasks/cairn/internal/verb"
)

// What a client writes while it is at work in one session names that session; with none, or with two, it names none.
func TestWritesNameTheSessionOfTheClient(t *testing.T) {
	cs := connect(t, newWorkspace(t))
	begin := func(title string) (about, ses string) {
		made := does[verb.Task](t, cs, "create", object{"title": title})
		began := does[verb.Session](t, cs, "begin", object{"id": made.ID, "expected_actor": "agent:claude-1", "idempotency_key": title})
		return string(made.ID), began.ID
	}
	errand := does[verb.Task](t, cs, "create", object{"title": "an errand"})
	names := func(want string) {
		t.Helper()
		noted := does[verb.Task](t, cs, "note", object{"id": errand.ID, "text": "seen under " + want})
		if got := noted.Provenance[len(noted.Provenance)-1].Session; got != want {
			t.Errorf("the note names the session %q, want %q", got, want)
		}
	}
	names("")
	_, first := begin("first")
	names(first)
	_, second := begin("second")
	if ses := does[verb.Session](t, cs, "get_session", object{"session": second}); ses.Parent != "" {
		t.Errorf("the second session has the parent %s", ses.Parent)
	}
	names("")
	does[verb.Session](t, cs, "cancel", object{"session": second, "reason": "not now"})
	names(first)
	does[verb.Session](t, cs, "finish", object{"session": first, "summary": "done"})
	names("")
}
