package task

import "slices"

// mostTried is how long a list of checks may be for all of its parts to be tried.
const mostTried = 14

// Weakened returns the entry, if there is one, with which something that the record asked of the task was asked no more,
// once the task had left the initial state, without a person giving a reason.
//
// An entry tells only the hash of the list as it then was. A list that was merely added to holds each list that was recorded
// before; one that does not has lost something. Of a list of more than 14 checks only what was added at its end is known as
// added.
func (f Flow) Weakened(t Task) (Entry, bool) {
	var asked []Entry // those whose lists must still be part of the list, in their order
	left := false
	for _, e := range t.Provenance {
		if e.Checks != "" {
			if !left || e.Excuses() {
				asked = nil
			}
			asked = append(asked, e)
		}
		left = left || e.To != "" && e.To != f.Initial
	}
	if len(asked) < 2 {
		return Entry{}, false
	}
	held := parts(declarations(t.Checks))
	for i, e := range asked[:len(asked)-1] {
		if !held[e.Checks] {
			return asked[i+1], true
		}
	}
	return Entry{}, false
}

// Excuses reports whether an entry changed the list of checks by the hand of a person who says why.
func (e Entry) Excuses() bool { return e.Checks != "" && e.Who.Human() && e.Text != "" }

// Lost lists what was asked of the task by an earlier version of it, and is asked no more without a person having given a
// reason since. Before a task leaves the initial state nothing is asked that may not be taken back.
func (f Flow) Lost(t, earlier Task) []Check {
	if !f.HasLeft(earlier) || f.excused(t, earlier) {
		return nil
	}
	return Dropped(earlier.Checks, t.Checks)
}

// Dropped lists what one list of checks asks for and a later one does not, in whatever order.
func Dropped(before, after []Check) []Check {
	return slices.DeleteFunc(slices.Clone(before), func(old Check) bool {
		return slices.ContainsFunc(after, func(c Check) bool { return c.declared() == old.declared() })
	})
}

// excused reports whether a person changed the list, with a reason, since an earlier version.
func (f Flow) excused(t, earlier Task) bool {
	known := earlier.Hashes()
	return slices.ContainsFunc(t.Provenance, func(e Entry) bool { return e.Excuses() && !known[e.Hash()] })
}

// parts is the hashes of the lists that a list of declarations was merely added to: what it begins with, and, unless it is
// long, each of its parts in order.
func parts(list []string) map[string]bool {
	out := map[string]bool{}
	for n := range len(list) + 1 {
		out[digest(list[:n]...)] = true
	}
	if len(list) > mostTried {
		return out
	}
	part := make([]string, 0, len(list))
	for which := range 1 << len(list) {
		part = part[:0]
		for i, c := range list {
			if which>>i&1 == 1 {
				part = append(part, c)
			}
		}
		out[digest(part...)] = true
	}
	return out
}
