package session_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
)

// The clones: this one, and another.
const (
	ours   = "aaaa00000001"
	theirs = "bbbb00000002"
)

// object is the name of a commit.
func object(n string) string { return strings.Repeat("0", 40-len(n)) + n }

var pay = record.ID("PROJ-7").Ref()

// remoteClaim is a claim of a clone at the remote, renewed so long ago.
func remoteClaim(clone, nonce string, d time.Duration) session.RemoteClaim {
	return session.RemoteClaim{
		Version: 1, Record: pay, Holder: claude, Clone: clone, Epoch: 3, Nonce: nonce, Taken: ago(d), Renewed: ago(d), TTL: int(ttl / time.Second),
		Branch: "fix", State: session.RemoteHeld,
	}
}

func given(c session.RemoteClaim) session.RemoteClaim {
	c.Given = true
	return c
}

func finished(c session.RemoteClaim) session.RemoteClaim {
	return c.Finish(session.Progress{Status: "in_review", Entry: "done", Branch: "fix"}, c.Renewed)
}

// over is a claim that took the place of others.
func over(c session.RemoteClaim, others ...string) session.RemoteClaim {
	c.Ousted = others
	return c
}

func released(c session.RemoteClaim) session.RemoteClaim {
	c.State = session.RemoteReleased
	return c
}

func own(c session.RemoteClaim, sync session.Sync) *session.OwnClaim {
	return &session.OwnClaim{Ref: pay, Claim: c, Object: object("a"), Sync: sync}
}

func lostTo(c session.RemoteClaim) *session.OwnClaim {
	o := own(remoteClaim(ours, "n1", time.Minute), session.Lost)
	o.To = &c
	return o
}

func open(o *session.OwnClaim) *session.OwnClaim { o.Open = true; return o }
func was(o *session.OwnClaim) *session.OwnClaim  { o.Was = object("b"); return o }
func seen(c session.RemoteClaim) *session.SeenClaim {
	return &session.SeenClaim{Ref: pay, Object: object("b"), First: c.Renewed, Claim: &c}
}

var (
	held    = session.Local{Lease: lease(claude, here, time.Minute)}
	silent  = session.Local{Lease: lease(claude, here, time.Minute), Lapsed: true}
	nothing = session.Local{}
	handed  = session.Local{Lease: lease(claude, here, time.Minute), Ended: &session.Progress{Status: "in_review", Entry: "done"}}
	let     = session.Local{Ended: &session.Progress{Status: "in_review", Entry: "done"}}
)

