package record

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxLine is the most bytes of a text of one line: a title, a label, a description.
const MaxLine = 500

// MaxLabels is the most labels that a write gives a record. Files with more are still read.
const MaxLabels = 1000

const maxBody = 3 << 20 // bytes; a file may have 4 MiB

// ValidLines returns INVALID_INPUT, naming the field, for the first text that is not one of one line.
func ValidLines(field string, lines ...string) error {
	for _, line := range lines {
		if err := ValidLine(field, line); err != nil {
			return err
		}
	}
	return nil
}

// ValidCount returns INVALID_INPUT if a write gives a record more of something than it may have. A record that has more
// already may keep them, and be given fewer. instead says what helps.
func ValidCount(name string, was, is, most int, instead string) error {
	if is > most && is > was {
		return Errorf(InvalidInput, "%d %s are more than %d", is, name, most).WithHint("%s", instead)
	}
	return nil
}

// ValidLabelCount is ValidCount for labels.
func ValidLabelCount(was, is []string) error {
	return ValidCount("labels", len(was), len(is), MaxLabels, "put long lists into the body")
}

// ValidLine returns INVALID_INPUT, naming the field, for what is not a text of one line: empty, of several lines, or
// too long.
func ValidLine(field, s string) error {
	switch {
	case Blank(s):
		return Errorf(InvalidInput, "%s is empty", field)
	case len(s) > MaxLine:
		return Errorf(InvalidInput, "%s is longer than %d bytes", field, MaxLine)
	case !utf8.ValidString(s) || strings.ContainsFunc(s, BreaksLine):
		return Errorf(InvalidInput, "%s is not one line of text", field)
	}
	return nil
}

// BreaksLine reports whether no text of one line has a character: the end of a line, or one that steers a terminal.
func BreaksLine(r rune) bool {
	return r < ' ' && r != '\t' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// CleanBody returns a body as callers see it: lines end in \n, and there are no empty lines before and after.
func CleanBody(body string) string {
	if strings.Contains(body, "\r") {
		body = lineEnds.Replace(body)
	}
	return strings.Trim(body, "\n")
}

// ValidBody returns INVALID_INPUT for a body that is too long, or no text.
func ValidBody(body string) error {
	if len(body) > maxBody {
		return Errorf(InvalidInput, "body is %d bytes long, more than %d", len(body), maxBody).WithHint("put long text into a file of its own")
	}
	if !utf8.ValidString(body) || strings.ContainsRune(body, 0) {
		return Errorf(InvalidInput, "body is not text")
	}
	return nil
}

// MaxText is the longest text of an entry, in bytes.
const MaxText = 4096

// ValidText returns INVALID_INPUT, naming the field, for text that an entry cannot have: too long, not UTF-8, with a
// NUL, or blank. An empty text is allowed.
func ValidText(field, s string) error {
	if s != "" && Blank(s) {
		return Errorf(InvalidInput, "%s is blank", field).WithHint("leave it out, or write something that can be read")
	}
	if len(s) > MaxText {
		return Errorf(InvalidInput, "%s is %d bytes long, more than %d", field, len(s), MaxText).WithHint("put long text into the body or a file of its own")
	}
	if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
		return Errorf(InvalidInput, "%s is not valid UTF-8, or has a NUL", field)
	}
	return nil
}

// RequiredText is ValidText for a field that may not be empty. The hint says what to write.
func RequiredText(field, s, hint string) error {
	if Blank(s) {
		return Errorf(InvalidInput, "%s is empty", field).WithHint("%s", hint)
	}
	return ValidText(field, s)
}

// OneOf returns INVALID_INPUT, naming the field, for a value that is not one of those there are.
func OneOf[T ~string](field string, value T, values []T) error {
	if slices.Contains(values, value) {
		return nil
	}
	words, last := Texts(values), len(values)-1
	return Errorf(InvalidInput, "%s is %q", field, Clip(string(value), 100)).WithHint("%s or %s", strings.Join(words[:last], ", "), words[last])
}

// Blank reports whether a text has nothing that can be seen: only white space and invisible characters.
func Blank(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) })
}

// IsWord reports whether s is made of letters and digits of ASCII and of some other characters of ASCII, and is not
// empty.
func IsWord(s, others string) bool {
	for _, c := range []byte(s) {
		if letter := 'a' <= c|0x20 && c|0x20 <= 'z'; !letter && (c < '0' || c > '9') && strings.IndexByte(others, c) < 0 {
			return false
		}
	}
	return s != ""
}

// Clip is the beginning of a text that a message quotes: at most n bytes of it, and an ellipsis if there are more.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
