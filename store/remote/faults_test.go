package remote_test

import (
	"context"
	"errors"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/remote"
)

// An answer that is lost after the server took the push: whoever asks again learns that the claim is theirs.
func TestALostAnswerIsAWin(t *testing.T) {
	c := newClock()
	at := newServer()
	a, b := newClone(t, at, c, "agent:ada"), newClone(t, at, c, "agent:bea")
	a.line.mute = 1
	a.mustClaim(one)
	if !a.believes(one) || a.line.pushes != 1 {
		t.Errorf("after %d pushes it is %+v", a.line.pushes, a.hold(one))
	}
	wantCode(t, b.claim(one), record.AlreadyClaimed, "agent:ada")
}

// An answer that is lost with the network: the claim is neither won nor lost, nothing is written, and in the end it is
// given back.
func TestALostAnswerWithoutNetworkIsNothing(t *testing.T) {
	for name, again := range map[string]bool{"and nobody asks again": false, "and the same actor asks again": true} {
		t.Run(name, func(t *testing.T) {
			c := newClock()
			at := newServer()
			a, b := newClone(t, at, c, "agent:ada"), newClone(t, at, c, "agent:bea")
			a.line.mute = 1
			a.line.afterPush = func() { a.line.unplugged = true }
			wantCode(t, a.claim(one), record.Offline, "gave no answer")
			if a.believes(one) || a.Clone.State(one) != nil {
				t.Errorf("it is %+v", a.hold(one))
			}
			if at.object(one.ID) == "" {
				t.Fatal("the server took nothing")
			}
			a.line.afterPush, a.line.unplugged = nil, false
			if again {
				c.pass(3 * time.Hour)
				a.mustClaim(one)
				if got, own := at.claim(t, one), a.known().OwnOf(one).Claim; !reflect.DeepEqual(got, own) || c.now().Sub(own.Renewed) > time.Minute {
					t.Errorf("the remote has %+v, and the clone %+v", got, own)
				}
				wantCode(t, b.claim(one), record.AlreadyClaimed, "agent:ada")
				return
			}
			c.pass(time.Minute)
			if _, err := a.Renew(t.Context()); err != nil {
				t.Fatal(err)
			}
			if at.object(one.ID) != "" || len(a.known().Own) > 0 {
				t.Errorf("the remote has %q, and the clone %+v", at.object(one.ID), a.known().Own)
			}
			b.mustClaim(one)
		})
	}
}

// Two machines that were made from one disk image have one id. Neither takes the claims of the other for its own.
func TestMachinesOfOneImage(t *testing.T) {
	c := newClock()
	at := newServer()
	a, b := newClone(t, at, c, "agent:ada"), newClone(t, at, c, "agent:ada")
	a.mustClaim(two)
	image := a.known()
	image.Own, image.Seen = nil, nil
	if err := b.Clone.MakeLive(); err != nil {
		t.Fatal(err)
	}
	if err := b.Clone.PutShared(image); err != nil {
		t.Fatal(err)
	}
	a.mustClaim(one)
	b.sync()
	if hold := b.hold(one); b.believes(one) || hold.Actor != "agent:ada" || hold.Clone == "" {
		t.Errorf("the other machine has %+v", hold)
	}
	a.sync()
	if !a.believes(one) || at.object(one.ID) == "" {
		t.Errorf("the first has %+v", a.hold(one))
	}
}

// A remote that gives no answer in time is asked once and not twice, and of further claims it gets less time.
func TestAStalledRemoteCostsOneWait(t *testing.T) {
	c := newClock()
	a := newClone(t, newServer(), c, "agent:ada")
	a.line.stalled = true
	wantCode(t, a.claim(one), record.Offline, "gave no answer")
	if a.line.pushes != 1 || a.line.fetches != 0 || a.line.patience != 0 {
		t.Errorf("%d pushes, %d fetches, in %v", a.line.pushes, a.line.fetches, a.line.patience)
	}
	wantCode(t, a.claim(two), record.Offline, "gave no answer")
	if a.line.pushes != 2 || a.line.fetches != 0 || a.line.patience <= 0 || a.line.patience > 5*time.Second {
		t.Errorf("%d pushes, %d fetches, in %v", a.line.pushes, a.line.fetches, a.line.patience)
	}
	a.line.stalled = false
	c.pass(time.Second)
	a.mustClaim(two)
	a.mustClaim(one)
	if a.line.patience != 0 {
		t.Errorf("after an answer it has %v", a.line.patience)
	}
}

