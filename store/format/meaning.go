package format

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// meaning returns what a node says as a string that can be compared: nodes with equal meanings differ at most in style,
// comments and anchors. A missing node and an empty one mean "". The members of a mapping that are named in except are
// left out.
func meaning(n *Node, except ...string) string {
	if n = resolved(n); n == nil {
		return ""
	}
	var b strings.Builder
	wording{}.write(&b, n, except...)
	return b.String()
}

// wording is how a value is put into words that can be compared.
type wording struct {
	sorted  bool // the order of members makes no difference
	texts   bool // nor does the type of a scalar
	anchors bool // anchors do
}

// write writes what a node says, but for the members of a mapping that are named in except.
func (w wording) write(b *strings.Builder, n *Node, except ...string) {
	if w.anchors && n.Anchor != "" {
		b.WriteString("&" + n.Anchor)
	}
	switch n = Deref(n); n.Kind {
	case MappingNode:
		pairs := pairsOf(n)
		if w.sorted {
			slices.SortFunc(pairs, func(a, b pair) int { return cmp.Compare(a.key.Value, b.key.Value) })
		}
		b.WriteByte('{')
		for _, p := range pairs {
			switch {
			case slices.Contains(except, p.key.Value):
				continue
			case w.sorted:
				b.WriteString(strconv.Quote(p.key.Value))
			default:
				w.write(b, p.key)
			}
			w.write(b, p.value)
		}
		b.WriteByte('}')
	case SequenceNode:
		b.WriteByte('[')
		for _, item := range n.Content {
			w.write(b, item)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	default:
		switch {
		case !w.texts:
			b.WriteString(n.ShortTag() + strconv.Quote(n.Value))
		case IsNull(n):
			b.WriteString(`""`)
		default:
			b.WriteString(strconv.Quote(n.Value))
		}
	}
}

// resolved follows aliases. It returns nil for an empty value.
func resolved(n *Node) *Node {
	if IsNull(n) {
		return nil
	}
	return Deref(n)
}

// memberText returns the text of a member of a mapping, or "" if there is none.
func memberText(n *Node, key string) string {
	_, v := Member(Deref(n), key)
	if v = resolved(v); v == nil || v.Kind != ScalarNode {
		return ""
	}
	return v.Value
}

// itemsOf returns the items of a list. An empty value is an empty list. It returns false for any other value.
func itemsOf(n *Node) (items []*Node, ok bool) {
	n = resolved(n)
	if n == nil {
		return nil, true
	}
	return n.Content, n.Kind == SequenceNode
}

// textsOf returns the texts of a list. A single text is a list of one.
func textsOf(n *Node) (texts []string, ok bool) {
	n = resolved(n)
	if n != nil && n.Kind == ScalarNode {
		return []string{n.Value}, true
	}
	items, ok := itemsOf(n)
	for _, item := range items {
		item = resolved(item)
		if item == nil || item.Kind != ScalarNode {
			return nil, false
		}
		texts = append(texts, item.Value)
	}
	return texts, ok
}

// Values says how the members of a mapping are compared. A member that is not named is compared by its type and its
// text, as YAML reads them.
type Values struct {
	Texts []string // members that are compared by their text whatever its type, and so is everything inside them
	Times []string // members that are times: equal if the instant is
}

// Meanings returns what each item of the list under a top-level key says, as strings to compare. Items that say the
// same have the same string: quotes, tags, the order of members, and the notation of a time make no difference.
func (d *Doc) Meanings(key string, values Values) []string {
	items, _ := itemsOf(d.Get(key))
	out := make([]string, len(items))
	for i, item := range items {
		out[i] = values.meaning(item)
	}
	return out
}

// meaning returns what an item says as a string: the members that v names first, in the order of their names there,
// then the others by key.
func (v Values) meaning(n *Node) string {
	n = resolved(n)
	if n == nil || n.Kind != MappingNode {
		return meaning(n)
	}
	rank := func(p pair) int {
		if i := slices.Index(v.Texts, p.key.Value); i >= 0 {
			return i
		}
		if i := slices.Index(v.Times, p.key.Value); i >= 0 {
			return len(v.Texts) + i
		}
		return len(v.Texts) + len(v.Times)
	}
	pairs := pairsOf(n)
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Or(rank(a)-rank(b), cmp.Compare(a.key.Value, b.key.Value)) })
	var b strings.Builder
	b.WriteByte('{')
	for _, p := range pairs {
		b.WriteString(strconv.Quote(p.key.Value))
		texts, at := slices.Contains(v.Texts, p.key.Value), resolved(p.value)
		if !texts && at != nil && at.Kind == ScalarNode && slices.Contains(v.Times, p.key.Value) {
			if instant, err := time.Parse(time.RFC3339, at.Value); err == nil {
				b.WriteString("@" + instant.UTC().Format(time.RFC3339Nano))
				continue
			}
		}
		wording{sorted: true, texts: texts}.write(&b, p.value)
	}
	b.WriteByte('}')
	return b.String()
}

