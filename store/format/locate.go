package format

import (
	"bytes"
	"slices"
	"sync"
)

// locator finds the bytes of the nodes of a tree, of the members of its collections, and of the comments between them.
// A Node knows only where it begins; its end is found by scanning.
type locator struct {
	scanner
	root *Node // the top mapping

	mu    sync.Mutex
	found map[*Node][]member // what members returned: editing many items of a list asks for each
}

// nesting is what the end of a value depends on besides its own text.
type nesting struct {
	indent int  // columns before the innermost block collection around it; -1 if there is none
	flow   bool // it is inside [ ] or { }
}

// topLevel is the nesting of the top mapping.
var topLevel = nesting{indent: -1}

// span is a part of the file, [from, to).
type span struct{ from, to int }

// member is one pair of a mapping or one item of a list, and the bytes it takes up.
type member struct {
	span      // from the key or the dash to the end of the value
	value int // where the value may begin: after the colon or the dash; -1 if the pair has no colon
}

// start returns where a node begins, its anchor and tag included.
func (l *locator) start(n *Node) int {
	return l.offset(n.Line, n.Column)
}

// properties returns where a node's anchor and tag end, or where the node begins if it has neither.
func (l *locator) properties(n *Node) int {
	i := l.start(n)
	if n.Kind == MappingNode && n.Style&FlowStyle == 0 && len(n.Content) > 0 && i == l.start(n.Content[0]) {
		return i // an anchor or a tag here is the first key's
	}
	anchor, tag := n.Anchor != "", n.Kind != AliasNode
	for next := i; next < l.to; next = l.skip(i, "") {
		switch {
		case anchor && l.src[next] == '&':
			anchor, i = false, l.nameEnd(next+1)
		case tag && l.src[next] == '!' && (n.Style&TaggedStyle != 0 || l.sameLine(i, next)):
			tag, i = false, l.wordEnd(next)
		default:
			return i
		}
	}
	return i
}

// content returns where a node begins after its anchor and tag.
func (l *locator) content(n *Node) int {
	i := l.properties(n)
	if i == l.start(n) {
		return i
	}
	return l.skip(i, "")
}

// end returns where a node with this nesting ends. Its last line break and what follows on that line are not part of
// it.
func (l *locator) end(n *Node, in nesting) int {
	switch {
	case n.Kind == AliasNode:
		return l.nameEnd(l.start(n) + 1)
	case n.Kind == ScalarNode:
		return l.scalarEnd(n, in)
	case n.Style&FlowStyle != 0:
		return l.flowEnd(n, in)
	case len(n.Content) == 0:
		return l.properties(n)
	}
	return l.end(n.Content[len(n.Content)-1], l.nestingIn(n, in))
}

// nestingIn returns the nesting of the children of a collection that itself has the nesting in.
func (l *locator) nestingIn(n *Node, in nesting) nesting {
	if n.Style&FlowStyle != 0 {
		return nesting{indent: in.indent, flow: true}
	}
	return nesting{indent: l.column(l.content(n))}
}

func (l *locator) scalarEnd(n *Node, in nesting) int {
	i := l.content(n)
	switch {
	case n.Style&DoubleQuotedStyle != 0:
		return l.quotedEnd(i+1, '"')
	case n.Style&SingleQuotedStyle != 0:
		return l.quotedEnd(i+1, '\'')
	case n.Style&(LiteralStyle|FoldedStyle) != 0:
		_, end := l.blockScalar(i, in.indent)
		return end
	case n.Value == "":
		return l.properties(n)
	}
	return l.plainEnd(i, in)
}

func (l *locator) flowEnd(n *Node, in nesting) int {
	i := l.content(n)
	brackets := l.bracketAt(i)
	if brackets {
		i++
	}
	if len(n.Content) > 0 {
		i = max(i, l.end(n.Content[len(n.Content)-1], l.nestingIn(n, in)))
	}
	if !brackets {
		return i
	}
	i = l.skip(i, ",:?")
	return min(i+1, l.to)
}

// members returns the members of a collection with this nesting. The caller must not change them.
func (l *locator) members(n *Node, in nesting) []member {
	l.mu.Lock()
	defer l.mu.Unlock()
	ms, ok := l.found[n]
	if !ok {
		if ms = l.findMembers(n, in); l.found == nil {
			l.found = map[*Node][]member{}
		}
		l.found[n] = ms
	}
	return ms
}