// What another clone has finished is not finished here once more, where this clone has no claim of its own at the
// remote. One that has merged that work may go on with it.
func TestFinishedByAnotherClone(t *testing.T) {
	c := newClock()
	at := newServer()
	a, b := newClone(t, at, c, "agent:ada"), newClone(t, at, c, "agent:bea")
	finish := func(c *clone, entry string) error {
		done := session.Progress{Status: "in_review", Entry: entry}
		return c.Release(t.Context(), []session.Want{{Ref: one, Ended: &done}}, func() error { return nil })
	}
	a.mustClaim(one)
	if err := finish(a, "aaaaaaaaaaaaaaaa"); err != nil {
		t.Fatal(err)
	}
	wantCode(t, finish(b, "bbbbbbbbbbbbbbbb"), record.ClaimLost, "agent:ada")
	b.File = func(of record.Ref) (record.Header, bool) {
		return record.Header{Ref: of, Log: record.Log{{Who: "agent:ada", Did: record.Finished}}}, true
	}
	merged, _ := b.File(one)
	claim := at.claim(t, one)
	claim.Entry = merged.Log[0].Hash()
	at.messages[at.object(one.ID)] = claim.Encode()
	b.Claims = remote.Open(b.Options)
	if err := finish(b, "bbbbbbbbbbbbbbbb"); err != nil {
		t.Error(err)
	}
}

// A push that arrives after it was given up belongs to nobody, and is taken away.
func TestALatePushIsTakenAway(t *testing.T) {
	c := newClock()
	at := newServer()
	a := newClone(t, at, c, "agent:ada")
	a.mustClaim(two)
	a.line.unplugged = true
	wantCode(t, a.claim(one), record.Offline, "")
	late := a.known().OwnOf(one)
	a.line.unplugged = false
	a.sync()
	at.refs[one.ID] = late.Object
	c.pass(time.Minute)
	a.sync()
	if at.object(one.ID) != "" || at.object(two.ID) == "" {
		t.Errorf("the remote has %v", at.refs)
	}
}

// A server that dies between two refs of one push. What it took is kept or given back; what it did not take is not
// believed.
func TestAServerThatDiesBetweenTwoRefs(t *testing.T) {
	c := newClock()
	at := newServer()
	a, b := newClone(t, at, c, "agent:ada"), newClone(t, at, c, "agent:bea")
	a.line.atOnce = 1
	err := a.claim(one, two)
	if err == nil {
		t.Fatal("both were taken")
	}
	if a.believes(one) || a.believes(two) {
		t.Error("what nobody confirmed is believed")
	}
	a.line.atOnce = 0
	c.pass(time.Minute)
	a.sync()
	b.mustClaim(one, two)

	c.pass(2 * time.Hour)
	b.line.atOnce = 1
	if _, err := b.Renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, of := range []record.Ref{one, two} {
		own := b.known().OwnOf(of)
		if got := at.claim(t, of); !own.Claim.Renewed.Equal(got.Renewed) || own.Sync != session.Synced {
			t.Errorf("%s is renewed at %v, and believed to be at %v (%s)", of.ID, got.Renewed, own.Claim.Renewed, own.Sync)
		}
	}
}

// A server that declines the namespace: an agent is refused and told what the server said, a person goes on and is told
// so.
func TestAServerThatDeclines(t *testing.T) {
	c := newClock()
	at := newServer()
	a, p := newClone(t, at, c, "agent:ada"), newClone(t, at, c, "human:pat")
	a.line.declines, p.line.declines = true, true
	wantCode(t, a.claim(one), record.Offline, "hook declined")
	if a.Clone.State(one) != nil {
		t.Error("a claim that was refused is in the clone")
	}
	if a.line.pushes != 1 || a.line.fetches != 1 {
		t.Errorf("it was asked %d and %d times", a.line.pushes, a.line.fetches)
	}
	p.mustClaim(one)
	if h := p.hold(one); p.believes(one) || !h.Unsynced {
		t.Errorf("it is %+v", h)
	}
	p.line.declines = false
	c.pass(time.Minute)
	p.sync()
	if !p.believes(one) {
		t.Errorf("it is %+v", p.hold(one))
	}
}

// Who was offline and comes back to find that somebody else was given the task is told so.
func TestAClaimMadeOfflineThatIsLost(t *testing.T) {
	c := newClock()
	at := newServer()
	a, p := newClone(t, at, c, "agent:ada"), newClone(t, at, c, "human:pat")
	p.line.unplugged = true
	p.mustClaim(one)
	a.mustClaim(one)
	p.line.unplugged = false
	c.pass(time.Minute)
	if lost := p.sync(); len(lost) != 1 || lost[0].To.Holder != "agent:ada" {
		t.Errorf("lost %+v", lost)
	}
	ended := &session.Progress{Status: "in_review", Entry: "e"}
	err := p.Release(t.Context(), []session.Want{{Ref: one, Ended: ended}}, func() error { t.Error("it was written"); return nil })
	wantCode(t, err, record.ClaimLost, "agent:ada")
	if !a.believes(one) {
		t.Error("the one who has it does not know")
	}
	pushes := p.line.pushes
	if err := p.Release(t.Context(), []session.Want{{Ref: one}}, func() error { return p.live(one, nil) }); err != nil {
		t.Error(err)
	}
	if p.line.pushes != pushes || p.known().OwnOf(one) != nil {
		t.Errorf("what was lost is given back: %+v", p.known().OwnOf(one))
	}
}

