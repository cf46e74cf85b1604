package mcpserver_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/verb"
	"github.com/cairn-tasks/cairn/verb/verbtest"
)

// A server tells the git remote by itself of a claim that was made without it.
func TestServerKeepsClaims(t *testing.T) {
	s := newFixture(t)
	id := s.create(nil)
	hub := verbtest.ShareClaims(t, &s.w)
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
	s := newFixture(t)
	id := s.create(nil)
	hub := verbtest.ShareClaims(t, &s.w)
	s.commit()
	if err := os.Rename(hub, hub+".away"); err != nil {
		t.Fatal(err)
	}
	person := s.w
	person.Actor = verb.As("human:eve")
	verbtest.Must(t, &person, "claim", verbtest.Args{"id": id})
	if err := os.Rename(hub+".away", hub); err != nil {
		t.Fatal(err)
	}
	reader := s.w
	reader.ReadOnly = true
	does[verb.Task](t, connect(t, reader), "get", object{"id": id})
	time.Sleep(300 * time.Millisecond)
	if refs := git(t, hub, "for-each-ref"); strings.Contains(refs, string(id)) {
		t.Errorf("the remote has %s", refs)
	}
}
