package disk

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

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
