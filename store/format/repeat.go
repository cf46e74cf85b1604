package format

import (
	"bytes"
	"slices"
	"strings"
)

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
	if err != nil || !bytes.Equal(d.Body(), next.Body()) || !slices.Equal(d.commentTexts(), next.commentTexts()) {
		return nil, false
	}
	return next, same(&want, next.root)
}

// repeats returns the indexes in m.Content of the keys that repeat an earlier key with the same value.
func repeats(m *Node) (indexes []int) {
	seen := map[string]bool{}
	for i := 0; i+1 < len(m.Content); i += 2 {
		pair := meaning(m.Content[i]) + "\x00" + meaningWithAnchors(m.Content[i+1])
		if seen[pair] {
			indexes = append(indexes, i)
		}
		seen[pair] = true
	}
	return indexes
}

// meaningWithAnchors is meaning, but nodes with other anchors have another meaning.
func meaningWithAnchors(n *Node) string {
	var b strings.Builder
	b.WriteString(meaning(n))
	var write func(*Node)
	write = func(n *Node) {
		if n.Anchor != "" {
			b.WriteString("&" + n.Anchor)
		}
		for _, c := range n.Content {
			write(c)
		}
	}
	write(n)
	return b.String()
}

// hasAlias reports whether a tree has aliases. A tree that was not checked may then contain itself.
func hasAlias(n *Node) bool {
	return n.Kind == AliasNode || slices.ContainsFunc(n.Content, hasAlias)
}
