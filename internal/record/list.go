package record

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
