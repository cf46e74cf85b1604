package disk

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// dontWait is nothing where no file is a pipe.
const dontWait = 0

// ReadWhole reads a file in few calls where a system has such calls. It reports false here.
func ReadWhole(string, int64) (data []byte, ok bool) { return nil, false }

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

// SyncFolder does nothing: Windows has no flush of a folder, and NTFS journals the names by itself.
func SyncFolder(string) error {
	return nil
}

// rename tries for about a second if the target is in use. Virus scanners, indexers and readers open files for moments,
// and a file that is open without FILE_SHARE_DELETE cannot be replaced.
func rename(from, to string) error {
	for pause := time.Millisecond; ; pause *= 2 {
		err := os.Rename(from, to)
		if !inUse(err) || pause > time.Second/2 {
			return err
		}
		time.Sleep(pause)
	}
}

func inUse(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
}
