package frontmatter

import (
	"bytes"
	"slices"

	"gopkg.in/yaml.v3"
)

// span is a part of the file, [from, to).
type span struct{ from, to int }

// comments returns the comments in [from, to), each from its # to the end of its line. A # that does not stand inside
// a scalar, an anchor or a tag begins a comment.
func (d *Doc) comments(from, to int) []span {
	var found []span
	for _, opaque := range append(d.opaque(), span{to, to}) {
		for from < min(opaque.from, to) {
			i := bytes.IndexByte(d.src[from:min(opaque.from, to)], '#')
			if i < 0 {
				break
			}
			c := span{from + i, d.lineEnd(from + i)}
			found = append(found, c)
			from = c.to
		}
		from = max(from, opaque.to)
	}
	return found
}

// commentTexts returns the text of every comment, sorted.
func (d *Doc) commentTexts() []string {
	if bytes.IndexByte(d.Front(), '#') < 0 {
		return nil
	}
	var texts []string
	for _, c := range d.comments(d.from, d.to) {
		texts = append(texts, string(bytes.TrimRight(d.src[c.from:c.to], " \t")))
	}
	slices.Sort(texts)
	return texts
}

// opaque returns the parts of the file in which a # is just a character, in order.
func (d *Doc) opaque() []span {
	var found []span
	var visit func(n *yaml.Node, p place)
	visit = func(n *yaml.Node, p place) {
		if end := d.properties(n); end > d.start(n) {
			found = append(found, span{d.start(n), end})
		}
		if n.Kind == yaml.ScalarNode {
			found = append(found, d.scalarText(n, p))
			return
		}
		for _, c := range n.Content {
			visit(c, d.inside(n, p))
		}
	}
	visit(d.root, top)
	return found
}

// scalarText is where the text of a scalar lies. The header of a block scalar, which may carry a comment, is not text.
func (d *Doc) scalarText(n *yaml.Node, p place) span {
	i := d.content(n)
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		from, end := d.blockScalar(i, p.indent)
		return span{from, max(from, end)}
	}
	return span{i, max(i, d.end(n, p))}
}
