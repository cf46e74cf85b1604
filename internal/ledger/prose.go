package ledger

import (
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Prose returns a body in its normal form: without the layout of Markdown that says nothing, and which formatters
// change. docs/format.md has the rules. Bodies that say different words, or the same in another order, have different
// normal forms, and so have those whose blocks of code differ in any byte.
func Prose(body string) string {
	return strings.Join(blocks(strings.Split(record.CleanBody(body), "\n"), false), "\n")
}

// block is a part of a body between empty lines.
type block struct {
	lines []string
	item  *item // of a list; nil for any other
}

// blocks returns the normal form of some lines, which may be those of an item.
func blocks(lines []string, inItem bool) (out []string) {
	var last *item
	for len(lines) > 0 {
		b, n := next(lines)
		lines = lines[n:]
		if b.lines == nil {
			continue
		}
		if len(out) > 0 && (b.item == nil || last == nil && !inItem) {
			out = append(out, "")
		}
		if last != nil && b.item != nil && last.ends == b.item.ends {
			b.item.number = last.number + 1 // whatever it says
		}
		if last = b.item; b.item != nil {
			b.lines = under(b.item.mark(), b.lines)
		}
		out = append(out, b.lines...)
	}
	return out
}

// under puts a mark before the first line, and as many blanks before the others.
func under(mark string, lines []string) []string {
	for i, line := range lines {
		if i > 0 {
			mark = strings.Repeat(" ", len(mark))
		}
		if lines[i] = mark + line; line == "" {
			lines[i] = strings.TrimRight(mark, " ")
		}
	}
	return lines
}

// next reads the block at the beginning of some lines, and says how many they are. What is not a block has no lines.
func next(lines []string) (block, int) {
	line := lines[0]
	text := trim(line)
	switch {
	case text == "":
		return block{}, 1
	case indent(line) >= 4:
		return indented(lines)
	case fence(line) != "":
		return fenced(lines)
	case isRule(text):
		return block{lines: []string{"---"}}, 1
	case heading(text) > 0:
		return block{lines: []string{titled(heading(text), strings.TrimLeft(text, "#"))}}, 1
	case text[0] == '>':
		inner, n := quoted(lines)
		out := orEmpty(blocks(inner, false))
		for i := range out {
			out[i] = "> " + out[i]
		}
		return block{lines: out}, n
	case isHTML(text):
		return html(lines)
	case definition(text):
		return block{lines: []string{inline(text)}}, 1
	}
	if it := itemOf(line); it != nil {
		inner, n := it.content(lines)
		return block{orEmpty(blocks(inner, true)), it}, n
	}
	if len(lines) > 1 && strings.Contains(text, "|") && columns(lines[1]) != nil {
		return table(lines)
	}
	return paragraph(lines)
}

// orEmpty are some lines, at least one.
func orEmpty(lines []string) []string {
	if len(lines) == 0 {
		return []string{""}
	}
	return lines
}

// indent is how many columns of blanks a line begins with.
func indent(line string) (columns int) {
	for _, c := range []byte(line) {
		switch c {
		case ' ':
			columns++
		case '\t':
			columns += 4 - columns%4
		default:
			return columns
		}
	}
	return columns
}

// cut takes up to so many columns of blanks from the beginning of a line.
func cut(line string, columns int) string {
	for at := 0; at < columns && line != "" && (line[0] == ' ' || line[0] == '\t'); {
		wide := 1
		if line[0] == '\t' {
			wide = 4 - at%4
		}
		at += wide
		line = strings.Repeat(" ", max(0, at-columns)) + line[1:]
	}
	return line
}

// indented reads a block of code whose lines begin with four blanks.
func indented(lines []string) (block, int) {
	n := 0
	for i, line := range lines {
		if trim(line) != "" {
			if indent(line) < 4 {
				break
			}
			n = i + 1
		}
	}
	out := make([]string, n)
	for i, line := range lines[:n] {
		out[i] = strings.Repeat(" ", 4) + cut(line, 4)
	}
	return block{lines: out}, n
}

// fence is the mark with which a line opens a fenced block of code; "" if it opens none.
func fence(line string) string {
	text := strings.TrimLeft(line, " ")
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(text, c)
		if n := len(text) - len(rest); n >= 3 && indent(line) < 4 && (c == "~" || !strings.Contains(rest, c)) {
			return text[:n]
		}
	}
	return ""
}

