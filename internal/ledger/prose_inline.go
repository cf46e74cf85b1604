package ledger

import "strings"

// inline returns the text of a paragraph on one line. What is between backticks stays as it is; elsewhere blanks are
// one, a break is a blank, and what is emphasized by lines is so by stars.
func inline(text string) string {
	var out []byte
	var opened []int // where runs of lines in out begin that may open an emphasis
	text = trim(text)
	for i := 0; i < len(text); {
		c, n := text[i], 1
		switch {
		case c == '`' || c == '_':
			n = len(text[i:]) - len(strings.TrimLeft(text[i:], text[i:i+1]))
		case c == '\\' && i+1 < len(text):
			n = 2
		}
		run := text[i : i+n]
		after := byte(' ')
		if i+n < len(text) {
			after = text[i+n]
		}
		before := byte(' ')
		if i > 0 {
			before = text[i-1]
		}
		i += n
		switch {
		case c == '`':
			if end := closing(text[i:], run); end > 0 {
				run += text[i : i+end]
				i += end
			}
			out = append(out, strings.ReplaceAll(run, "\n", " ")...)
		case run == `\*`, run == `\_`:
			out = append(out, run[1])
		case isBlank(c) || n == 2 && c == '\\' && run[1] == '\n':
			if len(out) > 0 && out[len(out)-1] != ' ' {
				out = append(out, ' ')
			}
		case c == '_' && !isWord(after) && !isBlank(before) && popped(out, &opened, n):
			out = append(out, strings.Repeat("*", n)...)
		case c == '_':
			if !isWord(before) && !isBlank(after) {
				opened = append(opened, len(out))
			}
			out = append(out, run...)
		default:
			out = append(out, run...)
		}
	}
	return string(out)
}

// popped finds the newest run of n lines that opens an emphasis, and turns it into stars.
func popped(out []byte, opened *[]int, n int) bool {
	for k := len(*opened) - 1; k >= 0; k-- {
		at := (*opened)[k]
		end := at
		for end < len(out) && out[end] == '_' {
			end++
		}
		if end-at == n {
			copy(out[at:end], strings.Repeat("*", n))
			*opened = (*opened)[:k]
			return true
		}
	}
	return false
}

// closing is where a run of backticks like one that opens code ends; 0 if there is none.
func closing(text, run string) int {
	for i := 0; i < len(text); {
		n := len(text[i:]) - len(strings.TrimLeft(text[i:], "`"))
		if n == len(run) {
			return i + n
		}
		i += max(n, 1)
	}
	return 0
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

// isWord reports whether a byte is of a word: letters of other scripts have bytes above ASCII.
func isWord(c byte) bool {
	return c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}

// trim takes the blanks from both ends of a text.
func trim(text string) string { return strings.Trim(text, " \t\n") }