// What becomes of a claim, and what is pushed: "" nothing, "gone" no ref, or the state, with + if the claim is renewed.
func TestReconcile(t *testing.T) {
	mine, other := remoteClaim(ours, "n1", time.Minute), remoteClaim(theirs, "n2", time.Minute)
	old := remoteClaim(ours, "n1", 2*time.Hour)
	for _, row := range []struct {
		name  string
		own   *session.OwnClaim
		seen  *session.SeenClaim
		local session.Local
		sync  session.Sync // "" for no claim any more
		push  string
		back  bool
	}{
		{"the remote has it", own(mine, session.Synced), seen(mine), held, session.Synced, "", false},
		{"a third of the time is over", own(old, session.Synced), seen(old), held, session.Synced, "held+", false},
		{"the remote's time counts, not what this clone believes", own(mine, session.Synced), seen(old), held, session.Synced, "held+", false},
		{"its holder is silent", own(old, session.Synced), seen(old), silent, session.Synced, "", false},
		{"an answer that was lost", own(mine, session.Asked), seen(mine), held, session.Synced, "", false},
		{"made while offline", own(mine, session.Unsynced), nil, held, session.Unsynced, "held", false},
		{"made while offline, long ago", own(old, session.Unsynced), nil, held, session.Unsynced, "held+", false},
		{"made while offline, over one that had lapsed", was(own(mine, session.Unsynced)), seen(remoteClaim(theirs, "n2", 9*time.Hour)), held, session.Unsynced, "held", false},
		{"made while offline, and somebody else was given it", own(mine, session.Unsynced), seen(other), held, session.Lost, "", false},
		{"the remote lost it", own(mine, session.Synced), nil, held, session.Unsynced, "held", true},
		{"the remote lost it, and its holder is silent", own(mine, session.Synced), nil, silent, session.Unsynced, "", false},
		{"somebody else has it", own(mine, session.Synced), seen(other), held, session.Lost, "", false},
		{"somebody else has it, and it was let go here", own(mine, session.Synced), seen(other), nothing, "", "", false},
		{"it was lost, and is free again", lostTo(other), nil, held, session.Lost, "", false},
		{"it was lost, and let go here", lostTo(other), nil, nothing, "", "", false},
		{"nobody can read what is there", own(mine, session.Synced), &session.SeenClaim{Ref: pay, Object: object("b")}, held, session.Unsynced, "", false},

		{"let go here", own(mine, session.Synced), seen(mine), nothing, session.Released, "gone", false},
		{"let go here, and the remote heard of it", own(mine, session.Released), nil, nothing, "", "", false},
		{"asked for by a process that was killed", own(mine, session.Asked), seen(mine), nothing, session.Released, "gone", false},
		{"asked for in vain by a process that was killed", own(mine, session.Asked), nil, nothing, "", "", false},
		{"asked for, and not known what came of it", open(own(mine, session.Asked)), nil, nothing, session.Asked, "", false},
		{"asked for, and the write was cut short", own(mine, session.Asked), seen(mine), session.Local{Under: true}, session.Asked, "", false},
		{"a push that came after it was given up", nil, seen(mine), nothing, session.Released, "gone", false},
		{"a push that came late, to its holder", nil, seen(mine), held, session.Synced, "", false},

		{"finished", own(finished(mine), session.Synced), seen(finished(mine)), let, session.Synced, "", false},
		{"finished while offline", own(finished(mine), session.Unsynced), seen(mine), let, session.Unsynced, "finished", false},
		{"finished here, and killed before that was noted", own(mine, session.Synced), seen(finished(mine)), handed, session.Synced, "", false},
		{"told that it is finished, and killed before that was written", own(mine, session.Synced), seen(finished(mine)), held, session.Unsynced, "held+", false},
		{"told that it is finished, killed, and then let go", own(mine, session.Synced), seen(finished(mine)), nothing, session.Released, "gone", false},
		{"finished by a clone that knew nothing of the remote", own(mine, session.Synced), seen(mine), let, session.Unsynced, "finished+", false},
		{"let go here, and taken over from another clone", own(over(mine, "n2"), session.Synced), seen(over(mine, "n2")), nothing, session.Released, "released+", false},
		{"that, and the remote heard of it", own(over(mine, "n2"), session.Released), seen(released(over(mine, "n2"))), nothing, "", "", false},
		{"that, and this clone knows nothing of it any more", nil, seen(released(over(mine, "n2"))), nothing, "", "", false},
		{"somebody took it over, and let go of it", own(mine, session.Synced), seen(released(over(other, "n1"))), held, session.Lost, "", false},
		{"made while offline, where another claim was let go", own(mine, session.Unsynced), seen(released(over(other, "n3"))), held, session.Unsynced, "held", false},
		{"merged, and taken away", own(finished(mine), session.Synced), nil, let, "", "", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := session.Shared{Clone: ours, Made: []string{"n1"}}
			if row.own != nil {
				s = s.WithOwn(*row.own)
			}
			if row.seen != nil {
				s = s.WithSeen(pay, row.seen)
			}
			next, pushes := s.Reconcile(func(record.Ref) session.Local { return row.local }, now)
			sync := session.Sync("")
			if o := next.OwnOf(pay); o != nil {
				sync = o.Sync
			}
			if sync != row.sync {
				t.Errorf("it is %q, not %q", sync, row.sync)
			}
			push, back := "", false
			for _, p := range pushes {
				push, back = "gone", p.Back
				if p.Claim != nil {
					push = string(p.Claim.State)
					if p.Claim.Renewed.Equal(now) {
						push += "+"
					}
				}
				if want := ""; row.seen != nil && p.Old != row.seen.Object || row.seen == nil && p.Old != want {
					t.Errorf("the push expects %q", p.Old)
				}
			}
			if push != row.push || back != row.back || len(pushes) > 1 {
				t.Errorf("pushes %q (back %v), not %q (%v)", push, back, row.push, row.back)
			}
			if src, err := json.Marshal(next); err != nil {
				t.Error(err)
			} else if _, err := session.ParseShared(src); err != nil {
				t.Errorf("what is known then cannot be read: %s", src)
			}
		})
	}
}

