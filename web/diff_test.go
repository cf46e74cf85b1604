package web

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// write writes a file in a work tree.
func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// workOn makes the work tree of a task, where something changes files, and commits that.
func workOn(t *testing.T, b *browser, id string, change func(dir string)) worktree.Tree {
	t.Helper()
	w := b.s.reads.w
	tree := verbtest.MakeWorktree(t, &w, record.ID(id))
	storetest.Identify(t, tree.Path)
	change(tree.Path)
	storetest.Git(t, tree.Path, "add", "--all")
	storetest.Git(t, tree.Path, "commit", "-q", "-m", "work")
	return tree
}

// What a page does not show of a diff, it names: files behind many lines, long ones, and those that git takes for binary.
func TestADiffHidesNothing(t *testing.T) {
	b := serve(t, Options{}, func(w *verb.Workspace) { verbtest.PrepareJobs(t, w) }).enter()
	id := b.create("Ship")
	workOn(t, b, id, func(dir string) {
		write(t, dir, "aaa.txt", strings.Repeat("noise\n", linesOfFile+300))
		write(t, dir, "sly.go", "package sly // \x00\n")
		write(t, dir, "zzz.go", "package zzz // at the end\n")
	})
	b.says(t, "/diff/"+id, "Not shown whole", "301 lines more", "git diff main...cairn/"+id+" -- aaa.txt", "at the end",
		"<code>sly.go</code>, binary", "2 files are not shown whole on this page")
}

// All files of a diff that is long are read, with how many lines of them changed.
func TestLongDiffs(t *testing.T) {
	var text strings.Builder
	for i := range 30 {
		fmt.Fprintf(&text, "diff --git a/f%d b/f%d\n@@ -0,0 +1,900 @@\n%s", i, i, strings.Repeat("+more\n", 900))
	}
	files := filesOf(text.String())
	last := files[len(files)-1]
	if len(files) != 30 || last.Added != 900 || last.More != 901 || len(last.Lines) != 0 {
		t.Errorf("of %d files the last has %d lines of %d, and %d more", len(files), len(last.Lines), last.Added, last.More)
	}
}

// What changed beside lines is said of each file in words.
func TestMarksOfFiles(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"a new file":        {"diff --git a/a b b/a b\nnew file mode 100644\n--- /dev/null\n+++ b/a b\n@@ -0,0 +1 @@\n+x\n", "a b: new +1 -0"},
		"a quoted name":     {`diff --git "a/\303\244" "b/\303\244"` + "\ndeleted file mode 100644\n--- x\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", "ä: deleted +0 -1"},
		"a renamed one":     {"diff --git a/a b b/c b/d\nsimilarity index 100%\nrename from a b\nrename to c b/d\n", "c b/d: renamed from a b +0 -0"},
		"a program":         {"diff --git a/run b/run\nold mode 100644\nnew mode 100755\n", "run: now executable +0 -0"},
		"a program no more": {"diff --git a/run b/run\nold mode 100755\nnew mode 100644\n", "run: no longer executable +0 -0"},
		"a link":            {"diff --git a/l b/l\nnew file mode 120000\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n", "l: new, symbolic link to /etc/passwd +1 -0"},
		"a changed link":    {"diff --git a/l b/l\nindex 1..2 120000\n@@ -1 +1 @@\n-a\n+b\n", "l: symbolic link to b +1 -1"},
		"a binary one":      {"diff --git a/p b/p\nindex 1..2 100644\nGIT binary patch\nliteral 3000\nzcmV\n\nliteral 20\nzcmV\n", "p: binary, 3000 bytes +0 -0"},
	} {
		t.Run(name, func(t *testing.T) {
			f := filesOf(tt.text)[0]
			if got := fmt.Sprintf("%s: %s +%d -%d", f.Name, strings.Join(f.Marks, ", "), f.Added, f.Deleted); got != tt.want {
				t.Errorf("it is %q, want %q", got, tt.want)
			}
		})
	}
}

