package session

import (
	"context"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Leases decide who holds a record, among all who may want it. There are two: in one clone the write lock decides
// (store.Local), and among clones the git remote does (package remote). Whoever needs more than a remote can give puts
// another one here; the suite in leasetest says what it must hold.
//
// A write in the clone belongs to each decision. Take calls it once the records are the caller's, and Release once
// nobody else has them: so a write that is refused leaves nothing behind in the clone.
type Leases interface {
	// Take takes the records for the clone, all or none, and calls write, which makes the claims in the clone. If write
	// fails, they are given back, but for those that were the clone's before. It returns ALREADY_CLAIMED, naming the
	// holder, if somebody else has one, CONFLICT if there is something else than the caller judged by, and OFFLINE if
	// neither can be told; then write was not called. With no records it calls write alone.
	Take(ctx context.Context, want []Want, write func() error) error

	// Release gives records back, or says how far they were brought, and calls write, which does the same in the clone. It
	// returns CLAIM_LOST if somebody else was given one that is brought further, and OFFLINE if that can be neither told
	// nor relied on; then write was not called.
	Release(ctx context.Context, of []Want, write func() error) error

	// Renew says for all claims of the clone that their holders go on, each by itself, and returns those that somebody
	// else has by now. It does nothing where nothing is due. It returns OFFLINE if that cannot be told.
	Renew(ctx context.Context) (lost []OwnClaim, err error)

	// Read returns what is known of a record beyond the clone, asking if what is known is older; nil where there is
	// nothing beyond it. It returns OFFLINE, with what was known before, if it cannot ask.
	Read(ctx context.Context, of record.Ref, older time.Duration) (*Remote, error)
}

// Want is a record that somebody takes or gives back.
type Want struct {
	Ref    record.Ref
	Lease  Lease     // of Take: as whom, where, and for how long
	Judged string    // of Take: Remote.Mark of what the caller judged by
	Ended  *Progress // of Release: how far the record was brought; nil for no further
}

// Step is what a write makes of who holds a record.
type Step struct {
	Ref   record.Ref
	Lease *Lease     // after the write; nil for nobody
	Takes bool       // the write makes or ends a claim, and leaves none as it is
	Did   record.Did // the newest entry after the write
	Moved bool       // the write changes the status
	Over  bool       // after it, work on the record is over: it is in review, closed or deleted
	To    Progress
	Was   record.Header // before the write; zero for a record that it makes
	Known Live          // likewise
}

// lease is who holds the record after the write: nobody, where git brought a file that overrules who did.
func (s Step) lease() *Lease {
	if !s.Takes && s.Known.Overruled(s.Was) != nil {
		return nil
	}
	return s.Lease
}

// Wants decides what a write asks of the other clones: to take the record, to release it, or nothing. It reports false
// for nothing.
func (s Step) Wants(now time.Time) (take bool, want Want, ok bool) {
	var own *OwnClaim
	if s.Known.Remote != nil {
		own = s.Known.Remote.Own
	}
	before := s.Known.held(s.Was)
	lease := s.lease()
	claims := lease.Claims()
	over := s.Over && (s.Moved || !claims) // who takes a record that is in review already does so to work on it
	held := own != nil && own.Claim.State == RemoteHeld
	want = Want{Ref: s.Ref}
	given := held && lease != nil && !claims // what is held goes on to somebody, who takes it up where they work
	switch {
	case over && own == nil: // of a claim of its own: as in a copy of a clone, or from before claims were shared
		want.Ended = &s.To
		return false, want, s.Known.Remote != nil && before.Claims()
	case over:
		want.Ended = &s.To
		return false, want, own.Sync != Released && own.Claim.State != RemoteFinished
	case given && own.Claim.Holder == lease.Actor:
		return false, want, false
	case !claims && (!given || !s.Takes):
		return false, want, held
	case !s.Takes:
		return false, want, false
	}
	// The claim is made for another time than the one before, or for a fixed time again.
	longer := before == nil || before.Seconds != s.Lease.Seconds || s.Lease.Seconds > 0 && !before.Seen.Equal(s.Lease.Seen)
	if held && own.Claim.Claims() && own.Claim.Holder == s.Lease.Actor && s.Known.Remote.Confirmed(now) && !longer {
		return false, want, false
	}
	want.Lease, want.Judged = *s.Lease, s.Known.Remote.Mark()
	return true, want, true
}

// Lost returns CLAIM_LOST for a write by which an actor goes on with a record that the git remote gave to another
// clone, or that the actor held until git brought a file that overrules it: any but a note, one that lets go, and one
// that takes the record anew.
func (s Step) Lost(by record.Actor, now time.Time) error {
	lets := (s.Lease == nil || s.Lease.Actor != by) && (!s.Moved || !s.Over)
	if s.Did == record.Noted || lets {
		return nil
	}
	takes := s.Takes && s.Lease.Claims() && s.Lease.Actor == by
	if lease := s.Known.OverruledOf(by, s.Was); lease != nil && !takes {
		return lease.Yielded(s.Was)
	}
	to, before := s.Known.Remote.LostTo(now), s.Known.held(s.Was)
	if to == nil || before == nil || before.Actor != by {
		return nil
	}
	return to.Lost(record.ID(s.Ref.ID))
}
