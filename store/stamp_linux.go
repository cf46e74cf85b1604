package store

import (
	"io/fs"
	"syscall"
)

func newFileStamp(info fs.FileInfo) fileStamp {
	sys, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fileStamp{}
	}
	return fileStamp{info.Size(), info.ModTime().UnixNano(), sys.Ctim.Nano(), sys.Ino}
}
