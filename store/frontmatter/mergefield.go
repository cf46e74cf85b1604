package frontmatter

import (
	"slices"

	"gopkg.in/yaml.v3"
)

func (m *Merged) mergeFields() {
	seen := map[string]bool{}
	for _, d := range []*Doc{m.ours, m.theirs} {
		for i := 0; i < len(d.root.Content); i += 2 {
			if key := d.root.Content[i].Value; !seen[key] {
				seen[key] = true
				m.mergeField(key)
			}
		}
	}
	m.takeAll(m.taken)
}

// takeAll puts their values in place of ours, of many keys at once. Those that cannot be put there are conflicts.
func (m *Merged) takeAll(fields []takenField) {
	var edits []Edit
	for _, f := range fields {
		edits = append(edits, f.edit)
	}
	switch {
	case len(fields) == 0 || m.Edit(edits...) == nil:
	case len(fields) == 1:
		m.dispute(fields[0].key)
	default:
		m.takeAll(fields[:len(fields)/2])
		m.takeAll(fields[len(fields)/2:])
	}
}

// takenField is a key that takes their value.
type takenField struct {
	key  string
	edit Edit
}

func (m *Merged) mergeField(key string) {
	rule := m.schema.Fields[key]
	f := field{key: key, rule: rule, ours: m.ours.Get(key), theirs: m.theirs.Get(key)}
	if m.base != nil {
		f.base = m.base.Get(key)
	}
	switch ours, theirs := meaning(f.ours), meaning(f.theirs); {
	case ours == theirs:
		return
	case rule.Kind == Log:
		m.settleField(f, m.mergeLog)
	case meaning(f.base) == theirs:
		return
	case rule.Kind == Texts:
		m.settleField(f, m.mergeTexts)
	case rule.Kind == Keyed:
		m.settleField(f, m.mergeKeyed)
	default:
		m.mergeOne(f)
	}
}

// field is one key of the documents that are merged.
type field struct {
	key                string
	rule               Rule
	base, ours, theirs *yaml.Node
}

// onlyTheirs reports whether our side left the field as it was.
func (f field) onlyTheirs() bool { return meaning(f.base) == meaning(f.ours) }

// settleField merges by a kind, or as one value if the values are not of that kind.
func (m *Merged) settleField(f field, byKind func(field) (edits []Edit, ok bool)) {
	before := m.conflicts
	edits, ok := byKind(f)
	if ok && m.Edit(edits...) == nil {
		return
	}
	m.conflicts = before
	if f.rule.Kind == Log {
		m.dispute(f.key) // neither side's entries may go
		return
	}
	m.mergeOne(f)
}

func (m *Merged) mergeOne(f field) {
	side := Neither
	switch {
	case f.onlyTheirs():
		side = Theirs
	case f.rule.Choose != nil:
		side = f.rule.Choose(m.base, m.ours, m.theirs)
	}
	if side == Neither || side == Theirs && !m.take(f) {
		m.dispute(f.key)
	}
}

// take has their value put in place of ours, once all keys were looked at.
func (m *Merged) take(f field) bool {
	path := Path{f.key}
	if resolved(f.theirs) == nil {
		m.taken = append(m.taken, takenField{f.key, Remove(path)})
		return true
	}
	v, ok := m.theirs.copyAt(path)
	if ok {
		m.taken = append(m.taken, takenField{f.key, Set(path, v)})
	}
	return ok
}

// mergeTexts keeps what neither side took away, in our order, and then what theirs added. If only theirs changed, the list
// is theirs.
func (m *Merged) mergeTexts(f field) ([]Edit, bool) {
	base, ok1 := textsOf(f.base)
	ours, ok2 := textsOf(f.ours)
	theirs, ok3 := textsOf(f.theirs)
	if !ok1 || !ok2 || !ok3 {
		return nil, false
	}
	want := theirs
	if !f.onlyTheirs() {
		inBase, inTheirs := setOf(base), setOf(theirs)
		want = slices.DeleteFunc(slices.Clone(ours), func(s string) bool { return inBase[s] && !inTheirs[s] })
		have := setOf(want)
		for _, s := range theirs {
			if !inBase[s] && !have[s] {
				want, have[s] = append(want, s), true
			}
		}
	}
	if len(want) == 0 && f.theirs == nil {
		return []Edit{Remove(Path{f.key})}, true
	}
	return m.listEdits(f, m.textItems(f, ours, theirs, want)), true
}

func (m *Merged) textItems(f field, ours, theirs, want []string) []Item {
	lone := f.ours != nil && f.ours.Kind == yaml.ScalarNode // a lone text becomes a list
	inOurs, inTheirs := placesOf(ours), placesOf(theirs)
	var items []Item
	for _, s := range want {
		if at, ok := inOurs[s]; ok && !lone {
			delete(inOurs, s) // an item stands once
			items = append(items, Old(at))
			continue
		}
		var v Value = String(s)
		if at, ok := inTheirs[s]; ok {
			if c, ok := m.theirs.copyAt(Path{f.key, at}); ok {
				v = c
			}
		}
		items = append(items, NewItem(v))
	}
	return items
}

func setOf(texts []string) map[string]bool {
	set := make(map[string]bool, len(texts))
	for _, s := range texts {
		set[s] = true
	}
	return set
}

// placesOf is where each text stands first.
func placesOf(texts []string) map[string]int {
	places := make(map[string]int, len(texts))
	for i, s := range slices.Backward(texts) {
		places[s] = i
	}
	return places
}

// listEdits gives our document a list. A value that is no list, or is empty, gives way.
func (m *Merged) listEdits(f field, items []Item) []Edit {
	path := Path{f.key}
	set := SetSeq(path, items...)
	switch {
	case f.ours == nil || resolved(f.ours) != nil && resolved(f.ours).Kind == yaml.SequenceNode:
		return []Edit{set}
	case resolved(f.ours) == nil:
		return []Edit{Remove(path), set}
	default:
		return []Edit{Set(path, Flow{seqEdit{items: items}.values()})}
	}
}
