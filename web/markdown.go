package web

import (
	"html/template"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-tasks/cairn/check/report/harmless"
)

// The most of a text that is read as Markdown. What is longer, or deeper, is shown as it stands.
const (
	markMost  = 256 << 10 // bytes
	markDepth = 12        // quotes and lists within one another
	markReach = 2 << 10   // bytes between the two ends of a link, of emphasis or of code in a line
)

// markdown is a text of a record as HTML: paragraphs, headings, lists, quotes, code, tables, links and emphasis. All
// other signs are shown as they stand, tags too, so the HTML holds no tag and no attribute of the text's own. Links lead
// to the web or to mail; an image is a link, since who fetches one is seen by its host.
func markdown(src string) template.HTML {
	src = harmless.Text(src)
	var m marks
	if len(src) > markMost {
		m.code(src)
	} else {
		m.blocks(strings.Split(strings.ReplaceAll(src, "\t", "    "), "\n"), 0)
	}
	return template.HTML(m.String()) //nolint:gosec // all that is not ours is escaped
}

// marks is the HTML so far.
type marks struct {
	strings.Builder
	level int // of the last heading, from 1; 0 before the first
}

func (m *marks) put(parts ...string) {
	for _, one := range parts {
		m.WriteString(one)
	}
}

func (m *marks) text(s string) { template.HTMLEscape(m, []byte(s)) }

func (m *marks) code(s string) {
	m.put(`<pre tabindex="0"><code>`)
	m.text(s)
	m.put("</code></pre>\n")
}

// blocks writes lines as blocks. A text below a list or a quote is made of blocks again.
func (m *marks) blocks(lines []string, depth int) {
	if depth > markDepth {
		m.code(strings.Join(lines, "\n"))
		return
	}
	for len(lines) > 0 {
		line := strings.TrimLeft(lines[0], " ")
		n := 1
		switch {
		case line == "":
		case fenceOf(line) != "":
			n = m.fence(lines)
		case indent(lines[0]) >= 4:
			n = m.indented(lines)
		case headingOf(line) > 0:
			m.heading(headingOf(line), strings.Trim(line, "# "))
		case isRule(line):
			m.put("<hr>\n")
		case strings.HasPrefix(line, ">"):
			n = m.quote(lines, depth)
		case itemOf(lines[0]) > 0:
			n = m.list(lines, depth)
		case len(lines) > 1 && strings.Contains(line, "|") && isDelimiter(lines[1]):
			n = m.table(lines)
		default:
			n = m.paragraph(lines)
		}
		lines = lines[n:]
	}
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// fenceOf is the fence that a line begins with; "" for none.
func fenceOf(line string) string {
	for _, sign := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, sign)); n >= 3 && (sign == "~" || !strings.Contains(line[n:], "`")) {
			return line[:n]
		}
	}
	return ""
}

func (m *marks) fence(lines []string) (n int) {
	fence, in, body := fenceOf(strings.TrimLeft(lines[0], " ")), indent(lines[0]), []string{}
	for n = 1; n < len(lines); n++ {
		if end := strings.TrimSpace(lines[n]); strings.HasPrefix(end, fence) && strings.Trim(end, fence[:1]) == "" {
			n++
			break
		}
		body = append(body, lines[n][min(in, indent(lines[n])):])
	}
	m.code(strings.Join(body, "\n"))
	return n
}

func (m *marks) indented(lines []string) (n int) {
	var body []string
	for n < len(lines) && (indent(lines[n]) >= 4 || strings.TrimSpace(lines[n]) == "") {
		body = append(body, lines[n][min(4, len(lines[n])):])
		n++
	}
	m.code(strings.TrimRight(strings.Join(body, "\n"), "\n "))
	return n
}

// headingOf is the level of a heading; 0 for another line.
func headingOf(line string) int {
	n := len(line) - len(strings.TrimLeft(line, "#"))
	if n > 6 || len(line) > n && line[n] != ' ' {
		return 0
	}
	return n
}

// heading writes a heading below those of the page itself. It is no more than one level below the one before, whatever
// the text says, so that whoever hears a page misses none.
func (m *marks) heading(level int, text string) {
	m.level = min(level, m.level+1, 4)
	tag := string(rune('0' + m.level + 2))
	m.put("<h", tag, ">")
	m.inline(text, 0)
	m.put("</h", tag, ">\n")
}

func isRule(line string) bool {
	bare := strings.ReplaceAll(line, " ", "")
	return len(bare) >= 3 && strings.ContainsAny(bare[:1], "-*_") && strings.Trim(bare, bare[:1]) == ""
}

func (m *marks) quote(lines []string, depth int) (n int) {
	var body []string
	for ; n < len(lines); n++ {
		rest, quoted := strings.CutPrefix(strings.TrimLeft(lines[n], " "), ">")
		if !quoted {
			break
		}
		body = append(body, strings.TrimPrefix(rest, " "))
	}
	m.put("<blockquote>\n")
	m.blocks(body, depth+1)
	m.put("</blockquote>\n")
	return n
}

