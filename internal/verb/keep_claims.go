package verb

import (
	"context"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/remote"
)

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
