package format

import (
	"fmt"
	"slices"
	"strings"
)

// Set gives the value at path a new value, and adds the keys that are missing on the way. A scalar keeps its quotes if
// the new text permits. Setting a value that is already there changes nothing.
func Set(path Path, v Value) Edit { return setEdit{path, v} }

type setEdit struct {
	at    Path
	value Value
}

func (e setEdit) path() Path { return e.at }

func (e setEdit) plan(ed editor) (*plan, *Error) {
	t, rest, err := ed.find(e.at)
	if err != nil {
		return nil, err
	}
	value, err := wrap(rest, e.value)
	if err != nil {
		return nil, cannotChange(e.at, err)
	}
	var removed []*Node
	if len(rest) == 0 {
		present := *t.node
		if present.Anchor = ""; same(e.value.node(), &present) {
			return nil, nil
		}
		removed = []*Node{t.node}
	}
	if err := ed.checkAliases(t, removed...); err != nil {
		return nil, cannotChangeAlone(e.at, err)
	}
	change, err := ed.set(t, rest, value)
	if err != nil {
		return nil, cannotChangeAlone(e.at, err)
	}
	return &plan{change, func(*Node) *Node { return e.value.node() }}, nil
}

// wrap puts a value into the mappings that are missing above it, one for each key.
func wrap(keys Path, v Value) (Value, *Error) {
	for i := len(keys) - 1; i >= 0; i-- {
		key, ok := keys[i].(string)
		if !ok {
			return nil, &Error{Msg: fmt.Sprintf("there is no list to change item %v of", keys[i])}
		}
		v = Map{{key, v}}
	}
	return v, nil
}

// set replaces the value at t, or adds to the mapping at t what is missing of the path.
func (ed editor) set(t *target, rest Path, value Value) (splice, *Error) {
	if len(rest) == 0 || t.node.Kind != MappingNode {
		return ed.replace(t, value)
	}
	order := ed.order
	if t.parent != nil {
		order = nil // it is for top-level keys
	}
	pair := value.(Map)[0]
	added := Item{old: -1, key: &pair.Key, value: pair.Value}
	return ed.rebuild(t, slices.Insert(oldItems(len(t.node.Content)/2), insertAt(t.node, pair.Key, order), added))
}

// Remove takes a key or an item out, with its lines. If a comment is on the line of a key, the line stays and only the
// value is removed. Removing what is not there changes nothing.
func Remove(path Path) Edit { return removeEdit{path} }

type removeEdit struct{ at Path }

func (e removeEdit) path() Path { return e.at }

func (e removeEdit) plan(ed editor) (*plan, *Error) {
	t, rest, err := ed.find(e.at)
	if err != nil || len(rest) > 0 {
		return nil, err
	}
	if err := ed.checkAliases(t, t.node); err != nil {
		return nil, cannotChangeAlone(e.at, err)
	}
	if m, ok := ed.commented(t); ok {
		if isNothing(t.node) {
			return nil, nil
		}
		change := splice{span{m.value, m.to}, ""}
		return &plan{change, func(*Node) *Node { return scalarNode("!!null", "") }}, nil
	}
	items := oldItems(len(t.parent.node.Content) / width(t.parent.node))
	change, err := ed.rebuild(t.parent, slices.Delete(items, t.index, t.index+1))
	if err != nil {
		return nil, cannotChangeAlone(e.at, err)
	}
	return &plan{change, func(*Node) *Node { return nil }}, nil
}

// commented returns the pair of a block mapping that t is the value of, if the value is on one line and a comment
// follows it.
func (ed editor) commented(t *target) (member, bool) {
	if t.nesting.flow || t.parent.node.Kind != MappingNode {
		return member{}, false
	}
	m := ed.memberOf(t)
	oneLine := m.value >= 0 && ed.sameLine(m.value, m.to)
	return m, oneLine && len(ed.comments(m.to, ed.lineEnd(m.to))) > 0
}

