//go:build unix

package git

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
)

// A pipe, or a device without end, in the place of one of git's files is refused, and nobody waits for it.
func TestSlowPipesAndDevicesAreRefused(t *testing.T) {
	slowtest.Skip(t)
	isolate(t)
	for _, name := range []string{
		".git", ".git/HEAD", ".git/config", ".git/packed-refs", ".git/commondir",
		".git/index", ".git/logs/HEAD", ".git/info/exclude", ".git/info/grafts", ".git/objects/info/commit-graph",
	} {
		for kind, put := range map[string]func(string) error{
			"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o644) },
			"device": func(path string) error { return os.Symlink("/dev/zero", path) },
			"pipe behind a link": func(path string) error {
				return os.Symlink(filepath.Base(path)+".pipe", path)
			},
		} {
			t.Run(name+" as a "+kind, func(t *testing.T) {
				r := newRepoAt(t, "")
				r.write("file", "x")
				r.commit()
				r.remove(name)
				if kind == "pipe behind a link" {
					if err := syscall.Mkfifo(r.path(name)+".pipe", 0o644); err != nil {
						t.Skip(err)
					}
				}
				if err := put(r.path(name)); err != nil {
					t.Skip(err)
				}
				done := make(chan error, 1)
				go func() {
					_, _, err := Find(r.dir)
					done <- err
				}()
				select {
				case err := <-done:
					if record.CodeOf(err) != record.Git {
						t.Errorf("got %v", err)
					}
				case <-time.After(slowtest.Patience):
					t.Fatal("it waits")
				}
			})
		}
	}
}

// A ref that is a pipe holds nobody up.
func TestAPipeForARef(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	r.write("file", "x")
	r.commit()
	r.remove(".git/refs/heads/main")
	if err := syscall.Mkfifo(r.path(".git/refs/heads/main"), 0o644); err != nil {
		t.Skip(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := r.open().Head(t.Context())
		done <- err
	}()
	select {
	case err := <-done:
		if err == nil {
			t.Error("it has a commit")
		}
	case <-time.After(slowtest.Patience):
		t.Fatal("it waits")
	}
}

// A pipe in the place of a remote-tracking branch, or of an object, is not there for who reads without git.
func TestPipesAreNoBranches(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	r.write("file", "x")
	r.commit()
	id := strings.TrimSpace(r.git("rev-parse", "HEAD"))
	r.git("update-ref", "refs/remotes/origin/fix", id)
	object := ".git/objects/" + id[:2] + "/" + id[2:]
	r.remove(object)
	for _, name := range []string{object, ".git/refs/remotes/origin/pipe", ".git/refs/remotes/origin/HEAD"} {
		if err := syscall.Mkfifo(r.path(name), 0o644); err != nil {
			t.Skip(err)
		}
	}
	done := make(chan bool, 1)
	go func() {
		at := r.open().Tracked("origin")
		_ = at.Stamp()
		_, found := at.Default()
		tips := at.Tips()
		q, err := r.open().Quick()
		if err == nil {
			_, err = q.Commit(id)
		}
		done <- !found && len(tips) == 1 && tips[0] == Tip{"origin/fix", id} && err != nil
	}()
	select {
	case as := <-done:
		if !as {
			t.Error("a pipe was taken for a file")
		}
	case <-time.After(slowtest.Patience):
		t.Fatal("it waits")
	}
}
