package disk

import (
	"errors"
	"io/fs"
	"os"
)

// names is the number of names of a file, which is not known here.
func names(fs.FileInfo) uint64 { return 1 }

// openNoFollow opens a path that is no link. It checks before and after, since there is no way to do both at once.
func openNoFollow(path string, flag int, perm os.FileMode) (*os.File, error) {
	before, err := os.Lstat(path)
	if err != nil && !(errors.Is(err, fs.ErrNotExist) && flag&os.O_CREATE != 0) {
		return nil, err
	}
	if err == nil && !before.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	return os.OpenFile(path, flag, perm)
}
