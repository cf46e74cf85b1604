package source

import (
	"strings"
)

// section is a part of a Markdown text: a heading, and what stands below it.
type section struct {
	level int // of the heading; 0 for what stands before the first
	title string
	text  string
	line  int // of the heading, from 0
}

// whole is the section with its heading.
func (s section) whole() string {
	return strings.TrimSpace(strings.Repeat("#", s.level) + " " + s.title + "\n\n" + s.text)
}

// sections cuts a Markdown text at its headings, those within fenced code excepted.
func sections(text string) []section {
	out := []section{{}}
	fence := ""
	for n, line := range strings.Split(text, "\n") {
		if fence = fenceAfter(line, fence); fence == "" {
			if level, title := heading(line); level > 0 {
				out = append(out, section{level: level, title: title, line: n})
				continue
			}
		}
		out[len(out)-1].text += line + "\n"
	}
	for i := range out {
		out[i].text = strings.Trim(out[i].text, "\n")
	}
	return out
}

// heading reads a line as a heading; level 0 is none.
func heading(line string) (level int, title string) {
	trimmed := strings.TrimLeft(line, "#")
	level = len(line) - len(trimmed)
	if level == 0 || level > 6 || !strings.HasPrefix(trimmed, " ") {
		return 0, ""
	}
	return level, strings.TrimSpace(strings.TrimRight(trimmed, "# "))
}

// fenceAfter is the fence of code that is open behind a line: "" for none.
func fenceAfter(line, open string) string {
	trimmed := strings.TrimSpace(line)
	for _, mark := range []string{"```", "~~~"} {
		if !strings.HasPrefix(trimmed, mark) {
			continue
		}
		if open == "" {
			return mark
		}
		if open == mark {
			return ""
		}
	}
	return open
}

// bullet reads a line as a point of a list: how far it is indented, in columns, and what it says.
func bullet(line string) (indent int, text string, ok bool) {
	rest := line
	for rest != "" && (rest[0] == ' ' || rest[0] == '\t') {
		if indent++; rest[0] == '\t' {
			indent += 3
		}
		rest = rest[1:]
	}
	digits := strings.TrimLeft(rest, "0123456789")
	switch {
	case len(rest) > 1 && strings.ContainsRune("-*+", rune(rest[0])) && (rest[1] == ' ' || rest[1] == '\t'):
		return indent, strings.TrimSpace(rest[2:]), true
	case len(digits) < len(rest) && len(rest)-len(digits) < 10 && (strings.HasPrefix(digits, ". ") || strings.HasPrefix(digits, ") ")):
		return indent, strings.TrimSpace(digits[2:]), true
	}
	return 0, "", false
}

// box reads a point of a list as a box to tick: the mark in it, and what stands behind it.
func box(text string) (mark byte, rest string, ok bool) {
	if rest, wide := strings.CutPrefix(text, "[\u3000]"); wide { // a blank of full width
		text = "[ ]" + rest
	}
	if len(text) < 3 || text[0] != '[' || text[2] != ']' || len(text) > 3 && text[3] != ' ' && !strings.HasPrefix(text[3:], "\u3000") {
		return 0, "", false
	}
	return text[1], strings.TrimSpace(text[3:]), true
}

const maxCriteria = 60

// criteria reads acceptance criteria: each point of a list is one, each line of a text without a list, and it all if it
// has too many lines. The marks of lists, boxes and numbers of Backlog.md are taken away. It also returns how many
// boxes were ticked.
func criteria(text string) (out []string, ticked int) {
	lists, boxes, at := false, false, 0
	for line := range strings.Lines(text) {
		_, point, ok := bullet(strings.TrimRight(line, "\r\n"))
		_, _, boxed := box(point)
		lists, boxes = lists || ok, boxes || ok && boxed
	}
	for line := range strings.Lines(text) {
		indent, _, _ := bullet(strings.TrimRight(line, "\r\n"))
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "<!--") {
			continue
		}
		point, isPoint := line, false
		if _, p, ok := bullet(line); ok {
			point, isPoint = p, true
		}
		mark, rest, boxed := box(point)
		if boxed {
			if point = rest; mark != ' ' {
				ticked++
			}
		}
		if number, ok := strings.CutPrefix(point, "#"); ok { // of Backlog.md, as in "#3 "
			if rest := strings.TrimLeft(number, "0123456789"); len(rest) < len(number) && strings.HasPrefix(rest, " ") {
				point = strings.TrimSpace(rest)
			}
		}
		switch below := isPoint && !boxed && boxes && indent > at && len(out) > 0; {
		case below: // it says more of the box above
			point, isPoint = line, false
		case isPoint:
			at = indent
		}
		if lists && !isPoint && len(out) > 0 {
			out[len(out)-1] += " " + point // the rest of the point above
			continue
		}
		out = append(out, point)
	}
	if len(out) > maxCriteria {
		return []string{strings.Join(out[:3], "; ") + "; and the rest of them, in the body"}, ticked
	}
	return out, ticked
}

// body joins parts of a text, each under a heading; a part without a heading stands alone, and an empty one is left
// out.
func body(parts ...[2]string) string {
	var out []string
	for _, p := range parts {
		text := strings.Trim(strings.ReplaceAll(p[1], "\r\n", "\n"), "\n")
		switch {
		case strings.TrimSpace(text) == "":
		case p[0] == "":
			out = append(out, text)
		default:
			out = append(out, "## "+p[0]+"\n\n"+text)
		}
	}
	return strings.Join(out, "\n\n")
}
