package cmdtest

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"
)

// The measures of a picture, in pixels.
const (
	cellWidth  = 8.4
	cellHeight = 19
	marginX    = 16
	marginTop  = 40 // with the bar of a window in it
	marginEnd  = 14
)

// colours of a picture, by the codes of a terminal.
var colours = map[string]string{"31": "#ff7b72", "32": "#7ee787", "35": "#d2a8ff", "36": "#56d4dd"}

// Picture is a screen of a terminal as SVG: lines of text with the codes that the board writes. It is the same for the
// same screen.
func Picture(lines []string, columns int) string {
	width, height := float64(columns)*cellWidth+2*marginX, len(lines)*cellHeight+marginTop+marginEnd
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" viewBox="0 0 %.0f %d" role="img" aria-label="cairn board in a terminal">`+"\n", width, height, width, height)
	b.WriteString("<style>text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:14px;fill:#e6edf3;white-space:pre}</style>\n")
	fmt.Fprintf(&b, `<rect width="%.0f" height="%d" rx="10" fill="#0d1117" stroke="#30363d"/>`+"\n", width, height)
	for i, fill := range []string{"#ff5f57", "#febc2e", "#28c840"} {
		fmt.Fprintf(&b, `<circle cx="%d" cy="18" r="6" fill="%s"/>`+"\n", 22+20*i, fill)
	}
	for y, line := range lines {
		pictureLine(&b, line, marginTop+y*cellHeight)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// pictureLine draws a line, run by run: text of one style.
func pictureLine(b *strings.Builder, line string, top int) {
	x, style := 0, []string(nil)
	for i, part := range strings.Split(line, "\x1b[") {
		if i > 0 {
			codes, rest, _ := strings.Cut(part, "m")
			style, part = strings.Split(codes, ";"), rest
		}
		n := runewidth.StringWidth(part)
		pictureRun(b, part, x, n, top, style)
		x += n
	}
}

func pictureRun(b *strings.Builder, text string, at, columns, top int, style []string) {
	x, width := marginX+float64(at)*cellWidth, float64(columns)*cellWidth
	attributes := ""
	for _, code := range style {
		if fill := colours[code]; fill != "" {
			attributes += ` style="fill:` + fill + `"`
		}
	}
	switch {
	case slices.Contains(style, "7"):
		fmt.Fprintf(b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="#e6edf3"/>`+"\n", x, top, width, cellHeight)
		attributes += ` style="fill:#0d1117"`
	case slices.Contains(style, "2"):
		attributes += ` opacity=".6"`
	}
	if slices.Contains(style, "1") {
		attributes += ` font-weight="bold"`
	}
	if strings.Trim(text, "━─") == "" && text != "" { // a line, so that no font leaves gaps in it
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="1.5"%s/>`+"\n", x, float64(top)+cellHeight/2.0, width, attributes+` fill="#e6edf3"`)
		return
	}
	for offset, word := range words(text) {
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" textLength="%.1f" lengthAdjust="spacingAndGlyphs"%s>%s</text>`+"\n",
			x+float64(offset)*cellWidth, float64(top)+14, float64(runewidth.StringWidth(word))*cellWidth, attributes, html.EscapeString(word))
	}
}

// words are the parts of a text that stand apart by two blanks or more, and in which column each begins.
func words(text string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		at := 0
		for text != "" {
			trimmed := strings.TrimLeft(text, " ")
			at += len(text) - len(trimmed)
			word, rest, more := strings.Cut(trimmed, "  ")
			if word != "" && !yield(at, word) {
				return
			}
			at += runewidth.StringWidth(word)
			if text = ""; more {
				text = "  " + rest
			}
		}
	}
}
