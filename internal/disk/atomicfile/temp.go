package atomicfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
)

// TempName returns a new name for a temporary file of the file at path: ".", the name of the file, 26 random characters
// and ".tmp". Such a file is hidden, never read as a record, and removed by Sweep. The random part is so long that no
// file of a user has such a name by accident.
func TempName(path string) string {
	folder, base := filepath.Split(path)
	return filepath.Join(folder, "."+base+"."+rand.Text()+".tmp")
}

// IsTemp reports whether a name, without its folder, is that of a temporary file of this package.
func IsTemp(name string) bool {
	rest, ok := strings.CutSuffix(name, ".tmp")
	at := strings.LastIndexByte(rest, '.')
	return ok && at > 1 && rest[0] == '.' && len(rest[at+1:]) == 26 && strings.Trim(rest[at+1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// IsTempOf reports whether temp is a name that this package gives to temporary files of the file called name, both
// without the folder.
func IsTempOf(name, temp string) bool {
	return IsTemp(temp) && strings.HasPrefix(temp, "."+name+".") && len(temp) == len(name)+tempExtra
}

// tempExtra is how much longer the name of a temporary file is than that of its file.
const tempExtra = len("..") + 26 + len(".tmp")

// Sweep removes the temporary files that crashes have left in a folder. It cannot tell them from those of a write that
// is under way, so the caller must hold the lock that all writers to the folder hold. It reads the names in the folder
// once and nothing else. A folder that does not exist has nothing to remove.
func Sweep(dir string) error {
	temps, err := Temps(dir)
	errs := []error{err}
	for _, name := range temps {
		errs = append(errs, disk.RemoveFile(filepath.Join(dir, name)))
	}
	return errors.Join(errs...)
}

// Temps lists the names of the temporary files in a folder, sorted. A folder that does not exist has none. It does not
// sort the others, of which there may be 100,000.
func Temps(dir string) ([]string, error) {
	f, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	names, err := f.Readdirnames(-1)
	temps := slices.DeleteFunc(names, func(name string) bool { return !IsTemp(name) })
	slices.Sort(temps)
	return temps, errors.Join(err, f.Close())
}

// SweepOf removes the temporary files of the file at path that are older than a given age, for files that are written
// without a lock: a younger one may belong to a write that is under way.
func SweepOf(path string, age time.Duration) {
	dir, name := filepath.Split(path)
	temps, _ := Temps(dir) // a folder that cannot be listed keeps them
	for _, temp := range temps {
		if !IsTempOf(name, temp) {
			continue
		}
		if info, err := os.Lstat(filepath.Join(dir, temp)); err == nil && time.Since(info.ModTime()) > age {
			_ = disk.RemoveFile(filepath.Join(dir, temp)) // the next one tries again
		}
	}
}
