package live_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/live"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// Live state does not grow with every call that ever came with a key.
func TestOldKeysAreForgotten(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	remember := func(call string) {
		storetest.WantCode(t, s.Update(t.Context(), func(tx *store.Tx) error { tx.Remember(session.Key{Call: call}); return nil }), "")
	}
	age := func(name string, by time.Duration) {
		then := time.Now().Add(-by)
		if err := os.Chtimes(filepath.Join(s.Live.Keys(), name), then, then); err != nil {
			t.Fatal(err)
		}
	}
	remember("old")
	remember("recent")
	age("old.json", live.KeysKept+time.Hour)
	age("recent.json", live.KeysKept-time.Hour)
	age("forgotten", 25*time.Hour)
	remember("new")
	for call, want := range map[string]bool{"old": false, "recent": true, "new": true} {
		if got := s.Key(call) != nil; got != want {
			t.Errorf("%s: remembered %t, want %t", call, got, want)
		}
	}
}
