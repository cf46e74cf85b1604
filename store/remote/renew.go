package remote

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk/filelock"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/branches"
)

// fetchEvery is how old what is known of the remote may become before it is asked again in the background.
const fetchEvery = 30 * time.Second

// never is older than anything that is known.
const never = 1<<63 - 1

// Renew implements session.Leases: all claims of the clone in one push. It leaves a part of the budget to claims, and
// does nothing while another process asks the remote.
func (c *Claims) Renew(ctx context.Context) ([]session.OwnClaim, error) { return c.sync(ctx, never) }

// Sync is Renew, and asks the remote for all claims if what is known is older than half a minute.
func (c *Claims) Sync(ctx context.Context) ([]session.OwnClaim, error) {
	return c.sync(ctx, fetchEvery)
}

// SyncNow is Sync that waits for its turn, and always asks.
func (c *Claims) SyncNow(ctx context.Context) ([]session.OwnClaim, error) {
	t, err := c.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer t.end()
	t.urgent = true
	return t.sync(ctx, 0)
}

func (c *Claims) sync(ctx context.Context, older time.Duration) ([]session.OwnClaim, error) {
	t, err := c.tryBegin(ctx)
	if t == nil || err != nil {
		return nil, err
	}
	defer t.end()
	return t.sync(ctx, older)
}

// sync brings the remote and what is known of it together, as far as the budget allows. It returns the claims that are
// lost and were not known to be.
func (t *turn) sync(ctx context.Context, older time.Duration) ([]session.OwnClaim, error) {
	before := t.shared
	next, pushes := t.shared.Reconcile(t.local(), t.Now())
	age := t.Now().Sub(t.shared.Known)
	if (age > older || age < 0 || len(pushes) > 0 && age > fetchEvery || t.shared.Open()) && t.spare(1) {
		if err := t.fetch(ctx); err != nil {
			return nil, err
		}
		if err := t.adopt(ctx); err != nil {
			return nil, err
		}
		next, pushes = t.shared.Reconcile(t.local(), t.Now())
	}
	t.shared = next
	if !reflect.DeepEqual(before, next) {
		if err := t.save(); err != nil {
			return nil, err
		}
	}
	if pushes = append(pushes, t.arrived(pushes)...); len(pushes) > 0 && t.spare(2) {
		if err := t.pushAll(ctx, pushes); err != nil {
			return t.shared.NewlyLost(before), err
		}
	}
	return t.shared.NewlyLost(before), nil
}

// adopt notes the live claims of the clone of which the remote was never told: those from before claims were shared.
func (t *turn) adopt(ctx context.Context) error {
	states, err := t.Clone.States()
	if err != nil {
		return err
	}
	local := t.local()
	for _, state := range states {
		if !t.shared.Untold(state, local(state.Ref)) {
			continue
		}
		one, err := t.newClaim(ctx, session.Want{Ref: state.Ref, Lease: *state.Lease})
		if err != nil {
			return err
		}
		t.shared = t.shared.WithOwn(session.OwnClaim{Ref: one.Ref, Claim: one.Claim, Object: one.Object, Sync: session.Unsynced})
	}
	return nil
}

// arrived removes the claims, of any clone, that are some days old and whose work the remote's default branch has and
// shows as closed, as this clone has fetched it; and those that were released so long ago. It leaves alone what is pushed anyway.
func (t *turn) arrived(pushed []session.Push) []session.Push {
	if p := t.shared.Probe; p != nil && !p.Deletes {
		return nil
	}
	var away []session.Push
	finished := map[record.Ref]session.SeenClaim{}
	for _, c := range t.shared.Seen {
		switch {
		case c.Claim == nil || !c.Claim.Old(c.First, t.Now()) || slices.ContainsFunc(pushed, func(p session.Push) bool { return p.Ref == c.Ref }):
		case c.Claim.State == session.RemoteFinished:
			finished[c.Ref] = c
		case c.Claim.State == session.RemoteReleased:
			away = append(away, session.Push{Ref: c.Ref, Old: c.Object})
		}
	}
	of := branches.Source{Clone: t.Clone, Remote: t.Config.Claims.Remote}
	of.Default(slices.Collect(maps.Keys(finished)), func(file record.Header) {
		if c := finished[file.Ref]; t.Config.Flow.IsClosed(file.Status) && c.Claim.Arrived(file) {
			away = append(away, session.Push{Ref: c.Ref, Old: c.Object})
		}
	})
	sorted.By(away, func(a, b session.Push) int { return record.CompareRefs(a.Ref, b.Ref) })
	return away
}

// pushAll pushes, each ref by itself, and notes what the remote has taken. If it did not take all, it is asked what it
// has.
func (t *turn) pushAll(ctx context.Context, pushes []session.Push) error {
	updates, err := t.updates(ctx, pushes)
	if err != nil {
		return err
	}
	got, err := t.push(ctx, updates, false)
	if err != nil {
		return err
	}
	missed := 0
	for i, p := range pushes {
		if i >= len(got.results) || got.results[i] != git.Taken {
			missed++
			continue
		}
		t.took(p, updates[i].New)
	}
	if err := t.save(); err != nil || missed == 0 {
		return err
	}
	said := ""
	if got.failed != nil || got.said == notThere {
		said = got.said
	}
	if said != "" {
		t.said(said)
	}
	if err := t.fetch(ctx); err != nil {
		return err
	}
	var still []session.Push
	t.shared, still = t.shared.Reconcile(t.local(), t.Now())
	if said != "" {
		t.said(said)
	}
	if err := t.save(); err != nil || !denied(said) || len(still) == 0 {
		return err
	}
	return offline(t.Config.Claims.Remote, "it does not take what it is told: "+t.shared.Said)
}

