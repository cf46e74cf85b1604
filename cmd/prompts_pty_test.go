//go:build linux

package cmd

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/cmd/cmdtest"
	"github.com/cairn-tasks/cairn/internal/slowtest"
)

// atTerminal is a person at a terminal in a workspace with a task that has a manual check and a command check.
type atTerminal struct {
	*testing.T
	Env
	keys *os.File // what the person types, and sees
	out  bytes.Buffer
}

func newAtTerminal(t *testing.T) *atTerminal {
	t.Helper()
	terminal, keys := pty(t, 80)
	a := &atTerminal{T: t, keys: keys}
	dir, home := t.TempDir(), t.TempDir()
	vars := map[string]string{"HOME": home, "XDG_STATE_HOME": filepath.Join(home, "state"), "CAIRN_ACTOR": "human:lee", "TERM": "xterm"}
	now := time.Date(2026, 6, 21, 10, 0, 0, 0, time.UTC)
	a.Env = Env{
		Stdin: terminal, Stdout: &a.out, Stderr: terminal, Dir: dir, Rand: cmdtest.Zeros{}, Getenv: func(name string) string { return vars[name] },
		Now:      func() time.Time { now = now.Add(time.Second); return now },
		Terminal: func() (io.ReadWriteCloser, error) { return os.OpenFile(terminal.Name(), os.O_RDWR, 0) },
	}
	a.write(".cairn/config.yaml", "prefix: T\n")
	a.write(".cairn/tasks/T-1.md", "---\nid: T-1\ntitle: Put up the roof\nstatus: in_progress\nchecks:\n  - {desc: it is dry, type: manual, result: pending}\n  - {desc: audited, type: manual, by: 'service:audit', result: pending}\n---\n")
	a.write(".cairn/tasks/T-2.md", "---\nid: T-2\ntitle: Lay the floor\nstatus: in_progress\nchecks:\n  - {desc: it is level, type: manual, result: pending}\n---\n")
	return a
}

func (a *atTerminal) write(name, text string) {
	a.Helper()
	path := filepath.Join(a.Dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755)); err != nil {
		a.Fatal(err)
	}
}

func (a *atTerminal) read(name string) string {
	a.Helper()
	text, err := os.ReadFile(filepath.Join(a.Dir, name))
	if err != nil {
		a.Fatal(err)
	}
	return string(text)
}

// setenv sets a variable of the program's.
func (a *atTerminal) setenv(name, value string) {
	before := a.Getenv
	a.Getenv = func(asked string) string {
		if asked == name {
			return value
		}
		return before(asked)
	}
}

// run starts the program.
func (a *atTerminal) run(ctx context.Context, args ...string) (exited chan int) {
	exited = make(chan int, 1)
	env := a.Env
	env.Args = args
	go func() { exited <- Main(ctx, env) }()
	return exited
}

// types waits for a text on the terminal, and answers. It returns what was shown.
func (a *atTerminal) types(after, answer string) string {
	a.Helper()
	seen := awaitText(a.T, a.keys, after)
	if _, err := io.WriteString(a.keys, answer); err != nil {
		a.Fatal(err)
	}
	return seen
}

// exits fails the test unless the program exits with a number.
func (a *atTerminal) exits(want int, exited chan int) {
	a.Helper()
	select {
	case got := <-exited:
		if got != want {
			a.Errorf("exits with %d, want %d", got, want)
		}
	case <-time.After(slowtest.Patience):
		a.Fatal("does not end")
	}
}

// At a terminal done asks a person about the manual checks that they may settle, and about no others; what holds is
// attested in their name.
func TestDoneAsksAboutManualChecks(t *testing.T) {
	a := newAtTerminal(t)
	exited := a.run(t.Context(), "done", "T-2")
	seen := a.types("Does it hold? [y/n] ", "n\n")
	if !strings.Contains(seen, "attesting check 0 (it is level) as passed") || !strings.Contains(seen, "T-2  Lay the floor") {
		t.Errorf("it asks %q", seen)
	}
	awaitText(t, a.keys, "not yet passed: it is level")
	a.exits(4, exited)
	if text := a.read(".cairn/tasks/T-2.md"); strings.Contains(text, "provenance") {
		t.Errorf("no was said, and it wrote\n%s", text)
	}

	exited = a.run(t.Context(), "close", "T-2")
	a.types("Does it hold? [y/n] ", "y\n")
	a.exits(0, exited)
	text := a.read(".cairn/tasks/T-2.md")
	for _, want := range []string{"status: done", "did: attested", "who: 'human:lee'", "did: transitioned"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing:\n%s", want, text)
		}
	}

	exited = a.run(t.Context(), "done", "T-1")
	a.types("Does it hold? [y/n] ", "y\n")
	if seen := awaitText(t, a.keys, "not yet passed: audited"); strings.Contains(seen, "attesting check 1") {
		t.Errorf("it asks about what the person may not settle: %q", seen)
	}
	a.exits(4, exited)
}