// memberOf returns the member of its parent that t is the value of.
func (ed editor) memberOf(t *target) member {
	return ed.members(t.parent.node, t.parent.nesting)[t.index]
}

// SetBody replaces the body, everything after the line that closes the front matter. Its lines get the file's line
// ending. A YAML file has no body.
func SetBody(text string) Edit { return bodyEdit{text} }

type bodyEdit struct{ text string }

func (e bodyEdit) path() Path { return nil }

func (e bodyEdit) plan(ed editor) (*plan, *Error) {
	if ed.kind != Markdown {
		return nil, &Error{Msg: "a YAML file has no body"}
	}
	if toLF(e.text) == toLF(string(ed.Body())) {
		return nil, nil
	}
	eol := firstEnding(ed.src)
	text := strings.ReplaceAll(toLF(e.text), "\n", eol)
	if lastBreak(ed.src[:ed.body]) == 0 {
		text = eol + text // the closing line was the end of the file
	}
	return &plan{splice: splice{span{ed.body, len(ed.src)}, text}}, nil
}

var lf = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func toLF(s string) string { return lf.Replace(s) }

// SetSeq makes the sequence at path consist of these items. Each old one may be used once; those that are left out are
// removed with their lines. All old ones in order and then a new one is an append: it adds the new one's lines and
// touches no other. If the key is missing or its value is empty, the sequence is written as Set would write it.
func SetSeq(path Path, items ...Item) Edit { return seqEdit{path, items} }

// Item is one item of the sequence that SetSeq makes: an old one or a new one.
type Item struct {
	old   int // -1 if new
	value Value
	key   *string // the key, if the item is a new pair of a mapping
}

// Old is item i of the present sequence, with all its bytes.
func Old(i int) Item { return Item{old: i} }

// NewItem is an item to be written.
func NewItem(v Value) Item { return Item{old: -1, value: v} }

// oldItems returns the first n old items.
func oldItems(n int) []Item {
	items := make([]Item, n)
	for i := range items {
		items[i] = Old(i)
	}
	return items
}

// keptOf returns which old items are among items.
func keptOf(items []Item) map[int]bool {
	kept := map[int]bool{}
	for _, it := range items {
		kept[it.old] = true
	}
	return kept
}

// valuesOf returns new items as a sequence.
func valuesOf(items []Item) Seq {
	s := Seq{}
	for _, it := range items {
		s = append(s, it.value)
	}
	return s
}

type seqEdit struct {
	at    Path
	items []Item
}

func (e seqEdit) path() Path { return e.at }

func (e seqEdit) plan(ed editor) (*plan, *Error) {
	t, rest, err := ed.find(e.at)
	if err != nil {
		return nil, err
	}
	n := t.node
	if len(rest) > 0 || isNothing(n) {
		n = Seq{}.node()
	}
	if err := e.check(ed, n); err != nil {
		return nil, cannotChange(e.at, err)
	}
	if len(n.Content) == 0 || len(e.items) == 0 {
		return setEdit{e.at, valuesOf(e.items)}.plan(ed)
	}
	if slices.EqualFunc(e.items, oldItems(len(n.Content)), func(a, b Item) bool { return a.old == b.old }) {
		return nil, nil
	}
	if err := ed.checkAliases(t, e.removed(n)...); err != nil {
		return nil, cannotChangeAlone(e.at, err)
	}
	change, err := ed.rebuild(t, e.items)
	if err != nil {
		return nil, cannotChangeAlone(e.at, err)
	}
	return &plan{change, e.tree}, nil
}

// check refuses if n, the present value, is not a sequence that has the old items.
func (e seqEdit) check(ed editor, n *Node) *Error {
	if n.Kind == AliasNode {
		return ed.errorAt(n, "the value is an alias of another value")
	}
	if n.Kind != SequenceNode {
		return ed.errorAt(n, "the value is not a list")
	}
	used := map[int]bool{}
	for _, it := range e.items {
		if it.old < 0 {
			continue
		}
		if it.old >= len(n.Content) || used[it.old] {
			return &Error{Msg: fmt.Sprintf("old item %d is not there, or used twice", it.old)}
		}
		used[it.old] = true
	}
	return nil
}

