package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNotRegular says that the path holds a link, a folder or a device where only a file is written.
var ErrNotRegular = errors.New("not a regular file")

// Pending is content that lies beside its path under a temporary name. One call of Replace or Create uses it up,
// whether it succeeds or fails; Discard gives it up. It is not for use by several goroutines at once.
type Pending struct {
	path string
	temp string // "" once it is used up
}

// Prepare writes data to a temporary file in path's folder and flushes it to the disk. The file will have the
// permission bits of the one at path, or else perm less the umask. It returns ErrNotRegular if path is something else
// than a file, and leaves no temporary file behind if it fails.
func Prepare(path string, data []byte, perm os.FileMode) (*Pending, error) {
	return prepare(path, data, perm, (*os.File).Sync)
}

// Replace gives the content its path, over the file that may be there, and flushes the folder to the disk. Readers
// see the old file or the new one. If it fails the old file stands, except where the error is the flush's: then the
// new one does, but a power cut may still take it back.
//
// On Windows a file that somebody has open may refuse to be replaced; Replace tries again for about a second.
func (p *Pending) Replace() error {
	defer p.Discard()
	if err := rename(p.temp, p.path); err != nil {
		return fmt.Errorf("replace: %w", err)
	}
	p.temp = ""
	return SyncFolder(filepath.Dir(p.path))
}

// Create gives the content its path if nothing is there yet, and flushes the folder to the disk. Of many who create
// the same path at once one succeeds, and the others get an error for which errors.Is(err, fs.ErrExist). As with
// Replace, an error of the flush comes when the file is already there.
//
// The path appears with all its content. Where the file system has no hard links (FAT, some network mounts) the path
// is reserved with an empty file that the content then replaces: there a crash in between leaves it empty.
func (p *Pending) Create() error {
	defer p.Discard()
	err := os.Link(p.temp, p.path)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = p.createByReserving() // which error means "no links here" differs from one system to the next
	}
	if err != nil {
		return fmt.Errorf("create: %w", err)
	}
	p.Discard() // before the flush, so that it covers this too
	return SyncFolder(filepath.Dir(p.path))
}

// createByReserving is Create without links. Its errors are those of making the file.
func (p *Pending) createByReserving() error {
	reserved, err := os.OpenFile(p.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(reserved.Close(), rename(p.temp, p.path)); err != nil {
		return errors.Join(err, os.Remove(p.path))
	}
	p.temp = ""
	return nil
}

// Discard removes the temporary file. After Replace, Create or another Discard it does nothing, so it can be deferred.
// A file that it cannot remove is left to Sweep.
func (p *Pending) Discard() {
	if p.temp != "" {
		_ = os.Remove(p.temp)
		p.temp = ""
	}
}

// WriteVolatile replaces path without flushing anything to the disk, for state that is worth less than the wait: after
// a kill it holds its old or its new content, but after a power cut it may hold either, or nothing. A new file gets the
// permissions 0o644 less the umask. In all else it is like Prepare and Replace.
func WriteVolatile(path string, data []byte) error {
	p, err := prepare(path, data, 0o644, func(*os.File) error { return nil })
	if err != nil {
		return err
	}
	defer p.Discard()
	if err := rename(p.temp, p.path); err != nil {
		return fmt.Errorf("replace: %w", err)
	}
	p.temp = ""
	return nil
}

func prepare(path string, data []byte, perm os.FileMode, flush func(*os.File) error) (*Pending, error) {
	old, err := os.Lstat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if old != nil && !old.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "write", Path: path, Err: ErrNotRegular}
	}
	p := &Pending{path: path, temp: tempFor(path)}
	if err := p.fill(data, perm, old, flush); err != nil {
		p.Discard()
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	return p, nil
}

// fill makes the temporary file. It sets the old file's bits in so many words, because the umask cuts those that a file
// is made with.
func (p *Pending) fill(data []byte, perm os.FileMode, old os.FileInfo, flush func(*os.File) error) error {
	f, err := os.OpenFile(p.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm.Perm())
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
