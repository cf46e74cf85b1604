package verb

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/remote"
)

// settling makes a write, after it was settled with the other clones who has the records that it takes or gives back.
//
// What a write wants is known only once it was decided, under the write lock, and a remote is not asked under that. So
// the write is decided, not made, settled, and then decided again: if it wants the same, it is made.
type settling struct {
	w      *Workspace
	s      *store.Store
	leases session.Leases
	write  func(WriteContext) error
}

// maxSettlings is how often a write is decided anew because the remote has something else than was known.
const maxSettlings = 5

// errWants is the outcome of a write that must be settled first.
var errWants = errors.New("not settled")

// wants are the records that a write takes, and those that it gives back.
type wants struct{ take, release []session.Want }

func (st settling) run(ctx context.Context) error {
	var agreed wants
	asked := false
	for range maxSettlings {
		var found wants
		known := st.known().Known
		err := st.leases.Take(ctx, agreed.take, func() error {
			return st.leases.Release(ctx, agreed.release, func() (err error) {
				found, err = st.try(ctx, agreed)
				return err
			})
		})
		switch {
		case errors.Is(err, errWants):
			agreed = found
		case record.CodeOf(err) == record.Conflict && len(agreed.take) > 0:
			agreed = wants{} // the remote has something else by now
		case !asked && st.stale(ctx, err, known):
			asked, agreed = true, wants{}
		default:
			return err
		}
	}
	return record.Errorf(record.Conflict, "the git remote kept changing").WithHint("try again")
}

// try makes the write, unless it wants something else than is agreed: then it returns that, and errWants. Whoever goes
// on with what git took from them is told so once.
func (st settling) try(ctx context.Context, agreed wants) (found wants, err error) {
	var told *session.Lease
	var of record.Ref
	err = st.s.Update(ctx, func(tx *store.Tx) error {
		err := st.w.Idempotency.known(tx.Key)
		if err == nil {
			err = st.write(WriteContext{Store: st.s, Tx: tx, Now: st.w.Now(), w: st.w})
		}
		if err != nil {
			return err
		}
		steps := tx.Steps()
		if st.s.Shares() {
			found = st.wanted(ctx, steps)
		}
		if !found.within(agreed) {
			return errWants
		}
		for _, step := range steps {
			if err := step.Lost(st.w.Actor(), st.w.Now()); err != nil {
				told = step.Known.OverruledOf(st.w.Actor(), step.Was)
				of = step.Ref
				return err
			}
		}
		return nil
	})
	if told != nil && told.Session == "" { // a session is told until it is ended
		err = cmp.Or(st.s.DropLease(ctx, of, *told), err)
	}
	return found, err
}

// wanted is what a write wants.
func (st settling) wanted(ctx context.Context, steps []session.Step) wants {
	var out wants
	for _, step := range steps {
		step.To = st.s.Placed(ctx, step.To)
		take, want, ok := step.Wants(st.w.Now())
		switch {
		case !ok:
		case take:
			out.take = append(out.take, want)
		default:
			out.release = append(out.release, want)
		}
	}
	return out
}

// within reports whether all that is wanted is agreed. What is agreed and no longer wanted is settled already.
func (w wants) within(agreed wants) bool {
	all := agreed.records()
	for of, what := range w.records() {
		if all[of] != what {
			return false
		}
	}
	return true
}

// records names what is wanted, in the same way for the same wants.
func (w wants) records() map[record.Ref]string {
	out := map[record.Ref]string{}
	for _, one := range w.take {
		out[one.Ref] = "take as " + string(one.Lease.Actor)
	}
	for _, one := range w.release {
		out[one.Ref] = "release"
		if one.Ended != nil {
			out[one.Ref] = "finish as " + string(one.Ended.Status)
		}
	}
	return out
}

// known is what this clone knows of the claims of all clones.
func (st settling) known() session.Shared {
	known, _ := st.s.Shared(st.s.Config.Claims.Key())
	return known
}

// stale reports whether a refusal rests on what was known of other clones at a time, and more is known now: what the
// remote answered since, or, if it was not asked, answers now.
func (st settling) stale(ctx context.Context, err error, at time.Time) bool {
	code := record.CodeOf(err)
	if !st.s.Shares() || code != record.AlreadyClaimed && code != record.Elsewhere && code != record.ClaimLost {
		return false
	}
	known := st.known()
	return known.Known.After(at) || known.Others() && remote.Of(st.s, st.w.Actor(), st.w.Now).Refresh(ctx)
}

// How often the background looks whether the git remote has to be asked, and how long it leaves it alone after it gave
// no answer.
const (
	keepEvery  = 5 * time.Second
	keepPause  = 15 * time.Second
	keepLonger = 5 * time.Minute // at most
)

// KeepClaims keeps the claims of a clone at the git remote until ctx ends: it renews them, tells the remote what it
// does not know yet, and, while wanted says so, asks it what other clones hold. It does nothing in a workspace whose
// claims hold in the clone alone. Tell gets claims that were lost, and errors; a remote that gives no answer is left
// alone for a while.
func KeepClaims(ctx context.Context, w func() *Workspace, wanted func() bool, tell func(lost []session.OwnClaim, err error)) {
	pause, next := keepPause, time.Time{}
	tick := time.NewTicker(keepEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		if time.Now().After(next) {
			lost, err := keepOnce(ctx, w(), wanted())
			if len(lost) > 0 || err != nil && ctx.Err() == nil {
				tell(lost, err)
			}
			if err != nil {
				next, pause = time.Now().Add(pause), min(2*pause, keepLonger)
			} else {
				pause = keepPause
			}
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

func keepOnce(ctx context.Context, w *Workspace, wanted bool) ([]session.OwnClaim, error) {
	s, err := w.Open()
	if err != nil || !s.Shares() {
		return nil, nil //nolint:nilerr // calls say so
	}
	claims := remote.Of(s, w.Actor(), w.Now)
	switch {
	case wanted:
		return claims.Sync(ctx)
	case claims.Due():
		return claims.Renew(ctx)
	default:
		return nil, nil
	}
}

// StillOurs returns CLAIM_LOST if this clone had claimed a task and the git remote gave it to another one. It asks the
// remote; if that gives no answer, a claim that it confirmed lately is relied on, and else OFFLINE is returned, to an
// actor who goes on without the remote nil.
func (w *Workspace) StillOurs(ctx context.Context, s *store.Store, id record.ID) error {
	if !s.Shares() {
		return nil
	}
	known, err := remote.Leases(s, w.Actor(), w.Now).Read(ctx, id.Ref(), 0)
	state := s.State(id.Ref())
	mine := known != nil && known.Own != nil || state != nil && state.Lease != nil
	switch lost := known.LostTo(w.Now()); {
	case !mine:
		return nil // it is not this clone's claim that is acted on
	case lost != nil:
		return WithID(lost.Lost(id), id)
	case err == nil, known.Confirmed(w.Now()), s.Config.Claims.Alone(w.Actor()):
		return nil
	default:
		return WithID(err, id)
	}
}
