package session

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// RemoteClaim is what one ref of the git remote says of a record: which clone holds it, or how far that clone brought
// it.
type RemoteClaim struct {
	Version  int           `json:"version"`
	Record   record.Ref    `json:"record"`
	Holder   record.Actor  `json:"holder"`
	Clone    string        `json:"clone"`              // id of the clone
	Worktree string        `json:"worktree,omitempty"` // name of the folder, and no path
	Epoch    int           `json:"epoch"`              // one more than that of the claim before it
	Nonce    string        `json:"nonce"`              // unique to the claim; renewing keeps it
	Taken    time.Time     `json:"taken"`
	Renewed  time.Time     `json:"renewed"`
	TTL      int           `json:"ttl"` // seconds after Renewed
	Branch   string        `json:"branch,omitempty"`
	State    RemoteState   `json:"state"`
	Given    bool          `json:"given,omitempty"`  // to the holder, who did not take it up yet
	Status   record.Status `json:"status,omitempty"` // of Finished: the status that the clone brought the record to
	Entry    string        `json:"entry,omitempty"`  // hash of the entry that did
	Commit   string        `json:"commit,omitempty"` // that was checked out then
	Ousted   []string      `json:"ousted,omitempty"` // nonces of the claims of other clones that it took over
}

// RemoteVersion is the version of RemoteClaim that this version writes. A claim of a newer one is read as far as it is
// understood.
const RemoteVersion = 1

// RemoteState is what a claim at the remote says.
type RemoteState string

// The states.
const (
	RemoteHeld     RemoteState = "held"     // the clone works on the record
	RemoteFinished RemoteState = "finished" // the clone has brought the record to Status, on Branch
	RemoteReleased RemoteState = "released" // nobody has the record, and the claims in Ousted are over, whatever their clones know
)

const (
	// ClockSkew is how wrong a clock may be without harm: a claim is taken over only so long after its end.
	ClockSkew = 2 * time.Minute

	// shortTTL is below what a claim ends, for others, so long after they saw it first. Of a longer one a third, which its
	// holder does not rely on, is more than eight minutes that a clock may be wrong in addition.
	shortTTL = 24 * time.Minute

	minTTL = 4 * time.Hour
	maxTTL = 8 * time.Hour
)

// RemoteTTL is for how long a claim holds at the remote after it was renewed: a lease of a fixed time for that time, a
// person for eight hours, and an agent for as long as claims hold in the clone, four hours at least and eight at most.
func RemoteTTL(lease Lease, claimTTL time.Duration) time.Duration {
	switch {
	case lease.Seconds > 0:
		return time.Duration(lease.Seconds) * time.Second
	case lease.Actor.Human():
		return maxTTL
	default:
		return min(max(claimTTL, minTTL), maxTTL)
	}
}

func (c RemoteClaim) ttl() time.Duration { return time.Duration(c.TTL) * time.Second }

// Ends is when the claim ends unless it is renewed, for a reader who saw it first at a time of its own clock. A holder
// whose clock runs ahead gains nothing by that, and one whose clock runs behind loses no short claim before its time.
func (c RemoteClaim) Ends(seen time.Time) time.Time {
	renewed := c.Renewed
	if !seen.IsZero() && (seen.Before(renewed) || c.ttl() < shortTTL) {
		renewed = seen
	}
	return renewed.Add(c.ttl())
}

// Lapsed reports whether others may take the claim over.
func (c RemoteClaim) Lapsed(seen, now time.Time) bool {
	return c.State == RemoteHeld && now.After(c.Ends(seen).Add(ClockSkew))
}

// RenewDue reports whether a third of the time is over. It is also due where the clock was set back to before the claim
// was renewed.
func (c RemoteClaim) RenewDue(now time.Time) bool {
	return now.Sub(c.Renewed) >= c.ttl()/3 || now.Before(c.Renewed.Add(-ClockSkew))
}

// Sure reports whether the holder may still rely on the claim without asking the remote. That ends when two thirds of
// the time are over, long before others may take it, so that clocks which are minutes apart do no harm.
func (c RemoteClaim) Sure(now time.Time) bool { return now.Sub(c.Renewed) < c.ttl()*2/3 }

// Claims reports whether the holder took the record up, and was not only given it. What was only given its holder takes
// up in any clone.
func (c RemoteClaim) Claims() bool { return !c.Given }

// Same reports whether two claims are one claim, perhaps renewed or finished in between.
func (c RemoteClaim) Same(other RemoteClaim) bool {
	return c.Nonce == other.Nonce && c.Record == other.Record
}