// Claims that were taken at different times are soon renewed in one push.
func TestRenewalsComeTogether(t *testing.T) {
	s := session.Shared{Clone: ours, Made: []string{"n1"}}
	for i, taken := range []time.Duration{0, 7 * time.Minute, 31 * time.Minute, 50 * time.Minute, 79 * time.Minute} {
		c := remoteClaim(ours, "n"+string(rune('1'+i)), 0)
		c.Record.ID = "PROJ-" + string(rune('1'+i))
		c.Renewed = now.Add(taken)
		s = s.WithOwn(session.OwnClaim{Ref: c.Record, Claim: c, Object: object("a"), Sync: session.Synced}).
			WithSeen(c.Record, &session.SeenClaim{Ref: c.Record, Object: object("a"), First: now, Claim: &c})
	}
	pushed := 0
	for at := now; at.Before(now.Add(16 * time.Hour)); at = at.Add(30 * time.Second) {
		next, pushes := s.Reconcile(func(record.Ref) session.Local { return held }, at)
		for s = next; len(pushes) > 0; pushes = nil {
			pushed++
			for _, p := range pushes {
				s = s.WithOwn(session.OwnClaim{Ref: p.Ref, Claim: *p.Claim, Object: object("a"), Sync: session.Synced}).
					WithSeen(p.Ref, &session.SeenClaim{Ref: p.Ref, Object: object("a"), First: at, Claim: p.Claim})
			}
		}
	}
	if pushed > 13 { // 12 are needed
		t.Errorf("%d pushes in 16 hours", pushed)
	}
}

func TestTimesOfARemoteClaim(t *testing.T) {
	const minute = time.Minute
	for _, row := range []struct {
		name              string
		renewed, seen     time.Duration // ago
		due, sure, lapsed bool
	}{
		{"fresh", 0, 0, false, true, false},
		{"before a third", 79 * minute, 79 * minute, false, true, false},
		{"at a third", 80 * minute, 80 * minute, true, true, false},
		{"before two thirds", 159 * minute, 159 * minute, true, true, false},
		{"at two thirds", 160 * minute, 160 * minute, true, false, false},
		{"at its end", 240 * minute, 240 * minute, true, false, false},
		{"two minutes after its end", 242 * minute, 242 * minute, true, false, false},
		{"more than two minutes after its end", 242*minute + time.Second, 242 * minute, true, false, true},
		{"the holder's clock is ten minutes ahead", 240*minute - 8*minute, 243 * minute, true, false, true},
		{"the holder's clock is ten minutes behind", 10 * minute, 0, false, true, false},
		{"the reader's clock is ten minutes behind", -10 * minute, 0, true, true, false},
		{"the reader's clock is ten minutes ahead", 90 * minute, 80 * minute, true, true, false},
	} {
		c := remoteClaim(theirs, "n2", row.renewed)
		if due, sure, lapsed := c.RenewDue(now), c.Sure(now), c.Lapsed(ago(row.seen), now); due != row.due || sure != row.sure || lapsed != row.lapsed {
			t.Errorf("%s: due %v, sure %v, lapsed %v", row.name, due, sure, lapsed)
		}
	}
	if finished(remoteClaim(theirs, "n2", 99*time.Hour)).Lapsed(time.Time{}, now) {
		t.Error("what is finished lapses")
	}
	if c := remoteClaim(theirs, "n2", -time.Hour); c.Ends(now) != now.Add(ttl) || c.Ends(time.Time{}) != now.Add(time.Hour+ttl) {
		t.Error("a clock that runs ahead gains time")
	}
}

