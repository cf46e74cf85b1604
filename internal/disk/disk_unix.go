//go:build unix

package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// dontWait opens a pipe without waiting for the other end, and no terminal as the process's own.
const dontWait = syscall.O_NONBLOCK | syscall.O_NOCTTY

// ReadWhole reads a regular file of at most so many bytes in four calls: open, fstat, read, close. It follows no link
// in the last part of the path. It reports false for anything else, also for a file that is being written and for one
// that cannot be read: another function then finds out why.
func ReadWhole(path string, most int64) (data []byte, ok bool) {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NOFOLLOW|dontWait, 0)
	if err != nil {
		return nil, false
	}
	defer func() { _ = syscall.Close(fd) }()
	var stat syscall.Stat_t
	if err := syscall.Fstat(fd, &stat); err != nil || stat.Mode&syscall.S_IFMT != syscall.S_IFREG || stat.Size > most {
		return nil, false
	}
	data = make([]byte, stat.Size+1) // one byte more, to see that the file ends
	n, err := syscall.Read(fd, data)
	return data[:max(n, 0)], err == nil && int64(n) == stat.Size
}

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

// SyncFolder flushes the names in a folder to the disk, so that files which were created, renamed or removed there stay
// so after a power cut. Without it only their content is safe. File systems that cannot flush a folder are assumed not
// to need it.
func SyncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("flush folder: %w", err)
	}
	err = Do(Sync, dir, f.Sync)
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("flush folder: %w", err)
	}
	return nil
}

func rename(from, to string) error {
	return os.Rename(from, to)
}

// SameDevice reports whether two paths are known to lie in one file system.
func SameDevice(a, b string) bool {
	one, ok := device(a)
	two, ok2 := device(b)
	return ok && ok2 && one == two
}

func device(path string) (uint64, bool) {
	info, err := os.Lstat(path)
	if err != nil {
		return 0, false
	}
	sys, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return uint64(sys.Dev), true //nolint:unconvert // its type differs from one system to the next
}