// Clocks that are ten minutes off let nobody take what another one holds and renews.
func TestWrongClocks(t *testing.T) {
	for _, off := range []time.Duration{-10 * time.Minute, 10 * time.Minute} {
		c := newClock()
		at := newServer()
		a, b := newClone(t, at, c, "human:pat"), newClone(t, at, c, "human:lee")
		a.off, b.off = off, -off
		a.mustClaim(one)
		for range 24 * 6 {
			c.pass(10 * time.Minute)
			if _, err := a.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			b.sync()
			if h := b.hold(one); !h.Live() || h.Clone == "" {
				t.Fatalf("off by %v, at %v it is %+v", off, c.now(), h)
			}
			if !a.believes(one) {
				t.Fatalf("off by %v, at %v its holder has %+v", off, c.now(), a.hold(one))
			}
		}
		// And a holder who is silent has stopped to rely on the claim before another one may take it.
		for !b.hold(one).Lapsed {
			c.pass(10 * time.Minute)
			if b.hold(one).Lapsed && a.believes(one) {
				t.Fatalf("off by %v, both may believe in it", off)
			}
		}
	}
}

// A push of a mirror deletes the claims. Their holders put them back, unless somebody else was faster.
func TestAMirrorPushIsUndone(t *testing.T) {
	c := newClock()
	at := newServer()
	a, b := newClone(t, at, c, "agent:ada"), newClone(t, at, c, "agent:bea")
	a.mustClaim(one)
	a.mustClaim(two)
	delete(at.refs, one.ID)
	delete(at.refs, two.ID)
	b.mustClaim(two)
	c.pass(time.Minute)
	lost, err := a.Sync(t.Context())
	if err != nil || len(lost) != 1 || lost[0].Ref != two {
		t.Errorf("lost %+v, %v", lost, err)
	}
	if !a.believes(one) || a.believes(two) || a.known().Put != 1 || at.claim(t, one).Holder != "agent:ada" {
		t.Errorf("it is %+v and %+v; %d put back", a.hold(one), a.hold(two), a.known().Put)
	}
	wantCode(t, b.claim(one), record.AlreadyClaimed, "agent:ada")
}

// Who takes over what another clone holds and lets go of it ends that claim: its holder does not put it back, and is
// told. Everybody may take the task then, and a takeover of which nothing came leaves the holder what they had.
func TestATakeoverThatIsLetGo(t *testing.T) {
	c := newClock()
	at := newServer()
	a, b, d := newClone(t, at, c, "agent:ada"), newClone(t, at, c, "human:bea"), newClone(t, at, c, "agent:dee")
	a.mustClaim(one)
	b.sync()
	failed := errors.New("the disk is full")
	if err := b.Take(t.Context(), b.want(one), func() error { return failed }); !errors.Is(err, failed) {
		t.Fatal(err)
	}
	if a.sync(); !a.believes(one) || at.claim(t, one).Holder != "agent:ada" {
		t.Errorf("after a takeover that was not written it is %+v", at.claim(t, one))
	}
	c.pass(time.Minute)
	b.sync()
	b.mustClaim(one)
	release := func(c *clone) {
		if err := c.Release(t.Context(), []session.Want{{Ref: one}}, func() error { return c.live(one, nil) }); err != nil {
			t.Fatal(err)
		}
	}
	release(b)
	c.pass(time.Minute)
	b.sync()
	wantCode(t, d.claim(one), record.Conflict, "than was known") // so that it is decided anew
	d.mustClaim(one)
	release(d)
	if lost := a.sync(); len(lost) != 1 || a.believes(one) || at.claim(t, one).State != session.RemoteReleased {
		t.Errorf("its holder lost %+v, and the remote has %+v", lost, at.claim(t, one))
	}
	wantCode(t, a.hold(one).Refuse("PROJ-1", "agent:ada", a.s.Root, false), record.ClaimLost, "agent:dee took it over, and let go of it")
	c.pass(session.KeptFor + time.Minute)
	if d.sync(); at.object(one.ID) != "" {
		t.Error("the remote still has it after some days")
	}
}