// A claim for a short time holds for that time after others saw it, however wrong the clock of its holder is.
func TestShortClaimsAndWrongClocks(t *testing.T) {
	for _, wrong := range []time.Duration{-10 * time.Minute, -time.Minute, 0, time.Minute, 10 * time.Minute} {
		claim := remoteClaim(theirs, "n2", -wrong)
		claim.TTL = 60
		for after, lapsed := range map[time.Duration]bool{
			time.Second: false, time.Minute: false, 2*time.Minute + 50*time.Second: false, 3*time.Minute + time.Second: true,
		} {
			if got := claim.Lapsed(now, now.Add(after)); got != lapsed {
				t.Errorf("with a clock that is %v ahead, after %v: lapsed is %v", wrong, after, got)
			}
		}
	}
}

// Who holds a task, where clones share claims.
func TestHolderAmongClones(t *testing.T) {
	mine, other := remoteClaim(ours, "n1", time.Minute), remoteClaim(theirs, "n2", time.Minute)
	long := remoteClaim(theirs, "n2", 5*time.Hour)
	claimed := &session.State{Lease: lease(claude, here, time.Minute)}
	named := &session.State{Lease: lease(claude, "", time.Minute)}
	for _, row := range []struct {
		name      string
		state     *session.State
		remote    session.Remote
		how       string
		clone     string
		lapsed    bool
		unsynced  bool
		lost      bool
		refuses   record.Code // an agent that asks for it here
		takenOver record.Code // and that takes it over
	}{
		{name: "nobody"},
		{name: "another clone", remote: session.Remote{Seen: seen(other)}, how: "claimed", clone: theirs, refuses: record.AlreadyClaimed, takenOver: record.AlreadyClaimed},
		{name: "another clone, without a sign of life", remote: session.Remote{Seen: seen(long)}, clone: theirs, lapsed: true, refuses: record.AlreadyClaimed},
		{name: "another clone brought it further", remote: session.Remote{Seen: seen(finished(other))}, how: "behind", clone: theirs, refuses: record.Elsewhere},
		{name: "this clone", state: claimed, remote: session.Remote{Own: own(mine, session.Synced), Seen: seen(mine)}, how: "claimed"},
		{name: "this clone, and the remote does not know", state: claimed, remote: session.Remote{Own: own(mine, session.Unsynced)}, how: "claimed", unsynced: true},
		{name: "this clone, renewed too long ago", state: claimed, remote: session.Remote{Own: own(remoteClaim(ours, "n1", 3*time.Hour), session.Synced)}, how: "claimed", unsynced: true},
		{name: "this clone lost it", state: claimed, remote: session.Remote{Own: lostTo(other), Seen: seen(other)}, how: "claimed", lost: true, refuses: record.ClaimLost, takenOver: record.ClaimLost},
		{name: "a claim by this clone alone", state: claimed, remote: session.Remote{}, how: "claimed", unsynced: true},
		{name: "a copy of another clone", state: claimed, remote: session.Remote{Seen: seen(other)}, how: "claimed", lost: true, refuses: record.ClaimLost, takenOver: record.ClaimLost},
		{name: "another clone, of what was assigned in this one", state: named, remote: session.Remote{Seen: seen(other)},
			how: "claimed", clone: theirs, refuses: record.AlreadyClaimed, takenOver: record.AlreadyClaimed},
		{name: "another clone finished what this one never told the remote of", state: claimed, remote: session.Remote{Seen: seen(finished(other))},
			how: "behind", clone: theirs, refuses: record.Elsewhere},
		{name: "another clone finished what was assigned in this one", state: named, remote: session.Remote{Seen: seen(finished(other))},
			how: "behind", clone: theirs, refuses: record.Elsewhere},
		{name: "this clone goes on with what another one finished", state: claimed, how: "claimed",
			remote: session.Remote{Own: own(mine, session.Synced), Seen: seen(finished(other))}},
		{name: "assigned in this one, and another gave no sign of life", state: named, remote: session.Remote{Seen: seen(long)}, how: "claimed"},
		{name: "what this clone left behind", remote: session.Remote{Seen: seen(mine)}},
		{name: "what cannot be read", remote: session.Remote{Seen: &session.SeenClaim{Ref: pay, Object: object("b")}}},
	} {
		row.remote.Clone = ours
		live := session.Live{State: row.state, Remote: &row.remote, ClaimTTL: ttl, StaleAfter: stale}
		h := session.Holder(file("backlog", "", longAgo), live, now)
		if howOf(h) != row.how || h.Clone != row.clone || h.Lapsed != row.lapsed || h.Unsynced != row.unsynced || (h.LostTo != nil) != row.lost {
			t.Errorf("%s: %+v", row.name, h)
		}
		if err := h.Refuse("PROJ-7", claude, here, false); record.CodeOf(err) != row.refuses {
			t.Errorf("%s: refused with %v", row.name, err)
		}
		if err := h.Refuse("PROJ-7", claude, here, true); record.CodeOf(err) != row.takenOver {
			t.Errorf("%s: a takeover is refused with %v", row.name, err)
		}
		byHand := record.Code("") // a person takes over what other clones have, and nothing that is alive in this one
		if howOf(h) == "claimed" && row.clone == "" && !row.lost {
			byHand = record.AlreadyClaimed
		}
		if err := h.Refuse("PROJ-7", shah, here, true); record.CodeOf(err) != byHand {
			t.Errorf("%s: a person's takeover is refused with %v", row.name, err)
		}
	}
}

