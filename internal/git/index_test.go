package git

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
)

// describe is a line for each file: mode, path, and what is special.
func describe(files []File) []string {
	var out []string
	for _, f := range files {
		line := f.Mode + " " + f.Path
		if !f.Regular() {
			line += " irregular"
		}
		if f.Unmerged {
			line += " unmerged"
		}
		if f.Unwatched {
			line += " unwatched"
		}
		out = append(out, line)
	}
	return out
}

// A commit and the index that it was made of list the same files.
func TestFilesOfACommitAndOfTheIndex(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	r.write("rec[1]/a", "a")
	r.write("rec[1]/ü b", "b")
	r.write("rec1", "not below it")
	r.write("tool", "#!/bin/sh\n")
	r.link("a", "rec[1]/link")
	r.git("add", "-A")
	r.git("update-index", "--chmod=+x", "tool")
	r.git("commit", "-q", "-m", "files")
	found := r.open()
	for below, want := range map[string][]string{
		"rec[1]":  {"100644 rec[1]/a", "120000 rec[1]/link irregular", "100644 rec[1]/ü b"},
		"nowhere": nil,
		"tool":    {"100755 tool"},
		"":        {"100644 rec1", "100644 rec[1]/a", "120000 rec[1]/link irregular", "100644 rec[1]/ü b", "100755 tool"},
	} {
		committed, err := found.Objects().Files(t.Context(), "HEAD", below)
		if got := describe(committed); err != nil || !slices.Equal(got, want) {
			t.Errorf("of the commit, below %q: %q, %v", below, got, err)
		}
		tracked, err := found.Index("").Files(t.Context(), below)
		if err != nil || !slices.Equal(tracked, committed) {
			t.Errorf("of the index, below %q: %+v, %v", below, tracked, err)
		}
	}
	if _, err := found.Objects().Files(t.Context(), "--all", ""); record.CodeOf(err) != record.InvalidInput {
		t.Errorf("an option is a commit: %v", err)
	}
}

func TestTrackedTellsWhatIsSpecial(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	for _, name := range []string{"assumed", "plain", "skipped", "torn"} {
		r.write(name, "one\n")
	}
	r.commit()
	r.git("switch", "-q", "-c", "side")
	r.write("torn", "two\n")
	r.commit()
	r.git("switch", "-q", "main")
	r.write("torn", "three\n")
	r.commit()
	if _, err := r.try("merge", "side"); err == nil {
		t.Fatal("there is no conflict")
	}
	r.git("update-index", "--assume-unchanged", "assumed")
	r.git("update-index", "--skip-worktree", "skipped")
	files, err := r.open().Index("").Files(t.Context(), "")
	want := []string{
		"100644 assumed unwatched", "100644 plain", "100644 skipped unwatched",
		"100644 torn unmerged unwatched", "100644 torn unmerged unwatched", "100644 torn unmerged unwatched",
	}
	if got := describe(files); err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
}

// What is staged has the fingerprint of the commit that is made of it.
func TestIndexFingerprint(t *testing.T) {
	isolate(t)
	r := filled(t)
	r.git("add", "-A")
	found := r.open()
	staged, err := found.Index("").Fingerprint(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "index")
	text, err := os.ReadFile(r.path(".git/index"))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, other, string(text))
	r.write("plain", "changed, and not staged\n")
	r.git("commit", "-q", "-m", "what is staged")
	committed, err := found.Objects().Fingerprint(t.Context(), "HEAD")
	if err != nil || staged != committed {
		t.Errorf("staged %s, committed %s, %v", staged, committed, err)
	}
	r.git("add", "-A")
	if again, err := found.Index(other).Fingerprint(t.Context()); err != nil || again != committed {
		t.Errorf("in an index of another name: %s, %v", again, err)
	}
	if now, err := found.Index("").Fingerprint(t.Context()); err != nil || now == committed {
		t.Errorf("after more was staged: %s, %v", now, err)
	}
}

// Files are found by how their paths end, wherever they lie.
func TestIndexNamed(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	for _, path := range []string{"x/y", "a/x/y", "a/b/x/y", "a/bx/y", "x/y2", "x/y.d/z"} {
		r.write(path, "")
	}
	r.commit()
	files, err := r.open().Index("").Named(t.Context(), "x/y")
	var got []string
	for _, f := range files {
		got = append(got, f.Path)
	}
	wantAnswer(t, "called x/y", got, err, "a/b/x/y", "a/x/y", "x/y")
}

func TestConverted(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	r.write(".gitattributes", "a* filter=x\nb ident\nc working-tree-encoding=UTF-16\nd working-tree-encoding=utf8 -filter !ident\n* text=auto\n")
	r.git("add", "-A")
	r.write(".gitattributes", "b ident\n")
	found := r.open()
	got, err := found.Index("").Converted(t.Context(), []string{"b", "a 1", "d"}, false)
	wantAnswer(t, "in the work tree", got, err, Converted{"b", "ident"})
	got, err = found.Index("").Converted(t.Context(), []string{"c", "a 1", "d", "b"}, true)
	wantAnswer(t, "in the index", got, err, Converted{"c", "working-tree-encoding=UTF-16"}, Converted{"a 1", "filter=x"}, Converted{"b", "ident"})
	got, err = found.Index("").Converted(t.Context(), nil, false)
	wantAnswer(t, "of nothing", got, err)
}

// wantAnswer fails the test unless got is want.
func wantAnswer[T comparable](t *testing.T, what string, got []T, err error, want ...T) {
	t.Helper()
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%s: got %v (%v), want %v", what, got, err, want)
	}
}
