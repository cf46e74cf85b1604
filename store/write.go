package store

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/store/internal/atomicfile"
	"github.com/cairn-tasks/cairn/store/internal/disk"
	"github.com/cairn-tasks/cairn/task"
)

// replacement is one file on its way to the disk.
type replacement struct {
	change
	was     []byte // what the file held when it was read; nil for one that is to be created
	pending *atomicfile.Pending
}

// write brings everything that was staged to the disk: first all new content beside its place, synced, and with it every
// error that a full disk or a broken file can cause; then the announcements, the renames, and the settled records.
func (tx *Tx) write(ctx context.Context) error {
	if err := ctx.Err(); err != nil || tx.idle() {
		return err
	}
	if err := tx.s.setDirty(true); err != nil {
		return err
	}
	clean, err := tx.writeFiles(ctx)
	if clean {
		_ = tx.s.setDirty(false) // a marker too many costs the next write a look round, and this one is over
	}
	return err
}

// writeFiles reports, beside the error, whether it left nothing that the next write has to clean up.
func (tx *Tx) writeFiles(ctx context.Context) (clean bool, err error) {
	files, err := tx.prepare()
	defer func() { clean = discard(files) && clean }()
	if err == nil {
		err = unmoved(files)
	}
	if err != nil {
		return !errors.Is(err, atomicfile.ErrLeft), err
	}
	beside := tx.s.awaitGit(ctx, tx.patient)
	if err := ctx.Err(); err != nil {
		return true, err
	}
	before := tx.s.gitSigns()
	records := tx.records(ctx)
	if err := tx.announce(records); err != nil {
		return false, err
	}
	tx.sight()
	if err := tx.publish(files); err != nil {
		return tx.settle(records) == nil && !errors.Is(err, atomicfile.ErrLeft), err
	}
	if tx.s.gitSigns() != before {
		beside = true
		if tx.s.awaitGit(ctx, tx.patient); tx.lostToGit() {
			return tx.settle(records) == nil, errOvertaken
		}
	}
	tx.sighted(beside)
	err = tx.finish(records)
	if err != nil && len(files) > 0 {
		return false, nil // the write came, and what its announcement says holds; settling it is left to the next write
	}
	return err == nil, err
}

// idle reports whether nothing was staged.
func (tx *Tx) idle() bool {
	for _, st := range tx.sessions {
		if st.changed() {
			return false
		}
	}
	for _, st := range tx.tasks {
		if st.claims {
			return false
		}
	}
	return len(tx.order)+len(tx.beats)+len(tx.others) == 0 && tx.key == nil
}

// prepare writes the new content of every staged file under a temporary name: new sessions, then the tasks that name them,
// then the sessions that were there.
func (tx *Tx) prepare() ([]*replacement, error) {
	var files []*replacement
	for _, f := range tx.changes() {
		r, err := tx.prepareFile(f)
		if err != nil {
			return files, err
		}
		files = append(files, r)
	}
	return files, nil
}

// change is one file that a write makes or replaces.
type change struct {
	path    string
	old     *frontmatter.Doc // nil for a file that is to be created
	content func(old *frontmatter.Doc) ([]byte, error)
	again   bool // the change can be made on whatever the file holds by then
	over    bool // whatever the file holds is replaced
}

// changes lists the files of the write in the order in which they get their names.
func (tx *Tx) changes() []change {
	var created, tasks, changed []change
	for _, id := range slices.Sorted(maps.Keys(tx.sessions)) {
		switch st := tx.sessions[id]; {
		case st.file.doc == nil:
			created = append(created, change{path: tx.s.session(id), content: st.content})
		case st.changed():
			changed = append(changed, change{path: tx.s.session(id), old: st.file.doc, content: st.content, again: true})
		}
	}
	for _, id := range tx.order {
		if st := tx.tasks[id]; !st.gone {
			tasks = append(tasks, change{path: tx.s.task(id), old: st.file.doc, content: st.content})
		}
	}
	return slices.Concat(tx.others, created, tasks, changed)
}

func (tx *Tx) prepareFile(c change) (*replacement, error) {
	src, err := c.content(c.old)
	if errors.As(err, new(*task.Error)) {
		return nil, err
	}
	if err != nil {
		return nil, tx.s.cannotWrite(c, err)
	}
	if err := tx.s.makeFolder(filepath.Dir(c.path)); err != nil { // git keeps no empty folders
		return nil, err
	}
	r := &replacement{change: c}
	if c.old != nil {
		r.was = c.old.Bytes()
	}
	if r.pending, err = atomicfile.Prepare(c.path, src, 0o644); err != nil {
		return nil, ioError(err)
	}
	return r, nil
}

// cannotWrite says why a file cannot be made what it should be: it would be too large, or it holds something that cannot be
// edited without touching other lines.
func (s *Store) cannotWrite(c change, err error) error {
	var bad *frontmatter.Error
	switch {
	case errors.As(err, &bad) && bad.TooLarge:
		return task.Errorf(task.TaskFull, "%s", bad.Msg).WithHint("move what is long into a file of its own")
	case c.old == nil:
		return task.Errorf(task.InvalidInput, "it makes no file that could be read again: %w", err).WithHint("say less, or plainer things")
	default:
		return s.badFile(c.path, err)
	}
}

// makeFolder makes a folder in .cairn, which must be there.
func (l Layout) makeFolder(dir string) error {
	return ioError(disk.MakeFolder(filepath.Join(l.Root, Folder), dir))
}

// discard removes the temporary files that have no use any more, and reports whether none is left.
func discard(files []*replacement) bool {
	clean := true
	for _, r := range files {
		clean = r.pending.Discard() == nil && clean
	}
	return clean
}

// unmoved looks once more at every file that is to be replaced, before the first of them is.
func unmoved(files []*replacement) error {
	for _, r := range files {
		if err := r.look(); err != nil {
			return err
		}
	}
	return nil
}

// look returns errOvertaken if the file no longer holds what was read, or is none any more: whoever starts over meets what
// is there instead.
func (r *replacement) look() error {
	if r.was == nil {
		return nil
	}
	if now, err := readRegular(r.path); err != nil || !bytes.Equal(now, r.was) {
		return errOvertaken
	}
	return nil
}

// publish gives the files their names, one after the other. Once one of them has its name, the write can no longer start
// over; so a session that an editor changed in the meantime is changed on top of that.
func (tx *Tx) publish(files []*replacement) error {
	for _, r := range files {
		err := tx.publishOne(r)
		for tries := 0; errors.Is(err, errOvertaken) && r.again && tries < maxRestarts; tries++ {
			err = tx.publishAgain(r)
		}
		if err != nil {
			return err
		}
	}
	return tx.removeTrashed()
}

func (tx *Tx) publishOne(r *replacement) error {
	if err := r.look(); err != nil {
		return err
	}
	if tx.s.beforePublish != nil {
		tx.s.beforePublish(r.path)
	}
	if r.old != nil || r.over {
		return ioError(r.pending.Replace())
	}
	err := r.pending.Create()
	if errors.Is(err, fs.ErrExist) {
		return task.Errorf(task.Conflict, "%s is there already", tx.s.rel(r.path)).WithHint("try again")
	}
	return ioError(err)
}

// publishAgain makes the same change to what the file holds now.
func (tx *Tx) publishAgain(r *replacement) error {
	now, err := tx.s.readFile(r.path, r.old.Kind(), &patience{patient})
	if err != nil {
		return err
	}
	r.old = now.doc
	next, err := tx.prepareFile(r.change)
	if err != nil {
		return err
	}
	_ = r.pending.Discard()
	*r = *next
	return tx.publishOne(r)
}