// itemOf is where the text of a list's item begins in its line; 0 if the line begins none.
func itemOf(line string) int {
	at := indent(line)
	rest := line[at:]
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	switch {
	case at > 3 || rest == "" || isRule(rest):
		return 0
	case digits > 0 && digits < 10 && len(rest) > digits && (rest[digits] == '.' || rest[digits] == ')'):
		at += digits + 1
	case digits == 0 && strings.ContainsAny(rest[:1], "-*+"):
		at++
	default:
		return 0
	}
	if at < len(line) && line[at] != ' ' {
		return 0
	}
	return at + 1
}

func (m *marks) list(lines []string, depth int) (n int) {
	numbered := strings.ContainsAny(strings.TrimLeft(lines[0], " ")[:1], "0123456789")
	sort := func(line string) bool { return strings.ContainsAny(strings.TrimLeft(line, " ")[:1], "0123456789") }
	tag := map[bool]string{true: "ol", false: "ul"}[numbered]
	m.put("<", tag, ">\n")
	for n < len(lines) && itemOf(lines[n]) > 0 && sort(lines[n]) == numbered {
		at := itemOf(lines[n])
		body := []string{lines[n][min(at, len(lines[n])):]}
		n++
		for n < len(lines) && m.belongs(lines, n, at) {
			body = append(body, lines[n][min(at, indent(lines[n])):])
			n++
		}
		m.item(body, depth)
	}
	m.put("</", tag, ">\n")
	return n
}

// belongs reports whether a line goes on with the item of a list whose text begins at a column.
func (m *marks) belongs(lines []string, n, at int) bool {
	switch {
	case strings.TrimSpace(lines[n]) == "":
		return n+1 < len(lines) && strings.TrimSpace(lines[n+1]) != "" && indent(lines[n+1]) >= at
	case indent(lines[n]) >= at:
		return true
	default:
		return itemOf(lines[n]) == 0 && strings.TrimSpace(lines[n-1]) != "" && !startsBlock(lines[n])
	}
}

// item writes the body of an item. One line stands without a paragraph; a box before it says whether it is done.
func (m *marks) item(body []string, depth int) {
	m.put("<li>")
	for box, sign := range map[string]string{"[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ "} {
		if rest, ok := strings.CutPrefix(body[0], box); ok {
			body = slices.Clone(body)
			body[0] = rest
			m.put(sign)
		}
	}
	n := 0
	for n < len(body) && strings.TrimSpace(body[n]) != "" && !startsBlock(body[n]) && itemOf(body[n]) == 0 {
		n++
	}
	m.lines(body[:n])
	m.blocks(body[n:], depth+1)
	m.put("</li>\n")
}

// startsBlock reports whether a line ends the paragraph before it.
func startsBlock(line string) bool {
	bare := strings.TrimLeft(line, " ")
	return bare == "" || fenceOf(bare) != "" || headingOf(bare) > 0 || isRule(bare) || bare[0] == '>'
}

func (m *marks) paragraph(lines []string) (n int) {
	for n = 1; n < len(lines) && !startsBlock(lines[n]) && itemOf(lines[n]) == 0; n++ {
		if under := strings.TrimSpace(lines[n]); strings.Trim(under, "=") == "" {
			m.heading(1, strings.Join(lines[:n], " "))
			return n + 1
		}
	}
	m.put("<p>")
	m.lines(lines[:n])
	m.put("</p>\n")
	return n
}

func (m *marks) lines(lines []string) {
	for i, line := range lines {
		bare := strings.TrimRight(line, " ")
		if m.inline(strings.TrimLeft(bare, " "), 0); i+1 < len(lines) {
			m.put(map[bool]string{true: "<br>\n", false: "\n"}[len(line)-len(bare) >= 2])
		}
	}
}

// isDelimiter reports whether a line stands between the head of a table and its rows.
func isDelimiter(line string) bool {
	return strings.Contains(line, "-") && strings.Contains(line, "|") && strings.Trim(line, " |:-") == ""
}

func cellsOf(line string) []string {
	line = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "|"), "|")
	cells := strings.Split(strings.ReplaceAll(line, `\|`, "\x00"), "|")
	for i, cell := range cells {
		cells[i] = strings.TrimSpace(strings.ReplaceAll(cell, "\x00", "|"))
	}
	return cells
}

func (m *marks) table(lines []string) (n int) {
	row := func(line, tag string) {
		m.put("<tr>")
		for _, cell := range cellsOf(line) {
			m.put("<", tag, ">")
			m.inline(cell, 0)
			m.put("</", tag, ">")
		}
		m.put("</tr>\n")
	}
	m.put("<table><thead>")
	row(lines[0], "th")
	m.put("</thead><tbody>")
	for n = 2; n < len(lines) && strings.Contains(lines[n], "|"); n++ {
		row(lines[n], "td")
	}
	m.put("</tbody></table>\n")
	return n
}

