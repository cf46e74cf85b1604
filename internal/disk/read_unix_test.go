//go:build unix

package disk

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Pipes, devices and folders are refused at once, and files are read, also through links.
func TestReadFileNeverWaits(t *testing.T) {
	dir := t.TempDir()
	pipe, file, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Skip(err)
	}
	for _, path := range []string{pipe, dir, os.DevNull, "/dev/zero", "/dev/tty"} {
		if _, err := ReadFile(path); !errors.Is(err, ErrNotRegular) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := errors.Join(os.WriteFile(file, []byte("text"), 0o644), os.Symlink(file, link)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, link} {
		if text, err := ReadFile(path); string(text) != "text" || err != nil {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
	if _, err := ReadFile(filepath.Join(dir, "none")); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: %v", err)
	}
	for name, write := range map[string]func() error{
		"append": func() error { return Append(pipe, []byte("x")) },
		"write":  func() error { return WriteFile(pipe, []byte("x")) },
	} {
		if err := write(); err == nil {
			t.Errorf("%s to a pipe succeeds", name)
		}
	}
}

// What ReadWhole does not read in one piece it leaves to others, who find out why.
func TestReadWhole(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	err := errors.Join(os.WriteFile(path("file"), []byte("text"), 0o644), os.WriteFile(path("empty"), nil, 0o644),
		os.Symlink("file", path("link")), syscall.Mkfifo(path("pipe"), 0o644))
	if err != nil {
		t.Skip(err)
	}
	for _, tt := range []struct {
		name string
		most int64
		want string
		ok   bool
	}{
		{"file", 4, "text", true},
		{"file", 3, "", false},
		{"empty", 0, "", true},
		{"link", 4, "", false},
		{"pipe", 4, "", false},
		{"", 1 << 20, "", false}, // the folder
		{"none", 4, "", false},
	} {
		data, ok := ReadWhole(path(tt.name), tt.most)
		if ok != tt.ok || ok && string(data) != tt.want {
			t.Errorf("%q, at most %d bytes: %q, %v", tt.name, tt.most, data, ok)
		}
	}
}