// Next is the epoch of a claim that follows this one.
func (c RemoteClaim) Next() int { return min(c.Epoch+1, maxEpoch) }

// maxEpoch is more claims than a record ever has.
const maxEpoch = 1 << 30

// Renew is the claim as it is after a sign of life.
func (c RemoteClaim) Renew(now time.Time) RemoteClaim {
	c.Renewed = now.UTC().Truncate(time.Second)
	return c
}

// Finish is the claim of a clone that has brought the record to a status.
func (c RemoteClaim) Finish(p Progress, now time.Time) RemoteClaim {
	c = c.Renew(now)
	c.State, c.Status, c.Entry, c.Commit = RemoteFinished, p.Status, p.Entry, p.Head
	if p.Branch != "" {
		c.Branch = p.Branch
	}
	return c
}

// Arrived reports whether a file that is closed has what the claim says was finished: the entry that did it, or a later
// decision about the record. A file that was closed before, and does not know that the work went on, has not.
func (c RemoteClaim) Arrived(file record.Header) bool {
	return c.State == RemoteFinished && (file.Log.Has(c.Entry) || movedAt(file).After(c.Renewed))
}

// goOn is the claim of a clone that works on the record, again if it had finished.
func (c RemoteClaim) goOn(now time.Time) RemoteClaim {
	c = c.Renew(now)
	c.State, c.Status, c.Entry, c.Commit = RemoteHeld, "", "", ""
	return c
}

// release is the claim of a clone that let go of what it took over from others.
func (c RemoteClaim) release(now time.Time) RemoteClaim {
	c = c.goOn(now)
	c.State = RemoteReleased
	return c
}

// oustedKept is how many claims of others are remembered as over.
const oustedKept = 16

// ousted are the claims of other clones that are over once a claim of this clone takes the place of one that was seen.
func (s Shared) ousted(seen RemoteClaim) []string {
	all := seen.Ousted
	switch {
	case seen.State == RemoteFinished:
		return nil // it is put back as it was
	case seen.State == RemoteHeld && !s.ours(seen):
		all = append(slices.Clone(all), seen.Nonce)
	}
	return all[max(0, len(all)-oustedKept):]
}

// KeptFor is how long a finished claim stays at the remote after its work arrived there, for clones that do not fetch
// every day, and one that was released for those that did not hear of it.
const KeptFor = 3 * 24 * time.Hour

// Old reports whether a claim that nobody holds may go from the remote, for a reader who saw it first at a time of its
// own clock.
func (c RemoteClaim) Old(seen, now time.Time) bool {
	since := c.Renewed
	if seen.Before(since) {
		since = seen
	}
	return now.Sub(since) > KeptFor
}

// Encode is the message of the commit that the ref points at: one line.
func (c RemoteClaim) Encode() string {
	src, _ := json.Marshal(c) // every value of it can be encoded
	return string(src)
}

// ParseRemoteClaim reads the message of such a commit. Anybody who may push to the remote can have written it. It
// returns INVALID_INPUT for what is not about the record, or has a value that is not of the right form.
func ParseRemoteClaim(message []byte, of record.Ref) (RemoteClaim, error) {
	return parse(bytes.TrimSpace(message), "the claim at the remote", func(c *RemoteClaim) bool {
		if c.Version > RemoteVersion && c.State != RemoteFinished && c.State != RemoteReleased {
			c.State = RemoteHeld // whatever a newer version means by another state, somebody has the record
		}
		return c.Record == of && c.valid()
	})
}

func (c RemoteClaim) valid() bool {
	return c.Version >= 1 && isActor(c.Holder) && isToken(c.Clone) && isToken(c.Nonce) && isName(c.Worktree) && isName(c.Branch) && c.Epoch >= 1 && c.Epoch <= maxEpoch &&
		c.TTL >= MinLease && c.TTL <= MaxLease && !c.Renewed.IsZero() && !c.Taken.IsZero() && isObject(c.Commit) && (c.Entry == "" || isHash(c.Entry)) &&
		isName(string(c.Status)) && len(c.Ousted) <= oustedKept && all(c.Ousted, isToken) && (c.State == RemoteHeld || c.State == RemoteReleased || c.State == RemoteFinished && c.Status != "")
}

// isToken accepts one word of letters and digits, 64 bytes at most.
func isToken(s string) bool { return len(s) <= 64 && record.IsWord(s, "") }
