package session

import (
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Sync is what a clone knows of whether the remote has its claim.
type Sync string

// The states of a claim of this clone.
const (
	Asked    Sync = "asked"    // the remote was asked, and gave no answer that is known; nobody here relies on it
	Synced   Sync = "synced"   // the remote has it
	Unsynced Sync = "unsynced" // made here while the remote could not be asked
	Released Sync = "released" // let go here; the remote may still have it
	Lost     Sync = "lost"     // the remote gave it to another clone
)

// OwnClaim is a claim of this clone.
type OwnClaim struct {
	Ref    record.Ref   `json:"ref"`
	Claim  RemoteClaim  `json:"claim"`
	Object string       `json:"object"`         // the commit that says so
	Was    string       `json:"was,omitempty"`  // what the ref pointed at when the claim was decided; "" for no ref
	Over   string       `json:"over,omitempty"` // what another clone had finished and this claim replaced, so that it is put back
	Sync   Sync         `json:"sync"`
	To     *RemoteClaim `json:"to,omitempty"`   // of Lost: who has it
	Gone   bool         `json:"gone,omitempty"` // the remote had it, and has it no longer
	Open   bool         `json:"open,omitempty"` // the remote was asked for it, and not yet what came of that
	Said   string       `json:"said,omitempty"`
}

// Found is what the remote has in the place of a claim of this clone.
type Found int

// What it can have.
const (
	NoRef      Found = iota
	Ours             // this claim, perhaps renewed or finished
	Before           // what the claim was to replace, or what it may
	Unreadable       // a ref that says nothing which is understood
	Theirs           // a claim of another clone, or another one of this
)

// Found compares the claim with what the remote has of its record. All that becomes of a claim follows from that.
func (o OwnClaim) Found(seen *SeenClaim) Found {
	switch {
	case seen == nil:
		return NoRef
	case seen.Claim != nil && seen.Claim.Same(o.Claim):
		return Ours
	case seen.Object == o.Was && o.Sync != Synced && o.Sync != Lost:
		return Before
	case seen.Claim == nil:
		return Unreadable
	case seen.Claim.State == RemoteReleased && o.Sync != Synced && o.Sync != Lost && !slices.Contains(seen.Claim.Ousted, o.Claim.Nonce):
		return Before // it is about others
	default:
		return Theirs
	}
}

// Ask is the claim that a write wants, as it is before the remote has answered. A claim that the remote was asked for
// before, and of which nothing is known, is asked for again under its own nonce; else the nonce is the one given.
func (s Shared) Ask(w Want, worktree, nonce string, claimTTL time.Duration, now time.Time) OwnClaim {
	now = now.UTC().Truncate(time.Second)
	claim := RemoteClaim{
		Version: RemoteVersion, Record: w.Ref, Holder: w.Lease.Actor, Clone: s.Clone, Worktree: worktree, Epoch: 1, Nonce: nonce,
		Taken: now, Renewed: now, TTL: int(RemoteTTL(w.Lease, claimTTL) / time.Second), Branch: w.Lease.Branch, State: RemoteHeld,
		Given: !w.Lease.Claims(),
	}
	own, seen := s.OwnOf(w.Ref), s.SeenOf(w.Ref)
	out := OwnClaim{Ref: w.Ref, Sync: Asked, Open: true, Over: own.replaced(seen)}
	if seen != nil {
		out.Was = seen.Object
		if seen.Claim != nil {
			claim.Epoch, claim.Ousted = seen.Claim.Next(), s.ousted(*seen.Claim)
		}
	}
	if own != nil && own.Claim.State == RemoteHeld && own.Claim.Holder == claim.Holder && own.Sync != Lost && own.Sync != Released {
		claim.Nonce, claim.Taken, claim.Epoch = own.Claim.Nonce, own.Claim.Taken, own.Claim.Epoch
	}
	out.Claim = claim
	return out
}

// replaced is the commit that says what another claim had finished, where a new one takes its place; "" for none.
func (o *OwnClaim) replaced(seen *SeenClaim) string {
	if o != nil && o.Over != "" && (seen == nil || seen.Claim != nil && seen.Claim.Same(o.Claim)) {
		return o.Over
	}
	if seen == nil || seen.Claim == nil || seen.Claim.State != RemoteFinished {
		return ""
	}
	return seen.Object
}

// Confirmed is the claim once the remote has it.
func (o OwnClaim) Confirmed() OwnClaim {
	o.Sync, o.Said, o.Was, o.Open = Synced, "", "", false
	return o
}

// Unconfirmed is a claim that is relied on though the remote is not known to have it, and why.
func (o OwnClaim) Unconfirmed(said string) OwnClaim {
	o.Sync, o.Said = Unsynced, said
	return o
}

// LetGo is a claim that ends here, and of which the remote may still have to hear.
func (o OwnClaim) LetGo() OwnClaim {
	o.Sync, o.Said = Released, ""
	return o
}

// giveBack is the push by which the remote hears that a claim which it has ended here: it removes the ref, puts back what
// was finished, or says that those from whom it was taken over do not have it either.
func (o OwnClaim) giveBack(at string, now time.Time) Push {
	if o.Over != "" || len(o.Claim.Ousted) == 0 {
		return Push{Ref: o.Ref, Object: o.Over, Old: at}
	}
	over := o.Claim.release(now)
	return Push{Ref: o.Ref, Claim: &over, Old: at}
}

// GiveBack is the push by which the remote hears that a claim ended here.
func (o OwnClaim) GiveBack(now time.Time) Push { return o.giveBack(o.Object, now) }

// Untaken is a claim that came to nothing: where it took the place of what was seen, that is put back.
func (o OwnClaim) Untaken(seen *SeenClaim) OwnClaim {
	o.Claim.Ousted = nil
	if seen != nil {
		o.Over = seen.Object
	}
	return o
}

// LoseTo is the claim once the remote gave its record to another clone.
func (o OwnClaim) LoseTo(to RemoteClaim) OwnClaim {
	o.Sync, o.To = Lost, &to
	return o
}

// Undone is what stays of a claim that was made and of which nothing came in this clone, where before is the one that
// it had: nil if it is to be given back. One of somebody else here, which was to be replaced, is put back by Renew.
func (o OwnClaim) Undone(before *OwnClaim) *OwnClaim {
	switch {
	case before == nil || before.Sync == Lost || before.Sync == Released:
		return nil
	case before.Claim.Same(o.Claim):
		return &o
	default:
		was := before.Unconfirmed(before.Said)
		was.Was = o.Object
		return &was
	}
}

// NewlyLost are the claims that are lost by now, and were not before.
func (s Shared) NewlyLost(before Shared) []OwnClaim {
	var lost []OwnClaim
	for _, o := range s.Own {
		if was := before.OwnOf(o.Ref); o.Sync == Lost && (was == nil || was.Sync != Lost) {
			lost = append(lost, o)
		}
	}
	return lost
}

// Untold reports whether the remote was never told of a live claim of this clone: one from before claims were shared.
func (s Shared) Untold(of State, l Local) bool {
	seen := s.SeenOf(of.Ref)
	known := s.OwnOf(of.Ref) != nil || seen != nil && seen.Claim != nil && s.ours(*seen.Claim)
	return !known && !l.Under && !l.Lapsed && l.Ended == nil && l.held()
}
