package store

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/session"
)

// A process that died before it could say that a call was made has announced what the call makes: the next write sees
// whether it came, and remembers the call if it did.
func TestKeyOfAKilledCall(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		entry string // of the announced write; "" for the one that came
		known bool
	}{
		{"the file has its entry", "", true},
		{"the file has not", "0123456789abcdef", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStore(t)
			wantCode(t, newActor(s, "human:lee").createAs("PROJ-1", "A task"), "")
			one, err := s.Get("PROJ-1")
			wantCode(t, err, "")
			if tt.entry == "" {
				tt.entry = one.Provenance.Last().Hash()
			}
			key := &session.Key{Call: "c0ffee", Args: "1234", Task: "PROJ-1"}
			reach := session.Reach{Status: one.Status, Worktree: s.Worktree, Entry: tt.entry}
			wantCode(t, s.putRecord(session.Record{Task: "PROJ-1", Intent: &session.Intent{Reach: reach, Key: key}}), "")
			wantCode(t, s.setDirty(true), "")

			wantCode(t, newActor(s, "human:lee").note("PROJ-1", "the next write"), "")
			if known := s.Key("c0ffee"); (known != nil) != tt.known {
				t.Errorf("remembers %+v", known)
			}
		})
	}
}

// Live state does not grow with every call that ever came with a key.
func TestOldKeysAreForgotten(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	remember := func(call string) {
		wantCode(t, s.Update(t.Context(), func(tx *Tx) error { tx.Remember(session.Key{Call: call}); return nil }), "")
	}
	age := func(name string, by time.Duration) {
		then := time.Now().Add(-by)
		if err := os.Chtimes(filepath.Join(s.Layout.Live, "keys", name), then, then); err != nil {
			t.Fatal(err)
		}
	}
	remember("old")
	remember("recent")
	age("old.json", keysKept+time.Hour)
	age("recent.json", keysKept-time.Hour)
	age("forgotten", 25*time.Hour)
	remember("new")
	for call, want := range map[string]bool{"old": false, "recent": true, "new": true} {
		if got := s.Key(call) != nil; got != want {
			t.Errorf("%s: remembered %t, want %t", call, got, want)
		}
	}
}
