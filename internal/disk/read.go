package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// ErrNotRegular is the error of a path with a link, a folder, a pipe or a device in place of a file.
var ErrNotRegular = errors.New("not a regular file")

// ErrTooLarge is the error of a file that is larger than the limit.
var ErrTooLarge = errors.New("too large")

// OpenRegular opens a file for reading. It returns ErrNotRegular for what is not a regular file: it follows no link in
// the last part of the path, and never waits for the other end of a pipe.
func OpenRegular(path string) (*os.File, error) {
	f, err := openNoFollow(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	return f, regular(f, path)
}

// OpenFile is OpenRegular, but follows links. It is for files that the user names, and for git's own.
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
	return f, regular(f, path) // it may be another file by now
}

// ReadFile reads a file that OpenFile opens.
func ReadFile(path string) ([]byte, error) {
	f, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(f)
	return data, errors.Join(err, f.Close())
}

// regular closes a file that is not regular, and returns ErrNotRegular.
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

// ReadIn reads a regular file by its path from a folder. No link leads out of the folder, and the last part of the path
// may not be a link. Its other errors are those of ReadRegular.
func ReadIn(folder, rel string, most int64) ([]byte, error) {
	f, _, err := openIn(folder, rel)
	if err != nil {
		return nil, err
	}
	return atMost(f, rel, most)
}

// openIn opens a regular file as ReadIn does.
func openIn(folder, rel string) (*os.File, fs.FileInfo, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = root.Close() }()
	info, err := root.Lstat(rel)
	if err != nil {
		return nil, nil, err
	}
	notRegular := &fs.PathError{Op: "open", Path: rel, Err: ErrNotRegular}
	if !info.Mode().IsRegular() {
		return nil, nil, notRegular
	}
	f, err := root.OpenFile(rel, os.O_RDONLY|dontWait, 0)
	if err != nil {
		return nil, nil, err
	}
	if now, err := f.Stat(); err != nil || !os.SameFile(info, now) {
		_ = f.Close()
		return nil, nil, notRegular
	}
	return f, info, nil
}

// atMost reads a file and closes it. It returns ErrTooLarge if the file has more bytes than the limit.
func atMost(f *os.File, path string, most int64) ([]byte, error) {
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		return nil, &fs.PathError{Op: "read", Path: path, Err: ErrTooLarge}
	}
	return data, err
}

// ReadRegular reads a file that OpenRegular opens. It returns ErrTooLarge if the file has more bytes than the limit.
func ReadRegular(path string, most int64) ([]byte, error) {
	if data, ok := ReadWhole(path, most); ok {
		return data, nil
	}
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	return atMost(f, path, most)
}
