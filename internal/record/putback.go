package record

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// PutBack restores entries that a record's file has lost, each where its time puts it, and repeats what they record:
// status and holder change if they are what they were before the entry. What later entries did stays. One more entry,
// of the stamp, says what was restored.
//
// If the record contradicts an entry, the entry is restored, the field stays as it is, and the contradiction is
// returned in words. So is an entry that does not record what it changed.
func (h Header) PutBack(lost []Entry, s Stamp) (Header, *Entry, []string) {
	if len(lost) == 0 {
		return h, nil, nil
	}
	var contradictions []string
	for _, e := range lost {
		var says []string
		h, says = h.Restored(e, func(Header) string { return "" })
		contradictions = append(append(contradictions, says...), UnrecordedFields(e)...)
	}
	h.Log = h.Log.Add(PutBackEntry(lost, contradictions, s))
	last := h.Log.Last()
	return h, &last, contradictions
}

// Restored returns the header with an entry where its time puts it, and with the status and the holder that it records.
// refused says why the record may not be as the new header has it; "" if it may. What contradicts the entry is returned
// in words.
func (h Header) Restored(e Entry, refused func(Header) string) (Header, []string) {
	at := h.Log.IndexFor(e)
	before, after := h.Log[:at], h.Log[at:]
	h.Log = slices.Concat(before, Log{e}, after)
	h, move := h.moveAgain(e, after, refused)
	h, assign := h.assignAgain(e, before, after)
	return h, slices.DeleteFunc([]string{move, assign}, func(says string) bool { return says == "" })
}

// IndexFor returns where an entry belongs by its time: before the first entry that is later.
func (l Log) IndexFor(e Entry) int {
	at := slices.IndexFunc(l, func(other Entry) bool { return other.At.After(e.At) })
	if at < 0 {
		return len(l)
	}
	return at
}

// moveAgain moves the status as an entry records, unless a later entry moved it. It returns a contradiction if the
// status is another than before the entry, or the new one is refused.
func (h Header) moveAgain(e Entry, after Log, refused func(Header) string) (Header, string) {
	later := slices.ContainsFunc(after, func(e Entry) bool { return e.To != "" })
	if e.To == "" || later || h.Status == e.To {
		return h, ""
	}
	says := fmt.Sprintf("status: moved from %s to %s at %s, and the file says %s", e.From, e.To, e.At.Format(time.RFC3339), h.Status)
	if h.Status != e.From {
		return h, says
	}
	next := h
	next.Status = e.To
	if why := refused(next); why != "" {
		return h, says + ", " + why
	}
	return next, ""
}

// assignAgain changes the holder as an entry records, unless a later entry changed it. It returns a contradiction if
// the holder is another than before the entry.
func (h Header) assignAgain(e Entry, before, after Log) (Header, string) {
	changes := func(e Entry) bool { return e.Assignee != nil }
	if !changes(e) || slices.ContainsFunc(after, changes) || h.Assignee == *e.Assignee {
		return h, ""
	}
	var had Actor
	for _, earlier := range before {
		if changes(earlier) {
			had = *earlier.Assignee
		}
	}
	if h.Assignee != had {
		return h, fmt.Sprintf("assignee: became %s at %s, and the file says %s", e.Assignee.OrNobody(), e.At.Format(time.RFC3339), h.Assignee.OrNobody())
	}
	h.Assignee = *e.Assignee
	return h, ""
}

// UnrecordedFields names the fields that an entry changed, in words: it does not record their values.
func UnrecordedFields(e Entry) []string {
	if len(e.Fields) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("an update by %s at %s changed %s; the entry does not say how", e.Who, e.At.Format(time.RFC3339), strings.Join(e.Fields, ", "))}
}

// PutBackEntry is the entry that says what was restored, with its text cut to the length that an entry may have.
func PutBackEntry(lost []Entry, contradictions []string, s Stamp) Entry {
	var parts []string
	for _, e := range lost {
		parts = append(parts, fmt.Sprintf("%s by %s at %s", e.Did, e.Who, e.At.Format(time.RFC3339)))
	}
	text := "put back what was overwritten: " + strings.Join(parts, ", ")
	if len(contradictions) > 0 {
		text += ". Left as the file has it: " + strings.Join(contradictions, "; ")
	}
	e := s.Entry(Noted)
	e.Text = Clip(text, MaxText-len("…"))
	return e
}
