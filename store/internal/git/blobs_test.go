package git

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/task"
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
	err := r.open().Blobs(t.Context(), names, 100, func(i int, got Blob) {
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
	err := r.open().Blobs(t.Context(), []string{"HEAD:file"}, 100, func(_ int, got Blob) {
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
	err := found.Blobs(ended, []string{"HEAD:a"}, 100, func(int, Blob) {})
	if e := failure(t, err); !errors.Is(e, context.Canceled) {
		t.Errorf("of an end of the context: %v", err)
	}
	if err := found.Blobs(t.Context(), nil, 100, nil); err != nil {
		t.Errorf("of nothing: %v", err)
	}
	r.remove(".git")
	if err := found.Blobs(t.Context(), []string{"HEAD:a"}, 100, func(int, Blob) {}); task.CodeOf(err) != task.Git {
		t.Errorf("of no repository: %v", err)
	}
}
