package task

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// PutBack restores entries that a task's file has lost, each where its time puts it, and repeats what they record: dependencies are added
// and removed, status and holder change if they are what they were before the entry, and checks get the results that the provenance now
// supports. What later entries did stays. One more entry, of the stamp, says what was restored.
//
// If the task contradicts an entry, the entry is restored, the field stays as it is, and the contradiction is returned in words. So is an
// entry that does not record what it changed.
func (f Flow) PutBack(t Task, lost []Entry, find Find, s Stamp) (Task, *Entry, []string) {
	if len(lost) == 0 {
		return t, nil, nil
	}
	t = t.resultsWith(lost)
	var contradictions []string
	for _, e := range lost {
		at := t.indexFor(e)
		before, after := t.Provenance[:at], t.Provenance[at:]
		t.Provenance = slices.Concat(before, []Entry{e}, after)
		t.Deps = e.WithDeps(t.Deps)
		for _, says := range []string{f.moveAgain(&t, e, after, find), assignAgain(&t, e, before, after), t.unrecorded(e)} {
			if says != "" {
				contradictions = append(contradictions, says)
			}
		}
	}
	e := s.Entry(Noted)
	e.Text = putBackText(lost, contradictions)
	t, last, _ := commit(t, e)
	return t, last, contradictions
}

// indexFor returns where an entry belongs by its time: before the first entry that is later.
func (t Task) indexFor(e Entry) int {
	at := slices.IndexFunc(t.Provenance, func(other Entry) bool { return other.At.After(e.At) })
	if at < 0 {
		return len(t.Provenance)
	}
	return at
}

// moveAgain moves the status as an entry records, unless a later entry moved it. It returns a contradiction if the status is another than
// before the entry, a dependency is open, or a closed status is not supported by the results.
func (f Flow) moveAgain(t *Task, e Entry, after []Entry, find Find) string {
	later := slices.ContainsFunc(after, func(e Entry) bool { return e.To != "" })
	if e.To == "" || later || t.Status == e.To {
		return ""
	}
	was := t.Status
	says := fmt.Sprintf("status: moved from %s to %s at %s, and the file says %s", e.From, e.To, e.At.Format(time.RFC3339), was)
	if was != e.From {
		return says
	}
	if err := f.DepsGate(*t, e.To, find); err != nil {
		return says + ", which " + err.Error()
	}
	t.Status = e.To
	if open := f.Unproven(*t); len(open) > 0 {
		t.Status = was
		return says + fmt.Sprintf(", where check %q has not passed", open[0].Desc)
	}
	return ""
}

// assignAgain changes the holder as an entry records, unless a later entry changed it. It returns a contradiction if the holder is another
// than before the entry.
func assignAgain(t *Task, e Entry, before, after []Entry) string {
	changes := func(e Entry) bool { return e.Assignee != nil }
	if !changes(e) || slices.ContainsFunc(after, changes) || t.Assignee == *e.Assignee {
		return ""
	}
	var had Actor
	for _, earlier := range before {
		if changes(earlier) {
			had = *earlier.Assignee
		}
	}
	if t.Assignee != had {
		return fmt.Sprintf("assignee: became %s at %s, and the file says %s", e.Assignee.OrNobody(), e.At.Format(time.RFC3339), t.Assignee.OrNobody())
	}
	t.Assignee = *e.Assignee
	return ""
}

// unrecorded returns what an entry changed without recording how, in words.
func (t Task) unrecorded(e Entry) string {
	switch {
	case e.Checks != nil && !slices.Equal(e.Checks, t.CheckHashes()):
		return fmt.Sprintf("checks: set by %s at %s, and the list is another now", e.Who, e.At.Format(time.RFC3339))
	case len(e.Fields) > 0:
		return fmt.Sprintf("an update by %s at %s changed %s; the entry does not say how", e.Who, e.At.Format(time.RFC3339), strings.Join(e.Fields, ", "))
	default:
		return ""
	}
}

// resultsWith sets the results of the checks that lost entries are evidence for, to what the complete provenance says.
func (t Task) resultsWith(lost []Entry) Task {
	whole, alone := t, t
	alone.Provenance = lost
	whole.Provenance = slices.Clone(whole.Provenance)
	for _, e := range lost {
		whole.Provenance = slices.Insert(whole.Provenance, whole.indexFor(e), e)
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

// putBackText is the text of the entry that says what was restored, cut to the length that an entry may have.
func putBackText(lost []Entry, contradictions []string) string {
	var parts []string
	for _, e := range lost {
		parts = append(parts, fmt.Sprintf("%s by %s at %s", e.Did, e.Who, e.At.Format(time.RFC3339)))
	}
	text := "put back what was overwritten: " + strings.Join(parts, ", ")
	if len(contradictions) > 0 {
		text += ". Left as the file has it: " + strings.Join(contradictions, "; ")
	}
	return clip(text, MaxText-len("…"))
}