// What a write asks of other clones.
func TestWants(t *testing.T) {
	mine := remoteClaim(ours, "n1", time.Minute)
	l := lease(claude, here, time.Minute)
	timed := *l
	timed.Seconds = 600
	again := timed
	again.Seen = now
	assigned := session.Lease{Actor: claude}
	to := session.Progress{Status: "in_review", Entry: "done"}
	for _, row := range []struct {
		name   string
		step   session.Step
		before *session.Lease
		own    *session.OwnClaim
		want   string
	}{
		{"what is held is given on to somebody", session.Step{Takes: true, Lease: &session.Lease{Actor: gemini}}, l, own(mine, session.Synced), "take"},
		{"a note on what was given on", session.Step{Lease: &assigned}, &assigned, own(given(mine), session.Synced), ""},
		{"who it was given to takes it up", session.Step{Takes: true, Lease: l}, &assigned, own(given(mine), session.Synced), "take"},
		{"a note on what nobody holds", session.Step{}, nil, nil, ""},
		{"a claim", session.Step{Takes: true, Lease: l}, nil, nil, "take"},
		{"an assignment", session.Step{Lease: &assigned}, nil, nil, ""},
		{"a note on one's own", session.Step{Lease: l}, l, own(mine, session.Synced), ""},
		{"a note on one's own, that the remote does not know", session.Step{Lease: l}, l, own(mine, session.Unsynced), ""},
		{"a note on one's own, renewed too long ago", session.Step{Lease: l}, l, own(remoteClaim(ours, "n1", 3*time.Hour), session.Synced), ""},
		{"a claim by another actor", session.Step{Takes: true, Lease: lease(gemini, here, 0)}, l, own(mine, session.Synced), "take"},
		{"a claim for a fixed time", session.Step{Takes: true, Lease: &timed}, l, own(mine, session.Synced), "take"},
		{"a claim for that time again", session.Step{Takes: true, Lease: &again}, &timed, own(mine, session.Synced), "take"},
		{"a session on one's own, that the remote does not know", session.Step{Takes: true, Lease: inSession(lease(claude, here, 0))}, l, own(mine, session.Unsynced), "take"},
		{"a note on what is claimed for a fixed time", session.Step{Lease: &timed}, &timed, own(mine, session.Synced), ""},
		{"a claim for as long as claims hold, after one for a fixed time", session.Step{Takes: true, Lease: l}, &timed, own(mine, session.Synced), "take"},
		{"work on what was finished", session.Step{Takes: true, Lease: l}, nil, own(finished(mine), session.Synced), "take"},
		{"a release", session.Step{}, l, own(mine, session.Synced), "release"},
		{"a release of what the remote does not know", session.Step{}, l, nil, ""},
		{"finish", session.Step{Takes: true, Lease: l, Moved: true, Over: true, To: to}, l, own(mine, session.Synced), "finish"},
		{"finish of what was finished", session.Step{Moved: true, Over: true, To: to}, nil, own(finished(mine), session.Synced), ""},
		{"finish in a copy of a clone", session.Step{Moved: true, Over: true, To: to}, l, nil, "finish"},
		{"finish of what nobody holds", session.Step{Moved: true, Over: true, To: to}, nil, nil, ""},
		{"a claim of what is in review", session.Step{Takes: true, Lease: l, Over: true}, nil, nil, "take"},
	} {
		row.step.Ref = pay
		row.step.Known = session.Live{Remote: &session.Remote{Clone: ours, Own: row.own}}
		if row.before != nil {
			row.step.Known.State = &session.State{Lease: row.before}
		}
		take, want, ok := row.step.Wants(now)
		got := ""
		switch {
		case !ok:
		case take:
			got = "take"
			if want.Lease != *row.step.Lease || want.Judged != row.step.Known.Remote.Mark() {
				t.Errorf("%s: wants %+v", row.name, want)
			}
		case want.Ended != nil:
			got = "finish"
		default:
			got = "release"
		}
		if got != row.want {
			t.Errorf("%s: wants %q, not %q", row.name, got, row.want)
		}
	}
}

