package git

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
)

// failure returns err as our error and checks that it fits on a line.
func failure(t *testing.T, err error) *record.Error {
	t.Helper()
	var e *record.Error
	if !errors.As(err, &e) || e.Code != record.Git {
		t.Fatalf("got %v, want an error of code GIT", err)
	}
	if strings.Contains(e.Msg, "\n") || strings.HasSuffix(e.Msg, ".") {
		t.Errorf("not a line as we write them: %q", e.Msg)
	}
	return e
}

func TestRunFails(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	_, err := Run(t.Context(), r.dir, "rev-parse", "--verify", "nothing")
	e := failure(t, err)
	if e.Msg != "git rev-parse: Needed a single revision" || e.Hint.String() != "" {
		t.Errorf("got %q, hint %q", e.Msg, e.Hint)
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 128 {
		t.Errorf("the cause is %v", errors.Unwrap(err))
	}
}

func TestRunWithoutGit(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Run(t.Context(), t.TempDir(), "status")
	if e := failure(t, err); e.Hint.String() != installHint {
		t.Errorf("hint %q", e.Hint)
	}
}

func TestRunWithAnOldGit(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in is a shell script")
	}
	bin := t.TempDir()
	script := "#!/bin/sh\ncase \"$*\" in *version) echo 'git version 2.30.9'; exit;; esac\n" +
		"echo 'error: unknown option' >&2\nexit 129\n"
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	_, err := Run(t.Context(), t.TempDir(), "status")
	if e := failure(t, err); e.Msg != "git status: unknown option" || e.Hint.String() != installHint {
		t.Errorf("got %q, hint %q", e.Msg, e.Hint)
	}
}

func TestRunInAnothersRepository(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	isolate(t)
	r := newRepoAt(t, "")
	for _, dir := range []string{r.dir, r.path(".git")} {
		if err := os.Lchown(dir, 12345, 12345); err != nil {
			t.Skip(err)
		}
	}
	_, err := r.open().Fingerprint(t.Context())
	if e := failure(t, err); !strings.Contains(e.Hint.String(), "safe.directory "+r.dir) {
		t.Errorf("got %q, hint %q", e.Msg, e.Hint)
	}
	if head, err := r.open().Head(t.Context()); err != nil || head.Branch != "main" {
		t.Errorf("reading HEAD goes on: %+v, %v", head, err)
	}
}

func TestRunIsStopped(t *testing.T) {
	isolate(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Run(ctx, t.TempDir(), "version")
	if e := failure(t, err); !errors.Is(e, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestRunClearsGitsVariables(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	other := newRepoAt(t, "")
	t.Setenv("GIT_DIR", other.path(".git"))
	t.Setenv("GIT_WORK_TREE", other.dir)
	t.Setenv("GIT_INDEX_FILE", other.path("index"))
	if got, err := Run(t.Context(), r.dir, "rev-parse", "--show-toplevel"); err != nil || filepath.FromSlash(strings.TrimSpace(string(got))) != r.dir {
		t.Errorf("git works in %s (%v)", got, err)
	}
	got, err := Run(t.Context(), r.dir, "-c", "alias.env=!env", "env")
	if err != nil || strings.Contains(string(got), "GIT_INDEX_FILE") || !strings.Contains(string(got), "GIT_OPTIONAL_LOCKS=0") ||
		!strings.Contains(string(got), "LC_ALL=C\n") {
		t.Errorf("git's environment:\n%s (%v)", got, err)
	}
}

func TestParseVersion(t *testing.T) {
	for text, want := range map[string][2]int{
		"git version 2.39.5\n":               {2, 39},
		"git version 2.31.0.windows.1\n":     {2, 31},
		"git version 2.50.1 (Apple Git-155)": {2, 50},
		"git version 3.0":                    {3, 0},
	} {
		major, minor, ok := parseVersion(text)
		if !ok || [2]int{major, minor} != want {
			t.Errorf("%q: %d.%d, %v", text, major, minor, ok)
		}
	}
	for _, text := range []string{"", "git version", "something else", "git version x.y"} {
		if _, _, ok := parseVersion(text); ok {
			t.Errorf("%q is no version", text)
		}
	}
}

func TestSetting(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	outside := t.TempDir()
	if got, err := Setting(t.Context(), outside, "user.name"); err != nil || got != "Test User" {
		t.Errorf("outside: %q, %v", got, err)
	}
	r.git("config", "user.name", "Jörg  van Örtliche")
	if got, err := Setting(t.Context(), r.open().Top, "user.name"); err != nil || got != "Jörg  van Örtliche" {
		t.Errorf("inside: %q, %v", got, err)
	}
	t.Setenv("HOME", outside)
	t.Setenv("XDG_CONFIG_HOME", outside)
	if got, err := Setting(t.Context(), outside, "user.name"); err != nil || got != "" {
		t.Errorf("not set: %q, %v", got, err)
	}
	elsewhere := filepath.Join(outside, "work.gitconfig")
	writeFile(t, elsewhere, "[user]\n\tname = At Work\n")
	t.Setenv("GIT_CONFIG_GLOBAL", elsewhere)
	if got, err := Setting(t.Context(), outside, "user.name"); err != nil || got != "At Work" {
		t.Errorf("in a config that a variable names: %q, %v", got, err)
	}
}
