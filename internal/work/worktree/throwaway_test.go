package worktree_test

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
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

// One that was left by a kill, whenever that comes, is removed by whatever comes next, also from git's list; one whose
// maker lives stays.
func TestSlowKilledThrowaway(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	for i := range 25 {
		p := storetest.Start(t, f.s, "throwaway")
		if i%5 == 0 {
			top, ok := p.Answer()
			f.w.Sweep(t.Context())
			if _, err := os.Lstat(top); !ok || err != nil {
				t.Fatalf("one that is in use was removed, or does not begin: %q, %v", top, err)
			}
		} else {
			<-time.After(time.Duration(i) * 6 * time.Millisecond) // any moment will do
		}
		_ = p.Cmd.Process.Kill()
		_ = p.Cmd.Wait()
		f.swept(t)
	}
}

// swept fails the test if throw-away work trees are left that no later call removes. A git that outlived its caller may
// make one after the first.
func (f *field) swept(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(slowtest.Patience); ; <-time.After(20 * time.Millisecond) {
		f.w.Sweep(t.Context())
		left, _ := filepath.Glob(filepath.Join(filepath.Dir(f.repo), ".shop-worktrees", "*", ".merge-*"))
		records, _ := filepath.Glob(filepath.Join(f.s.Live.Worktrees(), ".merge-*.json"))
		if len(left)+len(records) == 0 && !strings.Contains(f.git("worktree", "list"), ".merge-") || time.Now().After(deadline) {
			f.nothingLeft(t)
			return
		}
	}
}

// What cannot be removed is no error of whatever else is done, and is removed when it can be.
func TestThrowawayThatCannotBeRemoved(t *testing.T) {
	f := newField(t)
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	f.o.Now = func() time.Time { return now }
	f.open()
	what := worktree.Throwaway{Lock: "held", Commit: "HEAD", From: f.repo}
	var stuck string
	disk.Intercept = func(c disk.Call, do func() error) error {
		if c.Op == disk.Remove && c.Path == stuck {
			return fs.ErrPermission // as of another user's file, or one that is open on Windows
		}
		return do()
	}
	t.Cleanup(func() { disk.Intercept = nil })
	for range 2 { // the second comes upon what the first left
		if err := f.w.InThrowaway(t.Context(), what, func(top string) error { stuck = cmp.Or(stuck, top); return os.MkdirAll(top, 0o755) }); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(stuck, 0o755); err != nil { // git has taken away what it could
		t.Fatal(err)
	}
	f.w.Sweep(t.Context())
	disk.Intercept = nil
	f.w.Sweep(t.Context())
	if _, err := os.Lstat(stuck); err != nil {
		t.Fatal("it is tried again at once")
	}
	now = now.Add(2 * time.Minute)
	f.w.Sweep(t.Context())
	if _, err := os.Lstat(stuck); err == nil {
		t.Error("it is still there")
	}
	f.nothingLeft(t)
}
