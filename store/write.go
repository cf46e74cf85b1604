package store

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/store/internal/atomicfile"
	"github.com/cairn-tasks/cairn/task"
)

// replacement is one file on its way to the disk.
type replacement struct {
	path    string
	was     []byte // nil for a file that is to be created
	pending *atomicfile.Pending
}

// write brings everything that was staged to the disk: first all new content beside its place, synced, and with it every
// error that a full disk or a broken file can cause; then the announcements, the renames, and the settled records.
func (tx *Tx) write(ctx context.Context) (err error) {
	if err := ctx.Err(); err != nil || tx.idle() {
		return err
	}
	if err := tx.s.setDirty(true); err != nil {
		return err
	}
	if err = tx.writeFiles(ctx); errors.Is(err, errUnsettled) {
		return err // the marker stays, so the next write settles it
	}
	if clean := tx.s.setDirty(false); err == nil {
		err = clean
	}
	return err
}

// errUnsettled says that an announcement may still stand in the live state.
var errUnsettled = errors.New("not settled")

func (tx *Tx) writeFiles(ctx context.Context) error {
	files, err := tx.prepare()
	defer discard(files)
	if err == nil {
		err = unmoved(files)
	}
	if err != nil {
		return err
	}
	records := tx.records(ctx)
	if err := tx.announce(records); err != nil {
		return errors.Join(err, errUnsettled)
	}
	if err := tx.publish(files); err != nil {
		if unsettled := tx.settle(records); unsettled != nil {
			return errors.Join(err, unsettled, errUnsettled)
		}
		return err
	}
	if err := tx.finish(records); err != nil {
		return errors.Join(err, errUnsettled)
	}
	return nil
}

// idle reports whether nothing was staged.
func (tx *Tx) idle() bool {
	for _, st := range tx.sessions {
		if st.changed() {
			return false
		}
	}
	return len(tx.order)+len(tx.beats) == 0
}

// prepare writes the new content of every staged file under a temporary name: new sessions, then the tasks that name them,
// then the sessions that were there.
func (tx *Tx) prepare() ([]replacement, error) {
	var files []replacement
	add := func(path string, old *frontmatter.Doc, content func() ([]byte, error)) error {
		src, err := content()
		if err != nil {
			return tx.s.badFile(path, err)
		}
		r, err := prepareFile(path, old, src)
		if err == nil {
			files = append(files, r)
		}
		return err
	}
	addSessions := func(created bool) error {
		for id, st := range tx.sessions {
			if !st.changed() || (st.file.doc == nil) != created {
				continue
			}
			if err := add(tx.s.session(id), st.file.doc, st.bytes); err != nil {
				return err
			}
		}
		return nil
	}
	if err := addSessions(true); err != nil {
		return files, err
	}
	for _, id := range tx.order {
		st := tx.tasks[id]
		if err := add(tx.s.task(id), st.file.doc, st.bytes); err != nil {
			return files, err
		}
	}
	return files, addSessions(false)
}

func prepareFile(path string, old *frontmatter.Doc, src []byte) (replacement, error) {
	if err := tooLarge(src); err != nil {
		return replacement{}, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { // git keeps no empty folders
		return replacement{}, ioError(err)
	}
	r := replacement{path: path}
	if old != nil {
		r.was = old.Bytes()
	}
	pending, err := atomicfile.Prepare(path, src, 0o644)
	r.pending = pending
	return r, ioError(err)
}

func discard(files []replacement) {
	for _, r := range files {
		r.pending.Discard()
	}
}

// unmoved looks once more at every file that is to be replaced, before the first of them is.
func unmoved(files []replacement) error {
	for _, r := range files {
		if err := r.look(); err != nil {
			return err
		}
	}
	return nil
}

// look returns errOvertaken if the file no longer holds what was read.
func (r replacement) look() error {
	if r.was == nil {
		return nil
	}
	now, err := os.ReadFile(r.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return ioError(err)
	}
	if err != nil || !bytes.Equal(now, r.was) {
		return errOvertaken
	}
	return nil
}

// publish gives the files their names, one after the other.
func (tx *Tx) publish(files []replacement) error {
	for _, r := range files {
		if err := tx.publishOne(r); err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) publishOne(r replacement) error {
	if r.was == nil {
		err := r.pending.Create()
		if errors.Is(err, fs.ErrExist) {
			return task.Errorf(task.Conflict, "%s is there already", tx.s.rel(r.path)).WithHint("try again")
		}
		return ioError(err)
	}
	if err := r.look(); err != nil {
		return err
	}
	if tx.s.beforeRename != nil {
		tx.s.beforeRename(r.path)
	}
	return ioError(r.pending.Replace())
}
