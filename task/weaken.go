package task

import (
	"maps"
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Weakened returns the first entry that dropped a check without the right to, if the task still does not declare the
// check. A person who gives a reason may drop any check. Before the task left the initial state, a check that is not a
// default one may also be dropped by any person, and by the actor who declared it.
//
// An entry by which a person records the list with a reason excuses what was dropped before it; see
// record.Entry.Excuses.
func (f Flow) Weakened(t Task) (record.Entry, bool) {
	now, defaults := record.SetOf(t.CheckHashes()), map[string]bool{}
	for _, d := range f.Defaults {
		defaults[d.Hash(t.ID)] = true
	}
	declared := map[string]record.Actor{} // by whom, of each check that is declared so far
	var found *record.Entry
	left := false
	for i, e := range t.Provenance {
		switch {
		case e.Checks == nil:
		case e.Excuses():
			found = nil
			clear(declared)
		case found == nil && drops(e, declared, func(h string, by record.Actor) bool {
			return !now[h] && (left || defaults[h] || by != e.Who && !e.Who.Human())
		}):
			found = &t.Provenance[i]
		}
		if e.Checks != nil {
			kept := record.SetOf(e.Checks)
			maps.DeleteFunc(declared, func(h string, _ record.Actor) bool { return !kept[h] })
		}
		for _, h := range e.Checks {
			if _, known := declared[h]; !known {
				declared[h] = e.Who
			}
		}
		left = left || e.To != "" && e.To != f.Initial
	}
	if found == nil {
		return record.Entry{}, false
	}
	return *found, true
}

// drops reports whether an entry leaves out a declared check that it may not leave out.
func drops(e record.Entry, declared map[string]record.Actor, mayNot func(h string, by record.Actor) bool) bool {
	kept := record.SetOf(e.Checks)
	for h, by := range declared {
		if !kept[h] && mayNot(h, by) {
			return true
		}
	}
	return false
}

// Lost lists the checks that an earlier version of the task had and that are gone. It is empty if the earlier version
// had not left the initial state, and if a person has recorded the list of checks with a reason since.
func (l Lifecycle) Lost(t, earlier Task) []Check {
	if !l.HasLeft(earlier) || excused(t, earlier) {
		return nil
	}
	return Dropped(earlier.Checks, t.Checks)
}

// LostEvidence reports whether an earlier version of the task required evidence and it does not any more. It is false
// where Lost is empty whatever the checks are.
func (l Lifecycle) LostEvidence(t, earlier Task) bool {
	return earlier.RequiresEvidence && !t.RequiresEvidence && l.HasLeft(earlier) && !excused(t, earlier)
}

// excused reports whether a person has recorded the list of checks with a reason since an earlier version.
func excused(t, earlier Task) bool {
	known := earlier.Provenance.Hashes()
	return slices.ContainsFunc(t.Provenance, func(e record.Entry) bool { return e.Excuses() && !known[e.Hash()] })
}

// Dropped lists the checks of one list for which a later list has none that asks for the same. Order does not matter.
func Dropped(before, after []Check) []Check {
	kept := make(map[asked]bool, len(after))
	for _, c := range after {
		kept[c.asks()] = true
	}
	return slices.DeleteFunc(slices.Clone(before), func(old Check) bool { return kept[old.asks()] })
}

// ChecksExplained reports whether the provenance explains the list of checks. It does in these cases:
//
//   - No entry records a list, as in files that other programs wrote.
//   - The list is the one that was recorded last.
//   - A merge made the list: it has every check of the list recorded last, and each further check is in another recorded list.
//
// The third case exists because a merge appends no entry: the merge driver has neither a clock nor an actor.
func (t Task) ChecksExplained() bool {
	recorded := map[string]bool{}
	var last []string
	for _, e := range t.Provenance {
		if e.Checks == nil {
			continue
		}
		last = e.Checks
		for _, h := range last {
			recorded[h] = true
		}
	}
	list := t.CheckHashes()
	if last == nil || slices.Equal(list, last) {
		return true
	}
	now := record.SetOf(list)
	return len(now) > len(record.SetOf(last)) &&
		!slices.ContainsFunc(list, func(h string) bool { return !recorded[h] }) &&
		!slices.ContainsFunc(last, func(h string) bool { return !now[h] })
}