// emphases are the signs around a text that say how it is written, the longer ones first.
var emphases = []struct{ sign, tag string }{{"**", "strong"}, {"__", "strong"}, {"~~", "del"}, {"*", "em"}, {"_", "em"}}

// inline writes a text within a line.
func (m *marks) inline(s string, depth int) {
	for plain := 0; ; {
		at := plain + strings.IndexAny(s[plain:], "\\`[!<*_~h")
		if at < plain || depth > markDepth {
			m.text(s)
			return
		}
		if n := m.mark(s, at, depth); n > 0 {
			s, plain = s[n:], 0
			continue
		}
		plain = at + 1
	}
}

// mark writes what stands before a sign and what the sign begins, and returns how much of the text that is; 0 if it
// begins nothing.
func (m *marks) mark(s string, at, depth int) int {
	rest := s[at:min(len(s), at+markReach)]
	switch {
	case len(rest) > 1 && rest[0] == '\\' && strings.IndexByte("\\`*_{}[]()<>#+-.!|~", rest[1]) >= 0:
		m.text(s[:at])
		m.text(rest[1:2])
		return at + 2
	case rest[0] == '`':
		run := rest[:len(rest)-len(strings.TrimLeft(rest, "`"))]
		if end := strings.Index(rest[len(run):], run); end > 0 {
			m.text(s[:at])
			m.put("<code>")
			m.text(strings.TrimSpace(rest[len(run) : len(run)+end]))
			m.put("</code>")
			return at + 2*len(run) + end
		}
	case rest[0] == '[' || strings.HasPrefix(rest, "!["):
		return m.link(s, at, rest, depth)
	case rest[0] == '<':
		if end := strings.IndexByte(rest, '>'); end > 0 && safeLink(rest[1:end]) != "" {
			m.text(s[:at])
			m.anchor(rest[1:end], rest[1:end])
			return at + end + 1
		}
	case strings.HasPrefix(rest, "http://") || strings.HasPrefix(rest, "https://"):
		end := strings.IndexFunc(rest, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("<>\"'`", r) })
		if end < 0 {
			end = len(rest)
		}
		address := strings.TrimRight(rest[:end], ".,;:!?)*_")
		if safeLink(address) != "" && (at == 0 || !isWordEnd(s[:at])) {
			m.text(s[:at])
			m.anchor(address, address)
			return at + len(address)
		}
	default:
		return m.emphasis(s, at, rest, depth)
	}
	return 0
}

func isWordEnd(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

func (m *marks) emphasis(s string, at int, rest string, depth int) int {
	for _, e := range emphases {
		inner, ok := strings.CutPrefix(rest, e.sign)
		if !ok || inner == "" || inner[0] == ' ' || e.sign[0] == '_' && at > 0 && isWordEnd(s[:at]) {
			continue
		}
		for from := 1; from < len(inner); {
			end := strings.Index(inner[from:], e.sign)
			if end < 0 {
				break
			}
			end += from
			after := inner[end+len(e.sign):]
			if inner[end-1] != ' ' && (e.sign[0] != '_' || after == "" || !unicode.IsLetter(firstRune(after))) && (len(e.sign) > 1 || !strings.HasPrefix(after, e.sign)) {
				m.text(s[:at])
				m.put("<", e.tag, ">")
				m.inline(inner[:end], depth+1)
				m.put("</", e.tag, ">")
				return at + 2*len(e.sign) + end
			}
			from = end + len(e.sign)
		}
	}
	return 0
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// link writes [text](address) and ![text](address), both as a link.
func (m *marks) link(s string, at int, rest string, depth int) int {
	open := strings.IndexByte(rest, '[')
	text, behind, ok := strings.Cut(rest[open+1:], "](")
	if !ok || strings.Contains(text, "\n") {
		return 0
	}
	address, _, ok := strings.Cut(behind, ")")
	if !ok {
		return 0
	}
	m.text(s[:at])
	to, _, _ := strings.Cut(strings.TrimSpace(address), " ")
	switch {
	case safeLink(to) == "":
		m.inline(text, depth+1)
	case text == "":
		m.anchor(to, "image")
	default:
		m.anchor(to, strings.Trim(text, "*_`"))
	}
	return at + open + 1 + len(text) + 2 + len(address) + 1
}

func (m *marks) anchor(to, text string) {
	m.put(`<a rel="noopener noreferrer" href="`)
	m.text(safeLink(to))
	m.put(`">`)
	m.text(text)
	m.put("</a>")
}

// safeLink is an address of the web or of mail; "" for anything else.
func safeLink(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "mailto" && (u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return ""
	}
	return u.String()
}
