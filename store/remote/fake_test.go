package remote_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/remote"
)

// server is a git remote in memory.
type server struct {
	mu       sync.Mutex
	refs     map[string]string
	messages map[string]string // of objects
}

func newServer() *server { return &server{refs: map[string]string{}, messages: map[string]string{}} }

func (s *server) object(ref string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refs[ref]
}

// claim is what a ref says; the zero value for no ref.
func (s *server) claim(t *testing.T, of record.Ref) session.RemoteClaim {
	t.Helper()
	object := s.object(of.ID)
	if object == "" {
		return session.RemoteClaim{}
	}
	c, err := session.ParseRemoteClaim([]byte(s.messages[object]), of)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// line is the way of a clone to a server. It counts what goes over it, and breaks as it is told.
type line struct {
	*server
	pushes, fetches int
	renewals        int // pushes that changed no ref but from a claim to itself
	at              []time.Time
	now             func() time.Time

	mute      int           // pushes that the server takes, and whose answer is lost
	declines  bool          // the server takes no push
	unplugged bool          // there is no server
	stalled   bool          // it takes the connection, and never answers
	patience  time.Duration // that the last push had; 0 for no limit but that of the line
	atOnce    int           // after so many refs of a push the server dies; 0 for never
	afterPush func()        // runs once the server has taken a push
}

var errGone = errors.New("fatal: the remote end hung up unexpectedly")

func (l *line) Commit(_ context.Context, message string, _ time.Time) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	object := fmt.Sprintf("%040x", len(l.messages)+1)
	l.messages[object] = message
	return object, nil
}

func (l *line) Push(ctx context.Context, updates []git.RefUpdate, atomic bool) ([]git.RefResult, string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pushes++
	l.at = append(l.at, l.now())
	results := make([]git.RefResult, len(updates))
	l.patience = 0
	if until, ok := ctx.Deadline(); ok {
		l.patience = time.Until(until)
	}
	if l.stalled {
		return results, "", context.DeadlineExceeded
	}
	if l.unplugged {
		return results, "", errGone
	}
	if l.renews(updates) {
		l.renewals++
	}
	refused := false
	for i, u := range updates {
		if results[i] = git.Taken; l.declines || l.refs[u.Ref] != u.Old {
			results[i], refused = git.Refused, true
		}
	}
	if atomic && refused {
		for i := range results {
			results[i] = git.Refused
		}
	}
	for i, u := range updates {
		if l.atOnce > 0 && i >= l.atOnce {
			return make([]git.RefResult, len(updates)), "", errGone
		}
		switch {
		case results[i] != git.Taken:
		case u.New == "":
			delete(l.refs, u.Ref)
		default:
			l.refs[u.Ref] = u.New
		}
	}
	if l.afterPush != nil {
		l.afterPush()
	}
	if l.mute > 0 {
		l.mute--
		return make([]git.RefResult, len(updates)), "", errGone
	}
	switch {
	case l.declines:
		return results, "[remote rejected] (\x1b[31mhook declined)", errors.New("failed to push some refs")
	case refused:
		return results, "[rejected] (stale info)", errors.New("failed to push some refs")
	}
	return results, "", nil
}

// renews reports whether each update replaces a claim by the same one, still held.
func (l *line) renews(updates []git.RefUpdate) bool {
	for _, u := range updates {
		from, err1 := session.ParseRemoteClaim([]byte(l.messages[u.Old]), record.ID(u.Ref).Ref())
		to, err2 := session.ParseRemoteClaim([]byte(l.messages[u.New]), record.ID(u.Ref).Ref())
		if err1 != nil || err2 != nil || !from.Same(to) || to.State != session.RemoteHeld {
			return false
		}
	}
	return true
}

func (l *line) Apart(context.Context) (bool, error) { return false, nil }

func (l *line) Fetch(context.Context) ([]git.RefMessage, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fetches++
	l.at = append(l.at, l.now())
	if l.unplugged {
		return nil, errGone
	}
	var all []git.RefMessage
	for ref, object := range l.refs {
		all = append(all, git.RefMessage{Name: ref, Object: object, Message: l.messages[object]})
	}
	return all, nil
}