func (l *locator) findMembers(n *Node, in nesting) []member {
	in = l.nestingIn(n, in)
	i := l.content(n)
	separator := ""
	if in.flow {
		separator = ","
		if l.bracketAt(i) {
			i++
		}
	}
	var ms []member
	for k := 0; k < len(n.Content); k += width(n) {
		i = l.skip(i, separator)
		m := l.member(n, k, i, in)
		ms = append(ms, m)
		i = m.to
	}
	return ms
}

// width returns how many nodes each member of a collection has.
func width(n *Node) int {
	if n.Kind == MappingNode {
		return 2
	}
	return 1
}

// member returns the member of n that begins at i and whose first node is n.Content[k]. in is its nesting.
func (l *locator) member(n *Node, k, i int, in nesting) member {
	if n.Kind == MappingNode {
		keyEnd := l.end(n.Content[k], in)
		colon := l.skip(keyEnd, "")
		if colon >= l.to || l.src[colon] != ':' {
			return member{span{i, keyEnd}, -1}
		}
		return member{span{i, max(colon+1, l.end(n.Content[k+1], in))}, colon + 1}
	}
	value := i
	if !in.flow {
		value++ // after the dash
	}
	return member{span{i, max(value, l.end(n.Content[k], in))}, value}
}

// separate reports whether the members of a collection were found one after the other and, in a block collection, on
// lines of their own. That fails for shapes that yaml.v3 gives odd positions, such as a key after a ? without a value.
func (l *locator) separate(ms []member, flow bool) bool {
	for i := 1; i < len(ms); i++ {
		if ms[i].from < ms[i-1].to || !flow && l.sameLine(ms[i-1].to, ms[i].from) {
			return false
		}
	}
	return true
}

// beginsLine reports whether only spaces are before a member on its line.
func (l *locator) beginsLine(m member) bool {
	return len(bytes.Trim(l.src[l.lineStart(m.from):m.from], " ")) == 0
}

// memberLines returns the lines of one member of a block collection, or false if it shares a line with something else.
func (l *locator) memberLines(ms []member, at int) (lines span, ok bool) {
	if at >= len(ms) || !l.separate(ms[max(at-1, 0):min(at+2, len(ms))], false) || !l.beginsLine(ms[at]) {
		return span{}, false
	}
	return span{l.lineStart(ms[at].from), l.nextLine(ms[at].to)}, true
}

// comments returns the comments in [from, to), each from its # to the end of its line. A # begins a comment unless it
// is inside a scalar, an anchor or a tag.
func (l *locator) comments(from, to int) []span {
	var found []span
	for _, text := range append(l.textSpans(), span{to, to}) {
		for from < min(text.from, to) {
			i := bytes.IndexByte(l.src[from:min(text.from, to)], '#')
			if i < 0 {
				break
			}
			c := span{from + i, l.lineEnd(from + i)}
			found = append(found, c)
			from = c.to
		}
		from = max(from, text.to)
	}
	return found
}

// commentTexts returns the text of every comment, sorted.
func (l *locator) commentTexts() []string {
	if bytes.IndexByte(l.src[l.from:l.to], '#') < 0 {
		return nil
	}
	var texts []string
	for _, c := range l.comments(l.from, l.to) {
		texts = append(texts, l.commentText(c))
	}
	slices.Sort(texts)
	return texts
}

// commentText returns a comment without the blanks it ends in.
func (l *locator) commentText(c span) string {
	return string(bytes.TrimRight(l.src[c.from:c.to], " \t"))
}

// textSpans returns the parts of the file in which a # is an ordinary character: scalars, anchors and tags, in order.
func (l *locator) textSpans() []span {
	var found []span
	var visit func(n *Node, in nesting)
	visit = func(n *Node, in nesting) {
		if end := l.properties(n); end > l.start(n) {
			found = append(found, span{l.start(n), end})
		}
		if n.Kind == ScalarNode {
			text := span{l.content(n), l.end(n, in)}
			if n.Style&(LiteralStyle|FoldedStyle) != 0 { // a comment may follow its header
				text.from, text.to = l.blockScalar(text.from, in.indent)
			}
			text.to = max(text.from, text.to)
			found = append(found, text)
			return
		}
		if len(n.Content) > 0 {
			in = l.nestingIn(n, in)
		}
		for _, c := range n.Content {
			visit(c, in)
		}
	}
	visit(l.root, topLevel)
	return found
}
