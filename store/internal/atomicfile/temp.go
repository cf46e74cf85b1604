package atomicfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/cairn-tasks/cairn/store/internal/disk"
)

// tempName is ".", the name of the file, 26 random characters and ".tmp": hidden, and nothing that is ever read as a
// record. The random part is long enough that no file of a user's has a name of this form by accident.
var tempName = regexp.MustCompile(`^\..+\.[A-Z2-7]{26}\.tmp$`)

func tempFor(path string) string {
	folder, base := filepath.Split(path)
	return filepath.Join(folder, "."+base+"."+rand.Text()+".tmp")
}

// IsTemp says whether name, without its folder, is one that this package gives to temporary files.
func IsTemp(name string) bool {
	return tempName.MatchString(name)
}

// Sweep removes the temporary files that crashes have left in the folder dir. It cannot tell them from those of a write
// that is going on: whoever calls it must hold the lock that all writers to dir hold. It reads the names in dir once
// and looks at nothing else. A folder that does not exist has nothing to sweep.
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
