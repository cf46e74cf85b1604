package remote

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Take implements session.Leases. Besides, it returns CONFLICT if the remote has something else by now than what the
// caller judged by, and nobody is known to hold it: then the caller decides again.
//
// A process that is killed meanwhile leaves either nothing at the remote, or a claim that the next Renew gives back.
func (c *Claims) Take(ctx context.Context, want []session.Want, write func() error) error {
	if len(want) == 0 {
		return write()
	}
	t, err := c.begin(ctx)
	if err != nil {
		return err
	}
	defer t.end()
	before := t.shared
	own, err := t.ask(ctx, want)
	if err != nil {
		return err
	}
	err = t.settle(ctx, own)
	if err != nil && ctx.Err() != nil {
		return err // Renew finds out whether the remote has the claim
	}
	switch {
	case err == nil:
		t.mark(own, session.Synced, "")
	case record.CodeOf(err) == record.Offline && c.Alone:
		t.mark(own, session.Unsynced, t.shared.Said)
	case record.CodeOf(err) == record.Offline:
		return err // whether the remote has the claim is not known; Renew finds out
	default:
		t.refused(context.WithoutCancel(ctx), own, before)
		return err
	}
	if err := t.save(); err != nil {
		return err
	}
	if err := write(); err != nil {
		t.undo(context.WithoutCancel(ctx), own, before)
		return err
	}
	return nil
}

// undo gives back claims of which nothing came in the clone. A claim that the clone had before stays, as does one of
// somebody else in the clone which was to be replaced: Renew puts that back.
func (t *turn) undo(ctx context.Context, own []session.OwnClaim, before session.Shared) {
	var back []session.OwnClaim
	for _, o := range own {
		was := before.OwnOf(o.Ref)
		switch {
		case was == nil || was.Sync == session.Lost || was.Sync == session.Released:
			back = append(back, o)
		case !was.Claim.Same(o.Claim):
			was.Was, was.Sync = o.Object, session.Unsynced
			t.shared = t.shared.WithOwn(*was)
		}
	}
	if len(back) == 0 {
		_ = t.save() // else the next Renew finds a claim that nobody holds
		return
	}
	t.giveBack(ctx, back)
}

// refused ends claims of which the remote gave one to somebody else. It may have taken the others, where it cannot take
// all or none.
func (t *turn) refused(ctx context.Context, own []session.OwnClaim, before session.Shared) {
	var taken []session.OwnClaim
	for _, o := range own {
		if seen := t.shared.SeenOf(o.Ref); seen != nil && seen.Claim != nil && seen.Claim.Same(o.Claim) {
			taken = append(taken, o)
			continue
		}
		t.shared = t.shared.WithoutOwn(o.Ref)
		if was := before.OwnOf(o.Ref); was != nil {
			t.shared = t.shared.WithOwn(*was)
		}
	}
	t.undo(ctx, taken, before)
}

// ask makes the claims that are wanted, and notes that the remote is asked for them.
func (t *turn) ask(ctx context.Context, want []session.Want) ([]session.OwnClaim, error) {
	var own []session.OwnClaim
	for _, w := range want {
		if mark := t.shared.Of(w.Ref).Mark(); mark != w.Judged {
			return nil, changed(w.Ref)
		}
	}
	for _, w := range want {
		claim, was, err := t.newClaim(w)
		if err != nil {
			return nil, err
		}
		object, err := t.port.Commit(ctx, claim.Encode(), t.Now())
		if err != nil {
			return nil, err
		}
		one := session.OwnClaim{Ref: w.Ref, Claim: claim, Object: object, Was: was, Over: t.replaced(w.Ref), Sync: session.Asked, Open: true}
		own = append(own, one)
		t.shared = t.shared.WithOwn(one)
	}
	return own, t.save()
}

// replaced is the commit that says what another claim had finished, where a new one takes its place; "" for none.
func (t *turn) replaced(of record.Ref) string {
	seen := t.shared.SeenOf(of)
	if own := t.shared.OwnOf(of); own != nil && own.Over != "" && (seen == nil || seen.Claim != nil && seen.Claim.Same(own.Claim)) {
		return own.Over
	}
	if seen == nil || seen.Claim == nil || seen.Claim.State != session.RemoteFinished {
		return ""
	}
	return seen.Object
}