// An agent is never asked, not even at a terminal, and nor is anybody who wants JSON or gives the task up.
func TestDoneAsksOnlyPeopleWhoCloseAsDone(t *testing.T) {
	a := newAtTerminal(t)
	a.write(".cairn/config.yaml", "prefix: T\nabandoned: [canceled]\n")
	a.exits(4, a.run(t.Context(), "--actor", "agent:a", "done", "T-2"))
	awaitText(t, a.keys, "not yet passed: it is level")
	a.exits(4, a.run(t.Context(), "--json", "done", "T-2"))
	a.exits(0, a.run(t.Context(), "close", "T-2", "--as", "canceled"))
	if _, err := io.WriteString(a.Stderr, "end"); err != nil {
		t.Fatal(err)
	}
	if seen := awaitText(t, a.keys, "end"); strings.Contains(seen, "[y/n]") {
		t.Errorf("it asks %q", seen)
	}
}

// In the shell of an agent, and in a job, nobody is asked what only a person may say, whatever terminal is open and
// whoever is named.
func TestNobodyIsAskedInAnAgentsShell(t *testing.T) {
	a := newAtTerminal(t)
	a.write(".cairn/tasks/T-3.md", "---\nid: T-3\ntitle: Paint it\nstatus: in_progress\nchecks:\n  - {desc: dry, cmd: 'true', result: pending}\n---\n")
	before := a.read(".cairn/tasks/T-2.md")
	for _, variable := range []string{"CLAUDECODE", "AI_AGENT", "CAIRN_JOB"} {
		a.setenv(variable, "1")
		for _, line := range []string{
			"done T-2", "close T-2", "attest T-2 0 --pass", "update T-2 --check= --reason x", "trust", "trust --yes", "attest T-2 0 --pass --sign --key k",
			"review approve T-2", "trust signer add human:lee k", "trust signer remove human:lee",
		} {
			a.exits(7, a.run(t.Context(), append([]string{"--actor", "human:lee"}, strings.Fields(line)...)...))
		}
		a.setenv(variable, "")
	}
	if _, err := io.WriteString(a.Stderr, "end"); err != nil {
		t.Fatal(err)
	}
	if seen := awaitText(t, a.keys, "end"); strings.Contains(seen, "To be done") || !strings.Contains(seen, "CLAUDECODE is set") {
		t.Errorf("it says %q", seen)
	}
	if text := a.read(".cairn/tasks/T-2.md"); text != before {
		t.Errorf("it wrote\n%s", text)
	}
	a.exits(8, a.run(t.Context(), "run-checks", "T-3"))
}

