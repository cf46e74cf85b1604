package frontmatter

// Schema says how the keys of a kind of record are merged. It comes from whoever knows the record.
type Schema struct {
	Order  []string        // where a key that is missing is added, as for Doc.Edit
	Fields map[string]Rule // a key that is not named is One
}

// Rule says how one key is merged.
type Rule struct {
	Kind FieldKind

	// Key is the member that names an item of a Keyed list, and the member that holds the time of an entry of a Log.
	Key string

	// Values says how the entries of a Log are compared.
	Values Values

	// Derived is a member of the items of a Keyed list that follows from the others. It makes no item differ from
	// another; the caller sets it afterwards.
	Derived string

	// Choose decides between two changes of a One. Without it they are a conflict. base is nil if the two have none.
	Choose func(base, ours, theirs *Doc) Side
}

// FieldKind says what a value is to a merge.
type FieldKind int

// The kinds of field.
const (
	One   FieldKind = iota // one value, whatever is in it
	Texts                  // a list of texts in which each stands once
	Log                    // a list that is only ever appended to
	Keyed                  // a list of mappings, each named by one of its members
)

// Side is one of the two versions that are merged.
type Side int

// The sides. Neither means that nobody but a person can choose.
const (
	Neither Side = iota
	Ours
	Theirs
)

// Markers are the lines put around a conflict, as git puts them.
type Markers struct {
	Size         int    // how often the character of a marker is repeated; 0 is git's 7
	Ours, Theirs string // what stands behind the first and the last
}
