package frontmatter

import (
	"bytes"
	"strings"

	"gopkg.in/yaml.v3"
)

func (t *text) scalarEnd(n *yaml.Node, p place) int {
	i := t.content(n)
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		return t.doubleQuotedEnd(i + 1)
	case n.Style&yaml.SingleQuotedStyle != 0:
		return t.singleQuotedEnd(i + 1)
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		_, end := t.blockScalar(i, p.indent)
		return end
	case n.Value == "":
		return t.properties(n)
	}
	return t.plainEnd(i, p)
}

func (t *text) doubleQuotedEnd(i int) int {
	for ; i < t.to && t.src[i] != '"'; i++ {
		if t.src[i] == '\\' {
			i++
		}
	}
	return min(i+1, t.to)
}

func (t *text) singleQuotedEnd(i int) int {
	for ; i < t.to; i++ {
		if t.src[i] != '\'' {
			continue
		}
		if i+1 == t.to || t.src[i+1] != '\'' {
			return i + 1
		}
		i++
	}
	return t.to
}

// plainEnd follows a scalar without quotes, over several lines where it goes on.
func (t *text) plainEnd(i int, p place) int {
	for {
		end := t.plainLine(i, p.flow)
		next := t.skipBlank(end)
		onNextLine := !t.sameLine(end, next)
		switch {
		case next >= t.to, t.src[next] == '#', next == i:
			return end
		case !onNextLine: // an indicator ended the text
			return end
		case !p.flow && t.column(next) <= p.indent:
			return end
		case t.isDocumentMarker(next):
			return end
		case t.plainLine(next, p.flow) == next:
			return end
		}
		i = next
	}
}

// plainLine returns where the text at i, without the blanks behind it, ends on its line.
func (t *text) plainLine(i int, flow bool) int {
	end := i
	for ; i < t.to && breakLen(t.src[:t.to], i) == 0; i++ {
		c := t.src[i]
		switch {
		case isBlank(c):
			continue
		case c == '#' && i > 0 && isBlank(t.src[i-1]):
			return end
		case c == ':' && t.blankAt(i+1):
			return end
		case flow && strings.IndexByte(",?[]{}", c) >= 0:
			return end
		}
		end = i + 1
	}
	return end
}

func (t *text) isDocumentMarker(i int) bool {
	rest := t.src[i:t.to]
	marker := bytes.HasPrefix(rest, []byte("---")) || bytes.HasPrefix(rest, []byte("..."))
	return marker && t.column(i) == 0 && t.blankAt(i+3)
}

// blockScalar returns where the lines of the block scalar at i begin, and where the last of them ends. Blank lines at
// the end belong to it only if its header says to keep them.
func (t *text) blockScalar(i, parent int) (from, end int) {
	end = t.wordEnd(i)
	header := string(t.src[i:end])
	from = t.nextLine(i)
	indent := t.blockIndent(header, from, parent)
	for line := from; line < t.to; line = t.nextLine(line) {
		text := t.skipSpaces(line, indent)
		blank := text < t.to && breakLen(t.src[:t.to], text) > 0
		switch {
		case blank && !strings.Contains(header, "+"):
			continue
		case !blank && text-line < indent, text == t.to:
			return from, end
		}
		end = t.lineEnd(line)
	}
	return from, end
}

// blockIndent returns the indentation of a block scalar: what its header says, else that of its first line with text.
func (t *text) blockIndent(header string, from, parent int) int {
	if i := strings.IndexAny(header, "123456789"); i >= 0 {
		return max(parent, 0) + int(header[i]-'0')
	}
	indent := max(parent+1, 1)
	for line := from; line < t.to; line = t.nextLine(line) {
		text := t.skipSpaces(line, t.to-line)
		indent = max(indent, text-line)
		if text == t.to || breakLen(t.src[:t.to], text) == 0 {
			break
		}
	}
	return indent
}

// skipSpaces returns where the spaces at i end, at most n of them.
func (t *text) skipSpaces(i, n int) int {
	for end := i + n; i < t.to && i < end && t.src[i] == ' '; i++ {
		continue
	}
	return i
}
