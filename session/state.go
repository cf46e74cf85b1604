package session

import (
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// State is what a clone knows of one record beside its files: who holds it, and how far its worktrees have carried it.
type State struct {
	Ref      record.Ref `json:"ref"`
	Lease    *Lease     `json:"lease,omitempty"`
	Progress []Progress `json:"progress,omitempty"` // states that some file may lack, the newest last
	Ended    []string   `json:"ended,omitempty"`    // sessions whose lease ended, the newest last; their files may lie elsewhere
	Entry    string     `json:"entry,omitempty"`    // hash of the last entry of the write that left the state like this
}

// Empty reports whether the state says nothing.
func (s State) Empty() bool { return s.Lease == nil && len(s.Progress)+len(s.Ended) == 0 }

// Under reports whether somebody holds the record in a session, or held it, as far as that is remembered.
func (s State) Under(ses string) bool {
	return s.Lease != nil && s.Lease.Session == ses || slices.Contains(s.Ended, ses)
}

// Lease is a live claim.
type Lease struct {
	Actor    record.Actor `json:"actor"`
	Session  string       `json:"session,omitempty"`
	Worktree string       `json:"worktree"`          // absolute path
	GitDir   string       `json:"git_dir,omitempty"` // of the worktree, from the common one of the clone; it tells worktrees apart wherever they are
	Branch   string       `json:"branch,omitempty"`
	Head     string       `json:"head,omitempty"` // the commit that was checked out when it was taken
	Since    time.Time    `json:"since"`
	Seen     time.Time    `json:"seen"`              // the holder's newest write
	Seconds  int          `json:"seconds,omitempty"` // how long after that it holds; 0 for as long as claims do
	Made     Mark         `json:"made,omitzero"`     // the newest entry of the file that made it; zero if no file says who holds it
}

// Claims reports whether somebody took the record up by the lease. One that is only an assignment names no worktree.
func (l *Lease) Claims() bool { return l != nil && l.Worktree != "" }

// The shortest and the longest time, in seconds, for which a claim can be made.
const (
	MinLease = 60
	MaxLease = 86_400
)

// ValidLease returns INVALID_INPUT for a time in seconds for which no claim can be made. 0 is as long as claims hold.
func ValidLease(seconds int) error {
	if seconds == 0 || MinLease <= seconds && seconds <= MaxLease {
		return nil
	}
	return record.Errorf(record.InvalidInput, "lease_seconds is %d", seconds).WithHint("%d to %d, or leave it out", MinLease, MaxLease)
}

// Progress is a status that the clone has brought a record to.
type Progress struct {
	Status   record.Status `json:"status"`
	Branch   string        `json:"branch,omitempty"`
	Worktree string        `json:"worktree"`
	Head     string        `json:"head,omitempty"`
	Entry    string        `json:"entry"` // hash of the entry that did
	Clone    string        `json:"-"`     // the other clone that did, as the remote says; "" for this one
	Source   Source        `json:"-"`     // FromBranch or FromRemote; "" for this clone
	At       time.Time     `json:"-"`     // when, of what a remote says; zero for this clone
}

// Key is what a clone remembers of a call that came with an idempotency key, and of what the call made.
type Key struct {
	Call    string      `json:"call"` // hash of actor, verb and key
	Args    string      `json:"args"` // hash of the arguments
	Task    record.ID   `json:"task,omitempty"`
	Tasks   []record.ID `json:"tasks,omitempty"`   // of a call that made several
	Session string      `json:"session,omitempty"` // or what else has an id
	Record  *record.Ref `json:"record,omitempty"`  // of any other kind
}

// String is what an entry says of the key.
func (k Key) String() string { return k.Call + "-" + k.Args }

// After returns the state after a write that brought a file from was to the progress p, and gave the record a lease.
//
// Only a change of status adds to the progress. It replaces the states before it that this file has, and those that
// were written here and that git took away; others that the file lacks stay known. With supersede they do not: work elsewhere was given up for what is here, which then counts as
// progress even if the status stayed. The first status of a record adds nothing, since every file of it has that.
func (s State) After(was record.Header, p Progress, lease *Lease, supersede bool) State {
	moved := was.Ref.ID != "" && p.Status != was.Status
	next := s.WithLease(lease)
	next.Entry, next.Progress = p.Entry, nil
	adds := moved
	here := Place{p.Worktree, p.Branch}
	for _, known := range s.Progress {
		switch lacks := !was.Log.Has(known.Entry); {
		case lacks && here.is(known.Worktree, known.Branch):
		case lacks && supersede:
			adds = true
		case lacks || !moved:
			next.Progress = append(next.Progress, known)
		}
	}
	if adds {
		next.Progress = append(next.Progress, p)
	}
	return next
}

const endedKept = 16 // sessions; nobody asks for older ones any more

// WithLease changes the lease, and remembers the session whose lease that ends.
func (s State) WithLease(lease *Lease) State {
	if old := s.Lease; old != nil && old.Session != "" && (lease == nil || lease.Session != old.Session) {
		s.Ended = append(slices.Clone(s.Ended), old.Session)
		s.Ended = s.Ended[max(0, len(s.Ended)-endedKept):]
	}
	s.Lease = lease
	return s
}

// Inbox is what a clone keeps of one actor's inbox: what the actor has acknowledged, and up to when it has seen what
// others did.
type Inbox struct {
	Actor record.Actor `json:"actor"`
	Seen  int64        `json:"seen,omitempty"`  // in seconds since 1970; 0 for never
	Acked []string     `json:"acked,omitempty"` // ids of items, the newest last
}

const ackedKept = 5000 // items of an actor; the oldest are forgotten first

// Ack returns the inbox with further items acknowledged.
func (in Inbox) Ack(items ...string) Inbox {
	in.Acked = record.Unique(slices.Concat(in.Acked, items))
	in.Acked = in.Acked[max(0, len(in.Acked)-ackedKept):]
	return in
}

// Live is what the clone knows about a record when somebody asks who holds it.
type Live struct {
	State      *State     // nil for nothing
	Next       *State     // what a write under way, or a killed one, makes of it; nil for none
	Beat       *Heartbeat // of the lease's session
	Gone       bool       // the lease's worktree is no longer there
	Remote     *Remote    // what the git remote says; nil where claims hold in this clone alone
	Here       Place      // where the file of whoever asks lies; zero if it cannot be read, or that is not known
	There      []Placed   // what files say in the places where the state was written, as far as they can be read
	Closed     []record.Status
	ClaimTTL   time.Duration
	StaleAfter time.Duration
}

// Silent reports whether the clone knows nothing of the record beside its file.
func (l Live) Silent() bool {
	r := l.Remote
	return l.State == nil && l.Next == nil && (r == nil || r.Own == nil && r.Seen == nil && len(r.Branches) == 0)
}

// Carried reports whether what the clone knows depends on which entries the file has: of progress, and of a lease.
func (l Live) Carried() bool {
	return l.Next != nil || l.State != nil && (len(l.State.Progress) > 0 || l.State.Lease != nil) || len(l.Remote.Progress()) > 0
}

// Seen returns what a reader of the file should take for known: what a write under way makes of it counts once the file
// has the write's entry.
func (l Live) Seen(file record.Header) Live {
	if l.landed(file) {
		l.State = l.Next
	}
	l.Next = nil
	return l
}

func (l Live) landed(file record.Header) bool { return l.Next != nil && file.Log.Has(l.Next.Entry) }

// held returns the lease that counts. While a write is under way, whoever it gives the record to holds it: better one
// claim too many for a moment than the same work twice. One that the file overrules does not count.
func (l Live) held(file record.Header) *Lease {
	switch {
	case l.landed(file), l.Next != nil && l.Next.Lease != nil:
		return l.Next.Lease
	case l.State != nil && l.Overruled(file) == nil:
		return l.State.Lease
	default:
		return nil
	}
}

// movedAt is when the status of a record was changed last; zero for a record that was never moved.
func movedAt(file record.Header) time.Time {
	last, _ := Moved(file)
	return last.At
}
