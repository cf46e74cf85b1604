package remote

import (
	"cmp"
	"context"
	"slices"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
)

// Release implements session.Leases. What is brought further is told to the remote before the write, which settles
// whether this clone still had the claim. If the remote gives no answer, a claim that it confirmed lately is relied on,
// and it is told later. What is let go is told after the write, then or later: letting go never fails for want of a
// network.
func (c *Claims) Release(ctx context.Context, want []session.Want, write func() error) error {
	if len(want) == 0 {
		return write()
	}
	t, err := c.begin(ctx)
	if err != nil {
		if slices.ContainsFunc(want, func(w session.Want) bool { return w.Ended != nil }) {
			return err
		}
		return write() // Renew sees that the claims are no longer there
	}
	defer t.end()
	finished, err := t.finish(ctx, want)
	if err != nil {
		return err
	}
	if err := write(); err != nil {
		return err // Renew tells the remote that the work goes on
	}
	for _, o := range finished {
		t.shared = t.shared.WithOwn(o)
	}
	_ = t.save() // Renew finds out from the live state
	var own []session.OwnClaim
	for _, w := range want {
		o := t.shared.OwnOf(w.Ref)
		switch {
		case o == nil || w.Ended != nil:
		case o.Sync == session.Lost:
			t.shared = t.shared.WithoutOwn(w.Ref) // there is nothing of it to give back
			_ = t.save()
		default:
			own = append(own, *o)
		}
	}
	if len(own) > 0 {
		t.giveBack(context.WithoutCancel(ctx), own)
	}
	return nil
}

// finish tells the remote how far records were brought, and returns what the claims are once that is written.
func (t *turn) finish(ctx context.Context, want []session.Want) (own []session.OwnClaim, err error) {
	Together(ctx, len(want), func(ctx context.Context, i int) {
		if want[i].Ended == nil {
			return
		}
		o, failed := t.finishOne(ctx, want[i])
		if err = cmp.Or(err, failed); o != nil {
			own = append(own, *o)
		}
	})
	if err != nil {
		return nil, err
	}
	for _, o := range own {
		if o.Sync == session.Synced {
			t.have([]session.OwnClaim{o})
		}
	}
	return own, t.save()
}

// finishOne is finish for one record; nil if this clone has no claim on it.
func (t *turn) finishOne(ctx context.Context, w session.Want) (*session.OwnClaim, error) {
	o := t.shared.OwnOf(w.Ref)
	if o == nil {
		return nil, t.unclaimed(ctx, w.Ref)
	}
	if o.Sync == session.Lost && o.To != nil {
		return nil, o.To.Lost(record.ID(o.Ref.ID))
	}
	claim := o.Claim.Finish(*w.Ended, t.Now())
	object, err := t.port.Commit(ctx, claim.Encode(), t.Now())
	if err != nil {
		return nil, err
	}
	sure := o.Sync == session.Synced && o.Claim.Sure(t.Now())
	err = t.replace(ctx, *o, object)
	switch {
	case err == nil:
		*o = o.Confirmed()
	case record.CodeOf(err) == record.Offline && (sure || t.Alone):
		*o = o.Unconfirmed(t.shared.Said)
	default:
		return nil, err
	}
	o.Claim, o.Object = claim, object
	return o, nil
}

// unclaimed asks about a record that this clone has no claim on at the remote. It returns CLAIM_LOST if another clone
// has one, or has finished what the file here does not know of.
func (t *turn) unclaimed(ctx context.Context, of record.Ref) error {
	err := t.fetch(ctx)
	if err != nil && !t.Alone {
		return err
	}
	known := session.Live{Remote: t.shared.Of(of)}
	hold := session.Holder(record.Header{Ref: of}, known, t.Now())
	if claim := t.shared.SeenOf(of); hold.Live() || hold.Ahead && !t.file(of).Log.Has(claim.Claim.Entry) {
		return claim.Claim.Lost(record.ID(of.ID))
	}
	return nil
}

// replace has the remote replace a claim of this clone by a commit. It returns CLAIM_LOST, which it notes, if another
// clone has the record, and OFFLINE.
func (t *turn) replace(ctx context.Context, o session.OwnClaim, object string) error {
	old := o.Object
	if o.Sync != session.Synced {
		old = o.Was
	}
	return t.insist(ctx, 0, func() []git.RefUpdate {
		return []git.RefUpdate{{Ref: refName(o.Ref), Old: old, New: object}}
	}, func(taken bool) (bool, error) {
		seen := t.shared.SeenOf(o.Ref)
		switch found := o.Found(seen); {
		case taken:
			return true, nil
		case found == session.NoRef: // it was removed by somebody who holds nothing
			old = ""
		case seen.Object == object:
			return true, nil
		case found == session.Ours, found == session.Before:
			old = seen.Object
		case found == session.Unreadable:
			return true, record.Errorf(record.Conflict, "what the git remote has of %s cannot be read", o.Ref.ID).
				WithHint("%s says what it is", record.CallTo("doctor"))
		default:
			t.shared = t.shared.WithOwn(o.LoseTo(*seen.Claim))
			_ = t.save() // the next look at the remote says so again
			return true, seen.Claim.Lost(record.ID(o.Ref.ID))
		}
		return false, nil
	})
}
