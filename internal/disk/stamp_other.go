//go:build !linux && !darwin

package disk

import (
	"io/fs"
	"os"
	"path/filepath"
)

// newStamp returns the zero value: without the time of the last change of any kind (ctime), a file that was restored
// with its times could not be distinguished from the one that was read.
func newStamp(fs.FileInfo) Stamp { return Stamp{} }

// stamper returns a function that is lstat for names in a folder.
func stamper(_ *os.File, dir string) func(name string) (Stamp, bool) {
	return func(name string) (Stamp, bool) { return lstat(filepath.Join(dir, name)) }
}
