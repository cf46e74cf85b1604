package git

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Of what is too large only the size is read, and what comes after it is read all the same.
func TestBlobs(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	r.write("small", "small\n")
	r.write("empty", "")
	r.write("large", strings.Repeat("0123456789", 100_000))
	r.write("dir/binary", "a\x00b\n\n")
	r.commit()
	names := []string{"HEAD:small", "HEAD:large", "HEAD:nowhere", "HEAD:empty", "HEAD:dir", r.git("rev-parse", "HEAD:dir/binary")}
	want := []Blob{
		{Content: []byte("small\n"), Size: 6},
		{Size: 1_000_000},
		{Missing: true},
		{Content: []byte{}, Size: 0},
		{Missing: true},
		{Content: []byte("a\x00b\n\n"), Size: 5},
	}
	next := 0
	err := r.open().Objects().Blobs(t.Context(), names, 100, func(i int, got Blob) {
		if i != next || string(got.Content) != string(want[i].Content) || (got.Content == nil) != (want[i].Content == nil) ||
			got.Missing != want[i].Missing || !got.Missing && got.Size != want[i].Size {
			t.Errorf("%s: %+v", names[i], got)
		}
		next++
	})
	if err != nil || next != len(names) {
		t.Errorf("%d were read, %v", next, err)
	}
}

// An object that a clone replaces by another is read as what it is: nobody else has the other one.
func TestReplacedObjects(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	r.write("file", "as committed\n")
	r.commit()
	r.write("other", "in its place\n")
	r.commit()
	r.git("replace", r.git("rev-parse", "HEAD:file"), r.git("rev-parse", "HEAD:other"))
	err := r.open().Objects().Blobs(t.Context(), []string{"HEAD:file"}, 100, func(_ int, got Blob) {
		if string(got.Content) != "as committed\n" {
			t.Errorf("the file holds %q", got.Content)
		}
	})
	if err != nil {
		t.Error(err)
	}
}

func TestBlobsFail(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	r.write("a", "a")
	r.commit()
	found := r.open()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	err := found.Objects().Blobs(ended, []string{"HEAD:a"}, 100, func(int, Blob) {})
	if e := failure(t, err); !errors.Is(e, context.Canceled) {
		t.Errorf("of an end of the context: %v", err)
	}
	if err := found.Objects().Blobs(t.Context(), nil, 100, nil); err != nil {
		t.Errorf("of nothing: %v", err)
	}
	r.remove(".git")
	if err := found.Objects().Blobs(t.Context(), []string{"HEAD:a"}, 100, func(int, Blob) {}); record.CodeOf(err) != record.Git {
		t.Errorf("of no repository: %v", err)
	}
}

// What a commit has and another, or the index, has not: files that are deleted, renamed, or links and repositories by
// now, whatever the clone says of how differences are shown.
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
	got, err := sorted(found.Index("").Gone(t.Context(), before))
	wantAnswer(t, "in the index", got, err, want...)
	r.git("commit", "-q", "-m", "a change")
	got, err = sorted(found.Objects().Gone(t.Context(), before, "HEAD"))
	wantAnswer(t, "in a commit", got, err, want...)
	got, err = found.Objects().Gone(t.Context(), "HEAD", "HEAD")
	wantAnswer(t, "in the same commit", got, err)
	r.git("read-tree", "--index-output="+filepath.Join(r.dir, ".git", "other"), before)
	got, err = found.Index(filepath.Join(".git", "other")).Gone(t.Context(), before)
	wantAnswer(t, "in another index", got, err)
}

func TestContentID(t *testing.T) {
	isolate(t)
	for _, format := range []string{"sha1", "sha256"} {
		r := newRepoAt(t, "", "--object-format="+format)
		r.write("a", "content\n")
		want := r.git("hash-object", "a")
		if got := ContentID([]byte("content\n"), want); got != want {
			t.Errorf("%s: %s and not %s", format, got, want)
		}
		if !IsID(want) || IsID(want[1:]) || IsID("main") {
			t.Errorf("%s: ids and names are not told apart", format)
		}
	}
}

func TestFiles(t *testing.T) {
	isolate(t)
	r := filled(t)
	r.write("plain", "")
	r.commit()
	empty := r.git("rev-parse", "HEAD")
	r.write("plain", "ends without a line break")
	r.commit()
	commits := []string{empty, r.git("rev-parse", "HEAD")}
	for path, want := range map[string][]string{
		"plain":               {"", "ends without a line break"},
		"with space":          {"x"},
		"größe-日本":            {"unicode"},
		"nowhere":             nil,
		"dir":                 nil, // a folder is no file
		"nobody\nasks for it": nil,
	} {
		if got := r.contents(commits, path); !slices.Equal(got, want) {
			t.Errorf("%q: %q", path, got)
		}
	}
	if got := r.contents(slices.Repeat(commits, 1000), "plain"); len(got) != 2 {
		t.Errorf("many at once: %q", got)
	}
}

func TestOldModes(t *testing.T) {
	for mode, want := range map[string]string{
		"100644": modeFile, "100664": modeFile, "100755": modeExec, "100775": modeExec, "120000": modeLink, "160000": modeRepo,
	} {
		if got := indexMode(mode); got != want {
			t.Errorf("indexMode(%s) = %s", mode, got)
		}
	}
}

func TestCommitTreeRefusesWhatIsNoCommit(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	r.commit()
	for rev, want := range map[string]record.Code{
		"":            record.InvalidInput,
		"--name-only": record.InvalidInput,
		"nothing":     record.Git,
		"HEAD~5":      record.Git,
	} {
		if _, err := r.open().Objects().Tree(t.Context(), rev); record.CodeOf(err) != want {
			t.Errorf("%q: got %v, want %s", rev, err, want)
		}
	}
}
