package frontmatter

import "gopkg.in/yaml.v3"

// mergeKeyed merges a list of mappings item by item. Each is one value: what both sides changed, each in its way, is a
// conflict on the lines of that item. Ours keep their order, and theirs follow.
func (m *Merged) mergeKeyed(f field) ([]Edit, bool) {
	base, ok1 := keyedOf(f.base, f.rule)
	ours, ok2 := keyedOf(f.ours, f.rule)
	theirs, ok3 := keyedOf(f.theirs, f.rule)
	if !ok1 || !ok2 || !ok3 {
		return nil, false
	}
	if f.onlyTheirs() {
		return m.theirItems(f, ours, theirs)
	}
	return m.bothItems(f, base, ours, theirs)
}

// keyedItem is one item of a Keyed list.
type keyedItem struct {
	at         int
	whole, but string // its meaning, with and without what is derived
	present    bool
}

// keyed is a Keyed list: its items by name, and their order.
type keyed struct {
	names []string
	items map[string]keyedItem
}

func keyedOf(n *yaml.Node, rule Rule) (keyed, bool) {
	k := keyed{items: map[string]keyedItem{}}
	nodes, ok := itemsOf(n)
	for i, item := range nodes {
		name := memberOf(item, rule.Key)
		if name == "" || k.items[name].present {
			return k, false
		}
		k.names = append(k.names, name)
		k.items[name] = keyedItem{at: i, whole: meaning(item), but: meaning(item, rule.Derived), present: true}
	}
	return k, ok
}

// theirItems is their list, of our items where they are the same.
func (m *Merged) theirItems(f field, ours, theirs keyed) ([]Edit, bool) {
	if len(theirs.names) == 0 && f.theirs == nil {
		return []Edit{Remove(Path{f.key})}, true
	}
	var items []Item
	for _, name := range theirs.names {
		it := Old(ours.items[name].at)
		if ours.items[name].whole != theirs.items[name].whole {
			v, ok := m.theirs.copyAt(Path{f.key, theirs.items[name].at})
			if !ok {
				return nil, false
			}
			it = NewItem(v)
		}
		items = append(items, it)
	}
	return m.listEdits(f, items), true
}

func (m *Merged) bothItems(f field, base, ours, theirs keyed) ([]Edit, bool) {
	var items []Item
	for _, name := range ours.names {
		b, o, t := base.items[name], ours.items[name], theirs.items[name]
		it := Old(o.at)
		switch {
		case o.but == t.but, b.present == t.present && b.but == t.but:
		case !t.present && o.but == b.but:
			continue // they took it away
		case b.present && b.but == o.but:
			v, ok := m.theirs.copyAt(Path{f.key, t.at})
			if !ok {
				return nil, false
			}
			it = NewItem(v)
		case !t.present:
			return nil, false
		default:
			m.conflicts = append(m.conflicts, conflict{key: f.key, item: len(items) + 1, theirs: m.theirItemLines(f, t.at)})
		}
		items = append(items, it)
	}
	for _, name := range theirs.names {
		b, o, t := base.items[name], ours.items[name], theirs.items[name]
		if o.present || b.present && b.but == t.but {
			continue
		}
		v, ok := m.theirs.copyAt(Path{f.key, t.at})
		if b.present || !ok {
			return nil, false
		}
		items = append(items, NewItem(v))
	}
	if len(items) == 0 && f.theirs == nil {
		return []Edit{Remove(Path{f.key})}, true
	}
	return m.listEdits(f, items), true
}

func (m *Merged) theirItemLines(f field, at int) []string {
	from, to, ok := m.theirs.itemSpan(f.key, at)
	if !ok {
		return nil
	}
	return keepLines(m.theirs.src[from:to])
}
