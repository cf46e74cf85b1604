package task

import (
	"slices"
	"time"
)

// Log is the provenance of a record, the oldest entry first. Entries are only ever appended.
type Log []Entry

// Add returns the log with e behind its other entries. The time of an entry never lies before that of the one above it, so a
// clock that runs behind cannot break the order.
func (l Log) Add(e Entry) Log {
	e.At = e.At.UTC().Truncate(time.Second)
	if last := l.Last(); last.At.After(e.At) {
		e.At = last.At
	}
	return append(slices.Clip(slices.Clone(l)), e)
}

// First returns the oldest entry, or a zero one.
func (l Log) First() Entry {
	if len(l) == 0 {
		return Entry{}
	}
	return l[0]
}

// Last returns the newest entry, or a zero one.
func (l Log) Last() Entry {
	if len(l) == 0 {
		return Entry{}
	}
	return l[len(l)-1]
}

// Since returns the entries from position n on.
func (l Log) Since(n int) Log { return l[min(n, len(l)):] }

// Has reports whether one of the entries has this hash.
func (l Log) Has(entryHash string) bool {
	return slices.ContainsFunc(l, func(e Entry) bool { return e.Hash() == entryHash })
}

// Hashes returns the hashes of all entries.
func (l Log) Hashes() map[string]bool {
	out := make(map[string]bool, len(l))
	for _, e := range l {
		out[e.Hash()] = true
	}
	return out
}

// LastSession returns the session named by the newest entry that names one, or "".
func (l Log) LastSession() string {
	for _, e := range slices.Backward(l) {
		if e.Session != "" {
			return e.Session
		}
	}
	return ""
}

// NewestBy returns the time of the newest entry by an actor, or the zero time.
func (l Log) NewestBy(who Actor) time.Time {
	for _, e := range slices.Backward(l) {
		if e.Who == who {
			return e.At
		}
	}
	return time.Time{}
}
