package complete

import (
	"path"
	"strings"

	"github.com/cairn-tasks/cairn/check/report/harmless"
)

// Fitting are the candidates that begin with the word; if there are none, the one that contains it, if there is only
// one. Values with characters that are not shown as they are, are left out.
func Fitting(all []Candidate, word string) []Candidate {
	var begins, contains []Candidate
	for _, one := range all {
		switch {
		case one.Value == "" || harmless.Line(one.Value) != one.Value:
		case strings.HasPrefix(one.Value, word):
			begins = append(begins, one)
		case strings.Contains(strings.ToLower(one.Value), strings.ToLower(word)):
			contains = append(contains, one)
		}
	}
	if len(begins) == 0 && len(contains) == 1 {
		return contains
	}
	return begins[:min(len(begins), Most)]
}

// BrokenAt is how many bytes of the word bash keeps. It replaces only what follows the last of the characters that
// break words.
func BrokenAt(word, breaks string) int {
	for _, quote := range " \t\n\"'><=;|&(:" {
		if !strings.ContainsRune("=:", quote) {
			breaks = strings.ReplaceAll(breaks, string(quote), "")
		}
	}
	return strings.LastIndexAny(word, breaks) + 1
}

// ForBash quotes a value for bash. Inside quotes it returns false for everything but plain text.
func ForBash(value string, open bool) (string, bool) {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=+,@%"
	if open {
		return value, strings.Trim(value, plain+" <>~()") == ""
	}
	var b strings.Builder
	for _, r := range value {
		if r < 0x80 && !strings.ContainsRune(plain, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String(), true
}

// TypedLine is a command line up to the cursor, as text that is not evaluated.
type TypedLine struct {
	Words []string // of the command at the cursor, without quotes; the last is being typed and may be ""
	Open  bool     // the last word is inside quotes
	File  bool     // the last word is the file of a redirection
}

// ReadLine splits a line into words as shells do, and keeps those of the command at the cursor. It removes quotes,
// escapes and redirections. Variables, substitutions and patterns stay as they were typed.
func ReadLine(line string, escape rune) TypedLine {
	var t TypedLine
	var word strings.Builder
	var quote rune
	begun, escaped := false, false
	end := func() {
		if begun && !t.File {
			t.Words = append(t.Words, word.String())
		}
		if begun {
			t.File = false
		}
		word.Reset()
		begun = false
	}
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == escape && quote != '\'':
			begun, escaped = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			begun, quote = true, r
		case strings.ContainsRune(" \t\r", r):
			end()
		case strings.ContainsRune(";|&\n", r):
			end()
			t.Words, t.File = nil, false
		case r == '<' || r == '>':
			if strings.Trim(word.String(), "0123456789") != "" {
				end()
			}
			word.Reset()
			begun, t.File = false, true
		default:
			begun = true
			word.WriteRune(r)
		}
	}
	t.Words = append(t.Words, word.String())
	t.Open = quote != 0
	return t
}

// AfterProgram are the words after the program's name. It returns false if the command is not cairn or its name is
// being typed.
func (t TypedLine) AfterProgram() ([]string, bool) {
	for i, word := range t.Words[:len(t.Words)-1] {
		name := strings.TrimSuffix(path.Base(strings.ReplaceAll(word, `\`, "/")), ".exe")
		if name == "cairn" {
			return t.Words[i+1:], true
		}
	}
	return nil, false
}
