package remote_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/remote"
)

// together claims records, each by itself, as a command that names several does.
func (c *clone) together(of ...record.Ref) []error {
	errs := make([]error, len(of))
	remote.Together(c.t.Context(), len(of), func(ctx context.Context, i int) {
		errs[i] = c.claimIn(ctx, of[i])
	})
	return errs
}

// Several claims are one push, however many there are, and so are several releases.
func TestSeveralClaimsAreOnePush(t *testing.T) {
	c := newClock()
	at := newServer()
	a, b := newClone(t, at, c, "agent:ada"), newClone(t, at, c, "agent:bea")
	var all []record.Ref
	for i := range 12 {
		all = append(all, record.ID(fmt.Sprintf("PROJ-%d", i+1)).Ref())
	}
	b.mustClaim(all[3])
	begun := c.now()
	for i, err := range a.together(all...) {
		switch {
		case i == 3:
			wantCode(t, err, record.AlreadyClaimed, "agent:bea")
		case err != nil || !a.believes(all[i]):
			t.Errorf("%s: %v, %+v", all[i].ID, err, a.hold(all[i]))
		}
	}
	if a.line.pushes != 1 || a.line.fetches != 1 || c.now() != begun {
		t.Errorf("%d pushes and %d fetches in %v", a.line.pushes, a.line.fetches, c.now().Sub(begun))
	}
	done := session.Progress{Status: "in_review", Entry: "aaaaaaaaaaaaaaaa"}
	remote.Together(t.Context(), 3, func(ctx context.Context, i int) {
		want := session.Want{Ref: all[i], Ended: &done}
		if i > 0 {
			want.Ended = nil
		}
		if err := a.Release(ctx, []session.Want{want}, func() error { return a.live(all[i], nil) }); err != nil {
			t.Error(err)
		}
	})
	if a.line.pushes > 3 || at.claim(t, all[0]).State != session.RemoteFinished || at.object(all[1].ID)+at.object(all[2].ID) != "" {
		t.Errorf("after %d pushes the remote has %v", a.line.pushes, at.refs)
	}
	ended := []session.Want{{Ref: all[4], Ended: &done}, {Ref: all[5], Ended: &done}}
	before := a.line.pushes
	if err := a.Release(t.Context(), ended, func() error { return nil }); err != nil || a.line.pushes != before+1 {
		t.Errorf("one write that ends two: %v, after %d pushes", err, a.line.pushes-before)
	}
}

// A remote that gives no answer is waited for once, whatever is asked of it.
func TestSeveralClaimsWaitOnce(t *testing.T) {
	a := newClone(t, newServer(), newClock(), "agent:ada")
	a.line.stalled = true
	for _, err := range a.together(one, two, record.ID("PROJ-3").Ref()) {
		wantCode(t, err, record.Offline, "gave no answer")
	}
	if a.line.pushes != 1 || a.line.fetches != 0 {
		t.Errorf("%d pushes and %d fetches", a.line.pushes, a.line.fetches)
	}
}

// Whatever breaks, each of several claims is won or refused by itself: who was told that they have a record has it, and
// nobody else was told the same. In the end the remote has the claims that somebody holds, and no others.
func TestSlowSeveralClaimsOfTwo(t *testing.T) {
	slowtest.Skip(t)
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		c := newClock()
		at := newServer()
		a, b := newClone(t, at, c, "agent:ada"), newClone(t, at, c, "agent:bea")
		won := map[record.Ref]*clone{}
		for range 4 {
			me := []*clone{a, b}[r.IntN(2)]
			me.line.mute, me.line.atOnce, me.line.unplugged = r.IntN(4)/3, r.IntN(3)*r.IntN(2), r.IntN(8) == 0
			var of []record.Ref
			for _, n := range r.Perm(6)[:1+r.IntN(5)] {
				one := record.ID(fmt.Sprintf("PROJ-%d", n+1)).Ref()
				if hold := me.hold(one); !hold.Live() || hold.Clone == "" { // a write takes nothing that is known to be held
					of = append(of, one)
				}
			}
			before := me.line.pushes
			for i, err := range me.together(of...) {
				switch other := won[of[i]]; {
				case err != nil:
				case other != nil && other != me:
					t.Fatalf("seed %d: both have %s", seed, of[i].ID)
				default:
					won[of[i]] = me
				}
			}
			if n := me.line.pushes - before; n > 6 {
				t.Errorf("seed %d: %d pushes for %d claims", seed, n, len(of))
			}
			me.line.mute, me.line.atOnce, me.line.unplugged = 0, 0, false
			c.pass(time.Minute)
		}
		for range 3 {
			for _, me := range []*clone{a, b} {
				if lost := me.sync(); len(lost) > 0 {
					t.Fatalf("seed %d: lost %+v", seed, lost)
				}
			}
			c.pass(2 * time.Minute)
		}
		for of, me := range won {
			if !me.believes(of) || at.claim(t, of).Holder != me.who {
				t.Errorf("seed %d: %s of %s is %+v", seed, of.ID, me.who, me.hold(of))
			}
		}
		if len(at.refs) != len(won) {
			t.Errorf("seed %d: the remote has %v, and won are %v", seed, at.refs, won)
		}
	}
}

// What one call starts beside it asks by itself.
func TestACallBesideOthersAsksAlone(t *testing.T) {
	a := newClone(t, newServer(), newClock(), "agent:ada")
	remote.Together(t.Context(), 2, func(ctx context.Context, _ int) {
		done := make(chan error)
		go func() { _, err := a.Look(remote.Alone(ctx), -1); done <- err }()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	if a.line.fetches != 2 {
		t.Errorf("%d fetches", a.line.fetches)
	}
}
