//go:build unix

package disk

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

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
