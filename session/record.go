package session

import (
	"time"

	"github.com/cairn-tasks/cairn/task"
)

// Record is what a clone knows of one task beside its files: who holds it, and how far any worktree has carried it.
type Record struct {
	Task   task.ID `json:"task"`
	Lease  *Lease  `json:"lease,omitempty"`
	Reach  *Reach  `json:"reach,omitempty"`
	Intent *Intent `json:"intent,omitempty"`
}

// Lease is a live claim.
type Lease struct {
	Actor    task.Actor `json:"actor"`
	Session  string     `json:"session,omitempty"`
	Worktree string     `json:"worktree"` // absolute path
	Branch   string     `json:"branch,omitempty"`
	Since    time.Time  `json:"since"`
	Seen     time.Time  `json:"seen"` // the holder's newest write
}

// Reach is the furthest state of a task that the clone has written.
type Reach struct {
	Status   task.Status `json:"status"`
	Branch   string      `json:"branch,omitempty"`
	Worktree string      `json:"worktree"`
	Head     string      `json:"head,omitempty"`
	Entry    string      `json:"entry"` // hash of the last entry
}

// Intent is a write that was announced: Lease and Reach become the record's when the file has the entry that Reach names.
type Intent struct {
	Lease   *Lease `json:"lease,omitempty"`
	Reach   Reach  `json:"reach"`
	Session string `json:"session,omitempty"` // a session file that this write was to create
}

// Settle ends an intent: came says whether its entry reached the file.
func (r Record) Settle(came bool) Record {
	if r.Intent == nil {
		return r
	}
	if came {
		r.Lease, r.Reach = r.Intent.Lease, &r.Intent.Reach
	}
	r.Intent = nil
	return r
}

// heldBy is the lease that counts. While an intent is open, whoever it would give the task to holds it: better one claim
// too many for a moment than the same work twice.
func (r *Record) heldBy(file task.Task) *Lease {
	switch {
	case r == nil:
		return nil
	case r.Intent == nil:
		return r.Lease
	case file.Has(r.Intent.Reach.Entry):
		return r.Intent.Lease
	case r.Intent.Lease != nil:
		return r.Intent.Lease
	default:
		return r.Lease
	}
}

// reached is the furthest state that counts, seen from a file.
func (r *Record) reached(file task.Task) *Reach {
	if r == nil {
		return nil
	}
	if r.Intent != nil && file.Has(r.Intent.Reach.Entry) {
		return &r.Intent.Reach
	}
	return r.Reach
}
