package proof

import (
	"fmt"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// logRules judge the provenance and the references of one record that the change touches, of a task or of any other
// kind, against those of the base.
type logRules struct {
	*judge
	logDiff
}

// logDiff is how the provenance of a record differs from that in the base.
type logDiff struct {
	file, base *File        // of the record; base is nil if the change brings it
	fresh      map[int]bool // indexes of the entries that the change brings
	lost       []int        // indexes of the base's entries that are gone, changed or in another order; ascending
}

// compareLogs compares the provenance of a file with that of its base, which may be nil. Entries are equal if they mean
// the same, however they are written.
func compareLogs(now, was *File) logDiff {
	d := logDiff{file: now, base: was, fresh: map[int]bool{}}
	for i := range now.Head.Log {
		d.fresh[i] = true
	}
	if was == nil || len(was.Head.Log)+len(now.Head.Log) == 0 {
		return d
	}
	indexes := map[string][]int{} // of the entries of now, by their meaning
	for i, e := range entriesOf(now) {
		indexes[e] = append(indexes[e], i)
	}
	from := 0
	for i, e := range entriesOf(was) {
		left := indexes[e]
		for len(left) > 0 && left[0] < from {
			left = left[1:]
		}
		if indexes[e] = left; len(left) == 0 {
			d.lost = append(d.lost, i)
			continue
		}
		delete(d.fresh, left[0])
		from = left[0] + 1
	}
	return d
}

// entriesOf returns what the entries of a file mean.
func entriesOf(f *File) []string {
	doc := f.document()
	if doc == nil {
		return nil
	}
	return doc.Entries()
}

func (r logRules) apply() {
	r.appendOnly()
	r.aheadOfTime()
	r.refsExplained()
}

// appendOnly finds entries that were not appended. Every entry of the base must still be there, unchanged and in the
// same order. New entries may stand between them, as after a merge, but every new entry must be in the order of time.
func (r logRules) appendOnly() {
	if len(r.lost) > 0 {
		first := r.lost[0]
		r.report(ProvenanceRewritten, r.file, Path{"provenance"}, "entry %d of the base (%s) is gone, changed, or in another place%s",
			first+1, describe(r.base.Head.Log[first]), soAre(len(r.lost)-1))
	}
	now := r.file.Head.Log
	for i := range now {
		if r.fresh[i] && (i > 0 && later(now[i-1], now[i]) || i+1 < len(now) && later(now[i], now[i+1])) {
			r.report(ProvenanceRewritten, r.file, Path{"provenance", i}, "entry %d (%s) is new and out of the order of time", i+1, describe(now[i])).
				fix("put the entry where its time belongs; to have git do so when it merges: cairn setup merge-driver")
			return // the entries after it may be out of order only because of this one
		}
	}
}

// ahead is how far the time of an entry may be ahead of the time of its commit, since clocks differ.
const ahead = 24 * time.Hour

// aheadOfTime reports the first entry whose time lies in the future of the commit that brought it. The entries after it
// are not reported: none may have an earlier time than the one before it.
func (r logRules) aheadOfTime() {
	if r.change.Newest.IsZero() {
		return
	}
	var newest time.Time
	for i, e := range r.file.Head.Log {
		if r.fresh[i] && e.At.After(newest) && e.At.After(r.change.Newest.Add(ahead)) {
			if w, ok := r.change.RecordBroughtBy(r.file.Ref, e); ok && e.At.After(w.At.Add(ahead)) {
				r.report(TimeAhead, r.file, Path{"provenance", i}, "entry %d (%s) is more than a day later than the commit that brought it (%s)",
					i+1, describe(e), w.At.UTC().Format(time.RFC3339))
				return
			}
		}
		if e.At.After(newest) {
			newest = e.At
		}
	}
}

// later reports whether the first of two entries has the later time. An entry without a time is never out of order.
func later(a, b record.Entry) bool { return !a.At.IsZero() && !b.At.IsZero() && a.At.After(b.At) }

// soAre ends a message about an entry of which n more are like it.
func soAre(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", and so are %d more", n)
}

// describe names an entry in messages, as in "noted by agent:a 2026-06-21T12:00:00Z".
func describe(e record.Entry) string {
	var words []string
	if e.Did != "" {
		words = append(words, string(e.Did))
	}
	if e.Who != "" {
		words = append(words, "by "+string(e.Who))
	}
	return strings.Join(append(words, e.At.UTC().Format(time.RFC3339)), " ")
}
