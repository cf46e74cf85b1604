package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// RemoveTree removes a folder with all that lies in it. It follows no link. A folder in it that may not be written is
// made writable first. A missing one is no error. A kill in the middle leaves a part.
func RemoveTree(path string) error {
	return Do(Remove, path, func() error {
		err := os.RemoveAll(path)
		if !errors.Is(err, fs.ErrPermission) {
			return err
		}
		_ = filepath.WalkDir(path, func(at string, e fs.DirEntry, _ error) error {
			if e != nil && e.IsDir() {
				_ = os.Chmod(at, 0o700) // what cannot be changed shows when it is removed
			}
			return nil
		})
		return os.RemoveAll(path)
	})
}

// CopyIn copies a regular file to the same path in another folder, with its permission bits, and returns what was made.
// It returns fs.ErrExist if something is there, also a link. No link leads out of either folder. Where the file system
// can, the copy shares its content with the file until one of them is written. A kill in the middle leaves a part.
func CopyIn(from, to, rel string, most int64) (made fs.FileInfo, err error) {
	in, info, err := openIn(from, rel)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	if info.Size() > most {
		return nil, &fs.PathError{Op: "copy", Path: rel, Err: ErrTooLarge}
	}
	target, err := os.OpenRoot(to)
	if err != nil {
		return nil, err
	}
	defer func() { _ = target.Close() }()
	err = Do(Open, filepath.Join(target.Name(), rel), func() error {
		if err := target.MkdirAll(filepath.Dir(rel), 0o755); err != nil {
			return err
		}
		out, err := target.OpenFile(rel, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
		if err != nil {
			return err
		}
		if !clone(out, in) {
			_, err = io.Copy(out, io.LimitReader(in, info.Size())) // on Linux the kernel copies
		}
		if err == nil {
			made, err = out.Stat()
		}
		err = errors.Join(err, out.Close())
		if err != nil {
			_ = target.Remove(rel)
		}
		return err
	})
	return made, err
}
