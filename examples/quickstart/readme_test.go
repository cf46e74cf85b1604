package main

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/cmd"
)

const readme = "../../README.md"

// readmeShows holds the README's session against what really happened: each of its lines stands in the story, in that
// order. Ids, times and hashes differ from run to run; a line that ends in … is the beginning of one.
func readmeShows(t *testing.T, told string) {
	session := blockAfter(t, "<!-- session -->")
	if len(session) < 20 {
		t.Fatalf("the README's session has %d lines", len(session))
	}
	rest := strings.Split(steady(told), "\n")
	for _, line := range session {
		want := steady(line)
		if want == "" || want == "…" {
			continue
		}
		if rest = after(rest, want); rest == nil {
			t.Fatalf("the README shows a line that is not in the story, or not there:\n%s", line)
		}
	}
}

// after returns what follows the first line that a line of the README stands for, or nil.
func after(lines []string, want string) []string {
	start, cut := strings.CutSuffix(want, "…")
	for i, line := range lines {
		if line == want || cut && strings.HasPrefix(line, start) {
			return lines[i+1:]
		}
	}
	return nil
}

var unsteady = []struct {
	form *regexp.Regexp
	name string
}{
	{regexp.MustCompile(`(SHOP|ses)-[0-9a-z]{14}`), "$1-ID"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`), "TIME"},
	{regexp.MustCompile(`(?m)^(\$ cairn (?:start|done|attest)) [0-9a-z]{4,14}\b`), "$1 ID"},
	{regexp.MustCompile(`--dep [0-9a-z]{4,14}\b`), "--dep ID"},
	{regexp.MustCompile(`\d+\.\d+ ?s\b`), "SECONDS"},
	{regexp.MustCompile(`'?[0-9a-f]{16,64}'?`), "HASH"},
}

// steady replaces what differs from run to run.
func steady(text string) string {
	for _, u := range unsteady {
		text = u.form.ReplaceAllString(text, u.name)
	}
	return text
}

func TestREADMECommandsForAFreshMachine(t *testing.T) {
	for marker, want := range map[string]string{
		"<!-- run -->":  "go run ./examples/quickstart",
		"<!-- test -->": "go test ./...",
	} {
		if got := strings.Join(blockAfter(t, marker), "\n"); got != want {
			t.Errorf("after %s stands %q, want %q", marker, got, want)
		}
	}
}

// Every command that the README types, and every flag on it, is one that the program explains in its help.
func TestREADMECommandsExist(t *testing.T) {
	typed := commandsIn(t)
	if len(typed) < 10 {
		t.Fatalf("the README types %d commands", len(typed))
	}
	for _, line := range typed {
		words := strings.Fields(line)[1:]
		for strings.HasPrefix(words[0], "-") {
			words = words[2:] // a flag of the program, and its value
		}
		help := helpOf(t, words[0])
		for _, word := range words[1:] {
			flag, _, _ := strings.Cut(word, "=")
			if strings.HasPrefix(flag, "--") && !strings.Contains(help, flag+" ") {
				t.Errorf("%s: cairn %s has no flag %s", line, words[0], flag)
			}
		}
	}
}

var typedCommand = regexp.MustCompile(`(?m)^(?:\$ )?(cairn .*?)(?: +#.*)?$`)

// commandsIn are the lines of the README's code blocks that begin with the program's name.
func commandsIn(t *testing.T) []string {
	var out []string
	for i, block := range strings.Split(readREADME(t), "```") {
		if i%2 == 0 {
			continue // between two blocks
		}
		whole := strings.ReplaceAll(block, "\\\n", " ") // a line that goes on after a backslash
		for _, hit := range typedCommand.FindAllStringSubmatch(whole, -1) {
			out = append(out, hit[1])
		}
	}
	return out
}

func helpOf(t *testing.T, command string) string {
	var out, problems bytes.Buffer
	exit := cmd.Main(context.Background(), cmd.Env{
		Args: []string{"help", command}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &problems,
		Getenv: func(string) string { return "" }, Dir: t.TempDir(), Now: time.Now,
	})
	if exit != 0 {
		t.Fatalf("cairn help %s: %s", command, &problems)
	}
	return out.String()
}

// blockAfter is the fenced block that follows a marker in the README.
func blockAfter(t *testing.T, marker string) []string {
	_, rest, ok := strings.Cut(readREADME(t), "\n"+marker+"\n")
	if !ok {
		t.Fatalf("the README has no %s", marker)
	}
	_, rest, _ = strings.Cut(rest, "```")
	_, rest, _ = strings.Cut(rest, "\n")
	block, _, ok := strings.Cut(rest, "\n```")
	if !ok {
		t.Fatalf("no block after %s", marker)
	}
	return strings.Split(block, "\n")
}

func readREADME(t *testing.T) string {
	src, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(src), "\r\n", "\n")
}
