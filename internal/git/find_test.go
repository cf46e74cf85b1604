package git

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
)

func TestFindWalksUp(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	r.write("a/b/file", "")
	for _, dir := range []string{".", "a", "a/b", ".git", ".git/objects"} {
		got, ok, err := Find(r.path(dir))
		if err != nil || !ok {
			t.Fatalf("Find(%s): %v, %v", dir, ok, err)
		}
		if got.Top != r.dir || got.GitDir != r.path(".git") || got.CommonDir != got.GitDir || got.Linked() {
			t.Errorf("Find(%s) = %+v", dir, *got)
		}
	}
}

func TestFindOutsideGit(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a", ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, sub := range []string{".", "a"} { // an empty .git is none
		if r, ok, err := Find(filepath.Join(dir, sub)); ok || err != nil {
			t.Errorf("Find(%s) = %v, %v", sub, r, err)
		}
	}
}

func TestFindNeedsNoGit(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	t.Setenv("PATH", "")
	if _, ok, err := Find(r.dir); !ok || err != nil {
		t.Errorf("got %v, %v", ok, err)
	}
}

func TestFindAFolderThatIsGone(t *testing.T) {
	if _, _, err := Find(filepath.Join(t.TempDir(), "gone")); record.CodeOf(err) != record.IO {
		t.Errorf("got %v", err)
	}
}

func TestFindThroughLinks(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	r.write("sub/file", "")
	side := repo{t, realTempDir(t)}
	side.link(r.path("sub"), "to-sub")
	if got := (repo{t, side.path("to-sub")}).open(); got.Top != r.dir {
		t.Errorf("a linked folder: %+v", *got)
	}
	side.link(r.path(".git"), ".git")
	if got := side.open(); got.Top != side.dir || got.GitDir != r.path(".git") {
		t.Errorf("a linked .git: %+v", *got)
	}
}

func TestFindALinkedWorkTree(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	r.commit()
	side := repo{t, filepath.Join(realTempDir(t), "side")}
	r.git("worktree", "add", "-q", side.dir)
	want := Repo{Top: side.dir, GitDir: r.path(".git/worktrees/side"), CommonDir: r.path(".git")}
	if got := side.open(); !same(*got, want) || !got.Linked() {
		t.Errorf("got %+v", *got)
	}

	// The same with relative paths, as newer versions of git write them.
	rel, err := filepath.Rel(side.dir, want.GitDir)
	if err != nil {
		t.Fatal(err)
	}
	side.write(".git", "gitdir: "+filepath.ToSlash(rel)+"\n")
	if got := side.open(); !same(*got, want) {
		t.Errorf("relative: got %+v", *got)
	}
}

func TestFindASubmodule(t *testing.T) {
	isolate(t)
	r := withSubmodule(t)
	want := Repo{Top: r.path("sub"), GitDir: r.path(".git/modules/sub"), CommonDir: r.path(".git/modules/sub")}
	if got := (repo{t, r.path("sub")}).open(); !same(*got, want) || got.Linked() {
		t.Errorf("got %+v", *got)
	}
}

func TestFindReportsABrokenGitFile(t *testing.T) {
	for name, text := range map[string]string{
		"empty":        "",
		"other text":   "hello\n",
		"no path":      "gitdir: \n",
		"two lines":    "gitdir: a\ngitdir: b\n",
		"a dead end":   "gitdir: ../nowhere\n",
		"no git there": "gitdir: .\n",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, ".git"), text)
			_, ok, err := Find(dir)
			if ok || record.CodeOf(err) != record.Git {
				t.Fatalf("got %v, %v", ok, err)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than one line: %q", err)
			}
		})
	}
}

func TestFindReportsABrokenCommonDir(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, ".git", "HEAD"), "ref: refs/heads/main\n")
	writeFile(t, filepath.Join(dir, ".git", "commondir"), "../nowhere\n")
	if _, ok, err := Find(dir); ok || record.CodeOf(err) != record.Git {
		t.Errorf("got %v, %v", ok, err)
	}
}

func TestWorktrees(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	r.commit()
	side := filepath.Join(realTempDir(t), "a side")
	r.git("worktree", "add", "-q", "-b", "side", side)
	for _, top := range []string{r.dir, side} {
		got, err := repo{t, top}.open().Worktrees(t.Context())
		if want := []string{filepath.ToSlash(r.dir), filepath.ToSlash(side)}; err != nil || !slices.Equal(got, want) {
			t.Errorf("from %s: %q, %v", top, got, err)
		}
	}
}

func TestIgnored(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	r.write("in/kept", "")
	r.write("in/tracked.log", "")
	r.git("add", "-A")
	r.write(".gitignore", "*.log\nall/\n")
	r.write("in/a.log", "")
	r.write("in/sub/b.log", "")
	r.write("all/c", "")
	r.write("out/d.log", "")
	got, err := r.open().Ignored(t.Context(), "in", "all")
	wantAnswer(t, "ignored", got, err, "all/c", "in/a.log", "in/sub/b.log")
}

// same reports whether two repositories are in the same folders.
func same(a, b Repo) bool {
	return a.Top == b.Top && a.GitDir == b.GitDir && a.CommonDir == b.CommonDir
}
