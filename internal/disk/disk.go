package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Op is a kind of call.
type Op string

// The kinds of call.
const (
	Mkdir  Op = "mkdir"
	Open   Op = "open" // opens a file for writing, and may create it
	Write  Op = "write"
	Chmod  Op = "chmod"
	Sync   Op = "fsync" // of a file or a folder
	Rename Op = "rename"
	Move   Op = "move" // of a file that stays as it is, to another folder
	Link   Op = "link"
	Remove Op = "remove"
	Lock   Op = "lock" // creates the file of a lock
)

// Call is one change of the disk that is about to be made.
type Call struct {
	Op   Op
	Path string // of the file that changes; of a rename, a move or a link the new name
}

// Intercept is called in place of every call while it is not nil; it makes the call by calling do. It is for tests,
// which set it while nothing else writes. Several goroutines may call it at once.
var Intercept func(c Call, do func() error) error

// Do makes a call through Intercept. It is for calls that other packages make for the store; all others are functions
// below.
func Do(op Op, path string, do func() error) error {
	if Intercept != nil {
		return Intercept(Call{op, path}, do)
	}
	return do()
}

// MakeFolder makes a folder and those above it, down from base, which must exist: a workspace that was removed must not
// come back empty. It flushes each name to the disk.
func MakeFolder(base, dir string) error { return makeFolder(base, dir, SyncFolder) }

// MakeVolatile is MakeFolder without flushing anything, for folders of what may be lost.
func MakeVolatile(base, dir string) error {
	return makeFolder(base, dir, func(string) error { return nil })
}

func makeFolder(base, dir string, flush func(dir string) error) error {
	if isFolder(dir) {
		return nil
	}
	if dir == base {
		_, err := os.ReadDir(base) // for its error
		return err
	}
	if err := makeFolder(base, filepath.Dir(dir), flush); err != nil {
		return err
	}
	err := Do(Mkdir, dir, func() error { return os.Mkdir(dir, 0o755) })
	if err != nil && !isFolder(dir) { // another process may make it at the same time
		return err
	}
	return flush(filepath.Dir(dir))
}

func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// File is a file that is being written.
type File struct{ f *os.File }

// Create creates a file that must not exist.
func Create(path string, perm os.FileMode) (*File, error) { return open(path, os.O_EXCL, perm) }

func open(path string, flag int, perm os.FileMode) (file *File, err error) {
	err = Do(Open, path, func() error {
		f, err := openNoFollow(path, os.O_WRONLY|os.O_CREATE|flag, perm)
		if err == nil {
			err = regular(f, path)
		}
		file = &File{f}
		return err
	})
	return file, err
}

// alone makes sure that a file which is written in place shares its content with no other name, as it does in a copy
// that was made of hard links.
func alone(path string) error {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || names(info) < 2 {
		return nil //nolint:nilerr // opening it returns the error
	}
	data, err := ReadRegular(path, info.Size())
	if err != nil {
		return err
	}
	if err := RemoveFile(path); err != nil {
		return err
	}
	return write(path, data, os.O_EXCL, info.Mode().Perm())
}

// write opens a file, writes to it and closes it.
func write(path string, data []byte, flag int, perm os.FileMode) error {
	f, err := open(path, flag, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// Name is the path that the file was opened by.
func (f *File) Name() string { return f.f.Name() }

// Write writes to the file, as io.Writer describes.
func (f *File) Write(data []byte) (n int, err error) {
	err = Do(Write, f.Name(), func() error {
		n, err = f.f.Write(data)
		return err
	})
	return n, err
}

// Chmod sets the permission bits.
func (f *File) Chmod(mode os.FileMode) error {
	return Do(Chmod, f.Name(), func() error { return f.f.Chmod(mode) })
}

// Sync flushes the content to the disk.
func (f *File) Sync() error { return Do(Sync, f.Name(), f.f.Sync) }

// Close closes the file. It changes nothing on the disk.
func (f *File) Close() error { return f.f.Close() }

// WriteFile writes a file in place. It follows no link, and writes to regular files only. A kill in the middle leaves
// an empty or incomplete file.
func WriteFile(path string, data []byte) error {
	if err := alone(path); err != nil {
		return err
	}
	return write(path, data, os.O_TRUNC, 0o644)
}

// Append adds data to the end of a file, and creates a missing one. It follows no link. A kill in the middle leaves a
// part of the data.
func Append(path string, data []byte) error {
	if err := alone(path); err != nil {
		return err
	}
	return write(path, data, os.O_APPEND, 0o644)
}

// Replace renames a file, over one that may be there. On Windows that can fail while a program has the file open;
// Replace tries again for about a second.
func Replace(from, to string) error {
	return Do(Rename, to, func() error { return rename(from, to) })
}

// MoveFile gives a file another path, at once: it is never at both, and never at none. It returns fs.ErrExist if there
// is something at that path. What another program puts there in the very moment is replaced.
func MoveFile(from, to string) error {
	if _, err := os.Lstat(to); err == nil {
		return &fs.PathError{Op: "move", Path: to, Err: fs.ErrExist}
	}
	return Do(Move, to, func() error { return rename(from, to) })
}

// Hardlink gives a file a second name, which must not exist.
func Hardlink(from, to string) error {
	return Do(Link, to, func() error { return os.Link(from, to) })
}

// RemoveFile removes a file. A missing one is no error.
func RemoveFile(path string) error {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return Do(Remove, path, func() error {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}

// Within reports whether a path is a folder or lies in it. Both are clean.
func Within(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
