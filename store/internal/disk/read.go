package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// ErrNotRegular says that a path holds a link, a folder, a pipe or a device where only a file is read or written.
var ErrNotRegular = errors.New("not a regular file")

// ErrTooLarge says that a file has more bytes than are read of its kind.
var ErrTooLarge = errors.New("too large")

// OpenRegular opens a file for reading. It follows no link in the last part of the path, and never waits for the other end of a
// pipe: what is not a regular file is ErrNotRegular.
func OpenRegular(path string) (*os.File, error) {
	f, err := openNoFollow(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	return f, regular(f, path)
}

// OpenFile is OpenRegular that follows links: for what the caller names, and for git's own files.
func OpenFile(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	f, err := os.OpenFile(path, os.O_RDONLY|dontWait, 0)
	if err != nil {
		return nil, err
	}
	return f, regular(f, path) // it may have become another meanwhile
}

// ReadFile is os.ReadFile of what OpenFile opens.
func ReadFile(path string) ([]byte, error) {
	f, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(f)
	return data, errors.Join(err, f.Close())
}

// regular closes what is not a regular file, and says so.
func regular(f *os.File, path string) error {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	if err != nil {
		_ = f.Close()
	}
	return err
}

// ReadRegular reads a file of at most so many bytes, as OpenRegular opens it. A larger one is ErrTooLarge.
func ReadRegular(path string, most int64) ([]byte, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		return nil, &fs.PathError{Op: "read", Path: path, Err: ErrTooLarge}
	}
	return data, err
}
