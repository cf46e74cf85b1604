package record

import (
	"slices"
	"strings"
	"time"
)

// Log is the provenance of a record, the oldest entry first. Entries are only ever appended.
type Log []Entry

// Add returns the log with e appended. An entry's time is never before that of the entry above it: if a clock runs
// behind, e gets the time of the last entry.
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

// LastIndex returns the index of the last of the entries that fit; -1 for none.
func (l Log) LastIndex(fits func(Entry) bool) int {
	for i, e := range slices.Backward(l) {
		if fits(e) {
			return i
		}
	}
	return -1
}

// Newest returns the last of the entries that fit; false for none.
func (l Log) Newest(fits func(Entry) bool) (Entry, bool) {
	i := l.LastIndex(fits)
	if i < 0 {
		return Entry{}, false
	}
	return l[i], true
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

// LastSession returns the newest session about the record: the one that began, took over or ended last. It is "" if
// there was none.
func (l Log) LastSession() string {
	e, _ := l.Newest(Entry.OfAttempt)
	return e.Session
}

// NewestBy returns the time of the newest entry by an actor, or the zero time.
func (l Log) NewestBy(who Actor) time.Time {
	e, _ := l.Newest(func(e Entry) bool { return e.Who == who })
	return e.At
}

// Entry finds the entry whose hash begins with these digits, which are at least 4. It returns NOT_FOUND, or
// AMBIGUOUS_ID.
func (l Log) Entry(hash string) (Entry, error) {
	var found []Entry
	for _, e := range l {
		if len(hash) >= 4 && len(hash) <= 2*shortHash && strings.HasPrefix(e.Hash(), hash) {
			found = append(found, e)
		}
	}
	switch len(found) {
	case 0:
		return Entry{}, Errorf(NotFound, "it has no entry %q", Clip(hash, 40))
	case 1:
		return found[0], nil
	default:
		return Entry{}, Errorf(AmbiguousID, "%s begins the hash of %d entries", hash, len(found)).WithHint("write more digits of it")
	}
}

// Refers reports whether an entry tells of a reference, by its ref.
func (l Log) Refers(ref string) bool {
	return slices.ContainsFunc(l, func(e Entry) bool { return slices.Contains(e.Said().Refs, ref) })
}
