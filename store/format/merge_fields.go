package format

import (
	"slices"
	"time"
)

// mergeFields merges each key that either side has.
func (m *Merged) mergeFields() {
	seen := map[string]bool{}
	for _, d := range []*Doc{m.ours, m.theirs} {
		for i := 0; i < len(d.root.Content); i += 2 {
			if key := d.root.Content[i].Value; !seen[key] {
				seen[key] = true
				m.field(key).merge()
			}
		}
	}
	m.takeAll(m.taken)
}

// takenKey is a key that becomes theirs.
type takenKey struct {
	key  string
	edit Edit
}

// takeAll makes many keys theirs at once. Those that cannot be edited so are conflicts.
func (m *Merged) takeAll(keys []takenKey) {
	var edits []Edit
	for _, k := range keys {
		edits = append(edits, k.edit)
	}
	switch {
	case len(keys) == 0 || m.Edit(edits...) == nil:
	case len(keys) == 1:
		m.addConflict(keys[0].key)
	default:
		m.takeAll(keys[:len(keys)/2])
		m.takeAll(keys[len(keys)/2:])
	}
}

// fieldMerge merges one key.
type fieldMerge struct {
	m                  *Merged
	key                string
	rule               Rule
	base, ours, theirs *Node // its values; nil where the key is missing
}

func (m *Merged) field(key string) fieldMerge {
	f := fieldMerge{m: m, key: key, rule: m.schema.Fields[key], ours: m.ours.Get(key), theirs: m.theirs.Get(key)}
	if m.base != nil {
		f.base = m.base.Get(key)
	}
	return f
}

func (f fieldMerge) merge() {
	switch ours, theirs := meaning(f.ours), meaning(f.theirs); {
	case ours == theirs:
		return
	case f.rule.Kind == Log:
		f.mergeAs(f.log)
	case f.rule.Recorded && f.m.reverted != Neither:
		if f.m.reverted == Ours && !f.take() {
			f.m.addConflict(f.key)
		}
	case f.rule.Choose == nil && f.onlyOurs():
		return
	case f.rule.Kind == Texts:
		f.mergeAs(f.texts)
	case f.rule.Kind == Keyed:
		f.mergeAs(f.keyed)
	default:
		f.mergeAsOne()
	}
}

// onlyTheirs reports whether our side has the value of the base.
func (f fieldMerge) onlyTheirs() bool { return meaning(f.base) == meaning(f.ours) }

// onlyOurs reports whether their side has the value of the base.
func (f fieldMerge) onlyOurs() bool { return meaning(f.base) == meaning(f.theirs) }

// mergeAs makes the edits that merge the key as its kind. If the values are not of that kind, it is merged as one
// value; but a Log then is a conflict, so that no entry of either side is lost.
func (f fieldMerge) mergeAs(kind func() (edits []Edit, ok bool)) {
	before := f.m.conflicts
	edits, ok := kind()
	if ok && f.m.Edit(edits...) == nil {
		return
	}
	f.m.conflicts = before
	if f.rule.Kind == Log {
		f.m.addConflict(f.key)
		return
	}
	f.mergeAsOne()
}

func (f fieldMerge) mergeAsOne() {
	side := Neither
	if f.rule.Choose != nil {
		side = f.rule.Choose(f.m.base, f.m.ours, f.m.theirs)
	}
	switch {
	case side != Neither:
	case f.onlyTheirs():
		side = Theirs
	case f.onlyOurs():
		side = Ours
	}
	if side == Neither || side == Theirs && !f.take() {
		f.m.addConflict(f.key)
	}
}

// take notes that the key becomes theirs. The edit is made when all keys were merged (see takeAll).
func (f fieldMerge) take() bool {
	path := Path{f.key}
	edit := Remove(path)
	if resolved(f.theirs) != nil {
		v, ok := f.m.theirs.copyOf(path)
		if !ok {
			return false
		}
		edit = Set(path, v)
	}
	f.m.taken = append(f.m.taken, takenKey{f.key, edit})
	return true
}

// newItem returns a copy of one of their items.
func (f fieldMerge) newItem(at int) (Item, bool) {
	v, ok := f.m.theirs.copyOf(Path{f.key, at})
	return NewItem(v), ok
}

