package atomicfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-tasks/cairn/store/internal/disk"
)

// tempFor makes a name of ".", the name of the file, 26 random characters and ".tmp". Such a file is hidden, and never read as a record.
// The random part is so long that no file of a user has such a name by accident.
func tempFor(path string) string {
	folder, base := filepath.Split(path)
	return filepath.Join(folder, "."+base+"."+rand.Text()+".tmp")
}

// IsTemp reports whether a name, without its folder, is that of a temporary file of this package.
func IsTemp(name string) bool {
	rest, ok := strings.CutSuffix(name, ".tmp")
	at := strings.LastIndexByte(rest, '.')
	return ok && at > 1 && rest[0] == '.' && len(rest[at+1:]) == 26 && strings.Trim(rest[at+1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// TempName returns a new name for a temporary file of the file at path. Sweep removes such files.
func TempName(path string) string { return tempFor(path) }

// IsTempOf reports whether temp is a name that this package gives to temporary files of the file called name, both without the folder.
func IsTempOf(name, temp string) bool {
	return IsTemp(temp) && strings.HasPrefix(temp, "."+name+".") && len(temp) == len(name)+tempExtra
}

// tempExtra is how much longer the name of a temporary file is than that of its file.
const tempExtra = len("..") + 26 + len(".tmp")

// Sweep removes the temporary files that crashes have left in a folder. It cannot tell them from those of a write that is under way, so
// the caller must hold the lock that all writers to the folder hold. It reads the names in the folder once and nothing else. A folder
// that does not exist has nothing to remove.
func Sweep(dir string) error {
	names, err := readNames(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	errs := []error{err}
	for _, name := range names {
		if !IsTemp(name) {
			continue
		}
		errs = append(errs, disk.RemoveFile(filepath.Join(dir, name)))
	}
	return errors.Join(errs...)
}

// readNames lists a folder unsorted and without asking for each entry's kind, as there may be 100,000 of them.
func readNames(dir string) ([]string, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	names, err := f.Readdirnames(-1)
	return names, errors.Join(err, f.Close())
}
