package frontmatter

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// replace writes v in place of the value at s.
func (d *Doc) replace(s *spot, v Value) (splice, *Error) {
	m := d.membersOf(s.holder.node, s.holder.place)[s.index]
	if m.value < 0 {
		return splice{}, d.refuse(s.holder.node, "the key has no colon")
	}
	lines := blockLines(v)
	switch {
	case s.place.flow, lines == nil && d.sameLine(m.value, m.to):
		return d.replaceInLine(s, m, v), nil
	case s.holder.node.Kind == yaml.SequenceNode:
		return d.replaceItem(s, v)
	}
	return d.replaceLines(s, m, v, lines), nil
}

// replaceInLine changes a part of one line.
func (d *Doc) replaceInLine(s *spot, m member, v Value) splice {
	text := encoder{flow: s.place.flow, quotes: s.quotes()}.line(v)
	from := max(m.value, d.start(s.node))
	if from == m.to && from > 0 && !isBlank(d.src[from-1]) {
		text = " " + text // there was nothing behind the colon
	}
	return splice{from, m.to, text}
}

// quotes returns the quotes that a scalar is written in, or 0.
func (s *spot) quotes() yaml.Style {
	return s.node.Style & (yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle)
}

// replaceItem writes an item of a block sequence anew, with all its lines.
func (d *Doc) replaceItem(s *spot, v Value) (splice, *Error) {
	var parts []Item
	for i := range s.holder.node.Content {
		parts = append(parts, Old(i))
	}
	parts[s.index] = NewItem(v)
	return d.rebuild(s.holder, parts)
}

// replaceLines writes the value of a key where the old value or the new one takes several lines. A comment on the
// key's line stays there; others become lines of their own, below it.
func (d *Doc) replaceLines(s *spot, m member, v Value, lines []string) splice {
	end := d.lineEnd(m.to)
	beside, below := d.splitComments(s, m, end)
	var b strings.Builder
	if lines == nil {
		b.WriteString(" " + encoder{quotes: s.quotes()}.line(v))
	}
	b.WriteString(beside)
	eol := d.eol(m.value)
	for _, line := range indent(append(below, lines...), s.place.indent+2) {
		b.WriteString(eol + line)
	}
	return splice{m.value, end, b.String()}
}

// splitComments finds the comments from a key's colon to the end of its value's last line. The one that can stand
// beside the new value comes with the blanks before it.
func (d *Doc) splitComments(s *spot, m member, end int) (beside string, below []string) {
	for _, c := range d.comments(m.value, end) {
		text := string(d.src[c.from:c.to])
		onKeyLine := d.sameLine(m.value, c.from)
		behindText := c.from >= m.to && (s.node.Kind == yaml.ScalarNode || s.node.Style&yaml.FlowStyle != 0)
		if beside == "" && (onKeyLine || behindText) {
			beside = d.blanksBefore(c.from) + text
			continue
		}
		below = append(below, text)
	}
	return beside, below
}

// blanksBefore returns the blanks that end at off, and one if there are none.
func (d *Doc) blanksBefore(off int) string {
	i := off
	for i > d.from && isBlank(d.src[i-1]) {
		i--
	}
	if i == off {
		return " "
	}
	return string(d.src[i:off])
}
