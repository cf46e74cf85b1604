package record

import "slices"

// As returns a list of names as names of another type.
func As[T, S ~string](in []S) []T {
	out := make([]T, len(in))
	for i, v := range in {
		out[i] = T(v)
	}
	return out
}

// Texts returns a list of names as texts.
func Texts[T ~string](in []T) []string { return As[string](in) }

// Each is what a function makes of each member of a list; nil for an empty list.
func Each[S ~[]E, E, T any](list S, of func(E) T) (out []T) {
	for _, v := range list {
		out = append(out, of(v))
	}
	return out
}

// Those are the members of a list that fit; nil if none does.
func Those[S ~[]E, E any](list S, fits func(E) bool) (out S) {
	for _, v := range list {
		if fits(v) {
			out = append(out, v)
		}
	}
	return out
}

// Find finds the first member of a list that fits.
func Find[S ~[]E, E any](list S, fits func(E) bool) (found E, ok bool) {
	i := slices.IndexFunc(list, fits)
	if i < 0 {
		return found, false
	}
	return list[i], true
}

// By has the members of a list by what a function makes of each; of several that are alike in that the last.
func By[S ~[]E, K comparable, E any](list S, key func(E) K) map[K]E {
	out := make(map[K]E, len(list))
	for _, v := range list {
		out[key(v)] = v
	}
	return out
}

// SetOf returns the members of a list as the keys of a map.
func SetOf[T comparable](list []T) map[T]bool {
	out := make(map[T]bool, len(list))
	for _, v := range list {
		out[v] = true
	}
	return out
}

// Unique returns a list without what comes again in it; nil for an empty one.
func Unique[T comparable](in []T) []T {
	var out []T
	seen := make(map[T]bool, len(in))
	for _, v := range in {
		if !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}