// clock is the time of a test.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func newClock() *clock { return &clock{t: time.Date(2026, 6, 21, 12, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// clone is a clone whose remote is in memory, and one agent in it.
type clone struct {
	*remote.Claims
	t    *testing.T
	s    *store.Store
	line *line
	off  time.Duration // how wrong its clock is
	who  record.Actor
}

// newClone makes a clone. A person goes on without an answer of the remote.
func newClone(t *testing.T, to *server, c *clock, who record.Actor) *clone {
	t.Helper()
	dir := t.TempDir()
	if _, _, err := store.Init(dir, "PROJ"); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(dir, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	one := &clone{t: t, s: s, who: who, line: &line{server: to}}
	one.line.now = c.now
	cfg := s.Config
	cfg.Claims = kind.Claims{Remote: "origin", Namespace: "refs/cairn/claims", Offline: kind.OfflineAuto}
	one.Claims = remote.Open(remote.Options{
		Clone: s.Clone, Config: cfg, Budget: 6, Alone: cfg.Claims.Alone(who), Trusted: s.Trusted, Port: one.line,
		Now:   func() time.Time { return c.now().Add(one.off) },
		Sleep: func(_ context.Context, d time.Duration) error { c.pass(d); return nil },
	})
	return one
}

func (c *clone) known() session.Shared {
	known, _ := c.Clone.Shared(c.Config.Claims.Key())
	return known
}

func (c *clone) hold(of record.Ref) session.Claim {
	live := c.Clone.View()(c.Clone.State(of), nil)
	live.Remote, live.ClaimTTL, live.StaleAfter = c.known().Of(of), c.Config.ClaimTTL, c.Config.StaleAfter
	return session.Holder(record.Header{Ref: of}, live, c.Now())
}

// believes reports whether whoever claimed a record in the clone relies on that claim.
func (c *clone) believes(of record.Ref) bool {
	h := c.hold(of)
	return h.Live() && h.Clone == "" && h.LostTo == nil && !h.Unsynced
}

// live changes the claim of the clone itself, as a write does.
func (c *clone) live(of record.Ref, lease *session.Lease) error {
	c.t.Helper()
	if err := c.Clone.MakeLive(); err != nil {
		return err
	}
	return c.Clone.Put(session.State{Ref: of, Lease: lease})
}

func (c *clone) lease() session.Lease {
	lease := session.Lease{Actor: c.who, Worktree: c.s.Root, Since: c.Now(), Seen: c.Now()}
	if c.Clone.Repo != nil {
		lease.GitDir = layout.GitDirOf(c.Clone.Repo)
	}
	return lease
}

// want is what a claim wants, by what is known now.
func (c *clone) want(of ...record.Ref) []session.Want {
	var want []session.Want
	for _, one := range of {
		want = append(want, session.Want{Ref: one, Lease: c.lease(), Judged: c.known().Of(one).Mark()})
	}
	return want
}

// claim claims records in the clone and at the remote.
func (c *clone) claim(of ...record.Ref) error { return c.claimIn(c.t.Context(), of...) }

func (c *clone) claimIn(ctx context.Context, of ...record.Ref) error {
	return c.Take(ctx, c.want(of...), func() error {
		for _, one := range of {
			lease := c.lease()
			if err := c.live(one, &lease); err != nil {
				return err
			}
		}
		return nil
	})
}

func (c *clone) mustClaim(of ...record.Ref) {
	c.t.Helper()
	if err := c.claim(of...); err != nil {
		c.t.Fatal(err)
	}
}

// sync is what goes on in the background, at once.
func (c *clone) sync() []session.OwnClaim {
	c.t.Helper()
	lost, err := c.SyncNow(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	return lost
}

func wantCode(t *testing.T, err error, code record.Code, part string) {
	t.Helper()
	if record.CodeOf(err) != code || !strings.Contains(err.Error(), part) {
		t.Errorf("ended with %v, not with %s %q", err, code, part)
	}
}

var one, two = record.ID("PROJ-1").Ref(), record.ID("PROJ-2").Ref()
