package session

import (
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/task"
)

// Record is the live state of one task in a clone: who holds it, and the statuses that its worktrees have given it.
type Record struct {
	Task    task.ID  `json:"task"`
	Lease   *Lease   `json:"lease,omitempty"`
	Reaches []Reach  `json:"reaches,omitempty"` // statuses that the file of some worktree may lack, the newest last
	Ended   []string `json:"ended,omitempty"`   // sessions whose lease ended, the newest last; their files may be in other worktrees
	Intent  *Intent  `json:"intent,omitempty"`
}

// Lease is a live claim.
type Lease struct {
	Actor    task.Actor `json:"actor"`
	Session  string     `json:"session,omitempty"`
	Worktree string     `json:"worktree"`          // absolute path
	GitDir   string     `json:"git_dir,omitempty"` // of the worktree, from the common one of the clone; it tells worktrees apart wherever they are
	Branch   string     `json:"branch,omitempty"`
	Since    time.Time  `json:"since"`
	Seen     time.Time  `json:"seen"` // the holder's newest write
}

// Reach is a status that a worktree of the clone gave the task.
type Reach struct {
	Status   task.Status `json:"status"`
	Branch   string      `json:"branch,omitempty"`
	Worktree string      `json:"worktree"`
	Head     string      `json:"head,omitempty"`
	Entry    string      `json:"entry"` // hash of the entry that did it
}

// Intent is a write that was announced. What it says becomes the record's when the file has the entry that Reach names,
// which is the last of the write.
type Intent struct {
	Lease   *Lease    `json:"lease,omitempty"`
	Reach   Reach     `json:"reach"`
	Moves   bool      `json:"moves,omitempty"`   // Reach is another state than the one before
	Rest    []Reach   `json:"rest,omitempty"`    // what else stays known
	New     bool      `json:"new,omitempty"`     // this write was to create the task
	Session string    `json:"session,omitempty"` // a session file that this write was to create
	With    []task.ID `json:"with,omitempty"`    // the tasks that this write creates, if there are several: all of them come, or none
	Key     *Key      `json:"key,omitempty"`     // of the call that makes it

	Ends []Session `json:"ends,omitempty"` // sessions that this write was to end, as they were to be
}

// Key is what a clone remembers of a call that came with an idempotency key, and of what the call made.
type Key struct {
	Call    string    `json:"call"` // hash of actor, verb and key
	Args    string    `json:"args"` // hash of the arguments
	Task    task.ID   `json:"task,omitempty"`
	Tasks   []task.ID `json:"tasks,omitempty"`   // of a call that made several
	Session string    `json:"session,omitempty"` // or what else has an id
}

// String returns the key as entries contain it.
func (k Key) String() string { return k.Call + "-" + k.Args }

// Announce adds an intent to a record that has none, and says in it what else stays known. The file is the task as it was.
//
// Only a status change adds a Reach, and it replaces those whose entries this file has. Reaches whose entries the file lacks stay. With
// supersede they go too, because work elsewhere was given up for this file; then this write is a Reach even if the status stays. The
// status in which a task is created is no change: every file of the task has it.
func (r Record) Announce(file task.Header, in Intent, supersede bool) Record {
	in.Moves = file.Ref.ID != "" && in.Reach.Status != file.Status
	moved := in.Moves
	for _, known := range r.Reaches {
		lacks := !file.Log.Has(known.Entry)
		switch {
		case lacks && supersede:
			in.Moves = true
		case lacks || !moved:
			in.Rest = append(in.Rest, known)
		}
	}
	r.Intent = &in
	return r
}

// Settle ends an intent: came says whether its entry reached the file.
func (r Record) Settle(came bool) Record {
	in := r.Intent
	r.Intent = nil
	if in == nil || !came {
		return r
	}
	r = r.WithLease(in.Lease)
	r.Reaches = slices.Clone(in.Rest)
	if in.Moves {
		r.Reaches = append(r.Reaches, in.Reach)
	}
	return r
}

// Seen is the record as a reader of the file should take it: an intent came if the file has its entry, and else did not.
func (r Record) Seen(file task.Header) Record {
	return r.Settle(r.Intent != nil && file.Log.Has(r.Intent.Reach.Entry))
}

const endedKept = 16 // sessions; those that ended earlier have found out by now

// WithLease changes the lease, and remembers the session whose lease that ends.
func (r Record) WithLease(lease *Lease) Record {
	if old := r.Lease; old != nil && old.Session != "" && (lease == nil || lease.Session != old.Session) {
		r.Ended = append(slices.Clone(r.Ended), old.Session)
		if len(r.Ended) > endedKept {
			r.Ended = r.Ended[len(r.Ended)-endedKept:]
		}
	}
	r.Lease = lease
	return r
}

// heldBy returns the lease that counts. While an intent is open, that is the intended lease if there is one: for a moment the task
// may count as claimed too early, so that two actors never do the same work.
func (r *Record) heldBy(file task.Header) *Lease {
	switch {
	case r == nil:
		return nil
	case r.Intent == nil:
		return r.Lease
	case file.Log.Has(r.Intent.Reach.Entry):
		return r.Intent.Lease
	case r.Intent.Lease != nil:
		return r.Intent.Lease
	default:
		return r.Lease
	}
}

// ahead returns the newest Reach that a file lacks and whose status is not that of the file, or nil.
func (r *Record) ahead(file task.Header) *Reach {
	if r == nil {
		return nil
	}
	known := r.Reaches
	if r.Intent != nil && file.Log.Has(r.Intent.Reach.Entry) {
		known = r.Intent.Rest
	}
	for _, reach := range slices.Backward(known) {
		if reach.Status != file.Status && !file.Log.Has(reach.Entry) {
			return &reach
		}
	}
	return nil
}
