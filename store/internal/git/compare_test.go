package git

import (
	"path/filepath"
	"slices"
	"testing"
)

// asked fails the test unless a question is answered so.
func asked[T comparable](t *testing.T, what string, got []T, err error, want ...T) {
	t.Helper()
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%s: %v (%v), and should be %v", what, got, err, want)
	}
}

// What a commit has and another, or the index, has not: files that are deleted, renamed, or links and repositories by now, whatever the
// clone says of how differences are shown.
func TestGone(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	for _, path := range []string{"stays", "changes", "goes/a", "goes/b c", "moves", "links", "größe"} {
		r.write(path, path+"\n")
	}
	r.commit()
	before := r.git("rev-parse", "HEAD")
	for key, value := range map[string]string{
		"diff.relative": "true", "diff.renames": "copies", "diff.noprefix": "true", "core.quotePath": "true", "core.ignoreCase": "true",
		"core.fileMode": "false", "core.checkStat": "minimal", "core.trustctime": "false", "diff.ignoreSubmodules": "all", "core.abbrev": "4",
	} {
		r.git("config", key, value)
	}
	r.write("changes", "other\n")
	r.remove("goes")
	r.remove("größe")
	rename(r, "moves", "moved")
	r.remove("links")
	r.link("stays", "links")
	r.git("add", "-A")
	want := []string{"goes/a", "goes/b c", "größe", "links", "moves"}
	slices.Sort(want)
	sorted := func(paths []string, err error) ([]string, error) { slices.Sort(paths); return paths, err }
	found := r.open()
	got, err := sorted(found.GoneFromIndex(t.Context(), before, ""))
	asked(t, "in the index", got, err, want...)
	r.git("commit", "-q", "-m", "a change")
	got, err = sorted(found.Gone(t.Context(), before, "HEAD"))
	asked(t, "in a commit", got, err, want...)
	got, err = found.Gone(t.Context(), "HEAD", "HEAD")
	asked(t, "in the same commit", got, err)
	r.git("read-tree", "--index-output="+filepath.Join(r.dir, ".git", "other"), before)
	got, err = found.GoneFromIndex(t.Context(), before, filepath.Join(".git", "other"))
	asked(t, "in another index", got, err)
}

// Files are found by how their paths end, wherever they lie.
func TestCalled(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	for _, path := range []string{"x/y", "a/x/y", "a/b/x/y", "a/bx/y", "x/y2", "x/y.d/z"} {
		r.write(path, "")
	}
	r.commit()
	files, err := r.open().Called(t.Context(), "", "x/y")
	var got []string
	for _, f := range files {
		got = append(got, f.Path)
	}
	asked(t, "called x/y", got, err, "a/b/x/y", "a/x/y", "x/y")
}

func TestConverted(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	r.write(".gitattributes", "a* filter=x\nb ident\nc working-tree-encoding=UTF-16\nd working-tree-encoding=utf8 -filter !ident\n* text=auto\n")
	r.git("add", "-A")
	r.write(".gitattributes", "b ident\n")
	found := r.open()
	got, err := found.Converted(t.Context(), []string{"b", "a 1", "d"}, false, "")
	asked(t, "in the work tree", got, err, Converted{"b", "ident"})
	got, err = found.Converted(t.Context(), []string{"c", "a 1", "d", "b"}, true, "")
	asked(t, "in the index", got, err, Converted{"c", "working-tree-encoding=UTF-16"}, Converted{"a 1", "filter=x"}, Converted{"b", "ident"})
	got, err = found.Converted(t.Context(), nil, false, "")
	asked(t, "of nothing", got, err)
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
	asked(t, "ignored", got, err, "all/c", "in/a.log", "in/sub/b.log")
}

// A short name is looked up as git would, without stopping at the first that it could be.
func TestMeanings(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	r.commit()
	head := r.git("rev-parse", "HEAD")
	r.git("tag", "-a", "-m", "a tag", "both")
	r.git("branch", "both")
	r.git("update-ref", "refs/remotes/both/HEAD", head)
	r.git("update-ref", "refs/heads/both2/nested", head)
	r.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/gone")
	found := r.open()
	for short, want := range map[string][]string{
		"both": {"refs/tags/both", "refs/heads/both", "refs/remotes/both/HEAD"}, "heads/both": {"refs/heads/both"}, "both2": nil, "origin": nil, "bo*": nil, "main": {"refs/heads/main"},
	} {
		got, err := found.Meanings(t.Context(), short)
		asked(t, short, got, err, want...)
	}
	if got, err := found.Ref(t.Context(), "refs/tags/both"); err != nil || got != head {
		t.Errorf("the tag is at %q, %v", got, err)
	}
	for _, name := range []string{"refs/heads/both2", "refs/remotes/origin/HEAD", "both"} {
		if got, err := found.Ref(t.Context(), name); err != nil || got != "" {
			t.Errorf("%s is at %q, %v", name, got, err)
		}
	}
	if got, err := found.Points(t.Context(), "refs/remotes/origin/HEAD"); err != nil || got != "refs/remotes/origin/gone" {
		t.Errorf("origin/HEAD points at %q, %v", got, err)
	}
	got, err := found.Abbreviated(t.Context(), head[:6])
	asked(t, head[:6], got, err, head)
}
