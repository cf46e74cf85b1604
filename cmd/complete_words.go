package cmd

import (
	"path"
	"strings"
)

// typedLine is a command line up to the cursor, as text: nothing in it was evaluated.
type typedLine struct {
	words []string // of the command under the cursor, without quotes; the last is being typed and may be ""
	open  bool     // the last word is inside quotes
	file  bool     // the last word is where output goes to, or input comes from
}

// readLine splits a line into words as shells do, and keeps those of the command under the cursor. Quotes and backslashes
// are taken away; variables, substitutions and patterns stay the text that they are. Redirections are left out.
func readLine(line string, escape rune) typedLine {
	var t typedLine
	var word strings.Builder
	var quote rune
	begun, escaped := false, false
	end := func() {
		if begun && !t.file {
			t.words = append(t.words, word.String())
		}
		if begun {
			t.file = false
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
			t.words, t.file = nil, false
		case r == '<' || r == '>':
			if strings.Trim(word.String(), "0123456789") != "" {
				end()
			}
			word.Reset()
			begun, t.file = false, true
		default:
			begun = true
			word.WriteRune(r)
		}
	}
	t.words = append(t.words, word.String())
	t.open = quote != 0
	return t
}

// afterProgram are the words behind the program's name, and false if the command is not cairn or its name is being typed.
func (t typedLine) afterProgram() ([]string, bool) {
	for i, word := range t.words[:len(t.words)-1] {
		name := strings.TrimSuffix(path.Base(strings.ReplaceAll(word, `\`, "/")), ".exe")
		if name == "cairn" {
			return t.words[i+1:], true
		}
	}
	return nil, false
}
