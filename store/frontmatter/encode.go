package frontmatter

import (
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// encoder writes values on one line. In flow it is inside [ ] or { }; quotes are those to keep if a scalar permits.
type encoder struct {
	flow   bool
	quotes yaml.Style
}

func (e encoder) line(v Value) string {
	switch v := v.(type) {
	case String:
		return e.string(string(v))
	case Plain:
		return e.plain(string(v))
	case Int:
		return strconv.Itoa(int(v))
	case Bool:
		return strconv.FormatBool(bool(v))
	case Seq:
		return "[" + strings.Join(e.items(v), ", ") + "]"
	case Map:
		return "{" + strings.Join(e.fields(v), ", ") + "}"
	case Flow:
		return e.line(v.Value)
	case copied:
		if e.flow && !v.safe {
			return e.line(v.Value)
		}
		return v.text
	}
	panic("frontmatter: a Value of another package")
}

func (e encoder) items(s Seq) (out []string) {
	for _, v := range s {
		out = append(out, encoder{flow: true}.line(v))
	}
	return out
}

func (e encoder) fields(m Map) (out []string) {
	for _, f := range m {
		out = append(out, encoder{flow: true}.field(f))
	}
	return out
}

func (e encoder) field(f Field) string {
	return encoder{flow: e.flow}.string(f.Key) + ": " + encoder{flow: e.flow}.line(f.Value)
}

// blockLines returns the lines of a value that takes one for each item or field, or nil if it goes on a single line.
func blockLines(v Value) (lines []string) {
	switch v := v.(type) {
	case Seq:
		if !v.scalars() {
			for _, item := range v {
				lines = append(lines, itemLines(item)...)
			}
		}
	case Map:
		for _, f := range v {
			lines = append(lines, fieldLines(f)...)
		}
	}
	return lines
}

func (v Seq) scalars() bool {
	for _, item := range v {
		if item.node().Kind != yaml.ScalarNode {
			return false
		}
	}
	return true
}

// itemLines returns the lines of one item of a block sequence, from its dash on.
func itemLines(v Value) []string {
	lines := blockLines(v)
	if lines == nil {
		return []string{"- " + encoder{}.line(v)}
	}
	lines = indent(lines, 2)
	lines[0] = "- " + lines[0][2:]
	return lines
}

// fieldLines returns the lines of one pair of a block mapping.
func fieldLines(f Field) []string {
	lines := blockLines(f.Value)
	if lines == nil {
		return []string{encoder{}.field(f)}
	}
	return append([]string{encoder{}.string(f.Key) + ":"}, indent(lines, 2)...)
}

func indent(lines []string, columns int) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = spaces(columns) + line
	}
	return out
}

func spaces(n int) string { return strings.Repeat(" ", n) }