// removed returns the items of n that are left out.
func (e seqEdit) removed(n *Node) []*Node {
	kept := keptOf(e.items)
	var removed []*Node
	for i, item := range n.Content {
		if !kept[i] {
			removed = append(removed, item)
		}
	}
	return removed
}

// tree makes the edit on the sequence's node.
func (e seqEdit) tree(old *Node) *Node {
	n := *old
	n.Content = nil
	for _, it := range e.items {
		if it.old >= 0 {
			n.Content = append(n.Content, old.Content[it.old])
		} else {
			n.Content = append(n.Content, it.value.node())
		}
	}
	return &n
}

// replace writes v in place of the value at t.
func (ed editor) replace(t *target, v Value) (splice, *Error) {
	m := ed.memberOf(t)
	if m.value < 0 {
		return splice{}, ed.errorAt(t.parent.node, "the key has no colon")
	}
	lines := blockLines(v)
	switch {
	case t.nesting.flow, lines == nil && ed.sameLine(m.value, m.to):
		return ed.replaceInLine(t, m, v), nil
	case t.parent.node.Kind == SequenceNode:
		items := oldItems(len(t.parent.node.Content))
		items[t.index] = NewItem(v)
		return ed.rebuild(t.parent, items)
	}
	return ed.replaceLines(t, m, v, lines), nil
}

// replaceInLine replaces a value by one on the same line.
func (ed editor) replaceInLine(t *target, m member, v Value) splice {
	text := encoder{flow: t.nesting.flow, quotes: t.quotes()}.line(v)
	from := max(m.value, ed.start(t.node))
	if from == m.to && from > 0 && !isBlank(ed.src[from-1]) {
		text = " " + text // there was nothing after the colon
	}
	return splice{span{from, m.to}, text}
}

// quotes returns the quotes that a scalar is written in, or 0.
func (t *target) quotes() Style {
	return t.node.Style & (SingleQuotedStyle | DoubleQuotedStyle)
}

// replaceLines replaces the value of a key if the old value or the new one takes several lines. A comment on the key's
// line stays there; the other comments become lines of their own, below it.
func (ed editor) replaceLines(t *target, m member, v Value, lines []string) splice {
	end := ed.lineEnd(m.to)
	beside, below := ed.splitComments(t, m, end)
	var b strings.Builder
	if lines == nil {
		b.WriteString(" " + encoder{quotes: t.quotes()}.line(v))
	}
	b.WriteString(beside)
	eol := ed.eol(m.value)
	for _, line := range indent(append(below, lines...), t.nesting.indent+2) {
		b.WriteString(eol + line)
	}
	return splice{span{m.value, end}, b.String()}
}

// splitComments returns the comments from a key's colon to the end of its value's last line: the one that can go beside
// the new value, with the blanks before it, and the others.
func (ed editor) splitComments(t *target, m member, end int) (beside string, below []string) {
	for _, c := range ed.comments(m.value, end) {
		text := string(ed.src[c.from:c.to])
		onKeyLine := ed.sameLine(m.value, c.from)
		afterText := c.from >= m.to && (t.node.Kind == ScalarNode || t.node.Style&FlowStyle != 0)
		if beside == "" && (onKeyLine || afterText) {
			beside = ed.blanksBefore(c.from) + text
			continue
		}
		below = append(below, text)
	}
	return beside, below
}

// blanksBefore returns the blanks that end at off, or one if there are none.
func (ed editor) blanksBefore(off int) string {
	i := off
	for i > ed.from && isBlank(ed.src[i-1]) {
		i--
	}
	if i == off {
		return " "
	}
	return string(ed.src[i:off])
}