// setList returns the edits that make our value a list of these items. An empty list is no list at all if theirs has
// none.
func (f fieldMerge) setList(items []Item) []Edit {
	path := Path{f.key}
	set := SetSeq(path, items...)
	ours := resolved(f.ours)
	switch {
	case len(items) == 0 && f.theirs == nil && f.rule.Kind != Log:
		return []Edit{Remove(path)}
	case f.ours == nil || ours != nil && ours.Kind == SequenceNode:
		return []Edit{set}
	case ours == nil:
		return []Edit{Remove(path), set}
	default:
		return []Edit{Set(path, Flow{valuesOf(items)})}
	}
}

// texts keeps, in our order, what neither side removed, and adds what theirs added. If only theirs changed, the list is
// theirs.
func (f fieldMerge) texts() ([]Edit, bool) {
	base, ok1 := textsOf(f.base)
	ours, ok2 := textsOf(f.ours)
	theirs, ok3 := textsOf(f.theirs)
	if !ok1 || !ok2 || !ok3 {
		return nil, false
	}
	want := theirs
	if !f.onlyTheirs() {
		inBase, inTheirs := counts(base), counts(theirs)
		want = slices.DeleteFunc(slices.Clone(ours), func(s string) bool { return inBase[s] > 0 && inTheirs[s] == 0 })
		have := counts(want)
		for _, s := range theirs {
			if inBase[s] == 0 && have[s] == 0 {
				want, have[s] = append(want, s), 1
			}
		}
	}
	return f.setList(f.textItems(ours, theirs, want)), true
}

// textItems returns the items of a list of texts: ours if we have the text, else a copy of theirs.
func (f fieldMerge) textItems(ours, theirs, want []string) []Item {
	single := f.ours != nil && f.ours.Kind == ScalarNode // it becomes a list, so there are no old items
	inOurs, inTheirs := firstIndexes(ours), firstIndexes(theirs)
	var items []Item
	for _, s := range want {
		if at, ok := inOurs[s]; ok && !single {
			delete(inOurs, s) // an old item can be used once
			items = append(items, Old(at))
			continue
		}
		it := NewItem(String(s))
		if at, ok := inTheirs[s]; ok {
			if c, ok := f.newItem(at); ok {
				it = c
			}
		}
		items = append(items, it)
	}
	return items
}

// counts returns how often each text is there.
func counts(texts []string) map[string]int {
	n := make(map[string]int, len(texts))
	for _, s := range texts {
		n[s]++
	}
	return n
}

// firstIndexes returns the first index of each text.
func firstIndexes(texts []string) map[string]int {
	at := make(map[string]int, len(texts))
	for i, s := range slices.Backward(texts) {
		at[s] = i
	}
	return at
}

// keyed merges a list of mappings item by item. Each item is one value: if both sides changed it in different ways,
// there is a conflict on its lines. Our items keep their order, and theirs follow.
func (f fieldMerge) keyed() ([]Edit, bool) {
	base, ok1 := keyedOf(f.base, f.rule)
	ours, ok2 := keyedOf(f.ours, f.rule)
	theirs, ok3 := keyedOf(f.theirs, f.rule)
	if !ok1 || !ok2 || !ok3 {
		return nil, false
	}
	if f.onlyTheirs() {
		return f.theirList(ours, theirs)
	}
	return f.bothLists(base, ours, theirs)
}

// keyedList is a Keyed list.
type keyedList struct {
	names []string // in order
	items map[string]keyedItem
}

// keyedItem is one item of a Keyed list. The zero value is an item that is not there.
type keyedItem struct {
	present  bool
	at       int    // its index in the list
	whole    string // its meaning
	compared string // its meaning without what is derived
}

// keyedOf returns false if the value is not a list of mappings with different names.
func keyedOf(n *Node, rule Rule) (keyedList, bool) {
	k := keyedList{items: map[string]keyedItem{}}
	nodes, ok := itemsOf(n)
	for i, item := range nodes {
		name := memberText(item, rule.Key)
		if name == "" || k.items[name].present {
			return k, false
		}
		k.names = append(k.names, name)
		k.items[name] = keyedItem{present: true, at: i, whole: meaning(item), compared: meaning(item, rule.Derived...)}
	}
	return k, ok
}