// fenced reads a fenced block of code. It gets a fence that is longer than any run of its mark in the code.
func fenced(lines []string) (block, int) {
	mark, in := fence(lines[0]), indent(lines[0])
	out, n, long := []string{""}, len(lines), 3
	for i, line := range lines[1:] {
		if end := trim(line); len(end) >= len(mark) && strings.Trim(end, mark[:1]) == "" && indent(line) < 4 {
			n = i + 2
			break
		}
		for run := long; strings.Contains(line, strings.Repeat("`", run)); run++ {
			long = run + 1
		}
		out = append(out, cut(line, in))
	}
	if len(out) == 2 && out[1] == "" {
		out = out[:1]
	}
	open := strings.Repeat("`", long)
	out[0] = open + trim(strings.TrimLeft(trim(lines[0]), mark[:1]))
	return block{lines: append(out, open)}, n
}

// isRule reports whether a line is one across the page.
func isRule(text string) bool {
	bare := strings.NewReplacer(" ", "", "\t", "").Replace(text)
	return len(bare) >= 3 && strings.ContainsAny(bare[:1], "-*_") && strings.Trim(bare, bare[:1]) == ""
}

// heading is the level of a heading; 0 for none.
func heading(text string) int {
	rest := strings.TrimLeft(text, "#")
	if level := len(text) - len(rest); level <= 6 && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
		return level
	}
	return 0
}

// titled writes a heading.
func titled(level int, text string) string {
	text = trim(text)
	if bare := strings.TrimRight(text, "#"); bare == "" || strings.TrimRight(bare, " \t") != bare {
		text = bare
	}
	return strings.TrimRight(strings.Repeat("#", level)+" "+inline(text), " ")
}

// quoted takes the marks from the lines of a quotation.
func quoted(lines []string) (inner []string, n int) {
	for ; n < len(lines); n++ {
		text := strings.TrimLeft(lines[n], " \t")
		if rest, ok := strings.CutPrefix(text, ">"); ok && indent(lines[n]) < 4 {
			inner = append(inner, cut(rest, 1))
		} else if text == "" || trim(inner[n-1]) == "" || begins(lines[n]) {
			break
		} else {
			inner = append(inner, text) // a paragraph goes on
		}
	}
	return inner, n
}

// item is the mark of an item of a list.
type item struct {
	number int
	ends   string // of its number, "." or ")"; "" for one without
	width  int    // in which column its text begins
	text   string // of its first line
}

func itemOf(line string) *item {
	text := strings.TrimLeft(line, " \t")
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	if digits >= len(text) || digits > 9 || indent(line) >= 4 {
		return nil
	}
	it, sign := &item{}, text[digits:digits+1]
	switch {
	case digits > 0 && strings.Contains(".)", sign):
		it.number, _ = strconv.Atoi(text[:digits])
		it.ends = sign
	case digits > 0 || !strings.Contains("-*+", sign):
		return nil
	}
	rest := text[digits+1:]
	if it.text = strings.TrimLeft(rest, " \t"); it.text != "" && it.text == rest {
		return nil
	}
	it.width = indent(line) + digits + 1
	if blanks := indent(strings.Repeat(" ", it.width)+rest) - it.width; it.text != "" && blanks <= 4 {
		it.width += blanks
	} else {
		it.width++ // nothing, or a block of code
		it.text = cut(rest, 1)
	}
	return it
}

func (it *item) mark() string {
	if it.ends == "" {
		return "- "
	}
	return strconv.Itoa(it.number) + it.ends + " "
}

// content takes the mark of an item, and the blanks below it, from its lines.
func (it *item) content(lines []string) (inner []string, n int) {
	inner = []string{it.text}
	for n = 1; n < len(lines); n++ {
		blank, before := trim(lines[n]) == "", trim(lines[n-1]) == ""
		switch {
		case blank:
			inner = append(inner, "")
		case indent(lines[n]) >= it.width:
			inner = append(inner, cut(lines[n], it.width))
		case before, begins(lines[n]), it.follows(lines[n]), open(inner):
			return inner, n
		default:
			inner = append(inner, strings.TrimLeft(lines[n], " \t")) // a paragraph goes on
		}
	}
	return inner, n
}

// follows reports whether a line begins the next item of the same list.
func (it *item) follows(line string) bool {
	other := itemOf(line)
	return other != nil && other.ends == it.ends
}

