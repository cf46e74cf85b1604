package remote_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// Others are told the name of the work tree's folder, and neither a path nor the name of the machine.
func TestWhatAClaimSays(t *testing.T) {
	p := newPair(t)
	of := record.ID("PROJ-1").Ref()
	want := []session.Want{{Ref: of, Lease: session.Lease{Actor: "agent:a", Worktree: p.two.Worktree}, Judged: p.two.Known(of).Remote.Mark()}}
	_ = claims(p.two).Take(t.Context(), want, func() error { return nil })
	p.sync(p.two, 0)
	hub := strings.TrimSpace(storetest.GitOutput(t, p.two.Root, "config", "remote.origin.url"))
	said := storetest.GitOutput(t, hub, "log", "--all", "--format=%B%an%ae%cn%ce")
	name, _ := os.Hostname()
	if !strings.Contains(said, `"version":1`) {
		t.Fatalf("there is no claim in %s", said)
	}
	for _, secret := range []string{filepath.Dir(p.one.Root), filepath.Dir(p.two.Root)} {
		if strings.Contains(said, secret) {
			t.Errorf("it says %s: %s", secret, said)
		}
	}
	for line := range strings.Lines(said) {
		if len(name) > 3 && strings.HasPrefix(line, `{"version"`) && strings.Contains(line, name) {
			t.Errorf("it says %s: %s", name, line)
		}
	}
}