// changed is CONFLICT for a record of which the remote, or this clone, has another claim than the caller judged by.
func changed(of record.Ref) error {
	return record.Errorf(record.Conflict, "there is another claim on %s than was known", of.ID).WithHint("read the task again, and decide anew")
}

// newClaim is the claim that is wanted, and what the remote is believed to have. A claim that the remote was asked for
// before, and about which nothing is known, is asked for again under its own nonce.
func (t *turn) newClaim(w session.Want) (session.RemoteClaim, string, error) {
	now := t.Now().UTC().Truncate(time.Second)
	nonce, err := t.token()
	if err != nil {
		return session.RemoteClaim{}, "", problem.IO(err)
	}
	claim := session.RemoteClaim{
		Version: session.RemoteVersion, Record: w.Ref, Holder: w.Lease.Actor, Clone: t.shared.Clone, Worktree: worktreeName(w.Lease.Worktree),
		Epoch: 1, Nonce: nonce, Taken: now, Renewed: now, TTL: int(session.RemoteTTL(w.Lease, t.Config.ClaimTTL) / time.Second),
		Branch: w.Lease.Branch, State: session.RemoteHeld,
	}
	own, seen, was := t.shared.OwnOf(w.Ref), t.shared.SeenOf(w.Ref), ""
	if seen != nil {
		was = seen.Object
		if seen.Claim != nil {
			claim.Epoch = seen.Claim.Next()
		}
	}
	if own != nil && own.Claim.State == session.RemoteHeld && own.Claim.Holder == claim.Holder && own.Sync != session.Lost && own.Sync != session.Released {
		claim.Nonce, claim.Taken, claim.Epoch = own.Claim.Nonce, own.Claim.Taken, own.Claim.Epoch
	}
	return claim, was, nil
}

// How often a claim is asked for where the remote refused it and nobody has it, as when others push at the same moment.
const (
	tries    = 4
	tryPause = 150 * time.Millisecond
)

// settle has the remote decide about claims, all or none. It returns nil if they are ours, ALREADY_CLAIMED, CONFLICT,
// and OFFLINE if the remote gave no answer that is understood, or allows nothing.
func (t *turn) settle(ctx context.Context, own []session.OwnClaim) error {
	words := ""
	for try := range tries {
		if try > 0 {
			if err := t.Sleep(ctx, tryPause/2+rand.N(tryPause)); err != nil {
				return err
			}
		}
		setOpen(own, true)
		taken, said, err := t.push(ctx, updatesOf(own), len(own) > 1 && (t.shared.Probe == nil || t.shared.Probe.Atomic))
		if err != nil {
			return err
		}
		if taken == len(own) {
			t.have(own)
			return nil
		}
		if err := t.fetch(ctx); err != nil {
			return err
		}
		setOpen(own, false)
		won, err := t.won(own)
		if err != nil || won {
			return err
		}
		if words = said; denied(said) {
			break
		}
	}
	t.said(words)
	return refused(t.Config.Claims.Remote, t.shared.Said)
}

// setOpen notes whether it is open what came of asking for claims.
func setOpen(own []session.OwnClaim, open bool) {
	for i := range own {
		own[i].Open = open
	}
}

// denials are words with which a remote says that it does not allow a push, rather than that somebody else was faster.
var denials = []string{"declined", "denied", "deny", "prohibited", "protected", "not allowed", "permission"}

func denied(said string) bool {
	return said == notThere || slices.ContainsFunc(denials, func(word string) bool { return strings.Contains(strings.ToLower(said), word) })
}

// updatesOf are the updates that make claims.
func updatesOf(own []session.OwnClaim) []git.RefUpdate {
	var updates []git.RefUpdate
	for _, o := range own {
		updates = append(updates, git.RefUpdate{Ref: refName(o.Ref), Old: o.Was, New: o.Object})
	}
	return updates
}

// notThere is why a push counts for nothing that was taken in another place than the one that everybody asks.
const notThere = "it is pushed to another place than it is fetched from, and what that one takes is not found here (git remote -v)"

