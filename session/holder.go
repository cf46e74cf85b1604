package session

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// How is the way in which a record is held.
type How string

// The ways.
const (
	Nobody   How = ""
	Claimed  How = "claimed"  // by a live claim of this clone
	Behind   How = "behind"   // this file lacks a newer status from another branch, worktree or clone
	Assigned How = "assigned" // by the file alone
)

// Hold is who holds a record. The zero value is nobody.
type Hold struct {
	How      How
	Actor    record.Actor
	Session  string
	Worktree string        // absolute path; "" when only the file says so
	Branch   string        // "" when unknown or detached
	Status   record.Status // of Behind: the status elsewhere
	Since    time.Time
	Until    time.Time // when the claim expires; zero for never
	Lapsed   bool      // the claim expired, its session stalled or its worktree is gone: a takeover may end it
	NoBranch bool      // of Behind: the branch is no longer there
	Tracked  bool      // of Behind: the branch is a remote-tracking one, such as origin/fix
	Gone     bool      // git knows no worktree there any more

	Clone    string       // the other clone that holds it, or brought it further; "" for this one
	Unsynced bool         // Claimed here, and the git remote is not known to have the claim
	LostTo   *RemoteClaim // Claimed here, and the remote gave it to this one
}

// Holder decides who holds a record, of whatever kind: a live claim of this clone, then one of another clone, then work
// elsewhere that this file lacks, then an unexpired assignee, then nobody. An expired claim is reported as Nobody with
// Lapsed set and its holder named. A claim whose worktree is gone yields to other clones and to work elsewhere.
func Holder(file record.Header, live Live, now time.Time) Hold {
	lease := live.lease(file, now)
	if lease.How == Claimed && !live.Gone {
		return live.Remote.onClaim(lease, now)
	}
	far := live.Remote.hold(now)
	if far.How == Claimed {
		return far
	}
	if behind := IsBehind(file, live); behind.How == Behind {
		return behind
	}
	switch {
	case lease.How == Claimed || lease.Lapsed:
		return lease
	case far.Lapsed:
		return far
	default:
		return live.assignee(file, now)
	}
}

// IsBehind returns the state that another branch, worktree or clone has brought a record to, whoever holds it, or the
// zero Hold if this file is as far. A file is behind if it lacks an entry that changed the status, and its own status
// is another. What a remote says counts only if it is newer than what changed the status here last.
func IsBehind(file record.Header, live Live) Hold {
	r := live.ahead(file)
	if r == nil {
		return Hold{}
	}
	return Hold{How: Behind, Worktree: r.Worktree, Branch: r.Branch, Status: r.Status, Clone: r.Clone, Tracked: r.Tracked}
}

// onClaim adds to a claim of this clone what the remote says of it.
func (r *Remote) onClaim(h Hold, now time.Time) Hold {
	if r == nil || h.Worktree == "" { // somebody was assigned, who claims it where the work is done
		return h
	}
	h.LostTo = r.LostTo(now)
	h.Unsynced = h.LostTo == nil && !r.Confirmed(now)
	return h
}

// hold returns who holds the record in another clone.
func (r *Remote) hold(now time.Time) Hold {
	c := r.taken()
	if c == nil {
		return Hold{}
	}
	h := Hold{How: Claimed, Actor: c.Claim.Holder, Branch: c.Claim.Branch, Clone: c.Claim.Clone, Since: c.Claim.Taken, Until: c.Claim.Ends(c.First)}
	if c.Claim.Lapsed(c.First, now) {
		h.How, h.Lapsed = Nobody, true
	}
	return h
}

// lease returns who holds the record by a live claim.
func (l Live) lease(file record.Header, now time.Time) Hold {
	lease := l.held(file)
	if lease == nil {
		return Hold{}
	}
	h := Hold{
		How: Claimed, Actor: lease.Actor, Session: lease.Session, Worktree: lease.Worktree, Branch: lease.Branch,
		Since: lease.Since,
	}
	if l.Gone {
		h.Worktree, h.Gone, h.Lapsed = "", true, true
		return h
	}
	sign := latest(lease.Seen, file.Log.NewestBy(lease.Actor))
	if lease.Session != "" {
		if l.Beat != nil {
			sign = latest(sign, l.Beat.At)
		}
		h.Lapsed = now.Sub(sign) > l.StaleAfter
		return h
	}
	if lease.Seconds > 0 {
		return h.until(sign.Add(time.Duration(lease.Seconds)*time.Second), now)
	}
	return h.expiring(sign, l.ClaimTTL, now)
}

