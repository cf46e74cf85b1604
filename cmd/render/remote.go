package render

import (
	"fmt"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/verb/remotes"
	"github.com/cairn-tasks/cairn/session"
)

// renderShared prints what is known of the claims of all clones: what the remote allows, what this clone holds, and
// what others do.
func renderShared(r *Renderer, out remotes.Shared) {
	if out.Remote == "" {
		r.Printf("claims hold in this clone alone\ncairn settings-set claims_remote origin lets them hold among all clones of a git remote\n")
		return
	}
	r.Printf("%s  %s", r.Style.Bold(out.Remote), out.Namespace)
	if out.Clone != "" {
		r.Printf(", clone %s", out.Clone)
	}
	r.Printf("\n")
	switch took := slices.ContainsFunc(out.Own, func(o remotes.Own) bool { return o.Sync == session.Synced }); {
	case out.Probe == nil && !took:
		r.Printf("  whether it takes claims was not tried yet: cairn remote probe\n")
	case out.Probe == nil || out.Probe.Allows():
		r.Printf("  it takes claims below %s\n", out.Namespace)
	}
	if out.KnownAt == nil {
		r.Printf("  it was not asked yet what other clones hold: cairn remote sync\n")
	} else {
		r.Printf("  as of %s ago; asked %d times in the last minute, %d at most\n", time.Duration(out.Age)*time.Second, out.Spent, out.Budget)
	}
	if out.Said != "" {
		r.Printf("  it gave no answer: %s\n", out.Said)
	}
	if out.Restored > 0 {
		r.Printf("  claims that it had lost and that were put back: %d\n", out.Restored)
	}
	for _, o := range out.Own {
		r.Printf("%s  %s, %s\n", r.Style.Bold(o.ID), o.Actor, ownText(o))
	}
	for _, o := range out.Others {
		r.Printf("%s  %s\n", r.Style.Bold(o.ID), otherText(o))
	}
}

// ownText is how a claim of this clone stands.
func ownText(o remotes.Own) string {
	switch {
	case o.Sync == session.Asked:
		return "asked for, and no answer came"
	case o.Sync == session.Released:
		return "let go of here, and the remote is not told yet"
	case o.Sync == session.Lost && o.LostTo != nil:
		return "lost to " + otherText(*o.LostTo)
	case o.Sync == session.Lost:
		return "lost"
	default:
		return fmt.Sprintf("%s here, %s, until %s", o.State, o.Sync, o.Ends.Format(time.RFC3339))
	}
}

func otherText(o remotes.Other) string {
	switch {
	case o.Actor == "":
		return "cannot be read"
	case o.Status != "":
		return fmt.Sprintf("%s by %s on branch %s, clone %s", o.Status, o.Actor, o.Branch, o.Clone)
	case o.Lapsed:
		return fmt.Sprintf("%s, clone %s, without a sign of life since %s", o.Actor, o.Clone, o.Ends.Format(time.RFC3339))
	default:
		return fmt.Sprintf("%s, clone %s, until %s", o.Actor, o.Clone, o.Ends.Format(time.RFC3339))
	}
}
