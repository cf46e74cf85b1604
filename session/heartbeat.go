package session

import (
	"cmp"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Heartbeat is the newest report of a session in this clone that it is at work.
type Heartbeat struct {
	Session  string         `json:"session"`
	Actor    record.Actor   `json:"actor"`
	At       time.Time      `json:"at"`
	Progress string         `json:"progress,omitempty"`
	Counts   map[string]int `json:"counts,omitempty"` // of what the session counts, by names of its own
	Head     string         `json:"head,omitempty"`   // commit that is checked out where it is at work
	Branch   string         `json:"branch,omitempty"`
	Dirty    *bool          `json:"dirty,omitempty"` // there are changes that are not committed
}

const (
	maxCounts = 50 // of a heartbeat
	maxCount  = 64 // bytes of the name of one
)

// After returns the heartbeat with what the one before it said and this one leaves out.
func (b Heartbeat) After(before *Heartbeat) Heartbeat {
	if before == nil {
		return b
	}
	if b.Counts == nil {
		b.Counts = before.Counts
	}
	b.Progress, b.Dirty = cmp.Or(b.Progress, before.Progress), cmp.Or(b.Dirty, before.Dirty)
	b.Head, b.Branch = cmp.Or(b.Head, before.Head), cmp.Or(b.Branch, before.Branch)
	return b
}

// Valid returns INVALID_INPUT for counts that a heartbeat may not have.
func (b Heartbeat) Valid() error {
	if len(b.Counts) > maxCounts {
		return record.Errorf(record.InvalidInput, "%d counts are more than %d", len(b.Counts), maxCounts)
	}
	for name := range b.Counts {
		if len(name) > maxCount || !record.IsWord(name, "_-.") {
			return record.Errorf(record.InvalidInput, "counts names %q", name[:min(len(name), maxCount)]).
				WithHint("a name is a word of letters, digits, _, - and dots, such as tests_passed")
		}
	}
	return nil
}
