package session

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Source is from where a claim is known.
type Source string

// The sources.
const (
	Nowhere    Source = ""       // there is no claim
	FromFile   Source = "file"   // the assignee of the record
	FromClone  Source = "clone"  // live state of this clone
	FromBranch Source = "branch" // a remote-tracking branch, such as origin/fix
	FromRemote Source = "remote" // the claims that all clones share through the git remote
)

// Claim is what one source says of who has a record: somebody holds it, or, if it is Ahead, brought it further. The
// zero value is nobody.
type Claim struct {
	Source   Source
	Ahead    bool // the record has Status there, and this file lacks that; it is not said who holds it
	Actor    record.Actor
	Session  string
	Worktree string        // absolute path; "" when only the file says so
	Branch   string        // "" when unknown or detached
	Clone    string        // the other clone; "" for this one
	Status   record.Status // of one that is Ahead
	Taken    bool          // the actor took it up, and was not only named
	Since    time.Time
	Until    time.Time // when the claim expires; zero for never
	Lapsed   bool      // it expired, its session stalled or its worktree is gone: a takeover may end it
	Expired  bool      // it lapsed because its time is over, and holds nothing any more
	Gone     bool      // git knows no worktree there any more
	NoBranch bool      // of one that is Ahead: the branch is no longer there

	Unsynced bool         // FromClone, and the git remote is not known to have the claim
	LostTo   *RemoteClaim // FromClone, and the remote gave it to this one

	Overruled *Lease // of whoever held it here, until git brought this file; nil for nobody
}

// Holds reports whether somebody has the record by this claim. One whose session stalled holds it until it is taken
// over.
func (c Claim) Holds() bool { return c.Source != Nowhere && !c.Ahead && !c.Expired }

// Live reports whether it holds the record by a claim that somebody made, and not by the file alone.
func (c Claim) Live() bool { return c.Holds() && c.Source != FromFile }

// Holder decides who holds a record, of whatever kind: of what each source says of it, the live claim of this clone
// weighs most, then that of another clone, then whom this one assigned it to, then work elsewhere that the file lacks,
// then the assignee. What git brought counts for more than any claim of this clone (Live.Overruled), and what another
// clone finished for more than one that the remote was never told of.
func Holder(file record.Header, live Live, now time.Time) Claim {
	here, other := live.Remote.onClaim(live.lease(file, now), now), live.Remote.claim(now)
	first, second := here, other
	if here.Source == FromClone && here.Worktree == "" && !here.Gone { // whoever was only named here yields to who is at work
		first, second = other, here
	}
	behind := IsBehind(file, live)
	if behind.Source == FromRemote && live.Remote.Own == nil { // of which a lease of a copy, or of whom it was given to, knows nothing
		first, second, behind = behind, first, second
	}
	hold := Decide(first, second, behind, live.assignee(file, now))
	hold.Overruled = live.Overruled(file)
	return hold
}

// Decide returns the claim that counts among those on one record, which are sorted by their weight: the first that
// holds it or is ahead of the file. A claim whose worktree is gone, or that has expired, yields to any other but the
// file's, and is returned if there is none.
func Decide(claims ...Claim) Claim {
	for _, c := range claims {
		if c.Ahead || c.Live() && !c.Gone {
			return c
		}
	}
	for _, c := range claims {
		if c.Source != Nowhere {
			return c
		}
	}
	return Claim{}
}

// IsBehind returns the state that another branch, worktree or clone has brought a record to, whoever holds it, or the
// zero Claim if this file is as far. A file is behind if it lacks an entry that changed the status, and its own status
// is another. What a remote says counts only if it is newer than what changed the status here last. What was written
// here, on this branch, and is missing in the file was taken away by git: it is nowhere else.
func IsBehind(file record.Header, live Live) Claim {
	known := live.Remote.Progress()
	if state := live.Seen(file).State; state != nil {
		known = slices.Concat(known, state.Progress)
	}
	for _, p := range slices.Backward(known) {
		away := p.Source == Nowhere && p.Clone == "" && live.takenAway(p.Entry, p.Worktree, p.Branch, file)
		if !away && p.Status != file.Status && !file.Log.Has(p.Entry) && (p.At.IsZero() || p.At.After(movedAt(file))) {
			return Claim{
				Source: cmp.Or(p.Source, FromClone), Ahead: true, Worktree: p.Worktree, Branch: p.Branch, Status: p.Status,
				Clone: p.Clone,
			}
		}
	}
	return Claim{}
}

// onClaim adds to a claim of this clone what the remote says of it.
func (r *Remote) onClaim(h Claim, now time.Time) Claim {
	if r == nil || h.Gone || h.Expired || h.Worktree == "" { // somebody was assigned, who claims it where the work is done
		return h
	}
	h.LostTo = r.LostTo(now)
	h.Unsynced = h.LostTo == nil && !r.Confirmed(now)
	return h
}

