package git

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// isolate gives the test a home of its own, so that the settings of the user who runs it do not matter.
func isolate(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	home := t.TempDir()
	config := "[user]\n\tname = Test User\n\temail = test@example.com\n" +
		"[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n"
	writeFile(t, filepath.Join(home, ".gitconfig"), config)
	for _, name := range places { // nor a config that they name
		t.Setenv(name, "")
		_ = os.Unsetenv(name)
	}
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("XDG_CONFIG_HOME", home)
}

// repo is a work tree on disk that a test acts on.
type repo struct {
	t   testing.TB
	dir string // free of links
}

// newRepoAt makes an empty repository, in a new folder if dir is "".
func newRepoAt(t testing.TB, dir string, args ...string) repo {
	t.Helper()
	if dir == "" {
		dir = realTempDir(t)
	}
	r := repo{t, dir}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r.git(append([]string{"init", "-q"}, args...)...)
	return r
}

func realTempDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// filled makes a repository with files of every kind, names that need care, and no commit.
func filled(t testing.TB, args ...string) repo {
	t.Helper()
	r := newRepoAt(t, "", args...)
	r.write("plain", "one\ntwo\n")
	r.write("empty", "")
	r.write("dir/sub/file", "deep\n")
	r.write("with space", "x")
	r.write(".gitignore", "ignored\n")
	r.write("ignored", "secret")
	r.write(".cairn/tasks/T-1.md", "a task")
	r.write("web/.cairn/tasks/T-1.md", "a task of another workspace")
	r.write("web/not.cairn/file", "no workspace")
	r.write("größe-日本", "unicode")
	r.write("bin/tool", "#!/bin/sh\n")
	if runtime.GOOS != "windows" {
		r.chmod("bin/tool", 0o755)
		r.link("dir/sub/file", "link")
		r.link("nowhere at all", "dir/broken link")
		for _, name := range oddNames {
			r.write(name, "odd "+name)
		}
	}
	return r
}

var oddNames = []string{
	"new\nline", "\"quoted\"", "back\\slash", "tab\there", "carriage\r", " leading", "trailing ", "-dash", "\x01",
	"\"", "bad\xffutf8", ":(top)magic", "a\tb\n\"c\"\\",
}

// git runs git in the work tree, as a person would, and returns what it printed, without the last line break.
func (r repo) git(args ...string) string {
	r.t.Helper()
	out, err := r.try(args...)
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimRight(out, "\n")
}

func (r repo) try(args ...string) (string, error) {
	cmd := exec.CommandContext(r.t.Context(), "git", append([]string{"-c", "maintenance.auto=false"}, args...)...)
	cmd.Dir = r.dir
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") }), "LC_ALL=C")
	out, err := cmd.Output()
	return string(out), err
}

func (r repo) path(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }

func (r repo) write(name, text string) { r.t.Helper(); writeFile(r.t, r.path(name), text) }

func (r repo) remove(name string) {
	r.t.Helper()
	if err := os.RemoveAll(r.path(name)); err != nil {
		r.t.Fatal(err)
	}
}

func (r repo) link(target, name string) {
	r.t.Helper()
	if err := os.Symlink(target, r.path(name)); err != nil {
		r.t.Skipf("no links here: %v", err)
	}
}

func (r repo) chmod(name string, mode os.FileMode) {
	r.t.Helper()
	if err := os.Chmod(r.path(name), mode); err != nil {
		r.t.Fatal(err)
	}
}

// commit commits everything.
func (r repo) commit() {
	r.t.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", "a commit")
}

// open finds the repository as the package does.
func (r repo) open() *Repo {
	r.t.Helper()
	found, ok, err := Find(r.dir)
	if err != nil || !ok {
		r.t.Fatalf("Find(%s) = %v, %v", r.dir, ok, err)
	}
	found.Aside = aside
	return found
}

// aside leaves out the records of a workspace at the top, and, untracked, what belongs to this machine.
func aside(path string, tracked bool) bool {
	return strings.HasPrefix(path, ".cairn/tasks/") && strings.HasSuffix(path, ".md") || !tracked && strings.HasPrefix(path, ".cairn/local/")
}

// fingerprint is the work tree's.
func (r repo) fingerprint() string {
	r.t.Helper()
	f, err := r.open().Fingerprint(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	return f
}

// equalsHead fails the test unless the work tree holds just what the commit holds.
func (r repo) equalsHead(when string) {
	r.t.Helper()
	found := r.open()
	work, err := found.WorkTree(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	head, err := found.Objects().Tree(r.t.Context(), "HEAD")
	if err != nil {
		r.t.Fatal(err)
	}
	for _, path := range work.Changed(head) {
		r.t.Errorf("%s: %q is %q in the work tree and %q in the commit", when, path, work[path], head[path])
	}
	if work.Fingerprint() != head.Fingerprint() {
		r.t.Errorf("%s: the fingerprints differ", when)
	}
}

func writeFile(t testing.TB, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// contents describes every file below a folder: name, size, time of change.
func contents(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			fmt.Fprintln(&b, path, info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
