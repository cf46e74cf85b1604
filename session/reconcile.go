package session

import (
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Local is what a clone itself says of a record that it has a claim on.
type Local struct {
	Lease  *Lease    // the live claim; nil for none
	Lapsed bool      // its holder gave no sign of life, so it is not renewed
	Under  bool      // a write is under way, or was cut short, so that the rest may change at any moment
	Ended  *Progress // the status that the clone brought the record to, if work on it is over; nil if it is not
}

// held reports whether somebody works on the record in this clone. Who was only assigned does not.
func (l Local) held() bool { return l.Lease.Claims() }

// stands reports whether the clone still means its claim: somebody works on the record, or it was given to the holder.
func (o OwnClaim) stands(l Local) bool {
	return l.held() || l.Lease != nil && l.Lease.Actor == o.Claim.Holder
}

// Push is what is to be done with a ref of the remote, and only if it still points at Old.
type Push struct {
	Ref    record.Ref
	Claim  *RemoteClaim // what it is to say; nil for no ref
	Object string       // the commit that says so; "" if there is none yet. Without a claim, what is put back in its place
	Old    string       // "" for no ref
	Back   bool         // the remote had the claim, and lost it
}

// Reconcile compares what this clone claims with what the remote had when it was last asked, and returns what the clone
// knows now, and what is to be pushed. It believes in a claim only if the remote has it, renews those of which a third
// of the time is over, puts back those that the remote has lost, and never touches what another clone has. What the
// remote was asked for stays as it is until it is known what came of that. Where anything is pushed, claims that would
// be renewed later go with it.
func (s Shared) Reconcile(local func(record.Ref) Local, now time.Time) (Shared, []Push) {
	next, pushes := s.reconcile(local, now, RemoteClaim.RenewDue)
	if len(pushes) > 0 {
		next, pushes = s.reconcile(local, now, func(c RemoteClaim, now time.Time) bool {
			return c.RenewDue(now) || now.Sub(c.Renewed) >= c.ttl()/12 // soon all are renewed in one push
		})
	}
	return next, pushes
}

// renewing decides whether a claim is renewed.
type renewing func(RemoteClaim, time.Time) bool

func (s Shared) reconcile(local func(record.Ref) Local, now time.Time, due renewing) (Shared, []Push) {
	var pushes []Push
	next := s
	next.Own = nil
	for _, own := range slices.Concat(s.Own, s.strays(local)) {
		kept, push := own.reconcile(s.SeenOf(own.Ref), local(own.Ref), now, due)
		if kept != nil {
			next.Own = append(next.Own, *kept)
		}
		if push != nil {
			push.Ref = own.Ref
			pushes = append(pushes, *push)
		}
	}
	slices.SortFunc(pushes, func(a, b Push) int { return record.CompareRefs(a.Ref, b.Ref) })
	return next, pushes
}

// strays are claims of this clone that the remote has and the clone knows nothing of, as when a push arrives after it
// was given up.
func (s Shared) strays(local func(record.Ref) Local) []OwnClaim {
	var all []OwnClaim
	for _, seen := range s.Seen {
		if seen.Claim == nil || seen.Claim.State == RemoteReleased || !s.ours(*seen.Claim) || s.OwnOf(seen.Ref) != nil {
			continue
		}
		own := OwnClaim{Ref: seen.Ref, Claim: *seen.Claim, Object: seen.Object, Sync: Synced}
		if l := local(seen.Ref); l.Under || l.held() && l.Lease.Actor != own.Claim.Holder {
			continue // whoever holds it here takes it with the next write
		}
		all = append(all, own)
	}
	return all
}

func (o OwnClaim) reconcile(seen *SeenClaim, l Local, now time.Time, due renewing) (*OwnClaim, *Push) {
	over := !o.stands(l) && l.Ended == nil && o.Claim.State != RemoteFinished // nothing of it is to stay at the remote
	found := o.Found(seen)
	switch {
	case o.Open || l.Under:
		return &o, nil
	case found == NoRef:
		return o.absent(l, over, now)
	case found == Ours:
		return o.there(*seen, l, over, now, due)
	case over:
		return nil, nil
	case found == Before:
		claim, object := o.wanted(l, now)
		if seen.Object != o.Was {
			claim.Ousted, object = seen.Claim.Ousted, ""
		}
		return &o, &Push{Claim: &claim, Object: object, Old: seen.Object}
	case found == Unreadable: // written by nobody knows whom, so nobody is known to hold it
		o = o.Unconfirmed("what the remote has of it cannot be read")
	case found == Theirs && !o.Claim.Claims() && seen.Claim.Holder == o.Claim.Holder: // who it was given to has taken it up
		return nil, nil
	case found == Theirs:
		o = o.LoseTo(*seen.Claim)
	}
	return &o, nil
}

// absent decides about a claim of which the remote has no ref.
func (o OwnClaim) absent(l Local, over bool, now time.Time) (*OwnClaim, *Push) {
	switch {
	case over:
		return nil, nil
	case o.Sync == Lost:
		return &o, nil
	case o.Claim.State == RemoteFinished && o.Sync == Synced: // it was taken away once the work was merged
		return nil, nil
	}
	if o.Sync == Synced {
		o.Sync, o.Gone = Unsynced, true
	}
	if l.held() && l.Lapsed {
		return &o, nil
	}
	claim, object := o.wanted(l, now)
	return &o, &Push{Claim: &claim, Object: object, Back: o.Gone}
}

// there decides about a claim that the remote has.
func (o OwnClaim) there(seen SeenClaim, l Local, over bool, now time.Time, due renewing) (*OwnClaim, *Push) {
	if over && seen.Claim.State == RemoteReleased {
		return nil, nil
	}
	if over {
		o.Sync = Released
		back := o.giveBack(seen.Object, now)
		return &o, &back
	}
	claim, _ := o.wanted(l, now)
	if l.Ended != nil && seen.Claim.State == RemoteFinished && seen.Claim.Status == l.Ended.Status {
		claim = *seen.Claim // the write that it was told of was made, and then the process was killed
	}
	o.Object, o.Was, o.To, o.Said, o.Gone = seen.Object, "", nil, "", false
	if claim.State == RemoteFinished {
		if seen.Claim.State == RemoteFinished && seen.Claim.Entry == claim.Entry {
			o.Claim, o.Sync = *seen.Claim, Synced
			return &o, nil
		}
		o.Claim, o.Sync = claim, Unsynced
		return &o, &Push{Claim: &claim, Old: seen.Object}
	}
	back := seen.Claim.State != RemoteHeld // which the write of this clone came to nothing after
	if back {
		o.Sync = Unsynced
	} else {
		o.Claim, o.Sync = *seen.Claim, Synced
	}
	if l.Lapsed || !back && !due(o.Claim, now) {
		return &o, nil
	}
	claim = o.Claim.goOn(now)
	return &o, &Push{Claim: &claim, Old: seen.Object}
}

// wanted is what the remote should have of a claim, and the commit that says so if there is one already.
func (o OwnClaim) wanted(l Local, now time.Time) (RemoteClaim, string) {
	switch {
	case o.Claim.State == RemoteFinished && o.stands(l) && l.Ended == nil: // it was sent back, and its holder is at work
		return o.Claim.goOn(now), ""
	case o.Claim.State != RemoteFinished && !o.stands(l):
		return o.Claim.Finish(*l.Ended, now), ""
	case o.Claim.State != RemoteFinished && !l.Lapsed && o.Claim.RenewDue(now):
		return o.Claim.Renew(now), ""
	default:
		return o.Claim, o.Object
	}
}
