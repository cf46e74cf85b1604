package task

import (
	"cmp"
	"slices"
	"time"
)

// Ref names a record: its kind, and its id among the records of that kind.
type Ref struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
}

// KindName is the kind of a task, in a Ref.
const KindName = "task"

// Ref names the task that has this id.
func (id ID) Ref() Ref { return Ref{Kind: KindName, ID: string(id)} }

// CompareRefs sorts by kind, then by id.
func CompareRefs(a, b Ref) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID)) }

// String returns the kind and the id, as in "task PROJ-7".
func (r Ref) String() string { return r.Kind + " " + r.ID }

// Header is what all kinds of record have in common. A field that a kind does not have is zero.
type Header struct {
	Ref      Ref
	Title    string
	Status   Status
	Assignee Actor
	Labels   []string
	Refs     []Reference
	Log      Log
	Rev      Rev // revision of the file that this was read from
}

// Valid returns INVALID_INPUT for a title, labels or a body that no record may have.
func (h Header) Valid(body string) error {
	return ValidFields(Task{Title: h.Title, Labels: h.Labels, Body: body}, "title", "labels", "body")
}

// Labeled returns the header of the record with other labels, with an entry that says so. With the labels that it has it stays as it is. It returns
// INVALID_INPUT for labels that no record may have.
func (h Header) Labeled(labels []string, s Stamp) (Header, error) {
	now := Unique(labels)
	if slices.Equal(h.Labels, now) {
		return h, nil
	}
	if err := ValidFields(Task{Labels: now}, "labels"); err != nil {
		return h, err
	}
	if err := ValidCounts(Task{Labels: h.Labels}, Task{Labels: now}); err != nil {
		return h, err
	}
	e := s.Entry(Updated)
	e.Fields = []string{"labels"}
	h.Labels, h.Log = now, h.Log.Add(e)
	return h, nil
}

// Log is the provenance of a record, the oldest entry first. Entries are only ever appended.
type Log []Entry

// Add returns the log with e appended. An entry's time is never before that of the entry above it: if a clock runs behind, e gets the
// time of the last entry.
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

// LastSession returns the newest session about the record: the one that began, took over or ended last. It is "" if there was none.
func (l Log) LastSession() string {
	for _, e := range slices.Backward(l) {
		if e.OfAttempt() {
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
