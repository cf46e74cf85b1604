package frontmatter

import (
	"bytes"
	"slices"

	"gopkg.in/yaml.v3"
)

// WithoutRepeats takes out the lines of each top-level key that stands once more and says the same as before, as it comes
// about where two branches add a line and git merges both. All other bytes stay. Where what is left would not read as it
// should, or a comment would go, it takes out nothing; it returns src if there is nothing to take out.
func WithoutRepeats(src []byte, kind Kind) []byte {
	for {
		d, err := parseUnchecked(src, kind)
		if err != nil || d.root.Style&yaml.FlowStyle != 0 || hasAlias(d.root) {
			return src
		}
		next, ok := d.withoutRepeat()
		if !ok {
			return src
		}
		src = next
	}
}

// withoutRepeat takes out the first key that repeats an earlier one.
func (d *Doc) withoutRepeat() ([]byte, bool) {
	at := repeated(d.root)
	if at < 0 {
		return nil, false
	}
	from, to, ok := d.memberSpan(d.members(d.root, top), at/2)
	if !ok {
		return nil, false
	}
	next, err := parseUnchecked(slices.Concat(d.src[:from], d.src[to:]), d.kind)
	if err != nil || !bytes.Equal(d.Body(), next.Body()) || !slices.Equal(d.commentTexts(), next.commentTexts()) {
		return nil, false
	}
	left := *d.root
	left.Content = slices.Concat(d.root.Content[:at], d.root.Content[at+2:])
	return next.src, same(&left, next.root)
}

// repeated is the index in m.Content of the first key that stood there before, with the same value; or -1.
func repeated(m *yaml.Node) int {
	for j := 2; j+1 < len(m.Content); j += 2 {
		for i := 0; i < j; i += 2 {
			if same(m.Content[i], m.Content[j]) && same(m.Content[i+1], m.Content[j+1]) {
				return j
			}
		}
	}
	return -1
}

// hasAlias reports whether a tree refers to itself anywhere, in which case it may not end.
func hasAlias(n *yaml.Node) bool {
	return n.Kind == yaml.AliasNode || slices.ContainsFunc(n.Content, hasAlias)
}