// A person at a terminal is asked about the commands that are new in a clone which they trust, each shown once: no runs
// nothing, yes is asked for once, and nobody else is asked.
func TestNewCommandsAreAskedAbout(t *testing.T) {
	a := newAtTerminal(t)
	a.exits(0, a.run(t.Context(), "trust", "--yes"))
	a.write(".cairn/tasks/T-3.md", "---\nid: T-3\ntitle: Paint it\nstatus: in_progress\nchecks:\n"+
		"  - {desc: dry, cmd: echo >>ran, result: pending}\n  - {desc: still dry, cmd: echo >>ran, result: pending}\n---\n")
	asks := "Type yes to confirm: "
	exited := a.run(t.Context(), "run-checks", "T-3")
	seen := a.types(asks, "no\n")
	if strings.Count(seen, `T-3: "echo >>ran"`) != 1 || !strings.Contains(seen, "letting this command run on this machine, now and later") {
		t.Errorf("it asks %q", seen)
	}
	awaitText(t, a.keys, "new commands were not approved on this machine")
	a.exits(8, exited)

	a.exits(8, a.run(t.Context(), "--actor", "agent:a", "run-checks", "T-3"))
	a.exits(8, a.run(t.Context(), "--json", "run-checks", "T-3"))
	a.setenv("CAIRN_JOB", "job-1")
	a.exits(8, a.run(t.Context(), "run-checks", "T-3"))
	a.setenv("CAIRN_JOB", "")
	if _, err := os.Stat(filepath.Join(a.Dir, "ran")); err == nil {
		t.Error("it ran")
	}
	if _, err := io.WriteString(a.Stderr, "end"); err != nil {
		t.Fatal(err)
	}
	if seen := awaitText(t, a.keys, "end"); strings.Contains(seen, asks) {
		t.Errorf("somebody else is asked: %q", seen)
	}

	ctx, interrupt := context.WithCancel(t.Context())
	exited = a.run(ctx, "done", "T-3")
	awaitText(t, a.keys, asks)
	interrupt()
	a.exits(ExitInterrupted, exited)

	exited = a.run(t.Context(), "run-checks", "T-3")
	a.types(asks, "yes\n")
	a.exits(0, exited)
	a.exits(0, a.run(t.Context(), "--actor", "agent:a", "run-checks", "T-3"))
	if got := a.read("ran"); len(got) != 4 {
		t.Errorf("it ran %d times, want 4", len(got))
	}
}

// Ctrl-C at the question closes nothing.
func TestDoneIsInterrupted(t *testing.T) {
	a := newAtTerminal(t)
	ctx, interrupt := context.WithCancel(t.Context())
	exited := a.run(ctx, "done", "T-2")
	awaitText(t, a.keys, "Does it hold? [y/n] ")
	interrupt()
	a.exits(ExitInterrupted, exited)
	if text := a.read(".cairn/tasks/T-2.md"); strings.Contains(text, "provenance") {
		t.Errorf("it wrote\n%s", text)
	}
}

// A wrong edit is explained at the terminal, and the person is asked whether to go on: n keeps the copy, and so does
// Ctrl-C.
func TestAWrongEditIsAskedAbout(t *testing.T) {
	a := newAtTerminal(t)
	a.write("editor", "#!/bin/sh\nsed 's/^id: T-2/id: T-9/' \"$1\" > \"$1.new\" && cat \"$1.new\" > \"$1\" && rm \"$1.new\"\n")
	a.setenv("EDITOR", filepath.Join(a.Dir, "editor"))
	before := a.read(".cairn/tasks/T-2.md")

	exited := a.run(t.Context(), "edit", "T-2")
	if seen := awaitText(t, a.keys, "Edit it again? [Y/n] "); !strings.Contains(seen, "the id is T-9") {
		t.Errorf("it explains %q", seen)
	}
	if _, err := io.WriteString(a.keys, "what?\n"); err != nil { // what is neither yes nor no is asked again
		t.Fatal(err)
	}
	awaitText(t, a.keys, "Edit it again? [Y/n] ")
	if _, err := io.WriteString(a.keys, "n\n"); err != nil {
		t.Fatal(err)
	}
	awaitText(t, a.keys, "cairn edit T-2 goes on with it")
	a.exits(2, exited)

	ctx, interrupt := context.WithCancel(t.Context())
	exited = a.run(ctx, "edit", "T-2")
	awaitText(t, a.keys, "hint: write T-2 again")
	interrupt()
	if got := <-exited; got == 0 {
		t.Error("an interrupted edit exits with 0")
	}
	if text := a.read(".cairn/tasks/T-2.md"); text != before {
		t.Errorf("it wrote\n%s", text)
	}
	kept, err := filepath.Glob(filepath.Join(a.Getenv("XDG_STATE_HOME"), "cairn", "edit", "*-T-2.md"))
	if err != nil || len(kept) != 1 {
		t.Errorf("the copies are %v, %v", kept, err)
	}
}

// An editor that fails changes nothing, and no copy stays.
func TestAnEditorThatFailsAtTheTerminal(t *testing.T) {
	a := newAtTerminal(t)
	a.setenv("EDITOR", "false")
	for _, args := range [][]string{{"edit", "T-2"}, {"add", "Sweep", "-e"}} {
		exited := a.run(t.Context(), args...)
		awaitText(t, a.keys, "the editor (false) failed")
		a.exits(1, exited)
	}
	left, err := os.ReadDir(filepath.Join(a.Getenv("XDG_STATE_HOME"), "cairn", "edit"))
	if err != nil || len(left) > 0 {
		t.Errorf("it left %v, %v", left, err)
	}
}

