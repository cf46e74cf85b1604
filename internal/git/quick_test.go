package git

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/slowtest"
)

// Where two commits went apart is what git says, in histories of any shape, loose and packed.
func TestSlowForks(t *testing.T) {
	slowtest.Skip(t)
	isolate(t)
	r := newRepoAt(t, "")
	random := rand.New(rand.NewPCG(1, 2))
	tree := strings.TrimSpace(r.git("write-tree"))
	var commits []string
	for n := range 40 {
		text := "tree " + tree + "\n"
		for range random.IntN(3) {
			if len(commits) > 0 {
				text += "parent " + commits[max(0, len(commits)-1-random.IntN(8))] + "\n"
			}
		}
		who := "A <a@b> " + strconv.Itoa(1_700_000_000+n/3) + " +0000\n" // some in one second
		text += "author " + who + "committer " + who + "\n" + strconv.Itoa(n) + "\n"
		id, err := Writing{Input: strings.NewReader(text)}.Run(t.Context(), r.dir, "hash-object", "-w", "-t", "commit", "--stdin")
		if err != nil {
			t.Fatal(err)
		}
		commits = append(commits, strings.TrimSpace(string(id)))
		r.git("update-ref", "refs/heads/b"+strconv.Itoa(n), commits[n])
	}
	for _, packed := range []bool{false, true} {
		if packed {
			r.git("gc", "-q")
		}
		q, err := r.open().Quick()
		if err != nil {
			t.Fatal(err)
		}
		for range 150 {
			one, other := commits[random.IntN(len(commits))], commits[random.IntN(len(commits))]
			out, _ := answer(Run(t.Context(), r.dir, "merge-base", "--all", one, other)) // 1 for none
			got, want := q.Forks(one, other), strings.Fields(out)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s and %s went apart at %v, git says %v", one, other, got, want)
			}
		}
		q.Close()
	}
}

// Folders, files and commits are read as git has them, and what is larger than the limit is not.
func TestQuickReadsWhatGitHas(t *testing.T) {
	isolate(t)
	r := filled(t)
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "all\n\ntree 1\nparent 2")
	q, err := r.open().Quick()
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	c, err := q.Commit(strings.TrimSpace(r.git("rev-parse", "HEAD")))
	if err != nil || len(c.Parents) != 0 || c.Tree != strings.TrimSpace(r.git("rev-parse", "HEAD^{tree}")) {
		t.Fatalf("the commit is %+v (%v)", c, err)
	}
	e, ok := q.At(c.Tree, "dir/sub/file")
	if !ok || !e.File || e.ID != strings.TrimSpace(r.git("rev-parse", "HEAD:dir/sub/file")) {
		t.Fatalf("the file is %+v", e)
	}
	if text, err := q.Blob(e.ID, 5); err != nil || string(text) != "deep\n" {
		t.Errorf("the file holds %q (%v)", text, err)
	}
	if _, err := q.Blob(e.ID, 4); err == nil {
		t.Error("a file beyond the limit was read")
	}
	for _, path := range []string{"dir/nothing", "plain/file", ""} {
		if e, ok := q.At(c.Tree, path); ok {
			t.Errorf("at %q is %+v", path, e)
		}
	}
	if _, err := q.Commit(e.ID); err == nil {
		t.Error("a file is read as a commit")
	}
}

// A clone that borrows the objects of another is read with them.
func TestQuickReadsBorrowedObjects(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	r.write("file", "lent\n")
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "one")
	borrows := repo{t, realTempDir(t)}
	r.git("clone", "-q", "--shared", r.dir, borrows.dir)
	q, err := borrows.open().Quick()
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	if c, err := q.Commit(strings.TrimSpace(r.git("rev-parse", "HEAD"))); err != nil || c.Tree == "" {
		t.Errorf("the commit is %+v (%v)", c, err)
	}
}