// pair is a member of a mapping.
type pair struct{ key, value *Node }

func pairsOf(n *Node) []pair {
	pairs := make([]pair, 0, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		pairs = append(pairs, pair{n.Content[i], n.Content[i+1]})
	}
	return pairs
}

// WithoutRepeats removes the lines of each top-level key that repeats an earlier one with the same value. Such repeats
// come about when two branches add the same line and git merges them. All other bytes stay. A key is not removed if a
// comment would go with it, or if the rest would then read differently. If nothing is removed, it returns src.
func WithoutRepeats(src []byte, kind Kind) []byte {
	d, err := parseUnchecked(src, kind)
	if err != nil || d.root.Style&FlowStyle != 0 || hasAlias(d.root) {
		return src
	}
	all := repeats(d.root)
	if next, ok := withoutKeys(d, all); ok {
		return next.src
	}
	for range min(len(all), maxRepeats) { // one of them cannot be removed; those before it can
		left := repeats(d.root)
		next, ok := withoutKeys(d, left[:min(1, len(left))])
		if !ok {
			break
		}
		d = next
	}
	return d.src
}

// maxRepeats is how many repeated keys are removed one by one.
const maxRepeats = 20

// withoutKeys removes the keys at these indexes of root.Content, with their values.
func withoutKeys(d *Doc, keys []int) (*Doc, bool) {
	if len(keys) == 0 {
		return d, true
	}
	var removals []splice
	want := *d.root
	want.Content = nil
	kept := 0
	for _, at := range keys {
		lines, ok := d.memberLines(d.members(d.root, topLevel), at/2)
		if !ok {
			return nil, false
		}
		if n := len(removals); n > 0 && removals[n-1].to == lines.from {
			removals[n-1].to = lines.to
		} else {
			removals = append(removals, splice{lines, ""})
		}
		want.Content = append(want.Content, d.root.Content[kept:at]...)
		kept = at + 2
	}
	want.Content = append(want.Content, d.root.Content[kept:]...)
	if !sortApart(removals) {
		return nil, false
	}
	next, err := parseUnchecked(replaceSpans(d.src, removals), d.kind)
	if err != nil || proveTree(d, next, &want) != nil {
		return nil, false
	}
	return next, true
}

// repeats returns the indexes in m.Content of the keys that repeat an earlier key with the same value.
func repeats(m *Node) (indexes []int) {
	seen := map[string]bool{}
	for i := 0; i+1 < len(m.Content); i += 2 {
		b := strings.Builder{}
		b.WriteString(meaning(m.Content[i]) + "\x00")
		wording{anchors: true}.write(&b, m.Content[i+1])
		if seen[b.String()] {
			indexes = append(indexes, i)
		}
		seen[b.String()] = true
	}
	return indexes
}

// hasAlias reports whether a tree has aliases. A tree that was not checked may then contain itself.
func hasAlias(n *Node) bool {
	return n.Kind == AliasNode || slices.ContainsFunc(n.Content, hasAlias)
}
