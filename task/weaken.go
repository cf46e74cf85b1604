package task

import (
	"maps"
	"slices"
)

// Weakened returns the first entry that dropped a check which the task declares no more, without the right to: once the task
// had left the initial state only a person who gives a reason may, and before that any person and whoever declared the check.
// A default check takes a person who gives a reason at any time.
//
// A later entry by a person who records the list with a reason excuses what was dropped before it.
func (f Flow) Weakened(t Task) (Entry, bool) {
	now, defaults := setOf(t.CheckHashes()), map[string]bool{}
	for _, d := range f.Defaults {
		defaults[d.Hash(t.ID)] = true
	}
	asked := map[string]Actor{} // who declared each check that an entry may not leave out
	var found *Entry
	left := false
	for i, e := range t.Provenance {
		switch {
		case e.Checks == nil:
		case e.Excuses():
			found = nil
			clear(asked)
		case found == nil && e.drops(asked, func(h string, by Actor) bool {
			return !now[h] && (left || defaults[h] || by != e.Who && !e.Who.Human())
		}):
			found = &t.Provenance[i]
		}
		if e.Checks != nil {
			kept := setOf(e.Checks)
			maps.DeleteFunc(asked, func(h string, _ Actor) bool { return !kept[h] })
		}
		for _, h := range e.Checks {
			if _, known := asked[h]; !known {
				asked[h] = e.Who
			}
		}
		left = left || e.To != "" && e.To != f.Initial
	}
	if found == nil {
		return Entry{}, false
	}
	return *found, true
}

// drops reports whether an entry leaves a check out of the list that it may not.
func (e Entry) drops(asked map[string]Actor, mayNot func(h string, by Actor) bool) bool {
	kept := setOf(e.Checks)
	for h, by := range asked {
		if !kept[h] && mayNot(h, by) {
			return true
		}
	}
	return false
}

// Excuses reports whether an entry recorded the list of checks by the hand of a person who says why.
func (e Entry) Excuses() bool { return e.Checks != nil && e.Who.Human() && e.Text != "" }

// Lost lists what was asked of the task by an earlier version of it, and is asked no more without a person having given a
// reason since. Before a task leaves the initial state nothing is asked that may not be taken back.
func (f Flow) Lost(t, earlier Task) []Check {
	if !f.HasLeft(earlier) || excused(t, earlier) {
		return nil
	}
	return Dropped(earlier.Checks, t.Checks)
}

// Dropped lists what one list of checks asks for and a later one does not, in whatever order.
func Dropped(before, after []Check) []Check {
	kept := make(map[sameAs]bool, len(after))
	for _, c := range after {
		kept[c.sameAs()] = true
	}
	return slices.DeleteFunc(slices.Clone(before), func(old Check) bool { return kept[old.sameAs()] })
}

// excused reports whether a person recorded the list of checks, with a reason, since an earlier version.
func excused(t, earlier Task) bool {
	known := earlier.Provenance.Hashes()
	return slices.ContainsFunc(t.Provenance, func(e Entry) bool { return e.Excuses() && !known[e.Hash()] })
}