// theirList returns the edits that make the list theirs. Items that are the same keep our bytes.
func (f fieldMerge) theirList(ours, theirs keyedList) ([]Edit, bool) {
	var items []Item
	for _, name := range theirs.names {
		it := Old(ours.items[name].at)
		if ours.items[name].whole != theirs.items[name].whole {
			var ok bool
			if it, ok = f.newItem(theirs.items[name].at); !ok {
				return nil, false
			}
		}
		items = append(items, it)
	}
	return f.setList(items), true
}

// bothLists merges two lists that both changed. It returns false if one side removed an item that the other one
// changed.
func (f fieldMerge) bothLists(base, ours, theirs keyedList) ([]Edit, bool) {
	var items []Item
	for _, name := range ours.names {
		b, o, t := base.items[name], ours.items[name], theirs.items[name]
		it := Old(o.at)
		switch {
		case o.compared == t.compared, b.present == t.present && b.compared == t.compared:
			// theirs did not change it, or made the same of it
		case !t.present && o.compared == b.compared:
			continue // theirs removed it
		case b.present && b.compared == o.compared:
			var ok bool
			if it, ok = f.newItem(t.at); !ok {
				return nil, false
			}
		case !t.present:
			return nil, false
		default:
			c := conflict{key: f.key, item: len(items) + 1}
			if lines, ok := f.m.theirs.itemLines(f.key, t.at); ok {
				c.theirs = linesOf(f.m.theirs.src[lines.from:lines.to])
			}
			f.m.conflicts = append(f.m.conflicts, c)
		}
		items = append(items, it)
	}
	for _, name := range theirs.names {
		b, o, t := base.items[name], ours.items[name], theirs.items[name]
		if o.present || b.present && b.compared == t.compared {
			continue
		}
		it, ok := f.newItem(t.at)
		if b.present || !ok {
			return nil, false
		}
		items = append(items, it)
	}
	return f.setList(items), true
}

// log makes one list of the base's entries and those that each side added. No entry is removed, whatever a side did to
// it, and an entry that both sides have is in the list once.
//
// Each side's own order is kept. Where that leaves a choice, the earlier entry comes first, since a side may have put
// entries between those of the base, as an earlier merge does. Of two entries with the same time the one with the
// smaller text comes first, so a merge gives the same list in both directions.
func (f fieldMerge) log() ([]Edit, bool) {
	base, ok1 := f.entries(f.m.base, f.base)
	ours, ok2 := f.entries(f.m.ours, f.ours)
	theirs, ok3 := f.entries(f.m.theirs, f.theirs)
	if !ok1 || !ok2 || !ok3 {
		return nil, false
	}
	var items []Item
	for _, e := range interleave(interleave(ours, base), interleave(theirs, base)) {
		it, ok := f.entryItem(e)
		if !ok {
			return nil, false
		}
		items = append(items, it)
	}
	return f.setList(items), true
}

// revertedSide is the side that has only lost entries of the base, or, where both added the file, only lacks entries of
// the other; Neither if both or none have.
func (m *Merged) revertedSide() Side {
	switch ours, theirs := m.lost(m.ours), m.lost(m.theirs); {
	case ours == theirs:
		return Neither
	case ours:
		return Ours
	default:
		return Theirs
	}
}

// lost reports whether a side has lost entries of the base, and has no others. Where both added the file the other side
// stands for the base.
func (m *Merged) lost(side *Doc) bool {
	base := m.base
	switch {
	case base != nil:
	case side == m.ours:
		base = m.theirs
	default:
		base = m.ours
	}
	for key, rule := range m.schema.Fields {
		if rule.Kind != Log {
			continue
		}
		f := m.field(key)
		was, ok1 := f.entries(base, base.Get(key))
		now, ok2 := f.entries(side, side.Get(key))
		if !ok1 || !ok2 || len(now) >= len(was) {
			return false
		}
		find := finder(was)
		for at, left := 0, len(was); at < len(now); at++ {
			next := find(now[at].text, left)
			if next < 0 {
				return false
			}
			left -= next + 1
		}
		return true
	}
	return false
}

