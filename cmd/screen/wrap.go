package screen

import (
	"bytes"
	"io"
	"regexp"
	"strings"

	"github.com/mattn/go-runewidth"
)

// Wrapping is a stream of help: lines that are too wide are broken between words.
type Wrapping struct {
	To    io.Writer
	Width int    // 0 breaks nothing
	rest  []byte // a line that has not ended
}

func (w *Wrapping) Write(text []byte) (int, error) {
	if w.Width == 0 {
		return w.To.Write(text)
	}
	w.rest = append(w.rest, text...)
	for {
		line, rest, ended := bytes.Cut(w.rest, []byte("\n"))
		if !ended {
			return len(text), nil
		}
		w.rest = rest
		if _, err := io.WriteString(w.To, wrapColumn(string(line), w.Width)+"\n"); err != nil {
			return 0, err
		}
	}
}

// inColumn is a line of help with two columns: the indent and what is explained, the gap, and the explanation.
func inColumn() *regexp.Regexp { return regexp.MustCompile(`^( *\S+(?: \S+)*)( {2,})(\S.*)$`) }

// narrow is the least room for an explanation beside what it explains. With less it goes on the next lines.
const narrow = 36

// wrapColumn breaks a line of help. What it explains stays on the left, unless it is so long that the explanation has
// no room.
func wrapColumn(line string, width int) string {
	if runewidth.StringWidth(line) <= width {
		return line
	}
	indent := len(line) - len(strings.TrimLeft(line, " "))
	m := inColumn().FindStringSubmatch(line)
	if m == nil {
		return strings.Repeat(" ", indent) + WrapWords(strings.TrimLeft(line, " "), width-indent, strings.Repeat(" ", indent))
	}
	column := runewidth.StringWidth(m[1]) + len(m[2])
	if width-column >= narrow {
		return m[1] + m[2] + WrapWords(m[3], width-column, strings.Repeat(" ", column))
	}
	margin := strings.Repeat(" ", indent+6)
	return m[1] + "\n" + margin + WrapWords(m[3], width-len(margin), margin)
}

// markdownItem is the mark of an item of a list, with its indent.
func markdownItem() *regexp.Regexp { return regexp.MustCompile(`^ *(?:- |[0-9]+\. )?`) }

// WrapMarkdown breaks the paragraphs and items of a text in Markdown. Tables and headings stay.
func WrapMarkdown(text string, width int) string {
	if width == 0 {
		return text
	}
	out := strings.Split(text, "\n")
	item := markdownItem()
	for i, line := range out {
		if strings.HasPrefix(line, "|") || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "    ") {
			continue
		}
		mark := item.FindString(line)
		out[i] = mark + WrapWords(line[len(mark):], width-len(mark), strings.Repeat(" ", len(mark)))
	}
	return strings.Join(out, "\n")
}

// filled is a page whose paragraphs are one line each.
func filled(page string) (lines []string) {
	for _, line := range strings.Split(page, "\n") {
		last := len(lines) - 1
		if last < 0 || lines[last] == "" || strings.Contains(" #|", lines[last][:1]) || line == "" || strings.Contains(" #|-0123456789", line[:1]) {
			lines = append(lines, line)
		} else {
			lines[last] += " " + line
		}
	}
	return lines
}

// WrapTopic is WrapMarkdown for a page of ours, whose code has commands with what they do beside them: that is broken
// as in help. Code without a second column stays whole, so that it can be copied. The lines of a paragraph are one.
func WrapTopic(text string, width int) string {
	if width == 0 {
		return text
	}
	out := strings.Split(WrapMarkdown(strings.Join(filled(text), "\n"), width), "\n")
	for i, line := range out {
		if strings.HasPrefix(line, "    ") && inColumn().MatchString(line) {
			out[i] = wrapColumn(line, width)
		}
	}
	return strings.Join(out, "\n")
}

// WrapWords breaks a text between words into lines of a width, each but the first behind a margin. A word that is
// longer stays whole.
func WrapWords(text string, width int, margin string) string {
	var b strings.Builder
	at := 0
	for i, word := range strings.Fields(text) {
		n := runewidth.StringWidth(word)
		switch {
		case i == 0:
		case at+1+n > width:
			b.WriteString("\n" + margin)
			at = 0
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}
