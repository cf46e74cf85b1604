package task

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// PutBack restores entries that a record's file has lost, each where its time puts it, and repeats what they record: status and holder
// change if they are what they were before the entry. What later entries did stays. One more entry, of the stamp, says what was restored.
//
// If the record contradicts an entry, the entry is restored, the field stays as it is, and the contradiction is returned in words. So is an
// entry that does not record what it changed.
func (h Header) PutBack(lost []Entry, s Stamp) (Header, *Entry, []string) {
	if len(lost) == 0 {
		return h, nil, nil
	}
	var contradictions []string
	for _, e := range lost {
		var says []string
		h, says = h.restored(e, func(Header) string { return "" })
		contradictions = append(append(contradictions, says...), unrecordedFields(e)...)
	}
	h.Log = h.Log.Add(putBackEntry(lost, contradictions, s))
	last := h.Log.Last()
	return h, &last, contradictions
}

// PutBack is Header.PutBack for a task. Dependencies are added and removed as well, checks get the results that the provenance now
// supports, and the status changes only if both gates let it.
func (f Flow) PutBack(t Task, lost []Entry, find Find, s Stamp) (Task, *Entry, []string) {
	if len(lost) == 0 {
		return t, nil, nil
	}
	t = t.resultsWith(lost)
	var contradictions []string
	for _, e := range lost {
		t.Deps = e.WithDeps(t.Deps)
		h, says := t.Header().restored(e, func(h Header) string { return f.refused(t, h, find) })
		t.Provenance, t.Status, t.Assignee = h.Log, h.Status, h.Assignee
		contradictions = append(append(contradictions, says...), t.unrecorded(e)...)
	}
	t, last, _ := commit(t, putBackEntry(lost, contradictions, s))
	return t, last, contradictions
}

// restored returns the header with an entry where its time puts it, and with the status and the holder that it records. refused says why
// the record may not be as the new header has it; "" if it may. What contradicts the entry is returned in words.
func (h Header) restored(e Entry, refused func(Header) string) (Header, []string) {
	at := h.Log.indexFor(e)
	before, after := h.Log[:at], h.Log[at:]
	h.Log = slices.Concat(before, Log{e}, after)
	h, move := h.moveAgain(e, after, refused)
	h, assign := h.assignAgain(e, before, after)
	return h, slices.DeleteFunc([]string{move, assign}, func(says string) bool { return says == "" })
}

// indexFor returns where an entry belongs by its time: before the first entry that is later.
func (l Log) indexFor(e Entry) int {
	at := slices.IndexFunc(l, func(other Entry) bool { return other.At.After(e.At) })
	if at < 0 {
		return len(l)
	}
	return at
}

// moveAgain moves the status as an entry records, unless a later entry moved it. It returns a contradiction if the status is another than
// before the entry, or the new one is refused.
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

// refused says why the gates do not let a task be as a header has it; "" if they do.
func (f Flow) refused(t Task, h Header, find Find) string {
	t.Provenance = h.Log
	if err := f.DepsGate(t, h.Status, find); err != nil {
		return "which " + err.Error()
	}
	t.Status = h.Status
	if open := f.Unproven(t); len(open) > 0 {
		return fmt.Sprintf("where check %q has not passed", open[0].Desc)
	}
	return ""
}

// assignAgain changes the holder as an entry records, unless a later entry changed it. It returns a contradiction if the holder is another
// than before the entry.
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

// unrecorded returns what an entry changed without recording how, in words.
func (t Task) unrecorded(e Entry) []string {
	if e.Checks != nil && !slices.Equal(e.Checks, t.CheckHashes()) {
		return []string{fmt.Sprintf("checks: set by %s at %s, and the list is another now", e.Who, e.At.Format(time.RFC3339))}
	}
	return unrecordedFields(e)
}

// unrecordedFields names the fields that an entry changed, in words: it does not record their values.
func unrecordedFields(e Entry) []string {
	if len(e.Fields) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("an update by %s at %s changed %s; the entry does not say how", e.Who, e.At.Format(time.RFC3339), strings.Join(e.Fields, ", "))}
}

// resultsWith sets the results of the checks that lost entries are evidence for, to what the complete provenance says.
func (t Task) resultsWith(lost []Entry) Task {
	whole, alone := t, t
	alone.Provenance = lost
	whole.Provenance = slices.Clone(whole.Provenance)
	for _, e := range lost {
		whole.Provenance = slices.Insert(whole.Provenance, whole.Provenance.indexFor(e), e)
	}
	t.Checks = slices.Clone(t.Checks)
	ofAll, ofLost := whole.EvidenceIndex(), alone.EvidenceIndex()
	for i := range t.Checks {
		if _, ok := ofLost.Evidence(i); ok {
			ev, _ := ofAll.Evidence(i)
			t.Checks[i].Result = ev.Result
		}
	}
	return t
}

// putBackEntry is the entry that says what was restored, with its text cut to the length that an entry may have.
func putBackEntry(lost []Entry, contradictions []string, s Stamp) Entry {
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
