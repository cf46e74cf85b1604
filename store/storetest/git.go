package storetest

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/cairn-tasks/cairn/store"
)

// Git runs git in a folder. Without git the test is skipped.
func Git(t testing.TB, dir string, args ...string) {
	t.Helper()
	GitOutput(t, dir, args...)
}

// GitOutput runs git in a folder and returns what it prints. Without git the test is skipped.
func GitOutput(t testing.TB, dir string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	out, err := TryGit(dir, args...)
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// TryGit runs git in a folder, and returns its error.
func TryGit(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// NewRepo makes a git repository with one commit, and a clone-wide identity to commit with.
func NewRepo(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	beginning.Do(func() { beginning.files = begin(t) })
	must(t, os.CopyFS(dir, beginning.files))
	return dir
}

// beginning has the files of a repository with one commit: git makes them once for all tests of a package.
var beginning struct {
	sync.Once
	files fstest.MapFS
}

func begin(t testing.TB) fstest.MapFS {
	t.Helper()
	dir, files := t.TempDir(), fstest.MapFS{}
	InitRepo(t, dir, "--template=")
	Git(t, dir, "commit", "-q", "--allow-empty", "-m", "begin")
	must(t, fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, path))
		files[path] = &fstest.MapFile{Data: content, Mode: 0o600}
		return err
	}))
	return files
}

// InitRepo makes a git repository of a folder, on the branch main and without a commit, and an identity to commit with.
func InitRepo(t testing.TB, dir string, args ...string) {
	t.Helper()
	Git(t, dir, append([]string{"init", "-q", "-b", "main"}, args...)...)
	Identify(t, dir)
}

// Identify gives a clone an identity to commit with.
func Identify(t testing.TB, dir string) {
	t.Helper()
	Git(t, dir, "config", "user.name", "Test User")
	Git(t, dir, "config", "user.email", "test@example.com")
}

// LinkWorktree adds a worktree, on a branch of its own, other, to a repository.
func LinkWorktree(t testing.TB, repo string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "linked")
	Git(t, repo, "worktree", "add", "-q", "-b", "other", dir)
	return dir
}

// AddSubmodule adds a submodule, sub, to a repository.
func AddSubmodule(t testing.TB, repo string) string {
	t.Helper()
	Git(t, repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", NewRepo(t), "sub")
	return filepath.Join(repo, "sub")
}

// CommitAll commits everything in the worktree of a workspace.
func CommitAll(t testing.TB, s *store.Store) {
	t.Helper()
	Git(t, s.Worktree, "add", "--all")
	Git(t, s.Worktree, "commit", "-q", "--allow-empty", "-m", "work")
}

// CommitOf is the hash of the commit that a name stands for.
func CommitOf(t testing.TB, dir, name string) string {
	t.Helper()
	return strings.TrimSpace(GitOutput(t, dir, "rev-parse", name))
}
