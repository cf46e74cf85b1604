package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/cmd/cmdtest"
	"github.com/cairn-tasks/cairn/internal/limits"
)

// programVar makes the test binary act as the program.
const programVar = "CAIRN_TEST_PROGRAM"

// budgetVar gives the program a budget for what it asks a git remote.
const budgetVar = "CAIRN_TEST_BUDGET"

// agreeing is programVar for a program at whose terminal a person types what they are asked for.
const agreeing = "agreeing"

func TestMain(m *testing.M) {
	limits.ClaimsBudget = 6000 // no host is asked
	if n, err := strconv.Atoi(os.Getenv(budgetVar)); err == nil {
		limits.ClaimsBudget = n
	}
	switch os.Getenv(programVar) {
	case "":
	case agreeing:
		os.Exit(run(cmdtest.Agrees))
	default:
		main()
	}
	os.Exit(m.Run())
}

// workspace is a folder with a workspace in it, and a home of its own.
type workspace struct{ dir, home string }

// newEmptyWorkspace makes a workspace that the user trusts.
func newEmptyWorkspace(t testing.TB) workspace {
	t.Helper()
	w := workspace{t.TempDir(), t.TempDir()}
	w.cairn(t, "init", "--prefix", "T")
	return w
}

// newWorkspace makes a workspace with one task, T-1, that has one check, with a limit of timeout seconds.
func newWorkspace(t *testing.T, command string, timeout int) workspace {
	t.Helper()
	w := newEmptyWorkspace(t)
	text := fmt.Sprintf("---\nid: T-1\ntitle: Raise the walls\nstatus: backlog\nchecks:\n"+
		"  - desc: it stands\n    cmd: %q\n    timeout: %d\n---\n", command, timeout)
	if err := os.WriteFile(w.task(), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	w.cairn(t, "trust", "--yes")
	return w
}

func (w workspace) task() string { return filepath.Join(w.dir, ".cairn", "tasks", "T-1.md") }

// command is a run of the program, not started yet.
func (w workspace) command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Dir, cmd.Env = w.dir, w.env()
	return cmd
}

// env is the environment of every program that runs in the workspace.
func (w workspace) env() []string {
	return []string{
		programVar + "=1", "PATH=" + os.Getenv("PATH"), "HOME=" + w.home, "XDG_STATE_HOME=" + w.home,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CEILING_DIRECTORIES=" + w.dir,
		"CAIRN_ACTOR=human:shah", "GORACE=atexit_sleep_ms=0",
	}
}

// cairn runs the program, which must succeed, and returns what it prints.
func (w workspace) cairn(t testing.TB, args ...string) string {
	t.Helper()
	cmd := w.command(t, args...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("cairn %s: %v\n%s", strings.Join(args, " "), err, &errs)
	}
	return out.String()
}

// read returns a file's content, "" where there is none.
func (w workspace) read(name string) string {
	text, _ := os.ReadFile(filepath.Join(w.dir, name))
	return string(text)
}
