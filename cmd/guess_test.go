package cmd

import (
	"io"
	"regexp"
	"slices"
	"testing"
)

// Each word that is no command leads to commands that exist, and none of the words is a command.
func TestGuessesNameCommands(t *testing.T) {
	root := (&program{Env: Env{Stdout: io.Discard}, out: &output{to: io.Discard}}).root()
	named := regexp.MustCompile(`cairn ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?`)
	if len(guesses()) < 100 {
		t.Errorf("there are %d words", len(guesses()))
	}
	for word, hint := range guesses() {
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
