package cmd

import (
	"bytes"
	"crypto/rand"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/cmd/complete"
	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/verb/guide"
	"github.com/cairn-tasks/cairn/store"
	"github.com/urfave/cli/v3"
)

// typed is a command line in a topic: indented, and perhaps with a remark behind three spaces.
var typed = regexp.MustCompile(`(?m)^    (cairn .*?)(?:   .*)?$`)

// runTopic runs a command line in a folder.
func runTopic(t *testing.T, dir string, args ...string) (int, string) {
	t.Helper()
	var out bytes.Buffer
	exit := Main(t.Context(), Env{
		Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Dir: dir, Now: time.Now, Rand: rand.Reader,
		Getenv: func(name string) string { return map[string]string{"CAIRN_ACTOR": "human:ada", "HOME": dir}[name] },
	})
	return exit, out.String()
}

// Every command in a topic exists, with its flags, and a topic is not a page: it fits a screen or little more.
func TestTopics(t *testing.T) {
	p := &program{Env: Env{Stdout: &bytes.Buffer{}, Getenv: func(string) string { return "" }}}
	p.out = &output{to: p.Stdout}
	for _, word := range append(peoplesTopics(), exitCodesWord) {
		text, ok := topic(word)
		if !ok || !strings.HasPrefix(text, "# ") || len(text) > 3000 {
			t.Errorf("%s has %d bytes: %.20q", word, len(text), text)
		}
		if p.root().Command(word) != nil {
			t.Errorf("help %s is about the command", word)
		}
		for _, m := range typed.FindAllStringSubmatch(text, -1) {
			if wrong := unknownIn(p.root(), m[1]); wrong != "" {
				t.Errorf("%s: %q: there is no %s", word, m[1], wrong)
			}
		}
	}
}

// The manual for agents speaks of commands at the command line: no call is left in it, and each command can be typed.
func TestGuideSpeaksOfCommands(t *testing.T) {
	p := &program{Env: Env{Stdout: &bytes.Buffer{}, Getenv: func(string) string { return "" }}}
	p.out = &output{to: p.Stdout}
	commands, call := 0, regexp.MustCompile("`[a-z_]+\\([^`]*`")
	for _, word := range guide.Topics {
		text, err := guide.Text(word)
		if err != nil {
			t.Fatal(err)
		}
		text = catalogue.ForPeople(text)
		if left := call.FindString(text); left != "" {
			t.Errorf("%s: %s is left", word, left)
		}
		for _, m := range regexp.MustCompile("`(cairn [^`]+)`").FindAllStringSubmatch(text, -1) {
			commands++
			if wrong := unknownIn(p.root(), m[1]); wrong != "" {
				t.Errorf("%s: %q: there is no %s", word, m[1], wrong)
			}
		}
	}
	if commands < 100 {
		t.Errorf("it names %d commands", commands)
	}
	for before, want := range map[string]string{
		"`finish(session, next)`; `next`, and `summary`": "`cairn finish SESSION --next NEXT`; `--next`, and `SUMMARY`",
		"`wait(ready: true)` or `next`, not `body`":      "`cairn wait --ready` or `cairn next`, not `body`",
	} {
		if got := catalogue.ForPeople(before); got != want {
			t.Errorf("%s: got %s, want %s", before, got, want)
		}
	}
}

// unknownIn is the first word of a command line that is no command or flag where one should stand, or "".
func unknownIn(root *cli.Command, line string) string {
	words := complete.ReadLine(line, '\\').Words[1:]
	c := root.Command(words[0])
	if c == nil {
		return words[0]
	}
	for _, word := range words[1:] {
		if sub := c.Command(word); sub != nil {
			c = sub
			continue
		}
		name, flag := strings.CutPrefix(word, "--")
		known := !flag || name == "help"
		for _, f := range append(c.Flags, root.Flags...) {
			known = known || strings.Contains(" "+strings.Join(f.Names(), " ")+" ", " "+name+" ")
		}
		if !known {
			return word
		}
	}
	return ""
}

// The examples that can be run as they stand are run: the plan, the template and what is typed about times.
func TestExamplesOfTopics(t *testing.T) {
	dir := t.TempDir()
	if _, _, err := store.Init(dir, "WALL"); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("walls.yaml", exampleIn(t, "plans", "tasks:", "type: manual}"))
	write(".cairn/templates/bug.md", exampleIn(t, "templates", "---", "## What should happen"))
	ran := 0
	for _, word := range []string{"plans", "templates", "times"} {
		text, _ := topic(word)
		for _, m := range typed.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "PLAN") || strings.Contains(m[1], " propose ") {
				continue // which needs an answer before it
			}
			words := complete.ReadLine(m[1], '\\').Words[1:]
			if exit, out := runTopic(t, dir, words...); exit != 0 {
				t.Errorf("%s: %s exits with %d: %s", word, m[1], exit, out)
			}
			ran++
		}
	}
	if ran < 7 {
		t.Errorf("%d examples were run", ran)
	}
	for _, wanted := range []string{"Paint the wall", "The total is wrong", "Pay the invoice"} {
		if _, out := runTopic(t, dir, "list", "--all"); !strings.Contains(out, wanted) {
			t.Errorf("%s was not made: %s", wanted, out)
		}
	}
}

// exampleIn is what a topic shows from a line on to one that ends in a text, without its indentation.
func exampleIn(t *testing.T, word, from, to string) string {
	t.Helper()
	text, _ := topic(word)
	_, rest, begun := strings.Cut(text, "\n    "+from+"\n")
	rest, _, ended := strings.Cut(rest, to+"\n")
	if !begun || !ended {
		t.Fatalf("%s shows nothing from %q to %q", word, from, to)
	}
	return strings.ReplaceAll("\n"+from+"\n"+rest+to+"\n", "\n    ", "\n")[1:]
}

var variable = regexp.MustCompile(`"(CAIRN_[A-Z]+)["=]`)

// Every variable of ours that the program reads or sets is explained.
func TestTheEnvironmentIsExplained(t *testing.T) {
	text, _ := topic("environment")
	found := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "test") {
			return err
		}
		src, err := os.ReadFile(path)
		for _, m := range variable.FindAllStringSubmatch(string(src), -1) {
			found[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range found {
		if !strings.Contains(text, "    "+name+" ") {
			t.Errorf("%s is not explained", name)
		}
	}
	if len(found) < 5 {
		t.Errorf("only %v was found", found)
	}
}

// A word that is no topic names the nearest one, and other words for a topic are taken.
func TestNearestTopic(t *testing.T) {
	dir := t.TempDir()
	for typed, want := range map[string]string{"topi": "cairn help topics", "gat": "cairn help gates", "environmen": "cairn help environment", "exit-cods": "cairn help exit-codes", "statu": "cairn help status"} {
		if exit, out := runTopic(t, dir, "help", typed); exit != 2 || !strings.Contains(out, "did you mean "+want+"?") {
			t.Errorf("help %s exits with %d: %s", typed, exit, out)
		}
	}
	for typed, want := range map[string]string{"env": "CAIRN_ACTOR", "format": ".cairn/config.yaml", "exit": "interrupted", "where": "cairn list --where FILTER"} {
		if exit, out := runTopic(t, dir, "help", typed); exit != 0 || !strings.Contains(out, want) {
			t.Errorf("help %s exits with %d: %s", typed, exit, out)
		}
	}
}
