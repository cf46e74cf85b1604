package remote_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/remote"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// pair is two clones of a remote, between which claims hold. The first has brought PROJ-1 to done on its branch fix,
// and told the remote.
type pair struct {
	*testing.T
	one, two *store.Store
}

func newPair(t *testing.T) pair {
	t.Helper()
	hub, one, two := filepath.Join(t.TempDir(), "hub.git"), t.TempDir(), filepath.Join(t.TempDir(), "two")
	storetest.Git(t, one, "init", "-q", "--bare", "-b", "main", hub)
	storetest.InitRepo(t, one)
	s := storetest.NewAt(t, one)
	storetest.Append(t, s.ConfigFile(), "claims_remote: origin\n")
	storetest.WriteTask(t, s, "PROJ-1")
	storetest.CommitAll(t, s)
	storetest.Git(t, one, "remote", "add", "origin", hub)
	storetest.Git(t, one, "push", "-q", "origin", "main")
	storetest.Git(t, one, "clone", "-q", hub, two)
	storetest.Identify(t, two)
	p := pair{t, storetest.Open(t, one), storetest.Open(t, two)}
	p.git(p.one, "switch", "-q", "-c", "fix")
	p.finish(2 * time.Hour)
	return p
}

func (p pair) git(s *store.Store, args ...string) {
	p.Helper()
	storetest.Git(p, s.Root, args...)
}

// lee acts in the first clone so long ago.
func (p pair) lee(ago time.Duration) storetest.Actor {
	return storetest.Actor{S: p.one, Who: "human:lee", Now: func() time.Time { return time.Now().Add(-ago) }}
}

// finish takes the task in the first clone, closes it there and commits that.
func (p pair) finish(ago time.Duration) {
	p.Helper()
	of, lee := record.ID("PROJ-1").Ref(), p.lee(ago)
	take := []session.Want{{Ref: of, Lease: session.Lease{Actor: lee.Who, Worktree: p.one.Worktree}, Judged: p.one.Known(of).Remote.Mark()}}
	storetest.WantCode(p, claims(p.one).Take(p.Context(), take, func() error { return lee.Move("PROJ-1", "in_progress") }), "")
	storetest.WantCode(p, lee.Move("PROJ-1", "done"), "")
	done := storetest.Get(p, p.one, "PROJ-1")
	ended := &session.Progress{Status: done.Status, Branch: "fix", Entry: done.Provenance.Last().Hash()}
	storetest.WantCode(p, claims(p.one).Release(p.Context(), []session.Want{{Ref: of, Ended: ended}}, func() error { return nil }), "")
	storetest.CommitAll(p, p.one)
	p.git(p.one, "push", "-q", "origin", "fix")
}

func claims(s *store.Store) *remote.Claims { return remote.Of(s, "human:lee", time.Now) }

// sync brings a clone and the remote together, so much later.
func (p pair) sync(s *store.Store, later time.Duration) {
	p.Helper()
	now := func() time.Time { return time.Now().Add(later) }
	_, err := remote.Of(s, "human:lee", now).SyncNow(p.Context())
	storetest.WantCode(p, err, "")
}

// there reports whether the remote has the claim.
func (p pair) there() bool {
	return strings.Contains(storetest.GitOutput(p, p.one.Root, "ls-remote", "origin", "refs/cairn/claims/*"), "refs/cairn/claims/PROJ-1")
}

// merge brings the work to a branch of the remote, and fetches in the second clone.
func (p pair) merge(to string) {
	p.Helper()
	p.git(p.one, "push", "-q", "origin", "fix:"+to)
	p.git(p.two, "fetch", "-q")
}

// What is finished is removed from the remote some days later, once its default branch shows the task closed, by any
// clone that has fetched that, and for no other reason.
func TestSlowFinishedClaimsAreRemovedOnceTheyArrived(t *testing.T) {
	slowtest.Skip(t)
	t.Parallel()
	for _, tt := range []struct {
		name string
		do   func(p pair)
		gone bool
	}{
		{"the work is on its branch", func(p pair) { p.git(p.two, "fetch", "-q") }, false},
		{"the work is merged, and this was not fetched", func(p pair) {
			hub := strings.TrimSpace(storetest.GitOutput(p, p.one.Root, "config", "remote.origin.url"))
			storetest.Git(p, hub, "update-ref", "refs/heads/main", "refs/heads/fix") // as a forge merges
		}, false},
		{"the work is merged", func(p pair) { p.merge("main") }, true},
		{"the work is checked out here, and not merged", func(p pair) {
			p.git(p.two, "fetch", "-q")
			p.git(p.two, "merge", "-q", "origin/fix")
		}, false},
		{"a checkout lacks the task", func(p pair) {
			storetest.Remove(p, storetest.TaskFile(p.two, "PROJ-1"))
			storetest.CommitAll(p, p.two)
		}, false},
		{"the default branch lacks the task", func(p pair) {
			storetest.Remove(p, storetest.TaskFile(p.two, "PROJ-1"))
			storetest.CommitAll(p, p.two)
			p.git(p.two, "push", "-q", "origin", "main")
		}, false},
		{"the default branch has another name", func(p pair) {
			p.merge("trunk")
			p.git(p.two, "remote", "set-head", "origin", "trunk")
		}, true},
		{"a branch that is not the default one has it", func(p pair) { p.merge("master") }, false},
		{"nothing says which branch is the default one", func(p pair) {
			p.merge("main")
			p.git(p.two, "remote", "set-head", "origin", "--delete")
		}, true},
		{"it was reopened, and finished again", func(p pair) {
			p.merge("main")
			storetest.WantCode(p, p.lee(time.Hour).Move("PROJ-1", "backlog"), "")
			p.finish(time.Minute)
			p.git(p.two, "fetch", "-q")
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPair(t)
			tt.do(p)
			if p.sync(p.two, session.KeptFor-time.Hour); !p.there() {
				t.Error("the claim was removed on the first days")
			}
			if p.sync(p.two, session.KeptFor+time.Hour); p.there() == tt.gone {
				t.Errorf("the remote has the claim: %t", !tt.gone)
			}
			p.sync(p.one, session.KeptFor+2*time.Hour)
			if p.there() == tt.gone {
				t.Errorf("after the clone that finished it looked, the remote has the claim: %t", !tt.gone)
			}
		})
	}
}

// A claim that changed since this clone asked the remote stays: the removal is of what was judged.
func TestSlowRemovalIsOfWhatWasJudged(t *testing.T) {
	slowtest.Skip(t)
	t.Parallel()
	p := newPair(t)
	p.sync(p.two, 0)
	p.merge("main")
	storetest.WantCode(t, p.lee(time.Hour).Move("PROJ-1", "backlog"), "")
	p.finish(time.Minute)
	later := func() time.Time { return time.Now().Add(session.KeptFor + time.Hour) }
	_, err := remote.Of(p.two, "human:lee", later).Renew(t.Context()) // which does not ask first
	storetest.WantCode(t, err, "")
	if !p.there() {
		t.Error("the removal took another claim")
	}
}