// assignee returns who holds the record by its file alone.
func (l Live) assignee(file record.Header, now time.Time) Hold {
	if file.Assignee == "" {
		return Hold{}
	}
	h := Hold{How: Assigned, Actor: file.Assignee, Session: file.Log.LastSession()}
	sign := file.Log.NewestBy(file.Assignee)
	for _, e := range file.Log {
		if e.Assignee != nil && *e.Assignee == file.Assignee {
			sign = latest(sign, e.At)
		}
	}
	if sign.IsZero() {
		return h // its age is not known
	}
	h.Since = sign
	return h.expiring(sign, l.ClaimTTL, now)
}

// expiring returns the hold with its expiry, or as a lapsed one if that has passed. A person's claim does not expire.
func (h Hold) expiring(sign time.Time, ttl time.Duration, now time.Time) Hold {
	if h.Actor.Human() {
		return h
	}
	return h.until(sign.Add(ttl), now)
}

// until returns the hold with an expiry, or as a lapsed one if that has passed.
func (h Hold) until(end, now time.Time) Hold {
	h.Until = end
	if now.After(h.Until) {
		h.How, h.Lapsed = Nobody, true
	}
	return h
}

// Mine reports whether the actor holds the record from here. A person holds it from every worktree. Any other actor
// holds it from one worktree only, because two agents of one name in two worktrees would do the work twice.
func (h Hold) Mine(actor record.Actor, worktree string) bool {
	if h.Actor != actor || h.How == Behind || h.Clone != "" {
		return false
	}
	return actor.Human() || h.Worktree == "" && !h.Gone || h.Worktree == worktree
}

// WorkOf reports whether an open record is the work of an actor: they hold it, from this clone or, as a person, from
// any, or nobody holds it and its file names them.
func (h Hold) WorkOf(actor, assignee record.Actor) bool {
	if h.How == Nobody && assignee == actor {
		return true
	}
	return h.Actor == actor && h.How != Behind && (h.Clone == "" || actor.Human())
}

// Free reports whether the actor may take the record without taking it from anybody.
func (h Hold) Free(actor record.Actor, worktree string) bool {
	return h.How == Nobody && !h.Lapsed || h.Mine(actor, worktree)
}

// Refuse returns why an actor may not take the record: ELSEWHERE if the file is behind, CLAIM_LOST if the remote gave
// the actor's claim to another clone, or else ALREADY_CLAIMED, naming the holder. With takeover, a record whose claim
// has lapsed or whose file is behind may be taken, and a person may take what another clone holds.
func (h Hold) Refuse(id record.ID, actor record.Actor, worktree string, takeover bool) error {
	far := h.Clone != "" || h.LostTo != nil
	switch {
	case takeover && (h.Lapsed || h.How == Behind || far && actor.Human()):
		return nil
	case h.LostTo != nil && h.Mine(actor, worktree):
		return h.LostTo.Lost(id)
	case h.Free(actor, worktree):
		return nil
	case h.How == Behind && h.Clone != "":
		return record.Errorf(record.Elsewhere, "%s on %s", h.Status, h.location()).
			WithHint("git fetch, and merge that work here").WithNext(record.CallTo("get", "id", id))
	case h.How == Behind && h.Tracked:
		return record.Errorf(record.Elsewhere, "%s on %s", h.Status, h.location()).
			WithHint("%s", h.toMerge()).WithNext(record.CallTo("get", "id", id))
	case h.How == Behind && h.NoBranch:
		return record.Errorf(record.Elsewhere, "%s on %s", h.Status, h.location()).
			WithHint("that branch is no longer there: if it was renamed or merged, merge that here; if it was deleted unmerged, a person runs %s, which lets go of it", record.CallTo("doctor", "fix", true).ByPerson()).
			WithNext(record.CallTo("get", "id", id))
	case h.How == Behind && h.Worktree == worktree:
		return record.Errorf(record.Elsewhere, "%s was written here on %s, and this file does not say so", h.Status, h.location()).
			WithHint("switch to that branch, merge it, or bring that version back with git").
			WithNext(record.CallTo("get", "id", id))
	case h.How == Behind:
		return record.Errorf(record.Elsewhere, "%s on %s", h.Status, h.location()).
			WithHint("merge that work here, or go on there").
			WithNext(record.CallTo("get", "id", id))
	case h.Lapsed:
		return record.Errorf(record.AlreadyClaimed, "held by %s%s, without a sign of life", h.Actor, h.where()).
			WithHint("take it over with takeover: true (--takeover)")
	case h.Clone != "":
		return record.Errorf(record.AlreadyClaimed, "held by %s%s, since %s", h.Actor, h.where(), h.Since.UTC().Format(time.RFC3339)).
			WithHint("take another task: %s", ready).WithNext(record.CallTo("wait", "ready", true))
	case h.Actor == actor:
		return record.Errorf(record.AlreadyClaimed, "held by %s%s", h.Actor, h.where()).
			WithHint("you hold it there: go on there, or take another task: %s", ready).WithNext(record.CallTo("wait", "ready", true))
	default:
		return record.Errorf(record.AlreadyClaimed, "held by %s%s", h.Actor, h.where()).
			WithHint("take another task: %s", ready).WithNext(record.CallTo("wait", "ready", true))
	}
}

