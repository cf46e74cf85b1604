package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"
)

var (
	fencedBlock = regexp.MustCompile("(?ms)^```(?:sh|console|bash)\n(.*?)^```$")
	inlineCode  = regexp.MustCompile("`(cairn [^`\n]+)`")
	flagWord    = regexp.MustCompile(`^--?[A-Za-z][a-z-]*`)
)

// Every command that a page names is one, and has the flags that it is shown with.
func TestCommandsOnPages(t *testing.T) {
	p := &program{Env: Env{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}, Getenv: func(string) string { return "" }}}
	p.out = &output{to: p.Stdout}
	root := p.root()
	tried := 0
	for _, page := range userPages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range commandLines(string(text)) {
			tried++
			if wrong := wrongIn(root, line); wrong != "" {
				t.Errorf("%s: %q: %s", page, line, wrong)
			}
		}
	}
	if tried < 100 {
		t.Errorf("%d commands were tried", tried)
	}
}

// userPages are the pages for users. A decision tells of its time, and so does the list of changes.
func userPages(t *testing.T) []string {
	t.Helper()
	pages := []string{filepath.Join("..", "README.md")}
	for _, pattern := range []string{"*.md", "how-to/*.md"} {
		found, err := filepath.Glob(filepath.Join("..", "docs", pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("no page is called %s (%v)", pattern, err)
		}
		pages = append(pages, found...)
	}
	return pages
}

// commandLines are the lines of a page that begin with the program's name: in blocks for a shell, and in code within a
// sentence.
func commandLines(text string) []string {
	var out []string
	for _, b := range fencedBlock.FindAllStringSubmatch(text, -1) {
		for line := range strings.Lines(strings.ReplaceAll(b[1], "\\\n", " ")) {
			for part := range strings.SplitSeq(strings.TrimPrefix(strings.TrimSpace(line), "$ "), " && ") {
				if strings.HasPrefix(part, "cairn ") {
					out = append(out, part)
				}
			}
		}
	}
	for _, code := range inlineCode.FindAllStringSubmatch(text, -1) {
		out = append(out, code[1])
	}
	return out
}

// wrongIn says what of a line is no command or no flag; "" for nothing. Words in quotes, comments, and what follows
// another command's sign are not looked at.
func wrongIn(root *cli.Command, line string) string {
	line = regexp.MustCompile(`'[^']*'|"[^"]*"`).ReplaceAllString(line, "TEXT")
	line, _, _ = strings.Cut(line, " #")
	line = strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune("|;><", r) })[0]
	words := strings.Fields(line)[1:]
	at := root
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case word == "--":
			return ""
		case flagWord.MatchString(word):
			name := strings.TrimLeft(flagWord.FindString(word), "-")
			flag := flagOf(append(slices.Clone(at.Flags), root.Flags...), name)
			if flag == nil {
				if name == "help" || name == "h" || name == "version" {
					return ""
				}
				return "there is no flag " + word
			}
			if _, isBool := flag.(*cli.BoolFlag); !isBool && !strings.Contains(word, "=") {
				i++
			}
		case at == root && regexp.MustCompile(`^[a-z-]+$`).MatchString(word):
			if at = root.Command(word); at == nil {
				return "there is no command " + word
			}
		case at == root:
			return "" // a word that stands for a command
		case at != root && at.Command(word) != nil:
			at = at.Command(word)
		}
	}
	return ""
}

func flagOf(flags []cli.Flag, name string) cli.Flag {
	for _, f := range flags {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}
