package setup

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// marks are the lines around a section: what the first begins with, and how each ends.
type marks struct{ begin, end, close string }

var (
	markdownMarks = marks{"<!-- cairn: begin; written by cairn setup; ", "<!-- cairn: end -->", " -->"}
	tomlMarks     = marks{"# cairn: begin; written by cairn setup; ", "# cairn: end", ""}
)

// section is where a section lies in a text.
type section struct {
	from, to int    // of its lines, without the line break behind the last
	body     string // between the marks, with \n for line breaks
	sum      string // that its first mark says
}

func sumOf(body string) string {
	sum := sha256.Sum256([]byte(body))
	return hex.EncodeToString(sum[:4])
}

// lines is a section as it is written.
func (m marks) lines(body string) string {
	return m.begin + sumOf(body) + m.close + "\n" + body + m.end
}

// find finds the section of a text. It returns false if there is none, and an error with the line if the marks are not
// a pair.
func (m marks) find(text string) (section, bool, error) {
	from := lineWith(text, m.begin, 0)
	if from < 0 {
		return section{}, false, nil
	}
	if again := lineWith(text, m.begin, from+1); again >= 0 {
		return section{}, false, fmt.Errorf("line %d: a second section of cairn begins", lineOf(text, again))
	}
	end := lineWith(text, m.end, from)
	if end < 0 {
		return section{}, false, fmt.Errorf("line %d: a section of cairn begins that does not end", lineOf(text, from))
	}
	first, body, _ := strings.Cut(text[from:end], "\n")
	return section{
		from: from, to: end + len(m.end), body: strings.ReplaceAll(body, "\r\n", "\n"),
		sum: strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(first, "\r"), m.begin), m.close),
	}, true, nil
}

// lineWith is where a line begins that begins with some text, from an offset on; -1 if there is none.
func lineWith(text, prefix string, from int) int {
	for at := from; ; {
		i := strings.Index(text[at:], prefix)
		if i < 0 {
			return -1
		}
		if at += i; at == 0 || text[at-1] == '\n' {
			return at
		}
		at++
	}
}

func lineOf(text string, at int) int { return 1 + strings.Count(text[:at], "\n") }

// added is a text with a section behind it, and an empty line between them. If the text ends without a line break the
// section does too, so that removed gives every byte back.
func (m marks) added(text, body string) string {
	eol := "\n"
	if strings.Contains(text, "\r\n") {
		eol = "\r\n"
	}
	lines := strings.ReplaceAll(m.lines(body), "\n", eol)
	switch {
	case text == "":
		return lines + eol
	case strings.HasSuffix(text, "\n"):
		return text + eol + lines + eol
	default:
		return text + eol + eol + lines
	}
}

// removed is a text without its section, and without what added put before and behind it.
func removed(text string, s section) string {
	before, after := text[:s.from], text[s.to:]
	trim := func(s string) string { return strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r") }
	if after == "" {
		return trim(trim(before))
	}
	after = strings.TrimPrefix(strings.TrimPrefix(after, "\r"), "\n")
	if strings.HasSuffix(before, "\n\n") || strings.HasSuffix(before, "\n\r\n") || before == "\n" {
		before = trim(before)
	}
	return before + after
}
