package worktree_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// What is written in the work tree of a task is committed with the work, and in the workspace itself by the write.
func TestAutocommitLeavesWorkTreesAlone(t *testing.T) {
	f := newField(t)
	tree := f.make("PROJ-1")
	l, err := layout.Find(tree.Root)
	storetest.WantCode(t, err, "")
	there, err := worktree.Open(l, worktree.Options{})
	storetest.WantCode(t, err, "")
	before := f.in(tree, "rev-parse", "HEAD")
	put(t, tree.Root, ".cairn/config.yaml", "prefix: PROJ\n# a line\n")
	storetest.WantCode(t, there.Autocommit(t.Context(), unlocked), "")
	if now := f.in(tree, "rev-parse", "HEAD"); now != before {
		t.Errorf("the write was committed in the work tree of a task")
	}
}

// A person commits beside a write, at each moment between two steps of Autocommit: what they changed alone, all there
// is, what is staged, or once more what is committed last. Their commit stays, nothing of the record is lost, and
// Autocommit says that it is committed only if it is.
func TestSlowAutocommitBesideAPerson(t *testing.T) {
	slowtest.Skip(t)
	for name, commits := range map[string]string{
		"code alone":    "git commit -q -m mine app.txt",
		"all":           "git add -A && git commit -q -m mine",
		"what is there": "git commit -q --allow-empty -m mine",
		"once more":     "git commit -q -a --amend -m mine",
	} {
		t.Run(name, func(t *testing.T) {
			f := newField(t)
			beside := stepping(t, f.repo, commits)
			for step := 1; ; step++ {
				before := f.git("rev-list", "--count", "HEAD")
				f.task(step, "first")
				storetest.WantCode(t, f.w.Autocommit(t.Context(), unlocked), "")
				f.task(step, "second")
				f.write("app.txt", fmt.Sprintf("step %d\n", step))
				steps := beside(step, func() {
					err := f.w.Autocommit(t.Context(), unlocked)
					if left := f.git("status", "--porcelain", "--", ".cairn"); err == nil && left != "" {
						t.Errorf("at step %d it says that all is committed, and left is %s", step, left)
					} else if err != nil {
						t.Errorf("at step %d it says %v", step, err)
					}
				})
				if steps < step {
					if now := f.git("rev-list", "--count", "HEAD^"); now != before || steps < 10 {
						t.Errorf("in %d steps nothing was replaced: %s", steps, f.git("log", "--oneline", "-3"))
					}
					return
				}
				storetest.WantCode(t, f.w.Autocommit(t.Context(), unlocked), "")
				if n := strings.Count(f.git("log", "--format=%s%n"), "mine\n"); n != step && name != "once more" || n == 0 {
					t.Fatalf("after step %d there are %d commits of the person", step, n)
				}
				if all := f.git("show", "HEAD:.cairn/tasks/PROJ-1.md"); !strings.Contains(all, fmt.Sprintf("second %d.", step)) {
					t.Fatalf("after step %d the record is\n%s", step, all)
				}
				f.git("add", "-A")
				f.git("commit", "-q", "--allow-empty", "-m", "the rest")
			}
		})
	}
}

func unlocked(_ context.Context, fn func() error) error { return fn() }

// task writes into the body of PROJ-1, beside what is there.
func (f *field) task(step int, word string) {
	name := filepath.Join(f.repo, ".cairn", "tasks", "PROJ-1.md")
	src, err := os.ReadFile(name)
	if err == nil {
		err = os.WriteFile(name, fmt.Appendf(src, "%s %d.\n", word, step), 0o644)
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

// stepping returns a function that has a command run in a folder right before the nth git that another function
// starts, and returns how many that started.
func stepping(t *testing.T, dir, command string) func(n int, fn func()) int {
	bin, usual := t.TempDir(), os.Getenv("PATH")
	put(t, bin, "command", "cd '"+dir+"'\n"+command)
	put(t, bin, "git", "#!/bin/sh\nexport PATH='"+usual+"'\nbin='"+bin+`'
echo >> $bin/count
n=0
while read -r _; do n=$((n+1)); done < $bin/count # starts nothing
read -r at < $bin/at
if [ $n = $at ]; then
	env -i PATH="$PATH" HOME="$HOME" sh -e $bin/command < /dev/null > $bin/said 2>&1 || mv $bin/said $bin/failed
fi
exec git "$@"
`)
	if err := os.Chmod(filepath.Join(bin, "git"), 0o755); err != nil {
		t.Fatal(err)
	}
	return func(n int, fn func()) int {
		put(t, bin, "count", "")
		put(t, bin, "at", strconv.Itoa(n)+"\n")
		t.Setenv("PATH", bin+string(os.PathListSeparator)+usual)
		fn()
		t.Setenv("PATH", usual)
		if said, err := os.ReadFile(filepath.Join(bin, "failed")); err == nil {
			t.Fatalf("at step %d the command says %s", n, said)
		}
		count, err := os.ReadFile(filepath.Join(bin, "count"))
		if err != nil {
			t.Fatal(err)
		}
		return len(count)
	}
}