// hostile are values that make a claim at the remote count as unreadable.
var hostile = map[string]any{
	"version": 0, "holder": "shah", "clone": "../../x", "nonce": "", "worktree": "a\x1b[2J", "branch": "a\nb", "epoch": 1 << 40, "renewed": time.Time{},
	"ttl": 1 << 30, "state": "gone", "status": "x\x00", "commit": "HEAD", "entry": "a/b", "ousted": []string{"a b"}, "record": record.ID("PROJ-8").Ref(),
}

func TestAHostileClaimIsNotRead(t *testing.T) {
	good := remoteClaim(theirs, "n2", time.Minute)
	if got, err := session.ParseRemoteClaim([]byte(good.Encode()+"\n"), pay); err != nil || !reflect.DeepEqual(got, good) {
		t.Errorf("a claim that is good reads %+v, %v", got, err)
	}
	for key, value := range hostile {
		var fields map[string]any
		if err := json.Unmarshal([]byte(good.Encode()), &fields); err != nil {
			t.Fatal(err)
		}
		fields[key] = value
		src, _ := json.Marshal(fields)
		if _, err := session.ParseRemoteClaim(src, pay); record.CodeOf(err) != record.InvalidInput {
			t.Errorf("%s %v is read: %v", key, value, err)
		}
	}
	last := good
	last.Epoch = 1 << 30
	if after := last; after.Next() != last.Epoch {
		t.Errorf("after the last epoch comes %d, with which nobody could read the claim", after.Next())
	}
}

