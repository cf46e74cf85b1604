//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// openNoFollow opens a path that is no link. Pipes and devices are opened without waiting, for the caller to look at.
func openNoFollow(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o644)
	if errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.EMLINK) || errors.Is(err, syscall.ENXIO) {
		// a link, as Linux and as FreeBSD say it, or a pipe that nobody reads
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	return f, err
}