// Whoever is silent does not put a claim back, and does not believe in it when they speak again.
func TestASilentHolderOfADeletedClaim(t *testing.T) {
	c := newClock()
	at := newServer()
	a, b := newClone(t, at, c, "agent:ada"), newClone(t, at, c, "agent:bea")
	lease := a.lease()
	if err := a.Take(t.Context(), a.want(one), func() error {
		lease.Seconds = 7200
		return a.live(one, &lease)
	}); err != nil {
		t.Fatal(err)
	}
	delete(at.refs, one.ID)
	c.pass(2*time.Hour + time.Minute)
	a.sync()
	if at.object(one.ID) != "" {
		t.Error("it was put back")
	}
	lease.Seen = c.now()
	if err := a.live(one, &lease); err != nil {
		t.Fatal(err)
	}
	if a.believes(one) {
		t.Errorf("it is %+v", a.hold(one))
	}
	b.mustClaim(one)
}

// Both halves of a copied clone have the claim among their files. The copy knows that it is none of its.
func TestACopiedClone(t *testing.T) {
	c := newClock()
	at := newServer()
	a := newClone(t, at, c, "agent:ada")
	a.mustClaim(one)
	b := newClone(t, at, c, "agent:ada")
	if err := os.RemoveAll(string(b.Clone.Live)); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(string(b.Clone.Live), os.DirFS(string(a.Clone.Live))); err != nil {
		t.Fatal(err)
	}
	lease := b.lease()
	if err := b.live(one, &lease); err != nil { // the claim is looked for where it was copied to
		t.Fatal(err)
	}
	if b.believes(one) {
		t.Errorf("before it asks the copy has %+v", b.hold(one))
	}
	wantCode(t, b.claim(one), record.AlreadyClaimed, "agent:ada")
	ended := &session.Progress{Status: "in_review", Entry: "e"}
	err := b.Release(t.Context(), []session.Want{{Ref: one, Ended: ended}}, func() error { t.Error("it was written"); return nil })
	wantCode(t, err, record.ClaimLost, "agent:ada")
	b.sync()
	if h := b.hold(one); h.LostTo == nil || b.known().Clone == a.known().Clone {
		t.Errorf("the copy has %+v", h)
	}
	a.sync()
	if !a.believes(one) {
		t.Errorf("the first has %+v", a.hold(one))
	}
}

// Two actors of one clone want a task at once. The second judged before the first had it: it is told to judge again,
// and nothing is undone.
func TestTwoActorsOfOneClone(t *testing.T) {
	c := newClock()
	at := newServer()
	a := newClone(t, at, c, "agent:ada")
	late := a.want(one)
	late[0].Lease.Actor = "agent:bea"
	a.mustClaim(one)
	wantCode(t, a.Take(t.Context(), late, func() error { t.Error("it was written"); return nil }), record.Conflict, "")
	if !a.believes(one) || at.claim(t, one).Holder != "agent:ada" {
		t.Errorf("it is %+v", a.hold(one))
	}
}

// A takeover that was judged by a claim which is there no longer takes nothing.
func TestATakeoverOfWhatWasRenewed(t *testing.T) {
	c := newClock()
	at := newServer()
	a, b := newClone(t, at, c, "agent:ada"), newClone(t, at, c, "human:pat")
	a.mustClaim(one)
	b.sync()
	judged := b.want(one)
	c.pass(100 * time.Minute)
	a.sync()
	b.sync()
	wantCode(t, b.Take(t.Context(), judged, func() error { t.Error("it was written"); return nil }), record.Conflict, "")
	if a.sync(); !a.believes(one) {
		t.Errorf("it is %+v", a.hold(one))
	}
}

// A caller who gives up leaves nothing that is believed.
func TestACallerWhoGivesUp(t *testing.T) {
	c := newClock()
	at := newServer()
	a, b := newClone(t, at, c, "agent:ada"), newClone(t, at, c, "agent:bea")
	ctx, cancel := context.WithCancel(t.Context())
	a.line.afterPush = cancel
	err := a.Take(ctx, a.want(one), func() error { t.Error("it was written"); return nil })
	if !errors.Is(err, context.Canceled) || a.believes(one) {
		t.Errorf("ended with %v", err)
	}
	a.line.afterPush = nil
	c.pass(time.Minute)
	if _, err := a.Renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.mustClaim(one)
}

// What cannot be read holds nothing, and keeps no clone from reading its own state.
func TestHostileRefs(t *testing.T) {
	c := newClock()
	at := newServer()
	a := newClone(t, at, c, "agent:ada")
	at.messages["f000000000000000000000000000000000000000"] = `{"version":1,"epoch":9223372036854775807}`
	at.refs[one.ID] = "f000000000000000000000000000000000000000"
	at.refs["../../x"] = "f000000000000000000000000000000000000000"
	a.mustClaim(two)
	a.sync()
	a.mustClaim(one)
	id := a.known().Clone
	if a.sync(); !a.believes(one) || !a.believes(two) || a.known().Clone != id {
		t.Errorf("it is %+v", a.known())
	}
}
