//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// names is the number of names (hard links) of a file.
func names(info fs.FileInfo) uint64 {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 1
	}
	return uint64(stat.Nlink) //nolint:unconvert // it has fewer bits on some systems
}

// openNoFollow opens a path that is no link. It opens pipes and devices without waiting; the caller checks what it got.
func openNoFollow(path string, flag int, perm os.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, flag|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, perm)
	if errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.EMLINK) || errors.Is(err, syscall.ENXIO) {
		// a link, on Linux and on FreeBSD, or a pipe that nobody reads
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	return f, err
}