// updates are the pushes as git makes them, each with the commit that says it.
func (t *turn) updates(ctx context.Context, pushes []session.Push) ([]git.RefUpdate, error) {
	updates := make([]git.RefUpdate, len(pushes))
	for i, p := range pushes {
		updates[i] = git.RefUpdate{Ref: refName(p.Ref), Old: p.Old, New: p.Object}
		if p.Claim == nil || p.Object != "" { // there is nothing to say, or a commit that says it
			continue
		}
		object, err := t.port.Commit(ctx, p.Claim.Encode(), t.Now())
		if err != nil {
			return nil, err
		}
		updates[i].New = object
	}
	return updates, nil
}

// took notes that the remote has taken a push.
func (t *turn) took(p session.Push, object string) {
	if p.Claim == nil || p.Claim.State == session.RemoteReleased {
		if own := t.shared.OwnOf(p.Ref); own != nil && own.Sync != session.Lost { // who lost the record is told, whatever became of it
			t.shared = t.shared.WithoutOwn(p.Ref)
		}
		t.shared = t.shared.WithSeen(p.Ref, nil)
		if p.Claim != nil {
			t.have([]session.OwnClaim{{Ref: p.Ref, Claim: *p.Claim, Object: object}})
		}
		return
	}
	own := session.OwnClaim{Ref: p.Ref, Claim: *p.Claim, Object: object, Sync: session.Synced}
	if was := t.shared.OwnOf(p.Ref); was != nil && p.Claim.State == session.RemoteHeld {
		own.Over = was.Over
	}
	t.shared = t.shared.WithOwn(own)
	t.have([]session.OwnClaim{own})
	if p.Back {
		t.shared.Put, t.shared.PutAt = t.shared.Put+1, t.Now().UTC()
	}
}

// Read implements session.Leases.
func (c *Claims) Read(ctx context.Context, of record.Ref, older time.Duration) (*session.Remote, error) {
	shared, err := c.Look(ctx, older)
	return shared.Of(of), err
}

// Look returns what is known of all claims, asking the remote if that is older. It returns OFFLINE, with what was known
// before, if it gives no answer.
func (c *Claims) Look(ctx context.Context, older time.Duration) (session.Shared, error) {
	known, ok := c.Clone.Shared(c.Config.Claims.Key())
	if age := c.Now().Sub(known.Known); ok && age >= 0 && age <= older {
		return known, nil
	}
	t, err := c.begin(ctx)
	if err != nil {
		return known, err
	}
	defer t.end()
	if age := c.Now().Sub(t.shared.Known); age >= 0 && age <= older {
		return t.shared, nil // another process has asked meanwhile
	}
	err = t.refetch(ctx)
	return t.shared, err
}

// refetch asks the remote for all claims, and notes what follows from them.
func (t *turn) refetch(ctx context.Context) error {
	if err := t.fetch(ctx); err != nil {
		return err
	}
	t.shared, _ = t.shared.Reconcile(t.local(), t.Now())
	return t.save()
}

// Refresh asks the remote for all claims, once other processes of the clone that ask it are done, and as far as the
// budget has room beside what claims may need: for a caller to whom what is known is worth a question. It reports
// whether it asked and was answered.
func (c *Claims) Refresh(ctx context.Context) bool {
	t, err := c.begin(ctx)
	if err != nil {
		return false
	}
	defer t.end()
	return t.spare(1) && t.refetch(ctx) == nil
}

// syncPause is how long the remote is left alone between two commands that would ask it in the background.
const syncPause = 10 * time.Second

// WantsSync reports whether the remote should be asked in the background: something is due or what is known is old,
// nobody asks it now, and nobody did a moment ago.
func (c *Claims) WantsSync() bool {
	shared, ok := c.Clone.Shared(c.Config.Claims.Key())
	now := c.Now()
	if n := len(shared.Spent); n > 0 && now.Sub(shared.Spent[n-1]) < syncPause {
		return false
	}
	if ok && now.Sub(shared.Known) < fetchEvery && !c.Due() {
		return false
	}
	lock, free, err := filelock.TryAcquire(c.Clone.Live.SharedLock())
	if err != nil || !free {
		return false
	}
	_ = lock.Release()
	return true
}

// Due reports whether Renew has anything to do that must not wait, such as the removal of claims whose work has arrived
// may. It asks nobody.
func (c *Claims) Due() bool {
	shared, ok := c.Clone.Shared(c.Config.Claims.Key())
	if !ok {
		return false
	}
	_, pushes := shared.Reconcile(c.local(), c.Now())
	return len(pushes) > 0 || shared.Open()
}
