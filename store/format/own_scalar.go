package format

import (
	"strconv"
	"strings"
	"unicode/utf16"
)

// key reads a key and its colon, which a space or the end of the line follows.
func (r *ownReader) key() *Node {
	end := r.keyEnd()
	if end < 0 {
		return nil
	}
	text := r.text[r.pos:end]
	tag := ownTag(text)
	if tag == "" {
		return nil
	}
	n := r.node(ScalarNode, tag, 0)
	n.Value = text
	r.pos = end + 1
	return n
}

// keyEnd returns where the colon of the key at pos is, or -1 if no key is there. A key is a word of ASCII letters,
// digits, _ and -.
func (r *ownReader) keyEnd() int {
	i := r.pos
	if c := r.at(i); c != '_' && !isLetter(c) {
		return -1
	}
	for i++; i < len(r.text) && (r.text[i] == '_' || r.text[i] == '-' || isAlphanumeric(r.text[i])); i++ {
		continue
	}
	if r.at(i) != ':' || i-r.pos > maxOwnKey {
		return -1
	}
	if c := r.at(i + 1); c != ' ' && c != '\n' {
		return -1
	}
	return i
}

// plain reads a scalar without quotes. Between brackets it ends before a comma or a bracket, and elsewhere with the
// line.
func (r *ownReader) plain(flow bool) *Node {
	end, beyond := r.plainEnd(flow)
	if end <= r.pos || r.text[end-1] == ' ' {
		return nil
	}
	text := r.text[r.pos:end]
	if !ownFirst(text[0]) {
		return nil
	}
	tag := ownTag(text)
	if tag == "" {
		return nil
	}
	n := r.node(ScalarNode, tag, 0)
	n.Value = text
	r.pos = end
	r.margin += beyond
	return n
}

// plainEnd returns where the plain scalar at pos ends, and how many bytes it has beyond one for each character. It
// returns -1 if the scalar is of another form.
func (r *ownReader) plainEnd(flow bool) (end, beyond int) {
	for i := r.pos; i < len(r.text); i++ {
		switch c := r.text[i]; plainClass[c] {
		case ordinary:
		case continuation:
			beyond++
		case foreign:
			return -1, 0
		case lineBreak:
			if flow {
				return -1, 0
			}
			return i, beyond
		case flowEnd:
			if flow {
				return i, beyond
			}
		case flowForeign:
			if flow {
				return -1, 0
			}
		case hash:
			if i > 0 && r.text[i-1] == ' ' {
				return -1, 0
			}
		case colon:
			if next := r.at(i + 1); next == ' ' || next == '\n' || flow && plainClass[next] == flowEnd {
				return -1, 0
			}
		}
	}
	if flow {
		return -1, 0
	}
	return len(r.text), beyond
}

