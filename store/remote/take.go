package remote

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
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
		t.mark(own, session.OwnClaim.Confirmed)
	case record.CodeOf(err) == record.Offline && c.Alone:
		t.mark(own, func(o session.OwnClaim) session.OwnClaim { return o.Unconfirmed(t.shared.Said) })
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

// undo gives back claims of which nothing came in the clone. One that the clone had before stays.
func (t *turn) undo(ctx context.Context, own []session.OwnClaim, before session.Shared) {
	var back []session.OwnClaim
	for _, o := range own {
		if left := o.Undone(before.OwnOf(o.Ref)); left == nil {
			back = append(back, o.Untaken(before.SeenOf(o.Ref)))
		} else {
			t.shared = t.shared.WithOwn(*left)
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
		if o.Found(t.shared.SeenOf(o.Ref)) == session.Ours {
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
	for _, w := range want {
		if mark := t.shared.Of(w.Ref).Mark(); mark != w.Judged {
			return nil, changed(w.Ref)
		}
	}
	var own []session.OwnClaim
	for _, w := range want {
		one, err := t.newClaim(ctx, w)
		if err != nil {
			return nil, err
		}
		own = append(own, one)
		t.shared = t.shared.WithOwn(one)
	}
	return own, t.save()
}

// changed is CONFLICT for a record of which the remote, or this clone, has another claim than the caller judged by.
func changed(of record.Ref) error {
	return record.Errorf(record.Conflict, "there is another claim on %s than was known", of.ID).WithHint("read the task again, and decide anew")
}

// newClaim is the claim that is wanted, with a commit that says so.
func (t *turn) newClaim(ctx context.Context, w session.Want) (session.OwnClaim, error) {
	nonce, err := t.token()
	if err != nil {
		return session.OwnClaim{}, problem.IO(err)
	}
	worktree := "" // as other clones are told of it
	if w.Lease.Claims() {
		worktree = record.Clip(printable(filepath.Base(w.Lease.Worktree)), 200)
	}
	t.shared = t.shared.Making(nonce)
	one := t.shared.Ask(w, worktree, nonce, t.Config.ClaimTTL, t.Now())
	one.Object, err = t.port.Commit(ctx, one.Claim.Encode(), t.Now())
	return one, err
}

// How often a claim is asked for where the remote refused it and nobody has it, as when others push at the same moment.
const (
	tries    = 4
	tryPause = 150 * time.Millisecond
)

// settle has the remote decide about claims, all or none. It returns nil if they are ours, ALREADY_CLAIMED, CONFLICT,
// and OFFLINE if the remote gave no answer that is understood, or allows nothing.
func (t *turn) settle(ctx context.Context, own []session.OwnClaim) error {
	return t.insist(ctx, tryPause, func() (updates []git.RefUpdate) {
		for i, o := range own {
			own[i].Open = true // what comes of asking
			updates = append(updates, git.RefUpdate{Ref: refName(o.Ref), Old: o.Was, New: o.Object})
		}
		return updates
	}, func(taken bool) (bool, error) {
		if taken {
			t.have(own)
			return true, nil
		}
		for i := range own {
			own[i].Open = false
		}
		return t.won(own)
	})
}

// insist pushes updates, all or none where the remote can do that, until judge ends it. Judge is asked once the remote
// has taken them, and where it has not, once it was asked what it has. In between it waits about so long as pause. It
// returns OFFLINE if the remote gives no answer that is understood, or allows nothing.
func (t *turn) insist(
	ctx context.Context, pause time.Duration, updates func() []git.RefUpdate,
	judge func(taken bool) (over bool, err error),
) error {
	words := ""
	for try := range tries {
		if try > 0 && pause > 0 {
			if err := t.Sleep(ctx, pause/2+rand.N(pause)); err != nil {
				return err
			}
		}
		asked := updates()
		got, err := t.push(ctx, asked, len(asked) > 1 && (t.shared.Probe == nil || t.shared.Probe.Atomic))
		all := got.taken() == len(asked)
		switch {
		case err == nil && !all && errors.Is(got.failed, context.DeadlineExceeded):
			err = t.offline(ctx, got.failed) // who gives no answer to that gives none to another question
		case err == nil && !all:
			err = t.fetch(ctx)
		}
		if err != nil {
			return err
		}
		if over, err := judge(all); err != nil || over {
			return err
		}
		if words = got.words(); denied(words) {
			break
		}
	}
	t.said(words)
	return refused(t.Config.Claims.Remote, t.shared.Said)
}

// denials are words with which a remote says that it does not allow a push, rather than that somebody else was faster.
var denials = []string{"declined", "denied", "deny", "prohibited", "protected", "not allowed", "permission"}

func denied(said string) bool {
	return said == notThere || slices.ContainsFunc(denials, func(word string) bool { return strings.Contains(strings.ToLower(said), word) })
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

// answer is what came of a push.
type answer struct {
	results []git.RefResult // of each update
	said    string          // by the remote
	failed  error           // of the push itself
}

// taken is how many updates the remote has taken.
func (a answer) taken() int {
	n := 0
	for _, r := range a.results {
		if r == git.Taken {
			n++
		}
	}
	return n
}

// words are what the remote said, or else why the push failed.
func (a answer) words() string {
	if a.said == "" && a.failed != nil {
		return a.failed.Error()
	}
	return a.said
}

// push pushes, and returns what came of it.
func (t *turn) push(ctx context.Context, updates []git.RefUpdate, atomic bool) (answer, error) {
	if call := callIn(ctx); call != nil {
		return call.ask(&question{ctx: ctx, turn: t, updates: updates, atomic: atomic})
	}
	if err := t.spend(ctx); err != nil {
		return answer{}, err
	}
	var a answer
	patient, cancel := t.patience(ctx)
	a.results, a.said, a.failed = t.port.Push(patient, updates, atomic)
	cancel()
	err := ctx.Err()
	if err == nil {
		a.said, err = t.there(ctx, updates, a.results, a.said)
	}
	if err != nil {
		a.results = nil
	}
	return a, err
}

// won reports, once the remote was asked, whether it has all of the claims. It returns ALREADY_CLAIMED if another clone
// holds one of the records, and CONFLICT if the remote has something else than what the claim was to replace.
func (t *turn) won(own []session.OwnClaim) (bool, error) {
	all := true
	for i, o := range own {
		seen := t.shared.SeenOf(o.Ref)
		switch found := o.Found(seen); {
		case seen != nil && seen.Object == o.Object:
		case found == session.Ours: // an answer that was lost, of before; what is wanted now replaces it
			own[i].Was, all = seen.Object, false
		case found == session.Before && seen.Object == o.Was, found == session.NoRef && o.Was == "":
			all = false
		default:
			known := session.Live{Remote: &session.Remote{Clone: t.shared.Clone, Seen: seen}}
			if holder := session.Holder(record.Header{Ref: o.Ref}, known, t.Now()); holder.Live() {
				return false, holder.Refuse(record.ID(o.Ref.ID), "", "", false)
			}
			return false, changed(o.Ref)
		}
	}
	return all, nil
}

// have notes that the remote has claims.
func (t *turn) have(own []session.OwnClaim) {
	for _, o := range own {
		claim := o.Claim
		t.shared = t.shared.WithSeen(o.Ref, &session.SeenClaim{Ref: o.Ref, Object: o.Object, First: t.Now().UTC(), Claim: &claim})
	}
	t.shared.Said, t.shared.Mute = "", time.Time{}
}

// mark notes what is known of claims of this clone now.
func (t *turn) mark(own []session.OwnClaim, as func(session.OwnClaim) session.OwnClaim) {
	for i := range own {
		own[i] = as(own[i])
		t.shared = t.shared.WithOwn(own[i])
	}
}

// giveBack ends claims that came to nothing: it removes their refs, or puts back what they replaced. It does not wait
// for room in the budget. What the remote does not hear of now it hears of later.
func (t *turn) giveBack(ctx context.Context, own []session.OwnClaim) {
	t.mark(own, session.OwnClaim.LetGo)
	if t.save() != nil || t.room(t.Budget) > 0 {
		return
	}
	var pushes []session.Push
	for _, o := range own {
		pushes = append(pushes, o.GiveBack(t.Now()))
	}
	updates, err := t.updates(ctx, pushes)
	if err != nil {
		return
	}
	if got, err := t.push(ctx, updates, false); err != nil || got.taken() < len(own) {
		return
	}
	for i, p := range pushes {
		t.took(p, updates[i].New)
	}
	_ = t.save() // else the next Renew finds that the refs are gone
}
