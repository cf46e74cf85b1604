package frontmatter

import (
	"bytes"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// WithoutRepeats takes out the lines of each top-level key that stands once more and says the same as before, as it comes
// about where two branches add a line and git merges both. All other bytes stay. Where what is left would not read as it
// should, or a comment would go, it takes out nothing; it returns src if there is nothing to take out.
func WithoutRepeats(src []byte, kind Kind) []byte {
	d, err := parseUnchecked(src, kind)
	if err != nil || d.root.Style&yaml.FlowStyle != 0 || hasAlias(d.root) {
		return src
	}
	all := repeated(d.root)
	if next, ok := d.without(all); ok {
		return next.src
	}
	for range min(len(all), mostRepeats) { // one of them cannot go; those before it can
		again := repeated(d.root)
		next, ok := d.without(again[:min(1, len(again))])
		if !ok {
			break
		}
		d = next
	}
	return d.src
}

// mostRepeats is how many repeated keys are taken out one by one.
const mostRepeats = 20

// without takes out some members of the top mapping.
func (d *Doc) without(keys []int) (*Doc, bool) {
	if len(keys) == 0 {
		return d, true
	}
	var parts []splice
	left := *d.root
	left.Content = nil
	kept := 0
	for _, at := range keys {
		from, to, ok := d.memberSpan(d.membersOf(d.root, top), at/2)
		if !ok {
			return nil, false
		}
		if n := len(parts); n > 0 && parts[n-1].to == from {
			parts[n-1].to = to
		} else {
			parts = append(parts, splice{from, to, ""})
		}
		left.Content = append(left.Content, d.root.Content[kept:at]...)
		kept = at + 2
	}
	left.Content = append(left.Content, d.root.Content[kept:]...)
	src, ok := d.splicedAll(parts)
	if !ok {
		return nil, false
	}
	next, err := parseUnchecked(src, d.kind)
	if err != nil || !bytes.Equal(d.Body(), next.Body()) || !slices.Equal(d.commentTexts(), next.commentTexts()) {
		return nil, false
	}
	return next, same(&left, next.root)
}

// repeated is the indices in m.Content of the keys that stood there before, with the same value.
func repeated(m *yaml.Node) (again []int) {
	said := map[string]bool{}
	for i := 0; i+1 < len(m.Content); i += 2 {
		what := meaning(m.Content[i]) + "\x00" + anchored(m.Content[i+1])
		if said[what] {
			again = append(again, i)
		}
		said[what] = true
	}
	return again
}

// anchored is meaning, told apart by anchors too.
func anchored(n *yaml.Node) string {
	var b strings.Builder
	b.WriteString(meaning(n))
	var names func(*yaml.Node)
	names = func(n *yaml.Node) {
		if n.Anchor != "" {
			b.WriteString("&" + n.Anchor)
		}
		for _, c := range n.Content {
			names(c)
		}
	}
	names(n)
	return b.String()
}

// hasAlias reports whether a tree refers to itself anywhere, in which case it may not end.
func hasAlias(n *yaml.Node) bool {
	return n.Kind == yaml.AliasNode || slices.ContainsFunc(n.Content, hasAlias)
}