// claim is that of another clone.
func (r *Remote) claim(now time.Time) Claim {
	c := r.taken()
	if c == nil {
		return Claim{}
	}
	over := c.Claim.Lapsed(c.First, now)
	return Claim{
		Source: FromRemote, Actor: c.Claim.Holder, Taken: c.Claim.Claims(), Branch: c.Claim.Branch, Clone: c.Claim.Clone,
		Since: c.Claim.Taken, Until: c.Claim.Ends(c.First), Lapsed: over, Expired: over,
	}
}

// lease returns who holds the record by a live claim.
func (l Live) lease(file record.Header, now time.Time) Claim {
	lease := l.held(file)
	if lease == nil {
		return Claim{}
	}
	h := Claim{
		Source: FromClone, Actor: lease.Actor, Session: lease.Session, Worktree: lease.Worktree, Branch: lease.Branch,
		Taken: lease.Claims() || lease.Actor == file.Assignee && file.Taken(), Since: lease.Since,
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
func (l Live) assignee(file record.Header, now time.Time) Claim {
	if file.Assignee == "" {
		return Claim{}
	}
	h := Claim{Source: FromFile, Actor: file.Assignee, Session: file.Log.LastSession(), Taken: file.Taken()}
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

// expiring returns the claim with its expiry, or as a lapsed one if that has passed. A person's claim does not expire.
func (c Claim) expiring(sign time.Time, ttl time.Duration, now time.Time) Claim {
	if c.Actor.Human() {
		return c
	}
	return c.until(sign.Add(ttl), now)
}

// until returns the claim with an expiry, or as a lapsed one if that has passed.
func (c Claim) until(end, now time.Time) Claim {
	c.Until = end
	c.Expired = now.After(end)
	c.Lapsed = c.Lapsed || c.Expired
	return c
}

// Mine reports whether the actor holds the record from here. A person holds it from every worktree. Any other actor
// holds it from one worktree only, because two agents of one name in two worktrees would do the work twice.
func (c Claim) Mine(actor record.Actor, worktree string) bool {
	if c.Actor != actor || c.Ahead || c.Clone != "" {
		return false
	}
	return actor.Human() || c.Worktree == "" && !c.Gone || c.Worktree == worktree
}

// WorkOf reports whether an open record is the work of an actor: they hold it, from this clone or, as a person, from
// any, or nobody holds it and its file names them.
func (c Claim) WorkOf(actor, assignee record.Actor) bool {
	if !c.Holds() && !c.Ahead && assignee == actor {
		return true
	}
	return c.Actor == actor && !c.Ahead && (c.Clone == "" || actor.Human())
}

// Free reports whether the actor may take the record without taking it from anybody.
func (c Claim) Free(actor record.Actor, worktree string) bool {
	given := c.Clone != "" && c.Actor == actor && !c.Taken && !c.Ahead // in another clone, to take it up anywhere
	return c.Source == Nowhere || given || c.Mine(actor, worktree)
}

// Refuse returns why an actor may not take the record: ELSEWHERE if the file is behind, CLAIM_LOST if the remote gave
// the actor's claim to another clone, or else ALREADY_CLAIMED, naming the holder. With takeover, a record whose claim
// has lapsed or whose file is behind may be taken, and a person may take what another clone holds.
func (c Claim) Refuse(id record.ID, actor record.Actor, worktree string, takeover bool) error {
	far := c.Clone != "" || c.LostTo != nil
	switch {
	case takeover && (c.Lapsed || c.Ahead || far && actor.Human()):
		return nil
	case c.LostTo != nil && c.Mine(actor, worktree):
		return c.LostTo.Lost(id)
	case c.Free(actor, worktree):
		return nil
	case c.Ahead:
		return c.refuseBehind(worktree).WithNext(record.CallTo("get", "id", id))
	case c.Lapsed:
		return record.Errorf(record.AlreadyClaimed, "held by %s%s, without a sign of life", c.Actor, c.where()).
			WithHint("take it over with takeover: true (--takeover)")
	}
	since, mine := "", ""
	if c.Clone != "" {
		since = ", since " + c.Since.UTC().Format(time.RFC3339)
	} else if c.Actor == actor {
		mine = "you hold it there: go on there, or "
	}
	if !c.Taken && c.Worktree == "" && c.Clone == "" && c.Actor != actor && actor.Human() { // a plan of the team, or of where it was imported from
		return record.Errorf(record.AlreadyClaimed, "assigned to %s, who has not begun it", c.Actor).
			WithHint("%s gives it to you; or take another task: %s", record.CallTo("update", "id", id, "assignee", "me").OnlyShown(), ready).
			WithNext(record.CallTo("wait", "ready", true))
	}
	return record.Errorf(record.AlreadyClaimed, "held by %s%s%s", c.Actor, c.where(), since).
		WithHint("%stake another task: %s", mine, ready).WithNext(record.CallTo("wait", "ready", true))
}

// RefuseMove returns NOT_YOURS for an entry that moves a record (record.Entry.Moves) while another actor is at work on
// it by a live claim: that is for its holder, and for whoever takes it over. What only adds to the record is open to all.
func (c Claim) RefuseMove(id record.ID, by record.Entry) error {
	if !by.Moves() || by.Did == record.TakenOver || !c.Live() || !c.Taken || c.Actor == by.Who {
		return nil
	}
	e := record.Errorf(record.NotYours, "held by %s%s", c.Actor, c.where())
	if c.Lapsed {
		return e.WithHint("no sign of life: %s takes it over", record.CallTo("claim", "id", id, "takeover", true).OnlyShown())
	}
	return e.WithHint("leave a note for %s; a person may move it, and once the holder is silent %s takes it over",
		c.Actor, record.CallTo("claim", "id", id, "takeover", true).OnlyShown())
}

// refuseBehind is ELSEWHERE, for a record that was brought further than the file of a worktree says.
func (c Claim) refuseBehind(worktree string) *record.Error {
	e := record.Errorf(record.Elsewhere, "%s on %s", c.Status, c.location())
	switch {
	case c.Clone != "":
		return e.WithHint("git fetch, and merge that work here")
	case c.Source == FromBranch && (!record.IsWord(c.Branch, "._-+/#@=") || c.Branch[0] == '-'):
		// somebody else chose the name, and a shell could read it as more than a name
		return e.WithHint("merge that branch here")
	case c.Source == FromBranch:
		return e.WithHint("git merge %s brings that work here", c.Branch)
	case c.NoBranch:
		return e.WithHint("that branch is no longer there: if it was renamed or merged, merge that here; "+
			"if it was deleted unmerged, a person runs %s, which lets go of it", record.CallTo("doctor", "fix", true).ByPerson())
	case c.Worktree == worktree:
		e.Msg = fmt.Sprintf("%s was written here on %s, and this file does not say so", c.Status, c.location())
		return e.WithHint("switch to that branch, merge it, or bring that version back with git")
	default:
		return e.WithHint("merge that work here, or go on there")
	}
}

// ready lists the tasks that can be started. The next call of a refusal is wait instead: it waits for one if there is
// none.
var ready = record.CallTo("list", "ready", true)

// where returns " on" and the location, for messages, or "" if neither branch nor worktree is known.
func (c Claim) where() string {
	if c.Worktree == "" && c.Branch == "" && c.Clone == "" {
		return ""
	}
	if c.Clone != "" && c.Branch == "" {
		return " in " + c.location()
	}
	return " on " + c.location()
}

func (c Claim) location() string {
	switch {
	case c.Source == FromBranch:
		return c.Branch
	case c.Clone != "":
		return inClone(c.Branch, c.Clone)
	default:
		return location(c.Branch, c.Worktree)
	}
}

// RefuseEnd returns ALREADY_CLAIMED for a claim that cannot be ended from here, since another clone has it: it would go
// on there.
func (c Claim) RefuseEnd() error {
	if c.Clone == "" || c.Ahead {
		return nil
	}
	return record.Errorf(record.AlreadyClaimed, "held by %s%s, where the claim is ended", c.Actor, c.where()).
		WithHint("ask %s, or take it over and then let go of it", c.Actor)
}

// Local reports whether a branch of this clone has the work, so that it can be looked for here.
func (c Claim) Local() bool { return c.Clone == "" && c.Source != FromBranch }

// inClone names a branch, if that is known, in another clone.
func inClone(branch, clone string) string {
	if branch == "" {
		return "clone " + clone
	}
	return "branch " + branch + " in clone " + clone
}

// Lost is CLAIM_LOST for whoever believed to hold the record that this claim took.
func (c RemoteClaim) Lost(id record.ID) error {
	what, since := "holds it since", c.Taken
	switch c.State {
	case RemoteHeld:
	case RemoteFinished:
		what, since = fmt.Sprintf("brought it to %s at", c.Status), c.Renewed
	case RemoteReleased:
		what, since = "took it over, and let go of it at", c.Renewed
	}
	return record.Errorf(record.ClaimLost, "claim lost: %s %s %s, on %s", c.Holder, what, since.UTC().Format(time.RFC3339), inClone(c.Branch, c.Clone)).
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
