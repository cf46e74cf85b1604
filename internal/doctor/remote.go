package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/cairn-tasks/cairn/session"
)

// restoredFor is for how long it is said that the remote lost claims.
const restoredFor = 7 * 24 * time.Hour

// remote finds what keeps claims from holding among clones, as far as this clone knows: it asks no network.
func (v Visit) remote(ctx context.Context) ([]Finding, error) {
	if !v.Store.Shares() {
		return nil, nil
	}
	config, sync := v.Store.Config.Claims, "cairn remote sync"
	known, _ := v.Store.Shared(config.Key())
	var out []Finding
	unusable := v.Store.Remote(v.Actor, v.Now).Usable(ctx)
	switch {
	case unusable != nil:
		message, hint := v.saying(unusable)
		out = append(out, find(ClaimsUnreachable, "", message, hint))
	case known.Said != "":
		out = append(out, find(ClaimsUnreachable, "", fmt.Sprintf("the git remote %s gave no answer the last time: %s", config.Remote, known.Said), sync+" asks it again"))
	case known.Probe == nil && known.Known.IsZero():
		out = append(out, find(ClaimsUnprobed, "", "whether the git remote "+config.Remote+" takes claims is not known here", "cairn remote probe"))
	}
	if known.Put > 0 && v.Now().Sub(known.PutAt) < restoredFor {
		out = append(out, find(ClaimsRestored, "", fmt.Sprintf("the git remote lost claims, which this clone put back, the last time at %s", known.PutAt.Format(time.RFC3339)), "see who pushes with --mirror: that deletes the refs of claims"))
	}
	for _, o := range known.Own {
		out = append(out, v.ownClaim(o, sync)...)
	}
	for _, c := range known.Seen {
		out = append(out, v.seenClaim(c)...)
	}
	return out, nil
}

// ownClaim finds what is wrong with a claim of this clone at the remote.
func (v Visit) ownClaim(o session.OwnClaim, sync string) []Finding {
	switch {
	case o.Sync == session.Lost && o.To != nil:
		message := fmt.Sprintf("%s held it here, and the git remote gave it to %s in clone %s", o.Claim.Holder, o.To.Holder, o.To.Clone)
		return []Finding{find(ClaimLost, v.fileOf(o.Ref), message, "stop working on it; cairn release "+o.Ref.ID).about(o.Ref)}
	case o.Sync == session.Unsynced || o.Sync == session.Synced && o.Claim.State == session.RemoteHeld && !o.Claim.Sure(v.Now()):
		message := fmt.Sprintf("%s holds it here, and the git remote is not known to have the claim", o.Claim.Holder)
		return []Finding{find(ClaimUnsynced, v.fileOf(o.Ref), message, sync).about(o.Ref)}
	default:
		return nil
	}
}

// seenClaim finds what is wrong with a claim at the remote, whoever's it is.
func (v Visit) seenClaim(c session.SeenClaim) []Finding {
	switch {
	case c.Claim == nil:
		message := "what the git remote has as its claim cannot be read"
		return []Finding{find(ClaimUnreadable, v.fileOf(c.Ref), message, "a newer cairn may have written it, or somebody who may push; the next claim replaces it").about(c.Ref)}
	case c.Claim.Renewed.Sub(c.First) > session.ClockSkew:
		message := fmt.Sprintf("the claim of %s in clone %s is from the future by %s", c.Claim.Holder, c.Claim.Clone, c.Claim.Renewed.Sub(c.First).Round(time.Minute))
		return []Finding{find(ClaimClock, v.fileOf(c.Ref), message, "set the clock of that machine, or of this one").about(c.Ref)}
	default:
		return nil
	}
}
