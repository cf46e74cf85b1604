package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cairn-tasks/cairn/internal/disk"
)

// ErrNotRegular is the error of a path with a link, a folder or a device in place of a file.
var ErrNotRegular = disk.ErrNotRegular

// ErrLeft is the error of a temporary file that could not be removed. Sweep removes it.
var ErrLeft = errors.New("a temporary file is left")

// Pending is the new content of a file, in a temporary file beside it. Call Replace or Create once, whether it succeeds
// or fails, or Discard. A Pending is for one goroutine at a time.
type Pending struct {
	path   string
	temp   string // "" once it is gone
	retain bool   // it outlives a Replace or Create that failed
}

// Prepare writes data to a temporary file in path's folder and flushes it to the disk. It has the permission bits of
// the file at path, or else perm without those of the umask. It returns ErrNotRegular if path is not a file. If it
// fails it leaves no temporary file, unless the error is also ErrLeft.
func Prepare(path string, data []byte, perm os.FileMode) (*Pending, error) {
	return prepare(path, data, perm, (*disk.File).Sync)
}

// Retain keeps the temporary file if Replace or Create fails, so that this or another process can try again with
// Resume. It returns its name, without the folder.
func (p *Pending) Retain() (temp string) {
	p.retain = true
	return filepath.Base(p.temp)
}

// Resume returns the Pending of a retained temporary file, by the name that Retain returned. It returns fs.ErrNotExist
// if the file is gone.
func Resume(path, temp string) (*Pending, error) {
	p := &Pending{path: path, temp: filepath.Join(filepath.Dir(path), temp), retain: true}
	info, err := os.Lstat(p.temp)
	switch {
	case err != nil:
		return nil, err
	case !IsTemp(temp) || filepath.Base(temp) != temp || !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "resume", Path: p.temp, Err: ErrNotRegular}
	}
	return p, nil
}

// Temp is the path of the temporary file; "" once it is gone.
func (p *Pending) Temp() string { return p.temp }

// Replace renames the temporary file to its path, over a file that may be there, and flushes the folder to the disk.
// Readers see the old file or the new one. If it fails, the old file stays, unless the error is that of the flush: then
// the new one is there, but a power cut may undo that.
func (p *Pending) Replace() error {
	if err := p.ReplaceUnflushed(); err != nil {
		return err
	}
	return disk.SyncFolder(filepath.Dir(p.path))
}

// ReplaceUnflushed is Replace without the flush of the folder. It is for a caller who does that once for several files.
func (p *Pending) ReplaceUnflushed() error {
	if err := disk.Replace(p.temp, p.path); err != nil {
		return p.giveUp(fmt.Errorf("replace: %w", err))
	}
	p.temp = ""
	return nil
}

// Create is Replace for a path where nothing is. If several processes create the same path at once, one succeeds, and
// the others get fs.ErrExist. As with Replace, after an error of the flush the file is there.
//
// The path appears with its whole content. On file systems without hard links (FAT, some network mounts) the path is
// reserved with an empty file, which is then replaced: there a crash in between leaves an empty file.
func (p *Pending) Create() error {
	if err := p.CreateUnflushed(); err != nil {
		return err
	}
	return disk.SyncFolder(filepath.Dir(p.path))
}

// CreateUnflushed is Create without the flush of the folder. It is for a caller who does that once for several files.
func (p *Pending) CreateUnflushed() error {
	err := disk.Hardlink(p.temp, p.path)
	if err != nil {
		one, err1 := os.Lstat(p.temp)
		two, err2 := os.Lstat(p.path)
		if err1 == nil && err2 == nil && os.SameFile(one, two) {
			err = nil // a network file system may lose the answer, and then say that the name is taken
		}
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = p.createByReserving() // which error means "no links here" differs from one system to the next
	}
	if err != nil {
		return p.giveUp(fmt.Errorf("create: %w", err))
	}
	_ = p.Discard() // before the flush, so that it covers this too; the caller's Discard returns the error
	return nil
}

// createByReserving is Create without hard links. Its errors are those of creating the file.
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

// Discard removes the temporary file. It does nothing after Replace, Create or another Discard, so it can be deferred.
// It returns ErrLeft for a file that it cannot remove.
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

// giveUp discards the content after an error. It adds the error of that, if there is one.
func (p *Pending) giveUp(err error) error {
	if p.retain {
		return err
	}
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

// WriteVolatile is Write without flushing anything to the disk, for state that may be lost: after a kill the file has
// its old or its new content, but after a power cut it may have either, or nothing. A new file gets the permissions
// 0o644 without those of the umask.
func WriteVolatile(path string, data []byte) error {
	p, err := prepare(path, data, 0o644, func(*disk.File) error { return nil })
	if err != nil {
		return err
	}
	return p.ReplaceUnflushed()
}

func prepare(path string, data []byte, perm os.FileMode, flush func(*disk.File) error) (*Pending, error) {
	old, err := os.Lstat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if old != nil && !old.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "write", Path: path, Err: ErrNotRegular}
	}
	p := &Pending{path: path, temp: TempName(path)}
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

// Blink makes an empty temporary file under a name that TempName returned, and removes it. It returns the time that the
// file system gave the file, in nanoseconds since 1970.
func Blink(temp string) (at int64, err error) {
	f, err := disk.Create(temp, 0o600)
	if err != nil {
		return 0, err
	}
	info, err := os.Lstat(f.Name())
	err = errors.Join(err, f.Close(), disk.RemoveFile(f.Name()))
	if err != nil {
		return 0, err
	}
	return info.ModTime().UnixNano(), nil
}
