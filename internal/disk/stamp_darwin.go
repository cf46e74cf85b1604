package disk

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

func newStamp(info fs.FileInfo) Stamp {
	sys, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return Stamp{}
	}
	return Stamp{info.Size(), info.ModTime().UnixNano(), sys.Ctimespec.Nano(), sys.Ino}
}

// stamper returns a function that is lstat for names in a folder.
func stamper(_ *os.File, dir string) func(name string) (Stamp, bool) {
	return func(name string) (Stamp, bool) { return lstat(filepath.Join(dir, name)) }
}
