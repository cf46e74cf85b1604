package task

import "slices"

// mostMerged is how long a list of checks may be to be looked at as the work of a merge: the look costs its length to the
// fourth power.
const mostMerged = 32

// ChecksExplained reports whether the record accounts for the list of checks. It does if
//
//   - no entry recorded a list, as in files that other programs wrote;
//   - the list is the one that was recorded last;
//   - a merge made the list of some that were recorded on several branches: that which was recorded last is part of it, so
//     nothing was taken away since, and every further check stands in a recorded list that is part of it too.
//
// A merge writes no entry, since the driver has neither a clock nor an actor. Of what it made, the parts are what each side
// had: checks from the beginning, which the sides share, and a stretch further on, which is what the side added.
func (t Task) ChecksExplained() bool {
	recorded := map[string]bool{}
	last := ""
	for _, e := range t.Provenance {
		if e.Checks != "" {
			recorded[e.Checks], last = true, e.Checks
		}
	}
	parts := declarations(t.Checks)
	if last == "" || last == digest(parts...) {
		return true
	}
	return len(parts) <= mostMerged && mergedFrom(parts, recorded, last)
}

// mergedFrom reports whether recorded lists, the last one among them, are parts of a list of declarations and make up all
// of it.
func mergedFrom(list []string, recorded map[string]bool, last string) bool {
	explained := make([]bool, len(list))
	found := false
	for shared := range list {
		for from := shared; from < len(list); from++ {
			for to := from; to <= len(list); to++ {
				hash := digest(slices.Concat(list[:shared], list[from:to])...)
				if !recorded[hash] {
					continue
				}
				found = found || hash == last
				mark(explained[:shared])
				mark(explained[from:to])
			}
		}
	}
	return found && !slices.Contains(explained, false)
}

func mark(all []bool) {
	for i := range all {
		all[i] = true
	}
}