// At a terminal a person chooses the record that a command must name: by its number, or by words of it. No answer is a
// refusal, and where nobody can be asked it is missing as ever.
func TestTheMissingTaskIsChosen(t *testing.T) {
	a := newAtTerminal(t)
	exited := a.run(t.Context(), "note", "--text", "seen")
	seen := a.types("by words of it? ", "nowhere\n")
	if !strings.Contains(seen, "1  T-2  Lay the floor") || !strings.Contains(seen, "2  T-1  Put up the roof") {
		t.Errorf("it offers\n%s", seen)
	}
	a.types("None of them has nowhere.", "FLOOR\n")
	a.exits(0, exited)
	if text := a.read(".cairn/tasks/T-2.md"); !strings.Contains(text, "text: seen") {
		t.Errorf("it wrote\n%s", text)
	}

	exited = a.run(t.Context(), "show")
	a.types("by words of it? ", "2\n")
	a.exits(0, exited)
	if out := a.out.String(); !strings.Contains(out, "Put up the roof") {
		t.Errorf("it shows\n%s", out)
	}

	exited = a.run(t.Context(), "claim")
	a.types("by words of it? ", "\n")
	awaitText(t, a.keys, "nothing was chosen")
	a.exits(2, exited)

	a.Stdin = strings.NewReader("")
	exited = a.run(t.Context(), "claim")
	awaitText(t, a.keys, "cairn: claim: id is missing")
	a.exits(2, exited)
}

// What is longer than the terminal goes through the person's pager, and what is not, or an agent reads, is printed. A
// pager that is not there costs nothing.
func TestWhatIsLongIsPaged(t *testing.T) {
	a := newAtTerminal(t)
	a.Stdout = a.Stderr
	a.write("pager", "#!/bin/sh\ncat > paged; echo \"LESS is $LESS\"\n")
	a.setenv("CAIRN_PAGER", "cd "+a.Dir+"; ./pager")
	exited := a.run(t.Context(), "show", "T-2")
	awaitText(t, a.keys, "it is level")
	a.exits(0, exited)
	exited = a.run(t.Context(), "help", "filters")
	awaitText(t, a.keys, "LESS is FRX")
	a.exits(0, exited)
	if text := a.read("paged"); !strings.Contains(text, "status") {
		t.Errorf("the pager got\n%s", text)
	}
	before := a.Getenv
	for name, value := range map[string]string{"CAIRN_PAGER": "no-such-pager", "CLAUDECODE": "1"} {
		a.Getenv = before
		a.setenv(name, value)
		exited = a.run(t.Context(), "help", "filters")
		text, _ := topic("filters")
		words := strings.Fields(text)
		awaitText(t, a.keys, words[len(words)-1])
		a.exits(0, exited)
	}
}

// Undo shows what it would take back and asks; only y does it, and Ctrl-C does nothing.
func TestUndoAsksAtTheTerminal(t *testing.T) {
	a := newAtTerminal(t)
	a.exits(0, a.run(t.Context(), "claim", "T-2"))
	claimed := a.read(".cairn/tasks/T-2.md")
	a.Stdout = a.Stderr // the question is put where the preview is

	exited := a.run(t.Context(), "undo", "T-2")
	a.types("[y/N] ", "n\n")
	a.exits(2, exited)
	ctx, interrupt := context.WithCancel(t.Context())
	exited = a.run(ctx, "undo", "T-2")
	awaitText(t, a.keys, "[y/N] ")
	interrupt()
	a.exits(ExitInterrupted, exited)
	if text := a.read(".cairn/tasks/T-2.md"); text != claimed {
		t.Errorf("it wrote\n%s", text)
	}

	a.Stdin = strings.NewReader("") // the read that was interrupted goes on until the process ends, and would take what is typed
	a.exits(0, a.run(t.Context(), "undo", "T-2", "--yes"))
	if text := a.read(".cairn/tasks/T-2.md"); !strings.Contains(text, "text: undoes ") {
		t.Errorf("it is not taken back:\n%s", text)
	}
}
