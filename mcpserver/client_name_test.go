package mcpserver_test

import (
	"testing"

	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/identity"
)

// A client is known by the name that it introduces itself with, in both eras of the protocol; what the server was
// started with counts for more.
func TestTheClientIsKnownByItsName(t *testing.T) {
	for _, version := range []string{"2025-06-18", ""} {
		w := newWorkspace(t)
		w.Client = ""
		cs := connectAs(t, w, version)
		if got := does[identity.Out](t, cs, "identity", object{}); got.Client != "test" {
			t.Errorf("%q: identity says %q", version, got.Client)
		}
		made := does[verb.Task](t, cs, "create", object{"title": "one"})
		ses := does[verb.Session](t, cs, "begin", object{"id": made.ID, "expected_actor": string(w.Actor()), "idempotency_key": "k"})
		if ses.Client != "test" {
			t.Errorf("%q: the session is of %q", version, ses.Client)
		}
		other := does[verb.Task](t, cs, "create", object{"title": "two"})
		named := does[verb.Session](t, cs, "begin", object{"id": other.ID, "expected_actor": string(w.Actor()), "idempotency_key": "l", "client": "told"})
		if named.Client != "told" {
			t.Errorf("%q: given its client, the session is of %q", version, named.Client)
		}
		w.Client = "flag"
		if got := does[identity.Out](t, connectAs(t, w, version), "identity", object{}); got.Client != "flag" {
			t.Errorf("%q: started with a name, identity says %q", version, got.Client)
		}
	}
}
