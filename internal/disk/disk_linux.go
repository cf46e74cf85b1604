package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// clone gives an empty file the content of another without copying it, and reports whether the file system can.
func clone(to, from *os.File) bool {
	return unix.IoctlFileClone(int(to.Fd()), int(from.Fd())) == nil
}

func newStamp(info fs.FileInfo) Stamp {
	sys, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return Stamp{}
	}
	return Stamp{info.Size(), info.ModTime().UnixNano(), sys.Ctim.Nano(), sys.Ino}
}

// stamper returns a function that is lstat for names in an open folder. It spares the walk along the path, and what
// os.Lstat allocates.
func stamper(f *os.File, dir string) func(name string) (Stamp, bool) {
	fd := int(f.Fd())
	return func(name string) (Stamp, bool) {
		var st unix.Stat_t
		err := unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return gone, false
		case err != nil:
			return lstat(filepath.Join(dir, name))
		case st.Mode&unix.S_IFMT != unix.S_IFREG:
			return Stamp{}, true
		default:
			return Stamp{st.Size, st.Mtim.Nano(), st.Ctim.Nano(), st.Ino}, false
		}
	}
}
