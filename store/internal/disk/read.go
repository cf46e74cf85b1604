package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// ErrNotRegular says that something else than a file has a file's name: a pipe, a device, a folder.
var ErrNotRegular = errors.New("not a regular file")

// OpenFile opens a file for reading. It never waits: of a pipe or a device it says ErrNotRegular, where os.Open would wait for
// somebody to write. Links are followed.
func OpenFile(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, notRegular(path)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|dontWait, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() { // it became another meanwhile
		return nil, errors.Join(err, notRegular(path), f.Close())
	}
	return f, nil
}

func notRegular(path string) error { return &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular} }

// ReadFile is os.ReadFile of what OpenFile opens.
func ReadFile(path string) ([]byte, error) {
	f, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(f)
	return data, errors.Join(err, f.Close())
}
