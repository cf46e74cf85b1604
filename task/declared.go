package task

import "slices"

// ChecksExplained reports whether the record accounts for the list of checks. It does if
//
//   - no entry recorded a list, as in files that other programs wrote;
//   - the list is the one that was recorded last; or
//   - a merge made the list: all of the list recorded last is there, and each further check stands in another recorded list.
//
// A merge writes no entry, since the driver has neither a clock nor an actor.
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
	now := setOf(list)
	return len(now) > len(setOf(last)) &&
		!slices.ContainsFunc(list, func(h string) bool { return !recorded[h] }) &&
		!slices.ContainsFunc(last, func(h string) bool { return !now[h] })
}

func setOf[T comparable](list []T) map[T]bool {
	out := make(map[T]bool, len(list))
	for _, v := range list {
		out[v] = true
	}
	return out
}