// logEntry is one entry of a log, in one of the documents.
type logEntry struct {
	doc  *Doc
	at   int    // its index there
	text string // its meaning; two entries with the same text are the same
	time string
}

// entries returns the entries of a document's log, or false if the value is not a list.
func (f fieldMerge) entries(d *Doc, n *Node) (out []logEntry, ok bool) {
	nodes, ok := itemsOf(n)
	for i, item := range nodes {
		out = append(out, logEntry{d, i, f.rule.Values.meaning(item), memberText(item, f.rule.Key)})
	}
	return out, ok
}

// entryItem returns our entry with its bytes, or a copy of that of another document, on one line.
func (f fieldMerge) entryItem(e logEntry) (Item, bool) {
	if e.doc == f.m.ours {
		return Old(e.at), true
	}
	v, ok := e.doc.copyOf(Path{f.key, e.at})
	if !ok {
		return Item{}, false
	}
	if _, oneLine := v.(verbatim); !oneLine {
		v = Flow{v}
	}
	return NewItem(v), true
}

// interleave merges two lists. It goes through both from one entry that they share to the next, so the order of neither
// list changes. A shared entry is taken from ours.
func interleave(ours, theirs []logEntry) []logEntry {
	find := finder(theirs)
	left := sharedCounts(ours, theirs)
	var out []logEntry
	write := func(e logEntry) {
		if n, isShared := left[e.text]; isShared {
			if n == 0 {
				return
			}
			left[e.text]--
		}
		out = append(out, e)
	}
	for len(ours) > 0 || len(theirs) > 0 {
		i, j := 0, 0
		if len(ours) == 0 || len(theirs) == 0 || ours[0].text != theirs[0].text {
			for i, j = 0, -1; i < len(ours) && j < 0; i++ {
				j = find(ours[i].text, len(theirs))
			}
			if j < 0 {
				j = len(theirs)
			} else {
				i--
			}
		}
		for _, e := range byTime(ours[:i], theirs[:j]) {
			write(e)
		}
		if i == len(ours) {
			return out
		}
		write(ours[i])
		ours, theirs = ours[i+1:], theirs[j+1:]
	}
	return out
}

// sharedCounts returns for each entry that both sides have how often to write it: as often as the side has it that has
// it more.
func sharedCounts(ours, theirs []logEntry) map[string]int {
	texts := func(side []logEntry) []string {
		out := make([]string, len(side))
		for i, e := range side {
			out[i] = e.text
		}
		return out
	}
	o, t := counts(texts(ours)), counts(texts(theirs))
	shared := map[string]int{}
	for text, n := range o {
		if t[text] > 0 {
			shared[text] = max(n, t[text])
		}
	}
	return shared
}

// finder returns a function that searches the last left entries of a list for a text. It returns the index of the first
// match among them, or -1. From call to call, left must not grow: what it passes over it forgets, so that all calls
// together take linear time.
func finder(list []logEntry) func(text string, left int) int {
	indexes := map[string][]int{}
	for i, e := range list {
		indexes[e.text] = append(indexes[e.text], i)
	}
	return func(text string, left int) int {
		from, at := len(list)-left, indexes[text]
		for len(at) > 0 && at[0] < from {
			at = at[1:]
		}
		indexes[text] = at
		if len(at) == 0 {
			return -1
		}
		return at[0] - from
	}
}

// byTime merges two lists by the times of their entries. Each keeps its own order.
func byTime(a, b []logEntry) (out []logEntry) {
	for len(a) > 0 && len(b) > 0 {
		if a[0].before(b[0]) {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// before orders entries by time, then by text. Times that cannot be read are compared as text.
func (e logEntry) before(f logEntry) bool {
	s, err1 := time.Parse(time.RFC3339, e.time)
	t, err2 := time.Parse(time.RFC3339, f.time)
	if err1 == nil && err2 == nil && !s.Equal(t) {
		return s.Before(t)
	}
	if (err1 != nil || err2 != nil) && e.time != f.time {
		return e.time < f.time
	}
	return e.text < f.text
}
