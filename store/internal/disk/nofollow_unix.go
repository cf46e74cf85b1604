//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// names is how many names a file has.
func names(info fs.FileInfo) uint64 {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 1
	}
	return uint64(stat.Nlink) //nolint:unconvert // it has fewer bits on some systems
}

// openNoFollow opens a path that is no link. Pipes and devices are opened without waiting, for the caller to look at.
func openNoFollow(path string, flag int, perm os.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, flag|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, perm)
	if errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.EMLINK) || errors.Is(err, syscall.ENXIO) {
		// a link, as Linux and as FreeBSD say it, or a pipe that nobody reads
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	return f, err
}
