package guard

import (
	"path"
	"slices"
	"strings"
)

// lookers are the programs that run nothing of what they read.
var lookers = []string{"grep", "egrep", "fgrep", "rg", "test", "[", "[[", "cat", "head", "tail", "wc", "cut", "tr", "sort", "jq", "echo", "printf", "true", "!"}

var (
	quoted  = &pattern{text: `'[^']*'|"(?:[^"\\]|\\.)*"`}
	nowhere = &pattern{text: `[0-9&]?>\s*(?:/dev/null|&[0-9])`}
	between = &pattern{text: `\n|;|&&|\|\|`}
	program = &pattern{text: `^\s*(?:(?:if|then|elif|else|!)\s+|\w+=[^\s$]*\s+)*([^\s"]+)`}
	rules   = &pattern{text: `(?:^|\s)(?:-\w*f|--(?:file|from-file)[= ]|--exclude-from[= ])\s*\S`}
)

// lookedAt lists the words of a text of the shell that name only what it looks at, such as a file in which grep finds a
// word. That file is the work itself: with the old one no such check passes. What a program of the repository, or a loop,
// may read too is not among them.
func lookedAt(text string) (words []string) {
	text = nowhere.re().ReplaceAllString(shorter.Replace(text), " ")
	masked := quoted.re().ReplaceAllStringFunc(text, func(q string) string {
		if q[0] == '"' && strings.ContainsAny(q, "$`") {
			return q
		}
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune("\n;|&(){}<>#", r) {
				return ' '
			}
			return r
		}, q)
	})
	units := []string{masked}
	if !strings.ContainsAny(masked, "(){}`") && !strings.Contains(masked, "<<") {
		units = between.re().Split(masked, -1)
	}
	count := map[string]int{}
	for _, unit := range units {
		for _, word := range slices.Concat(commandsIn(unit)...) {
			if looks(unit) {
				count[word]++
			}
		}
	}
	for _, word := range slices.Concat(commandsIn(text)...) {
		count[word]--
	}
	for word, n := range count {
		if n == 0 {
			words = append(words, word)
		}
	}
	return words
}

// looks reports whether all commands of a text only look, and none writes a file or takes what it does from one.
func looks(text string) bool {
	// What follows a substitution is more of the words before it.
	parts := strings.FieldsFunc(strings.ReplaceAll(text, ")", ";echo "), func(r rune) bool { return strings.ContainsRune("\n;|&({}`", r) })
	for _, part := range parts {
		found := program.re().FindStringSubmatch(part)
		if found == nil || !slices.Contains(lookers, path.Base(found[1])) || strings.Contains(part, ">") {
			return false
		}
		if name := path.Base(found[1]); (strings.HasSuffix(name, "grep") || name == "rg" || name == "jq") && rules.re().MatchString(part) {
			return false
		}
	}
	return len(parts) > 0
}