// there looks whether others see the claims that a remote was told, where it is pushed to another place than it is
// fetched from. What is not found there is not taken. It returns why, in the place of what was said.
func (t *turn) there(ctx context.Context, updates []git.RefUpdate, results []git.RefResult, said string) (string, error) {
	apart, err := t.port.Apart(ctx)
	if err != nil || !apart {
		return said, err
	}
	fetched, stale := false, strings.Contains(said, "stale info") // as for what that place took before
	for i, u := range updates {
		of, claim := refOf(u.Ref)
		if !claim || u.New == "" || results[i] != git.Taken && !stale {
			continue
		}
		if !fetched {
			if err := t.fetch(ctx); err != nil {
				return said, err
			}
			fetched = true
		}
		if seen := t.shared.SeenOf(of); seen == nil || seen.Object != u.New {
			results[i], said = git.Refused, notThere
		}
	}
	return said, nil
}

// push pushes, and returns how many updates the remote has taken.
func (t *turn) push(ctx context.Context, updates []git.RefUpdate, atomic bool) (taken int, said string, err error) {
	if err := t.spend(ctx); err != nil {
		return 0, "", err
	}
	results, said, failed := t.port.Push(ctx, updates, atomic)
	if ctx.Err() != nil {
		return 0, said, ctx.Err()
	}
	if said, err = t.there(ctx, updates, results, said); err != nil {
		return 0, said, err
	}
	for _, r := range results {
		if r == git.Taken {
			taken++
		}
	}
	if said == "" && failed != nil {
		said = failed.Error()
	}
	return taken, said, nil
}

// won reports, once the remote was asked, whether it has all of the claims. It returns ALREADY_CLAIMED if another clone
// holds one of the records, and CONFLICT if the remote has something else than what the claim was to replace.
func (t *turn) won(own []session.OwnClaim) (bool, error) {
	all := true
	for i, o := range own {
		seen := t.shared.SeenOf(o.Ref)
		switch {
		case seen != nil && seen.Object == o.Object:
			continue
		case seen != nil && seen.Claim != nil && seen.Claim.Same(o.Claim): // an answer that was lost, of before; what is wanted now replaces it
			own[i].Was, all = seen.Object, false
			continue
		case seen == nil && o.Was == "", seen != nil && seen.Object == o.Was:
			all = false
			continue
		case seen != nil && seen.Claim != nil && seen.Claim.State == session.RemoteHeld && !seen.Claim.Lapsed(seen.First, t.Now()):
			known := session.Live{Remote: &session.Remote{Clone: t.shared.Clone, Seen: seen}}
			hold := session.Holder(record.Header{Ref: o.Ref}, known, t.Now())
			if err := hold.Refuse(record.ID(o.Ref.ID), "", "", false); err != nil {
				return false, err
			}
		}
		return false, changed(o.Ref)
	}
	return all, nil
}

// have notes that the remote has claims.
func (t *turn) have(own []session.OwnClaim) {
	for _, o := range own {
		claim := o.Claim
		t.shared = t.shared.WithSeen(o.Ref, &session.SeenClaim{Ref: o.Ref, Object: o.Object, First: t.Now().UTC(), Claim: &claim})
	}
	t.shared.Said = ""
}

// mark notes what is known of claims of this clone.
func (t *turn) mark(own []session.OwnClaim, as session.Sync, said string) {
	for i := range own {
		own[i].Sync, own[i].Said = as, said
		if as == session.Synced {
			own[i].Was, own[i].Open = "", false
		}
		t.shared = t.shared.WithOwn(own[i])
	}
}

// giveBack ends claims that came to nothing. What the remote does not hear of now it hears of later.
func (t *turn) giveBack(ctx context.Context, own []session.OwnClaim) {
	t.mark(own, session.Released, "")
	if t.save() == nil {
		t.letGo(ctx, own)
	}
}

// letGo removes the refs of claims that were let go, or puts back what they replaced. It does not wait for room in the
// budget.
func (t *turn) letGo(ctx context.Context, own []session.OwnClaim) {
	var updates []git.RefUpdate
	for _, o := range own {
		updates = append(updates, git.RefUpdate{Ref: refName(o.Ref), Old: o.Object, New: o.Over})
	}
	if t.room(t.Budget) > 0 {
		return
	}
	taken, _, err := t.push(ctx, updates, false)
	if err != nil || taken < len(own) {
		return
	}
	for _, o := range own {
		t.shared = t.shared.WithoutOwn(o.Ref).WithSeen(o.Ref, nil)
	}
	_ = t.save() // else the next Renew finds that the refs are gone
}
