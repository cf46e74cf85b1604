package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/task"
)

// newStore makes a workspace outside git. When the test ends it must be sound.
func newStore(t testing.TB) *Store {
	t.Helper()
	s := newStoreAt(t, t.TempDir())
	t.Cleanup(func() { verifyClean(t, s) })
	return s
}

// newStoreAt makes a workspace of a folder, with prefix PROJ.
func newStoreAt(t testing.TB, dir string) *Store {
	t.Helper()
	if _, _, err := Init(dir, "PROJ"); err != nil {
		t.Fatal(err)
	}
	return reopen(t, dir)
}

func reopen(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(dir, filepath.Join(os.Getenv("HOME"), "state"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// verifyClean fails the test, unless it failed already, if Judge or Verify finds anything.
func verifyClean(t testing.TB, s *Store) {
	t.Helper()
	if t.Failed() {
		return
	}
	findings, err := s.Judge(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		t.Errorf("judge: %s:%d: %s: %s", f.Path, f.Line, f.Rule, f.Message)
	}
	problems, err := s.Verify(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("verify: %s: %s", p.Path, p.Message)
	}
}

// wantCode fails the test unless err has the code; "" asks for no error.
func wantCode(t testing.TB, err error, code task.Code) {
	t.Helper()
	if got := task.CodeOf(err); got != code || code == "" && err != nil {
		t.Errorf("got error %v with code %q, want code %q", err, got, code)
	}
}

// wantMessage fails the test unless err has the code, and a message with the part in it.
func wantMessage(t testing.TB, err error, code task.Code, part string) {
	t.Helper()
	wantCode(t, err, code)
	if err != nil && !strings.Contains(err.Error(), part) {
		t.Errorf("error %q does not say %q", err, part)
	}
}

func writeFile(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// taskText is a task file as a person might write it, with further lines of front matter.
func taskText(id task.ID, more ...string) string {
	return fmt.Sprintf("---\nid: %s\ntitle: Task %s\nstatus: backlog\n%s---\n", id, id, lines(more))
}

func lines(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return strings.Join(texts, "\n") + "\n"
}

// handWrite puts a task file into the workspace without asking anybody.
func handWrite(t testing.TB, s *Store, id task.ID, more ...string) {
	t.Helper()
	writeFile(t, s.task(id), taskText(id, more...))
}

// snapshot is the content of every file under a folder, by its path.
func snapshot(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		src, err := os.ReadFile(path)
		out[slashRel(dir, path)] = string(src)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return out
}

// runGit runs git in a folder. Without git there is nothing to test.
func runGit(t testing.TB, dir string, args ...string) {
	t.Helper()
	gitOutput(t, dir, args...)
}

func gitOutput(t testing.TB, dir string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// newRepo makes a git repository with one commit, and a clone-wide identity to commit with.
func newRepo(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	runGit(t, dir, "init", "-q", "-b", "main")
	runGit(t, dir, "config", "user.name", "Test User")
	runGit(t, dir, "config", "user.email", "test@example.com")
	runGit(t, dir, "commit", "-q", "--allow-empty", "-m", "begin")
	return dir
}

// linkWorktree adds a worktree, on a branch of its own, to a repository.
func linkWorktree(t testing.TB, repo string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "linked")
	runGit(t, repo, "worktree", "add", "-q", "-b", "other", dir)
	return dir
}

// asRoot reports whether permissions stop nobody here.
func asRoot() bool { return os.Geteuid() == 0 }

// soon is a context for what should not take long.
func soon(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// gitFails runs git where it may fail.
func gitFails(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}
