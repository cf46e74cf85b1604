package store_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// Every kind of workspace keeps the same promises.
func TestSuite(t *testing.T) {
	t.Parallel()
	for _, kind := range []struct {
		name string
		root func(t *testing.T) string
	}{
		{"outside git", func(t *testing.T) string { return t.TempDir() }},
		{"in a repository", repository},
		{"in a folder of a repository", func(t *testing.T) string { return filepath.Join(repository(t), "services", "web") }},
		{"in a linked worktree", linkedWorktree},
	} {
		t.Run(kind.name, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T) *store.Store { return openAt(t, kind.root(t)) })
		})
	}
}

func openAt(t *testing.T, root string) *store.Store {
	t.Helper()
	if err := os.MkdirAll(root, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, _, err := store.Init(root, "PROJ"); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "-c", "user.name=Test User", "-c", "user.email=test@example.com", "commit", "-q", "--allow-empty", "-m", "begin")
	return dir
}

func linkedWorktree(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "linked")
	git(t, repository(t), "worktree", "add", "-q", "-b", "other", dir)
	return dir
}

// git runs git in a folder. Without git there is nothing to test.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
