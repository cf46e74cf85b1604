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
// A person who gives a reason answers for what their own entry drops, and for no other drop; see excuse.
func (f Flow) Weakened(t Task) (record.Entry, bool) {
	first := -1
	for _, i := range f.owed(t) {
		if first < 0 || i < first {
			first = i
		}
	}
	if first < 0 {
		return record.Entry{}, false
	}
	return t.Provenance[first], true
}

// owed returns the checks that entries dropped without the right to and that the task does not declare, by their hash,
// each with the index of that entry.
func (f Flow) owed(t Task) map[string]int {
	defaults := record.SetOf(record.Each(f.DefaultsOf(t), func(d Check) string { return d.Hash(t.ID) }))
	owed := map[string]int{}
	by := map[string]record.Actor{} // who declared each check of the list declared last
	var excuses excuse
	left := false
	for i, e := range t.Provenance {
		if e.Checks != nil {
			excuses.add(e)
			kept := record.SetOf(e.Checks)
			for h, who := range by {
				free := !left && !defaults[h] && (who == e.Who || e.Who.Human())
				if _, known := owed[h]; !kept[h] && !known && !free && !e.Excuses() {
					owed[h] = i
				}
			}
			maps.DeleteFunc(by, func(h string, _ record.Actor) bool { return !kept[h] })
			if e.Excuses() {
				maps.DeleteFunc(owed, func(h string, _ int) bool { return excuses.covers(h) })
				clear(by)
			}
			for _, h := range e.Checks {
				if _, known := by[h]; !known {
					by[h] = e.Who
				}
			}
		}
		left = left || e.To != "" && e.To != f.Initial
	}
	for _, h := range t.CheckHashes() {
		delete(owed, h)
	}
	return owed
}

// excuse reads the entries that record a list of checks, one after the other, and says what the last one excuses. An
// entry by which a person records the list with a reason excuses
//
//   - what it leaves out of the list that was declared last;
//   - if it states that list once more, which changes nothing and so is an answer for it, all that was dropped before;
//   - if it is the first to record a list, all that it leaves out.
type excuse struct {
	list     record.Entry    // that was read last
	before   map[string]bool // the list that was declared last before it; nil for none
	now      map[string]bool
	declared map[string]bool // by any entry before it
}

func (x *excuse) add(e record.Entry) {
	if x.declared == nil {
		x.declared = map[string]bool{}
	}
	maps.Copy(x.declared, x.now)
	x.list, x.before, x.now = e, x.now, record.SetOf(e.Checks)
}

// covers reports whether the entry read last excuses that a task lacks a check.
func (x *excuse) covers(hash string) bool {
	return x.list.Excuses() && !x.now[hash] &&
		(x.before[hash] || maps.Equal(x.before, x.now) || x.before == nil && x.list.Did != record.Created)
}

// excused reports whether an entry excuses that a task lacks a check, one that is not known. What no entry declared may
// have gone with any of them that excuses something, where that is asked.
func (t Task) excused(hash string, known map[string]bool, undeclared bool) bool {
	var x excuse
	for _, e := range t.Provenance {
		if e.Checks == nil {
			continue
		}
		x.add(e)
		if e.Excuses() && !known[e.Hash()] && (x.covers(hash) || undeclared && !x.declared[hash] && !x.now[hash]) {
			return true
		}
	}
	return false
}

// MayLack reports whether a person has answered for a task that does not have a check, by an entry that took the check
// away or stated the list once more without it.
func (t Task) MayLack(c Check) bool {
	return t.excused(c.Hash(t.ID), nil, false)
}

// Lost lists the checks that an earlier version of the task had and that are gone. It is empty if the earlier version
// had not left the initial state, and lacks those for which a person has answered since.
func (l Lifecycle) Lost(t, earlier Task) []Check {
	if !l.HasLeft(earlier) {
		return nil
	}
	return slices.DeleteFunc(Dropped(earlier.Checks, t.Checks), func(c Check) bool { return t.excusedSince(earlier, c.Hash(earlier.ID)) })
}

// LostEvidence reports whether an earlier version of the task required evidence and it does not any more. It is false
// where Lost would leave a check out.
func (l Lifecycle) LostEvidence(t, earlier Task) bool {
	return earlier.RequiresEvidence && !t.RequiresEvidence && l.HasLeft(earlier) && !t.excusedSince(earlier, evidenceMark)
}

// excusedSince reports whether a person has answered since an earlier version for a check that is gone.
func (t Task) excusedSince(earlier Task, hash string) bool {
	return t.excused(hash, earlier.Provenance.Hashes(), true)
}

// declared returns the list of checks that was declared last, as entries have it; nil if none was.
func (t Task) declared() []string {
	e, _ := t.Provenance.Newest(func(e record.Entry) bool { return e.Checks != nil })
	return e.Checks
}

// unrecorded returns what was declared last and is neither in a task nor in the task as an edit leaves it: somebody
// took it out of the file.
func unrecorded(before, after Task) []string {
	has := record.SetOf(slices.Concat(before.CheckHashes(), after.CheckHashes()))
	return slices.DeleteFunc(slices.Clone(before.declared()), func(h string) bool { return has[h] })
}

// Dropped lists the checks of one list for which a later list has none that asks for the same. Order does not matter.
func Dropped(before, after []Check) []Check {
	kept := record.SetOf(record.Each(after, Check.asks))
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
