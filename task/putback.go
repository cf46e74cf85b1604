package task

import (
	"fmt"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// PutBack is record.Header.PutBack for a task. Dependencies are added and removed as well, checks get the results that
// the provenance now supports, and the status changes only if both gates let it.
func (f Flow) PutBack(t Task, lost []record.Entry, find Find, s record.Stamp) (Task, *record.Entry, []string) {
	if len(lost) == 0 {
		return t, nil, nil
	}
	t = t.resultsWith(lost)
	var contradictions []string
	for _, e := range lost {
		t.Deps = e.WithDeps(t.Deps)
		h, says := t.Header().Restored(e, func(h record.Header) string { return f.refused(t, h, find) })
		t.Provenance, t.Status, t.Assignee = h.Log, h.Status, h.Assignee
		unrecorded := record.UnrecordedFields(e) // what it changed without recording how
		if e.Checks != nil && !slices.Equal(e.Checks, t.CheckHashes()) {
			unrecorded = []string{fmt.Sprintf("checks: set by %s at %s, and the list is another now", e.Who, e.At.Format(time.RFC3339))}
		}
		contradictions = append(append(contradictions, says...), unrecorded...)
	}
	t, last, _ := commit(t, record.PutBackEntry(lost, contradictions, s))
	return t, last, contradictions
}

// refused says why the gates do not let a task be as a header has it; "" if they do.
func (f Flow) refused(t Task, h record.Header, find Find) string {
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

// resultsWith sets the results of the checks that lost entries are evidence for, to what the complete provenance says.
func (t Task) resultsWith(lost []record.Entry) Task {
	whole, alone := t, t
	alone.Provenance = lost
	whole.Provenance = slices.Clone(whole.Provenance)
	for _, e := range lost {
		whole.Provenance = slices.Insert(whole.Provenance, whole.Provenance.IndexFor(e), e)
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
