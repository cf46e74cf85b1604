package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// unprovoked are the codes that no story can provoke, with the reason.
var unprovoked = map[record.Code]string{
	record.ChecksRunning:    "a command waits for its checks; only a server answers before they have ended",
	record.RateLimit:        "it takes a hundred jobs that wait; a test of package internal/work/verb/jobs has them",
	record.ResourceNotFound: "the command line has no resources; it says JOB_NOT_FOUND",
	record.OutOfScope:       "the command line has no scope; only a server is started with one",
	record.BaseMoved:        "the base has to move twice while a merge of it is tested; TestMergeWhenTheBaseMoves of internal/work/worktree moves it",
}

// script is a story as the tests below read it.
type script struct {
	name  string // without its extension
	lines []string
}

func stories(t *testing.T) []script {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(storyDir, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no stories in %s: %v", storyDir, err)
	}
	var out []script
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines, _, _ := strings.Cut(string(text), "\n-- ")
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		out = append(out, script{name, strings.Split(lines, "\n")})
	}
	return out
}

var promise = regexp.MustCompile(`^# [A-Z0-9].*[^#]$`)

// The first lines of a story say what it promises.
func TestEveryStoryOpensWithItsPromise(t *testing.T) {
	for _, s := range stories(t) {
		sentence := ""
		for _, line := range s.lines {
			if !strings.HasPrefix(line, "# ") {
				break
			}
			sentence += line
		}
		if !promise.MatchString(s.lines[0]) || !strings.HasSuffix(sentence, ".") {
			t.Errorf("%s opens with %q and not with a sentence", s.name, s.lines[0])
		}
	}
}

var called = regexp.MustCompile(`(?:^|\s)cairn(?: --?(?:json|(?:C|repo|actor) \S+))* ([a-z][a-z_-]*)(?: ([a-z][a-z_-]*))?`)

// commands are the names of the verbs and other commands that a story runs.
func (s script) commands() []string {
	var out []string
	for _, line := range s.lines {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, m := range called.FindAllStringSubmatch(line, -1) {
			out = append(out, verb.CommandName(m[1]))
			if slices.Contains(catalogue.Nouns(), m[1]) {
				out = append(out, verb.CommandName(m[1]+"-"+m[2]))
			}
		}
	}
	return out
}

func TestEveryVerbHasAStory(t *testing.T) {
	run := map[string]bool{}
	for _, s := range stories(t) {
		for _, name := range s.commands() {
			run[name] = true
		}
	}
	for _, v := range catalogue.All {
		if !run[verb.CommandName(v.Name)] {
			t.Errorf("no story runs cairn %s", verb.CommandName(v.Name))
		}
	}
	for _, c := range otherCommands() {
		if !run[c.Name] {
			t.Errorf("no story runs cairn %s", c.Name)
		}
	}
}

const codeMark = "# code: "

// refusals are the parts of a story that provoke an error, by its code: from the mark to the next empty line.
func (s script) refusals() map[record.Code]string {
	out := map[record.Code]string{}
	for i, line := range s.lines {
		code, ok := strings.CutPrefix(line, codeMark)
		if !ok {
			continue
		}
		rest := s.lines[i+1:]
		if end := slices.Index(rest, ""); end >= 0 {
			rest = rest[:end]
		}
		out[record.Code(code)] = strings.Join(rest, "\n")
	}
	return out
}

// storiesOf are the names of the stories that provoke each code.
func storiesOf(t *testing.T) map[record.Code][]string {
	t.Helper()
	out := map[record.Code][]string{}
	for _, s := range stories(t) {
		for code := range s.refusals() {
			out[code] = append(out[code], s.name)
		}
	}
	return out
}

func TestEveryCodeHasAStory(t *testing.T) {
	shown := storiesOf(t)
	for _, info := range record.Codes {
		reason, excused := unprovoked[info.Code]
		switch provoked := len(shown[info.Code]) > 0; {
		case !provoked && !excused:
			t.Errorf("no story has the mark %q", codeMark+string(info.Code))
		case provoked && excused:
			t.Errorf("%s has a story now, and is still excused: %s", info.Code, reason)
		}
		delete(shown, info.Code)
	}
	for code, names := range shown {
		t.Errorf("%s: there is no code %s", names, code)
	}
}

// A part that provokes an error shows the exit number, the message and the hint as a person sees them, and the code as
// a program sees it.
func TestEveryRefusalIsShownWhole(t *testing.T) {
	for _, s := range stories(t) {
		for code, text := range s.refusals() {
			for what, form := range map[string]string{
				"exit number": fmt.Sprintf(`(?m)^exits %d cairn `, code.Info().Exit),
				"message":     `(?m)^stderr '\^cairn: `,
				"hint":        `(?m)^stderr '\^hint: `,
				"code":        fmt.Sprintf(`(?m)^stdout '"code": "%s"'`, code),
			} {
				if !regexp.MustCompile(form).MatchString(text) {
					t.Errorf("%s: the part about %s does not show the %s", s.name, code, what)
				}
			}
		}
	}
}
