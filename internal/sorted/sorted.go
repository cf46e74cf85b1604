// Package sorted sorts slices of large values.
package sorted

import "slices"

// By sorts a slice; values that compare equal keep their order. It sorts numbers of places and then moves each value
// once, so that one machine code serves all types: slices.SortFunc has its own, of some 10 KB, for each type of value.
func By[E any](s []E, compare func(a, b E) int) {
	at := places(len(s), func(i, j int) int { return compare(s[i], s[j]) })
	out := make([]E, len(s))
	for to, from := range at {
		out[to] = s[from]
	}
	copy(s, out)
}

// places returns the places of n values in their order.
func places(n int, compare func(i, j int) int) []int {
	at := make([]int, n)
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, compare)
	return at
}

// First compares for an order in which what is so stands before what is not.
func First(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}
