package docs_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/slowtest"
)

// A block of a page: its language and its text; or the text of a comment that prepares what the page is run in, and
// that its reader does not see.
var block = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$|^<!-- prepare\n(.*?)^-->$")

// Pages whose blocks are run by a test of their own.
var ownTest = map[string]string{"../README.md": "TestSlowQuickstart", "jobs.md": "TestSlowJobsTutorial", "ledger.md": "TestSlowLedgerPage"}

// userPages are the pages for users that somebody wrote.
func userPages(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(find(t, "../README.md", "*.md", "how-to/*.md"), func(page string) bool {
		return strings.Contains(read(t, page), "<!-- generated") || slices.Contains([]string{"verbs.md", "errors.md", "rules.md", "architecture.md"}, page)
	})
}

// The console blocks of the tutorial, of each guide and of every other page are run as they stand, in their order, and
// print what is shown below each command.
func TestSlowPagesAreRun(t *testing.T) {
	slowtest.Skip(t)
	if runtime.GOOS == "windows" {
		t.Skip("the pages are for a POSIX shell")
	}
	commands, bin := 0, newLesson(t).bin()
	for _, page := range userPages(t) {
		text := read(t, page)
		if ownTest[filepath.ToSlash(page)] != "" || !strings.Contains(text, "\n```console\n") {
			continue
		}
		blocks := block.FindAllStringSubmatch(text, -1)
		for _, b := range blocks {
			if b[1] == "console" {
				commands += strings.Count("\n"+b[2], "\n$ ")
			}
		}
		t.Run(filepath.ToSlash(page), func(t *testing.T) {
			l := lessonWith(t, bin)
			for _, b := range blocks {
				switch {
				case b[3] != "":
					l.console(b[3])
				case b[1] == "console":
					l.console(b[2])
				}
			}
		})
	}
	if commands < 100 {
		t.Errorf("the pages have %d commands to run", commands)
	}
}

// notRunAtMost is how many blocks of commands say why no test runs them. Who adds one makes it run, or has a reason and
// counts it here.
const notRunAtMost = 8

var (
	marker    = regexp.MustCompile(`^<!-- (run by|not run:|run|test|session) ?(.*?) ?-->$`)
	shellLine = regexp.MustCompile(`^(\$ |cairn |git |make |go (run|test|install) )`)
)

// A block of commands is run by a test, or says on the line above it why not: `<!-- not run: a reason -->`. One that a
// test of its own runs names it there: `<!-- run by TestName -->`. Commands stand in no other block, so that none is
// missed.
func TestCommandsAreRunOrSayWhyNot(t *testing.T) {
	tests := goTests(t)
	run, notRun := 0, 0
	for _, page := range userPages(t) {
		if name := ownTest[filepath.ToSlash(page)]; name != "" && !tests[name] {
			t.Errorf("%s is to be run by %s, which is not there", page, name)
		}
		for _, b := range commandBlocks(t, page) {
			switch said := marker.FindStringSubmatch(b.above); {
			case b.language == "sh" && said != nil && said[1] == "not run:" && len(said[2]) > 15:
				notRun++
			case b.language == "console":
				run++
			case b.language != "sh":
				t.Errorf("%s:%d: commands in a block that is neither console nor sh", page, b.line)
			case said == nil:
				t.Errorf("%s:%d: no test runs these commands, and nothing says why", page, b.line)
			case said[1] == "run by" && tests[said[2]], page == "../README.md" && (said[1] == "run" || said[1] == "test"):
				run++
			default:
				t.Errorf("%s:%d: %q names no test and no reason", page, b.line, b.above)
			}
		}
	}
	t.Logf("%d blocks of commands are run, %d say why not", run, notRun)
	if run < 40 || notRun > notRunAtMost {
		t.Errorf("%d blocks of commands are run, and %d are not, of which there may be %d", run, notRun, notRunAtMost)
	}
}

// commandBlock is a block of a page with commands in it: its language, the comment above it, and the line where it
// begins.
type commandBlock struct {
	language, above string
	line            int
}

// commandBlocks are the blocks of a page that a reader would type from: all of a shell's, and others with a line that
// begins as a command does. Lines that are set in by four spaces are a block too.
func commandBlocks(t *testing.T, page string) (out []commandBlock) {
	t.Helper()
	var at commandBlock
	var above string
	inside, commands, example := false, false, false
	for i, line := range strings.Split(read(t, page), "\n") {
		fence, fenced := strings.CutPrefix(line, "```")
		switch {
		case fenced && !inside:
			inside, at = true, commandBlock{fence, above, i + 1}
			commands = fence == "sh" || fence == "console" || fence == "bash"
			example = !commands && example
		case fenced:
			if inside, example, above = false, false, ""; commands {
				out = append(out, at)
			}
		case inside:
			commands = commands || !example && shellLine.MatchString(line)
		case strings.HasPrefix(line, "    ") && shellLine.MatchString(strings.TrimSpace(line)):
			out = append(out, commandBlock{"one that is set in", "", i + 1})
		case strings.HasPrefix(line, "<!-- example"):
			example = true
		case marker.MatchString(line):
			above = line
		case strings.TrimSpace(line) != "":
			above, example = "", false
		}
	}
	return out
}

// The recipes of the format for hashes give what the page says and what the program says, where the tools of GNU are.
func TestSlowHashesByHand(t *testing.T) {
	slowtest.Skip(t)
	if runtime.GOOS == "windows" {
		t.Skip("the recipes are for a POSIX shell")
	}
	for _, tool := range []string{"sh", "git", "sha256sum"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not here", tool)
		}
	}
	if exec.Command("sed", "-z", "").Run() != nil {
		t.Skip("sed is not that of GNU")
	}
	l := newLesson(t)
	var recipes []string
	for _, b := range regexp.MustCompile("(?s)<!-- run by TestSlowHashesByHand -->\n```sh\n(.*?)\n```\n").FindAllStringSubmatch(read(t, "format.md"), -1) {
		recipes = append(recipes, b[1])
	}
	if len(recipes) != 2 {
		t.Fatalf("the page has %d recipes", len(recipes))
	}
	printed, said, _ := strings.Cut(recipes[0], "   # ")
	l.console("$ " + printed + "\n" + said + "\n")
	l.console("$ git init -q -b main shop\n$ cd shop\n$ cairn init --prefix SHOP\n...\n$ mkdir 'a b'\n$ echo one > 'a b/two'\n$ echo three > three\n$ mkdir -p src/.cairn/tasks .cairn/bin\n$ echo four > src/.cairn/tasks/S-1.md\n$ echo five > .cairn/bin/run.sh\n$ git add .\n$ git commit -q -m all\n" +
		"$ cairn add 'A task' --check 'a=true'\nSHOP-1  backlog  A task\n$ cairn run-checks SHOP-1\n...\n")
	l.console("$ " + strings.NewReplacer("|\n", "|", "\n", "; ").Replace(recipes[1]) + " | cut -c1-64 > ../sum\n$ grep -q \"$(cat ../sum)\" .cairn/tasks/SHOP-1.md\n")
}
