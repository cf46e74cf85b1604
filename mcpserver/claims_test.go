package mcpserver_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
)

// claimedOffline is a workspace in which a person has claimed a task while the remote was away, which is back.
func claimedOffline(t *testing.T) (s *fixture, id record.ID, hub string) {
	t.Helper()
	s = newFixture(t)
	id, hub = s.create(nil), verbtest.ShareClaims(t, &s.w)
	s.commit()
	if err := os.Rename(hub, hub+".away"); err != nil {
		t.Fatal(err)
	}
	person := s.w
	person.Actor = verb.As("human:eve")
	made, err := verbtest.Call[verb.Task](t, &person, "claim", verbtest.Args{"id": id})
	if err != nil || made.Claim == nil || !made.Claim.Unsynced {
		t.Fatalf("made without the remote, the claim is %+v, %v", made.Claim, err)
	}
	if err := os.Rename(hub+".away", hub); err != nil {
		t.Fatal(err)
	}
	return s, id, hub
}

// A server tells the git remote by itself of a claim that was made without it.
func TestServerKeepsClaims(t *testing.T) {
	s, id, hub := claimedOffline(t)
	s.agent()
	for end := time.Now().Add(20 * time.Second); !strings.Contains(git(t, hub, "for-each-ref"), string(id)); {
		if time.Now().After(end) {
			t.Fatal("the remote was not told")
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// A server whose client may only read tells the remote nothing.
func TestReadOnlyServerKeepsNoClaims(t *testing.T) {
	s, id, hub := claimedOffline(t)
	reader := s.w
	reader.ReadOnly = true
	does[verb.Task](t, connect(t, reader), "get", object{"id": id})
	time.Sleep(300 * time.Millisecond)
	if refs := git(t, hub, "for-each-ref"); strings.Contains(refs, string(id)) {
		t.Errorf("the remote has %s", refs)
	}
}