func FuzzParseRemoteClaim(f *testing.F) {
	f.Add([]byte(remoteClaim(theirs, "n2", time.Minute).Encode()))
	f.Add([]byte(finished(remoteClaim(theirs, "n2", time.Minute)).Encode()))
	for _, seed := range []string{"", "null", "{}", "[]", `{"version":1e9,"ttl":-1}`, `{"record":{"kind":"task","id":"PROJ-7"},"epoch":9223372036854775807}`, "a probe by cairn: 1"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		c, err := session.ParseRemoteClaim(src, pay)
		if err != nil {
			return
		}
		if again, err := session.ParseRemoteClaim([]byte(c.Renew(now).Encode()), pay); err != nil {
			t.Errorf("renewed, %+v cannot be read: %v", again, err)
		}
		c.Lapsed(now, now)
		next := c
		if next.Epoch = c.Next(); next.Encode() == "" {
			t.Error("it cannot be written")
		}
		if _, err := session.ParseRemoteClaim([]byte(next.Encode()), pay); err != nil {
			t.Errorf("the claim after it cannot be read: %v", err)
		}
	})
}

func FuzzParseShared(f *testing.F) {
	mine, other := remoteClaim(ours, "n1", time.Minute), remoteClaim(theirs, "n2", time.Minute)
	for _, s := range []session.Shared{
		{Clone: ours},
		session.Shared{Clone: ours, Made: []string{"n1"}, Remote: "origin refs/cairn/claims", Known: now}.WithOwn(*own(mine, session.Synced)).WithSeen(pay, seen(mine)),
		session.Shared{Clone: ours}.WithOwn(*lostTo(other)).WithSeen(pay, seen(other)),
		session.Shared{Clone: ours}.WithOwn(*own(finished(mine), session.Unsynced)).WithSeen(pay, seen(finished(mine))),
		{Clone: ours, Own: []session.OwnClaim{*own(mine, session.Synced), *own(mine, session.Asked)}},
		{Clone: ours, Own: []session.OwnClaim{*own(mine, session.Lost)}},
		{Clone: ours, Seen: []session.SeenClaim{{Ref: record.Ref{ID: "a\x1b[2J"}, Object: object("b")}}},
	} {
		src, err := json.Marshal(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	f.Add([]byte("null"))
	f.Fuzz(func(t *testing.T, src []byte) {
		s, err := session.ParseShared(src)
		if err != nil {
			return
		}
		for _, l := range []session.Local{nothing, held, silent, let, handed} {
			next, pushes := s.Reconcile(func(record.Ref) session.Local { return l }, now)
			refs := map[record.Ref]bool{}
			for _, p := range pushes {
				if refs[p.Ref] {
					t.Errorf("two pushes change %v", p.Ref)
				}
				refs[p.Ref] = true
			}
			again, err := json.Marshal(next)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := session.ParseShared(again); err != nil {
				t.Errorf("what it becomes cannot be read: %s", again)
			}
			for _, o := range next.Own {
				session.Holder(file("backlog", "", longAgo), session.Live{Remote: next.Of(o.Ref)}, now)
			}
		}
	})
}

func TestHostileSharedStateIsNotRead(t *testing.T) {
	mine := remoteClaim(ours, "n1", time.Minute)
	for name, s := range map[string]session.Shared{
		"no clone":                  {},
		"two claims on one record":  {Clone: ours, Own: []session.OwnClaim{*own(mine, session.Synced), *own(mine, session.Asked)}},
		"lost to nobody":            {Clone: ours, Own: []session.OwnClaim{*own(mine, session.Lost)}},
		"an id that moves a cursor": {Clone: ours, Seen: []session.SeenClaim{{Ref: record.Ref{ID: "a\x1b[2J"}, Object: object("b")}}},
		"words that move a cursor":  {Clone: ours, Said: "a\x1b[2J"},
		"an option for an object":   {Clone: ours, Seen: []session.SeenClaim{{Ref: pay, Object: "--upload-pack=x"}}},
	} {
		src, _ := json.Marshal(s)
		if _, err := session.ParseShared(src); record.CodeOf(err) != record.InvalidInput {
			t.Errorf("%s: %v", name, err)
		}
	}
}
