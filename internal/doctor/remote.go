package doctor

import (
	"context"
	"time"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/remote"
)

// restoredFor is for how long it is said that the remote lost claims.
const restoredFor = 7 * 24 * time.Hour

// remote finds what keeps claims from holding among clones, as far as this clone knows: it asks no network.
func (e *examination) remote(ctx context.Context) error {
	if !e.Store.Shares() {
		return nil
	}
	config, sync := e.Store.Config.Claims, "cairn remote sync"
	known, _ := e.Store.Shared(config.Key())
	unusable := remote.Of(e.Store, e.Actor, e.Now).Usable(ctx)
	switch {
	case unusable != nil:
		e.refused(claimsUnreachable, "", unusable)
	case known.Said != "":
		e.find(claimsUnreachable, "", sync+" asks it again", "the git remote %s gave no answer the last time: %s", config.Remote, known.Said)
	case known.Probe == nil && known.Known.IsZero():
		e.find(claimsUnprobed, "", "cairn remote probe", "whether the git remote %s takes claims is not known here", config.Remote)
	}
	if known.Put > 0 && e.Now().Sub(known.PutAt) < restoredFor {
		e.find(claimsRestored, "", "see who pushes with --mirror: that deletes the refs of claims",
			"the git remote lost claims, which this clone put back, the last time at %s", known.PutAt.Format(time.RFC3339))
	}
	for _, o := range known.Own {
		switch unsure := o.Sync == session.Synced && o.Claim.State == session.RemoteHeld && !o.Claim.Sure(e.Now()); {
		case o.Sync == session.Lost && o.To != nil:
			e.findIn(o.Ref, claimLost, "stop working on it; cairn release "+o.Ref.ID,
				"%s held it here, and the git remote gave it to %s in clone %s", o.Claim.Holder, o.To.Holder, o.To.Clone)
		case o.Sync == session.Unsynced || unsure:
			e.findIn(o.Ref, claimUnsynced, sync, "%s holds it here, and the git remote is not known to have the claim", o.Claim.Holder)
		}
	}
	for _, seen := range known.Seen {
		if c := seen.Claim; c == nil {
			e.findIn(seen.Ref, claimUnreadable, "a newer cairn may have written it, or somebody who may push; the next claim replaces it",
				"what the git remote has as its claim cannot be read")
		} else if early := c.Renewed.Sub(seen.First); early > session.ClockSkew {
			e.findIn(seen.Ref, claimClock, "set the clock of that machine, or of this one",
				"the claim of %s in clone %s is from the future by %s", c.Holder, c.Clone, early.Round(time.Minute))
		}
	}
	return nil
}
