package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cairn-tasks/cairn/store/internal/disk"
)

// ErrNotRegular says that the path holds a link, a folder or a device where only a file is written.
var ErrNotRegular = disk.ErrNotRegular

// ErrLeft says that a temporary file could not be removed, and is left to Sweep.
var ErrLeft = errors.New("a temporary file is left")

// Pending is content that lies beside its path under a temporary name. One call of Replace or Create uses it up,
// whether it succeeds or fails; Discard gives it up. It is not for use by several goroutines at once.
type Pending struct {
	path string
	temp string // "" once it is gone
}

// Prepare writes data to a temporary file in path's folder and flushes it to the disk. The file will have the
// permission bits of the one at path, or else perm less the umask. It returns ErrNotRegular if path is something else
// than a file. If it fails it leaves no temporary file behind, unless the error is ErrLeft too.
func Prepare(path string, data []byte, perm os.FileMode) (*Pending, error) {
	return prepare(path, data, perm, (*disk.File).Sync)
}

// Replace gives the content its path, over the file that may be there, and flushes the folder to the disk. Readers
// see the old file or the new one. If it fails the old file stands, except where the error is the flush's: then the
// new one does, but a power cut may still take it back.
func (p *Pending) Replace() error {
	if err := p.rename(); err != nil {
		return err
	}
	return disk.SyncFolder(filepath.Dir(p.path))
}

func (p *Pending) rename() error {
	if err := disk.Replace(p.temp, p.path); err != nil {
		return p.giveUp(fmt.Errorf("replace: %w", err))
	}
	p.temp = ""
	return nil
}

// Create gives the content its path if nothing is there yet, and flushes the folder to the disk. Of many who create
// the same path at once one succeeds, and the others get an error for which errors.Is(err, fs.ErrExist). As with
// Replace, an error of the flush comes when the file is already there.
//
// The path appears with all its content. Where the file system has no hard links (FAT, some network mounts) the path
// is reserved with an empty file that the content then replaces: there a crash in between leaves it empty.
func (p *Pending) Create() error {
	err := disk.Hardlink(p.temp, p.path)
	if err != nil && sameFile(p.temp, p.path) {
		err = nil // a network file system may lose the answer, and then say that the name is taken
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = p.createByReserving() // which error means "no links here" differs from one system to the next
	}
	if err != nil {
		return p.giveUp(fmt.Errorf("create: %w", err))
	}
	_ = p.Discard() // before the flush, so that it covers this too; the caller's Discard tells if it is left
	return disk.SyncFolder(filepath.Dir(p.path))
}

func sameFile(a, b string) bool {
	one, err := os.Lstat(a)
	two, err2 := os.Lstat(b)
	return err == nil && err2 == nil && os.SameFile(one, two)
}

// createByReserving is Create without links. Its errors are those of making the file.
func (p *Pending) createByReserving() error {
	reserved, err := disk.Create(p.path, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(reserved.Close(), disk.Replace(p.temp, p.path)); err != nil {
		return errors.Join(err, disk.RemoveFile(p.path))
	}
	p.temp = ""
	return nil
}

// Discard removes the temporary file. Once that is gone, by Replace, Create or another Discard, it does nothing, so it can
// be deferred. A file that it cannot remove is left to Sweep, and the error is ErrLeft.
func (p *Pending) Discard() error {
	if p.temp == "" {
		return nil
	}
	if err := disk.RemoveFile(p.temp); err != nil {
		return fmt.Errorf("%w: %w", ErrLeft, err)
	}
	p.temp = ""
	return nil
}

// giveUp discards the content after an error, and adds to the error what that leaves.
func (p *Pending) giveUp(err error) error {
	if left := p.Discard(); left != nil {
		return fmt.Errorf("%w; %w", err, left)
	}
	return err
}

// Write is Prepare and Replace in one.
func Write(path string, data []byte, perm os.FileMode) error {
	p, err := Prepare(path, data, perm)
	if err != nil {
		return err
	}
	return p.Replace()
}

// WriteVolatile replaces path without flushing anything to the disk, for state that is worth less than the wait: after
// a kill it holds its old or its new content, but after a power cut it may hold either, or nothing. A new file gets the
// permissions 0o644 less the umask. In all else it is like Write.
func WriteVolatile(path string, data []byte) error {
	p, err := prepare(path, data, 0o644, func(*disk.File) error { return nil })
	if err != nil {
		return err
	}
	return p.rename()
}

func prepare(path string, data []byte, perm os.FileMode, flush func(*disk.File) error) (*Pending, error) {
	old, err := os.Lstat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if old != nil && !old.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "write", Path: path, Err: ErrNotRegular}
	}
	p := &Pending{path: path, temp: tempFor(path)}
	if err := p.fill(data, perm, old, flush); err != nil {
		return nil, p.giveUp(fmt.Errorf("write %s: %w", path, err))
	}
	return p, nil
}

// fill makes the temporary file. It sets the old file's bits in so many words, because the umask cuts those that a file
// is made with.
func (p *Pending) fill(data []byte, perm os.FileMode, old os.FileInfo, flush func(*disk.File) error) error {
	f, err := disk.Create(p.temp, perm.Perm())
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && old != nil {
		err = f.Chmod(old.Mode().Perm())
	}
	if err == nil {
		err = flush(f)
	}
	return errors.Join(err, f.Close())
}
