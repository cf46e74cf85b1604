package trust

import "github.com/cairn-tasks/cairn/store/layout"

// CloneID is where the id of a clone lies, by its live state.
func CloneID(live layout.Live) string { return cloneID(string(live)) }

// NameOf is what the consent to a clone is called, by its live state.
func NameOf(live layout.Live) (string, error) { return nameOf(string(live)) }