// ownFirst reports whether a plain scalar in cairn's own form may begin with a byte.
func ownFirst(c byte) bool {
	return c >= 0x80 || isAlphanumeric(c) || c == '_' || c == '/' || c == '.' || c == '(' || c == '$'
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// The classes of bytes in a plain scalar.
const (
	ordinary     = iota
	continuation // not the first byte of a character
	foreign      // not in cairn's own form
	lineBreak
	flowEnd     // ends a scalar between brackets
	flowForeign // between brackets not in cairn's own form
	hash
	colon
)

var plainClass = func() (class [256]byte) {
	for c := 0x80; c < 0xC0; c++ {
		class[c] = continuation
	}
	class['\t'], class['\r'], class['\n'] = foreign, foreign, lineBreak
	class[','], class[']'], class['}'] = flowEnd, flowEnd, flowEnd
	class['?'], class['['], class['{'] = flowForeign, flowForeign, flowForeign
	class['#'], class[':'] = hash, colon
	return class
}()

// singleQuoted reads a scalar in single quotes.
func (r *ownReader) singleQuoted() *Node {
	n := r.node(ScalarNode, "!!str", SingleQuotedStyle)
	from, doubled := r.pos+1, false
	for i := from; i < len(r.text); i++ {
		switch c := r.text[i]; {
		case c == '\'' && r.at(i+1) == '\'':
			doubled = true
			i++
		case c == '\'':
			if n.Value = r.text[from:i]; doubled {
				n.Value = strings.ReplaceAll(n.Value, "''", "'")
			}
			r.pos = i + 1
			return n
		case c < ' ':
			return nil
		case plainClass[c] == continuation:
			r.margin++
		}
	}
	return nil
}

// doubleQuoted reads a scalar in double quotes.
func (r *ownReader) doubleQuoted() *Node {
	n := r.node(ScalarNode, "!!str", DoubleQuotedStyle)
	from, escaped := r.pos+1, false
	for i := from; i < len(r.text); i++ {
		switch c := r.text[i]; {
		case c == '\\':
			escaped = true
			i++
		case c == '"':
			n.Value = r.text[from:i]
			r.pos = i + 1
			if !escaped {
				return n
			}
			var ok bool
			if n.Value, ok = unescape(n.Value); !ok {
				return nil
			}
			return n
		case c < ' ':
			return nil
		case plainClass[c] == continuation:
			r.margin++
		}
	}
	return nil
}

// unescape replaces the escapes that this package writes. It reports false for others.
func unescape(s string) (text string, ok bool) {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++ // doubleQuoted made sure that something follows
		switch s[i] {
		case '"', '\\':
			b.WriteByte(s[i])
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'u':
			if len(s) < i+5 {
				return "", false
			}
			code, err := strconv.ParseUint(s[i+1:i+5], 16, 16)
			if err != nil || utf16.IsSurrogate(rune(code)) {
				return "", false
			}
			b.WriteRune(rune(code))
			i += 4
		default:
			return "", false
		}
	}
	return b.String(), true
}

// ownTag returns the tag that yaml.v3 finds for a plain scalar, which must begin as ownFirst wants it. It returns ""
// for numbers and dates that cairn does not write, and for what might be one.
func ownTag(s string) string {
	if first := s[0]; first != '.' && (first < '0' || first > '9') {
		return wordTag(s)
	}
	switch {
	case isDecimal(s):
		return "!!int"
	case isInstant(s):
		return "!!timestamp"
	case s == ".":
		return "!!str"
	case s[0] == '.' && notText[strings.ToLower(s)]:
		return "" // infinity, or not a number
	}
	for i := range len(s) {
		if c := s[i]; c >= 0x80 || !numberByte[c] {
			return "!!str"
		}
	}
	return ""
}

// wordTag is the tag of a plain scalar that does not begin like a number.
func wordTag(s string) string {
	switch s {
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return "!!bool"
	case "null", "Null", "NULL":
		return "!!null"
	}
	return "!!str"
}

// isDecimal reports whether s is a whole number as cairn writes it.
func isDecimal(s string) bool {
	if len(s) > 18 || s[0] == '0' && len(s) > 1 {
		return false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// isInstant reports whether s is a time as cairn writes it: 2026-06-21T10:00:00Z.
func isInstant(s string) bool {
	const form = "0000-00-00T00:00:00Z"
	if len(s) != len(form) {
		return false
	}
	for i := range len(form) {
		if digit := s[i] >= '0' && s[i] <= '9'; form[i] == '0' && !digit || form[i] != '0' && s[i] != form[i] {
			return false
		}
	}
	two := func(i int) int { return int(s[i]-'0')*10 + int(s[i+1]-'0') }
	year, month, day := two(0)*100+two(2), two(5), two(8)
	return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(month, year) && two(11) < 24 && two(14) < 60 && two(17) < 60
}

func daysIn(month, year int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// numberByte has every character that yaml.v3 takes in a number or a date that begins with a digit or a dot, and more:
// those of numeric, by which the writer decides on quotes.
var numberByte = func() (is [0x80]bool) {
	for _, c := range []byte("0123456789+-._:, ABCDEFabcdefOoXxTtZz") {
		is[c] = true
	}
	return is
}()