// ready lists the tasks that can be started. The next call of a refusal is wait instead: it leaves out what somebody
// holds, which list does not, and waits for a task if there is none.
var ready = record.CallTo("list", "ready", true)

// where returns " on" and the location, for messages, or "" if neither branch nor worktree is known.
func (h Hold) where() string {
	if h.Worktree == "" && h.Branch == "" && h.Clone == "" {
		return ""
	}
	return " on " + h.location()
}

func (h Hold) location() string {
	switch {
	case h.Tracked:
		return h.Branch
	case h.Clone != "":
		return inClone(h.Branch, h.Clone)
	default:
		return location(h.Branch, h.Worktree)
	}
}

// RefuseEnd returns ALREADY_CLAIMED for a claim that cannot be ended from here, since another clone has it: it would go
// on there.
func (h Hold) RefuseEnd() error {
	if h.Clone == "" || h.How == Behind {
		return nil
	}
	return record.Errorf(record.AlreadyClaimed, "held by %s%s, where the claim is ended", h.Actor, h.where()).
		WithHint("ask %s, or take it over and then let go of it", h.Actor)
}

// Local reports whether a branch of this clone has the work, so that it can be looked for here.
func (h Hold) Local() bool { return h.Clone == "" && !h.Tracked }

// toMerge says how work on a remote-tracking branch comes here. Somebody else chose the name, so one that a shell could
// read as more than a name is not made a part of a command.
func (h Hold) toMerge() string {
	if !record.IsWord(h.Branch, "._-+/#@=") || h.Branch[0] == '-' {
		return "merge that branch here"
	}
	return "git merge " + h.Branch + " brings that work here"
}

// inClone names a branch, if that is known, in another clone.
func inClone(branch, clone string) string {
	if branch == "" {
		return "clone " + clone
	}
	return "branch " + branch + " in clone " + clone
}

// Lost is CLAIM_LOST for whoever believed to hold the record that this claim took.
func (c RemoteClaim) Lost(id record.ID) error {
	return record.Errorf(record.ClaimLost, "claim lost: %s holds it since %s, on %s", c.Holder, c.Taken.UTC().Format(time.RFC3339), inClone(c.Branch, c.Clone)).
		WithHint("stop, and keep what you have on your branch; %s lets go of it here", record.CallTo("release", "id", id).OnlyShown()).
		WithNext(record.CallTo("get", "id", id))
}

// location names a branch, a worktree, or both.
func location(branch, worktree string) string {
	switch name := filepath.Base(worktree); {
	case worktree == "" && branch == "":
		return "another worktree"
	case worktree == "":
		return "branch " + branch
	case branch == "":
		return "worktree " + name
	default:
		return fmt.Sprintf("branch %s, worktree %s", branch, name)
	}
}