// What stands in the way of a verdict is said beside its button; what was merged is shown as it was, and not judged again.
func TestADiffUntilItIsMerged(t *testing.T) {
	b := serve(t, Options{}, func(w *verb.Workspace) { verbtest.PrepareJobs(t, w) }).enter()
	w := b.s.reads.w
	id := verbtest.Must(t, &w, "create", verbtest.Args{"title": "Ship", "checks": []verbtest.Args{{"desc": "it floats", "cmd": "test ! -f more.go"}}}).ID
	verbtest.ApproveAll(t, &w)
	tree := workOn(t, b, id, func(dir string) { write(t, dir, "ship.go", "package ship\n") })
	write(t, tree.Path, "more.go", "package ship\n")
	at := *w.At(tree.Path)
	b.says(t, "/diff/"+id, "A merge would be refused:", `value="approve" disabled`, `value="merge" disabled`,
		"cannot be approved: its work tree has changes")
	if err := os.Remove(filepath.Join(tree.Path, "more.go")); err != nil {
		t.Fatal(err)
	}
	verbtest.Must(t, &at, "run_checks", verbtest.Args{"id": id})
	verbtest.Must(t, &at, "transition", verbtest.Args{"id": id, "to": "in_review"})
	b.says(t, "/diff/"+id, `value="approve" class="main">`, `value="merge">`, `class="r r-pass">pass`)
	verbtest.Must(t, &w, "review_apply", verbtest.Args{"id": id, "action": "merge"})
	b.says(t, "/diff/"+id, "merged into <code>main</code> as <code>", "package ship", "ship.go")
	if page := b.page("/diff/" + id); strings.Contains(page, `value="merge"`) || strings.Contains(page, "It changes nothing") {
		t.Errorf("after the merge it says %s", page)
	}
}

// What changed on main since a task was taken up there may be anyone's, and is not judged as its work.
func TestADiffOfMain(t *testing.T) {
	b := serve(t, Options{}, func(w *verb.Workspace) { verbtest.PrepareJobs(t, w) }).enter()
	w := b.s.reads.w
	s, err := w.Open()
	if err != nil {
		t.Fatal(err)
	}
	id := b.create("Ship")
	verbtest.Must(t, &w, "begin", verbtest.Args{"id": id, "expected_actor": "human:ada", "idempotency_key": "k"})
	write(t, s.Root, "other.go", "package other\n")
	b.says(t, "/diff/"+id, "worked on main itself; what changed there since, by anyone", "other.go")
	verbtest.Must(t, &w, "transition", verbtest.Args{"id": id, "to": "in_review"})
	if page := b.page("/diff/" + id); strings.Contains(page, `value="approve"`) {
		t.Errorf("it is judged: %s", page)
	}
}

// The page of a job that failed has the last lines that it printed, and says once why it failed.
func TestAFailedJob(t *testing.T) {
	b := serve(t, Options{}, func(w *verb.Workspace) { verbtest.PrepareJobs(t, w) }).enter()
	w := b.s.reads.w
	id := b.create("Ship <it>")
	verbtest.ApproveAll(t, &w)
	started := verbtest.Must(t, &w, "job_start", verbtest.Args{"id": id, "executor": "mine"}).Job
	s, err := w.Open()
	if err != nil {
		t.Fatal(err)
	}
	if page := b.page("/jobs"); strings.Contains(page, "round 0") || strings.Contains(page, "- tokens") || !strings.Contains(page, "Ship &lt;it&gt;") {
		t.Errorf("the list says %s", page)
	}
	own, err := work.Jobs(s).Own(started)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(own.WriteFile("stdout.log", []byte(strings.Repeat("early\n", lastShown)+"no such model\n")),
		own.Change(func(s *job.Status) {
			s.State, s.Reason, s.Message, s.Summary = job.Failed, job.ExecutorError, "the executor ended with exit 3", "the executor ended with exit 3"
		}), own.Release())
	if err != nil {
		t.Fatal(err)
	}
	b.says(t, "/job/"+started, "What it printed last", "no such model", "Ship &lt;it&gt;")
	if n := strings.Count(b.page("/job/"+started), "the executor ended with exit 3"); n != 1 {
		t.Errorf("it says %d times why it failed", n)
	}
}
