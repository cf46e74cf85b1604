package cmd

import (
	"fmt"
	"time"

	"github.com/cairn-tasks/cairn/verb/remotes"
)

// renderShared prints what is known of the claims of all clones: what the remote allows, what this clone holds, and what others do.
func renderShared(r *renderer, out remotes.Shared) {
	if out.Remote == "" {
		r.printf("claims hold in this clone alone\ncairn settings-set claims_remote origin lets them hold among all clones of a git remote\n")
		return
	}
	r.printf("%s  %s, clone %s\n", r.style.bold(out.Remote), out.Namespace, out.Clone)
	if p := out.Probe; p != nil && p.Allows() {
		r.printf("  it takes claims below %s\n", out.Namespace)
	} else if p == nil {
		r.printf("  it was not probed: cairn remote probe\n")
	}
	if out.KnownAt == nil {
		r.printf("  it was not asked yet: cairn remote sync\n")
	} else {
		r.printf("  as of %s ago; asked %d times in the last minute, %d at most\n", time.Duration(out.Age)*time.Second, out.Spent, out.Budget)
	}
	if out.Said != "" {
		r.printf("  it gave no answer: %s\n", out.Said)
	}
	if out.Restored > 0 {
		r.printf("  claims that it had lost and that were put back: %d\n", out.Restored)
	}
	for _, o := range out.Own {
		r.printf("%s  %s, %s here, %s, until %s%s\n", r.style.bold(o.ID), o.Actor, o.State, o.Sync, o.Ends.Format(time.RFC3339), lostTo(o))
	}
	for _, o := range out.Others {
		r.printf("%s  %s\n", r.style.bold(o.ID), otherText(o))
	}
}

func lostTo(o remotes.Own) string {
	if o.LostTo == nil {
		return ""
	}
	return fmt.Sprintf(" (to %s)", otherText(*o.LostTo))
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
