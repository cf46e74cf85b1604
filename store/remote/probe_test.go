package remote_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/store/remote"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// A probe leaves room for claims, and nothing at the remote.
func TestSlowAProbeIsCheap(t *testing.T) {
	slowtest.Skip(t)
	p := newPair(t)
	key := p.two.Config.Claims.Key()
	before, _ := p.two.Shared(key)
	found, err := claims(p.two).Probe(t.Context())
	if err != nil || !found.Allows() || !found.Atomic {
		t.Fatalf("found %+v, %v", found, err)
	}
	after, _ := p.two.Shared(key)
	if n := len(after.Spent) - len(before.Spent); n > 3 {
		t.Errorf("it asked the remote %d times", n)
	}
	hub := strings.TrimSpace(storetest.GitOutput(t, p.two.Root, "config", "remote.origin.url"))
	if refs := storetest.GitOutput(t, hub, "for-each-ref"); strings.Contains(refs, "probe") {
		t.Errorf("it left %s", refs)
	}
}

// What a probe of other refs finds is not kept, but it counts.
func TestSlowAProbeOfOtherRefs(t *testing.T) {
	slowtest.Skip(t)
	p := newPair(t)
	p.sync(p.two, 0)
	key := p.two.Config.Claims.Key()
	before, _ := p.two.Shared(key)
	if _, err := remote.Probing(p.two, "refs/heads/cairn/claims", time.Now).Probe(t.Context()); err != nil {
		t.Fatal(err)
	}
	after, _ := p.two.Shared(key)
	if len(after.Seen) != len(before.Seen) || len(before.Seen) == 0 || after.Probe != nil || len(after.Spent) == len(before.Spent) {
		t.Errorf("known was %+v, and is %+v", before, after)
	}
}

// A remote that gives no answer was not probed.
func TestSlowAProbeWithoutAnAnswer(t *testing.T) {
	slowtest.Skip(t)
	p := newPair(t)
	storetest.Git(t, p.two.Root, "config", "remote.origin.url", t.TempDir()+"/nowhere.git")
	_, err := claims(p.two).Probe(t.Context())
	storetest.WantCode(t, err, record.Offline)
	if known, _ := p.two.Shared(p.two.Config.Claims.Key()); known.Probe != nil {
		t.Errorf("it is remembered as %+v", *known.Probe)
	}
}