// open reports whether a fenced block of code has no end in some lines.
func open(lines []string) bool {
	mark := ""
	for _, line := range lines {
		switch end := trim(line); {
		case mark == "":
			mark = fence(line)
		case len(end) >= len(mark) && strings.Trim(end, mark[:1]) == "":
			mark = ""
		}
	}
	return mark != ""
}

// begins reports whether a line below a paragraph begins a block of its own.
func begins(line string) bool {
	text := trim(line)
	if it := itemOf(line); it != nil && it.text != "" && (it.ends == "" || it.number == 1) {
		return true
	}
	marked := isRule(text) || heading(text) > 0 || strings.HasPrefix(text, ">")
	return indent(line) < 4 && (marked || fence(line) != "" || endOfHTML(text) != "")
}

// endOfHTML is what ends the HTML that begins with a line; "" if an empty line does, or the line begins none.
func endOfHTML(text string) string {
	low := strings.ToLower(text)
	for _, tag := range []string{"pre", "script", "style", "textarea"} {
		if strings.HasPrefix(low, "<"+tag) {
			return "</" + tag + ">"
		}
	}
	if strings.HasPrefix(low, "<!--") {
		return "-->"
	}
	return ""
}

// isHTML reports whether a line begins HTML, and no address in pointed brackets.
func isHTML(text string) bool {
	name := strings.TrimLeft(strings.TrimPrefix(text, "<"), "/!?")
	tag, _, _ := strings.Cut(strings.TrimRight(name, ">"), " ")
	return text[0] == '<' && name != "" && !strings.ContainsAny(tag, ":@")
}

// html reads HTML, which stays as it is.
func html(lines []string) (block, int) {
	end := endOfHTML(trim(lines[0]))
	for n, line := range lines {
		if end != "" && strings.Contains(strings.ToLower(line), end) {
			return block{lines: lines[:n+1]}, n + 1
		}
		if end == "" && trim(line) == "" {
			return block{lines: lines[:n]}, n
		}
	}
	return block{lines: lines}, len(lines)
}

// definition reports whether a line says where a reference leads.
func definition(text string) bool {
	name, _, ok := strings.Cut(text, "]: ")
	return ok && strings.HasPrefix(name, "[") && !strings.Contains(name, "]")
}

// columns reads the line below the head of a table: the side to which each column is set. It is nil for any other line.
func columns(line string) (sides []string) {
	for _, cell := range cells(line) {
		if line := strings.TrimSuffix(strings.TrimPrefix(cell, ":"), ":"); line == "" || strings.Trim(line, "-") != "" {
			return nil
		}
		side := "---"
		if cell[0] == ':' {
			side = ":" + side
		}
		if cell[len(cell)-1] == ':' {
			side += ":"
		}
		sides = append(sides, side)
	}
	if !strings.Contains(line, "|") {
		return nil
	}
	return sides
}

// cells splits a row of a table.
func cells(line string) (out []string) {
	text := strings.TrimPrefix(trim(line), "|")
	cell := ""
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text):
			cell += text[i : i+2]
			i++
		case text[i] == '|':
			out = append(out, inline(cell))
			cell = ""
		default:
			cell += text[i : i+1]
		}
	}
	if cell = inline(cell); cell != "" {
		out = append(out, cell)
	}
	return out
}

// table reads a table.
func table(lines []string) (block, int) {
	sides := columns(lines[1])
	var out []string
	for n, line := range lines {
		if n > 1 && (trim(line) == "" || begins(line)) {
			return block{lines: out}, n
		}
		row := cells(line)
		for len(row) < len(sides) {
			row = append(row, "")
		}
		if n == 1 {
			row = sides
		}
		out = append(out, "| "+strings.Join(row, " | ")+" |")
	}
	return block{lines: out}, len(lines)
}

// paragraph reads a paragraph, or a heading that is underlined.
func paragraph(lines []string) (block, int) {
	text := trim(lines[0])
	for n, line := range lines[1:] {
		next := trim(line)
		if indent(line) < 4 && next != "" && (strings.Trim(next, "=") == "" || strings.Trim(next, "-") == "") {
			level := 1
			if next[0] == '-' {
				level = 2
			}
			return block{lines: []string{titled(level, text)}}, n + 2
		}
		if next == "" || begins(line) {
			return block{lines: []string{inline(text)}}, n + 1
		}
		text += "\n" + next
	}
	return block{lines: []string{inline(text)}}, len(lines)
}
