package store_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
)

// attached opens a new workspace, which has no git around it.
func attached(t *testing.T) *store.Store {
	t.Helper()
	dir := t.TempDir()
	if _, _, err := store.Init(dir, "T"); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(dir, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// A file is copied byte for byte, under a name that follows from its content, once; also one that is larger than a
// record may be.
func TestAttachments(t *testing.T) {
	s := attached(t)
	for name, tt := range map[string]struct {
		content []byte
		mime    string
	}{
		"a.log":     {[]byte("all is well\r\nso far\n"), "text/plain"},
		"notes.md":  {[]byte("# Notes\n"), "text/markdown"},
		"data.json": {[]byte(`{"a":1}`), "application/json"},
		"shot.png":  {append([]byte("\x89PNG\r\n\x1a\n"), bytes.Repeat([]byte{7}, 100)...), "image/png"},
		"large.bin": {bytes.Repeat([]byte{0, 1, 2, 3}, 1_200_000), "application/octet-stream"},
		"fake.json": {append([]byte("\x89PNG\r\n\x1a\n"), 1, 2, 3), "image/png"},
	} {
		write(t, filepath.Join(s.Root, "out", name), tt.content)
		got, err := s.ReadAttachment(filepath.Join(s.Root, "out"), name)
		if err != nil || got.Mime() != tt.mime || got.Name != name || !record.IsFilePath(got.Path) {
			t.Fatalf("%s: %s, %s, %v", name, got.Path, got.Mime(), err)
		}
		for range 2 {
			if err := s.Update(t.Context(), func(tx *store.Tx) error { return tx.Attach(got) }); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if have, err := os.ReadFile(s.Abs(got.Path)); err != nil || !bytes.Equal(have, tt.content) {
			t.Errorf("%s is copied as %d bytes, %v", name, len(have), err)
		}
	}
	for _, beside := range []string{".gitattributes", ".gitignore"} {
		if _, err := os.Stat(filepath.Join(s.Dir("files"), beside)); err != nil {
			t.Error(err)
		}
	}
	got, err := s.ReadAttachment(s.Root, "out/a.log")
	if err != nil {
		t.Fatal(err)
	}
	write(t, s.Abs(got.Path), []byte("another"))
	if err := s.Update(t.Context(), func(tx *store.Tx) error { return tx.Attach(got) }); record.CodeOf(err) != record.BadFile {
		t.Errorf("over a file that holds something else: %v", err)
	}
}

// A write that fails adds no file.
func TestAttachmentOfARefusedWrite(t *testing.T) {
	s := attached(t)
	write(t, filepath.Join(s.Root, "a.log"), []byte("x"))
	got, err := s.ReadAttachment(s.Root, "a.log")
	if err != nil {
		t.Fatal(err)
	}
	refused := record.Errorf(record.Conflict, "no")
	if err := s.Update(t.Context(), func(tx *store.Tx) error {
		if err := tx.Attach(got); err != nil {
			return err
		}
		return refused
	}); record.CodeOf(err) != record.Conflict {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.Dir("files")); !os.IsNotExist(err) {
		t.Errorf("the folder is there: %v", err)
	}
}

// Only regular files of the work tree are copied, and none of git's or of this machine alone.
func TestAttachmentsStayInTheWorktree(t *testing.T) {
	s := attached(t)
	outside := t.TempDir()
	write(t, filepath.Join(outside, "secret.txt"), []byte("secret"))
	write(t, filepath.Join(s.Root, "here.txt"), []byte("here"))
	write(t, filepath.Join(s.Root, "empty.txt"), nil)
	write(t, filepath.Join(s.Root, ".git", "config"), []byte("x"))
	write(t, filepath.Join(s.Root, ".cairn", "local", "x"), []byte("x"))
	write(t, filepath.Join(s.Root, "long.txt"), make([]byte, 5<<20+1))
	rel, err := filepath.Rel(s.Root, filepath.Join(outside, "secret.txt"))
	if err != nil {
		t.Fatal(err)
	}
	bad := map[string]string{
		"":                                     "needs path",
		rel:                                    "out of the work tree",
		filepath.Join(outside, "secret.txt"):   "out of the work tree",
		"..":                                   "out of the work tree",
		".":                                    "out of the work tree",
		".git/config":                          "a file of git",
		".GIT/config":                          "",
		".cairn/local/x":                       "this machine only",
		".cairn":                               "no regular file",
		"empty.txt":                            "is empty",
		"long.txt":                             "more than 5242880 bytes",
		"nothing.txt":                          "no file",
		"nowhere/nothing.txt":                  "no file",
		"here.txt\x00":                         "needs path",
		filepath.Join("here.txt", "below.txt"): "",
	}
	if runtime.GOOS != "windows" {
		for link, to := range map[string]string{"link.txt": "here.txt", "out.txt": filepath.Join(outside, "secret.txt"), "folder": outside} {
			if err := os.Symlink(to, filepath.Join(s.Root, link)); err != nil {
				t.Fatal(err)
			}
		}
		bad["link.txt"], bad["out.txt"], bad["folder/secret.txt"] = "no regular file", "no regular file", "out of the work tree"
		bad["/dev/null"] = "out of the work tree"
	}
	for name, want := range bad {
		got, err := s.ReadAttachment(s.Root, name)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %+v, %v, want %q", name, got.Path, err, want)
		}
	}
	for _, name := range []string{"here.txt", filepath.Join(s.Root, "here.txt"), "./out/../here.txt"} {
		if name == "./out/../here.txt" {
			write(t, filepath.Join(s.Root, "out", "x"), []byte("x"))
		}
		if _, err := s.ReadAttachment(s.Root, name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	if runtime.GOOS != "windows" {
		if err := os.Symlink(outside, s.Dir("files")); err != nil {
			t.Fatal(err)
		}
		a, err := s.ReadAttachment(s.Root, "here.txt")
		if err == nil {
			err = s.Update(context.Background(), func(tx *store.Tx) error { return tx.Attach(a) })
		}
		if entries, _ := os.ReadDir(outside); err == nil || len(entries) != 1 {
			t.Errorf("through a link: %v, %v", err, entries)
		}
	}
}
