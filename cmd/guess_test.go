package cmd

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Each word that is no command leads to commands that exist, and none of the words is a command.
func TestGuessesNameCommands(t *testing.T) {
	root := (&program{Env: Env{Stdout: io.Discard}, out: &output{to: io.Discard}}).root()
	named := regexp.MustCompile(`cairn ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?`)
	guesses := map[string]string{}
	_, words, _ := strings.Cut(guessesText, "# words\n")
	words, _, _ = strings.Cut(words, "\n# ")
	for line := range strings.Lines(words) {
		before, _, ok := strings.Cut(line, ": ")
		if !ok || line[0] == ';' {
			continue
		}
		for word := range strings.FieldsSeq(before) {
			guesses[word] = guess("words", word)
		}
	}
	if len(guesses) < 200 {
		t.Errorf("there are %d words", len(guesses))
	}
	for word, hint := range guesses {
		if root.Command(word) != nil {
			t.Errorf("%s is a command, and stands among the words that are none", word)
		}
		for _, m := range named.FindAllStringSubmatch(hint, -1) {
			if slices.Contains([]string{"are", "is"}, m[1]) {
				continue // the folder .cairn
			}
			c := root.Command(m[1])
			if c == nil {
				t.Errorf("%s leads to cairn %s, which is no command", word, m[1])
				continue
			}
			if verbOfSentence := slices.Contains([]string{"make", "makes", "lets"}, m[2]); len(c.Commands) > 0 && m[2] != "" && !verbOfSentence && c.Command(m[2]) == nil {
				t.Errorf("%s leads to cairn %s %s, which is no command", word, m[1], m[2])
			}
		}
	}
}
