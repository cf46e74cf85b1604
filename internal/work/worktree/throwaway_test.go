package worktree_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// A throw-away work tree has what is not committed too, follows no link out of it, and is gone afterwards.
func TestThrowaway(t *testing.T) {
	f := newField(t)
	outside := filepath.Join(t.TempDir(), "outside")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(f.repo, "tests", "a.sh"), "old\n")
	write(filepath.Join(f.repo, "gone"), "old\n")
	write(filepath.Join(f.repo, ".gitignore"), "/deps/\n")
	f.commit()
	write(filepath.Join(f.repo, "deps", "lib"), "installed\n")
	write(filepath.Join(f.repo, "fresh"), "new\n")
	write(filepath.Join(outside, "a.sh"), "not ours\n")
	for _, path := range []string{"tests", "gone"} {
		if err := os.RemoveAll(filepath.Join(f.repo, path)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(f.repo, "tests")); err != nil {
		t.Skip(err)
	}
	made := ""
	what := worktree.Throwaway{Lock: "held", Commit: "HEAD", From: f.repo, Changes: true, Links: []string{"deps", "none"}}
	err := f.w.InThrowaway(t.Context(), what, func(top string) error {
		made = top
		reads := func(path, want string) {
			t.Helper()
			if got, err := os.ReadFile(filepath.Join(top, path)); string(got) != want {
				t.Errorf("%s holds %q, %v", path, got, err)
			}
		}
		reads("fresh", "new\n")
		reads("deps/lib", "installed\n")
		reads("tests/a.sh", "not ours\n") // through the link, as it is in the work tree
		if _, err := os.Lstat(filepath.Join(top, "gone")); err == nil {
			t.Error("what was deleted is there")
		}
		if err := worktree.PutFile(top, "tests/a.sh", "100755", "old\n"); err != nil {
			t.Error(err)
		}
		reads("tests/a.sh", "old\n")
		if err := worktree.PutFile(top, "fresh", "", ""); err != nil {
			t.Error(err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(filepath.Join(outside, "a.sh")); string(got) != "not ours\n" {
		t.Errorf("a file outside was written: %q", got)
	}
	if got, _ := os.ReadFile(filepath.Join(f.repo, "deps", "lib")); string(got) != "installed\n" {
		t.Errorf("what is linked was removed: %q", got)
	}
	if _, err := os.Lstat(made); err == nil {
		t.Error("it is still there")
	}
}

// playThrowaway makes one and waits in it.
func playThrowaway(s *store.Store, _ []string) error {
	w, err := worktree.Open(s.Layout, worktree.Options{})
	if err != nil {
		return err
	}
	return w.InThrowaway(context.Background(), worktree.Throwaway{Lock: "held", Commit: "HEAD", From: s.Root}, func(top string) error {
		fmt.Println(top)
		storetest.WaitForLine()
		return nil
	})
}

// One that was left by a kill is removed by the next call with its lock.
func TestSlowKilledThrowaway(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	p := storetest.Start(t, f.s, "throwaway")
	top, ok := p.Answer()
	if _, err := os.Lstat(top); !ok || err != nil {
		t.Fatalf("it does not begin: %q, %v", top, err)
	}
	_ = p.Cmd.Process.Kill()
	_ = p.Cmd.Wait()
	err := f.w.InThrowaway(t.Context(), worktree.Throwaway{Lock: "held", Commit: "HEAD", From: f.repo}, func(string) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(top); err == nil {
		t.Error("the tree of the killed one is still there")
	}
	if list := f.git("worktree", "list", "--porcelain"); strings.Contains(list, filepath.Base(top)) {
		t.Errorf("git still has it: %s", list)
	}
}
