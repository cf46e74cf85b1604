package store

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/live"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/store/problem"
)

// recover finishes or drops the write of a killed writer, and removes its temporary files. The caller holds the write
// lock, so the writer that made the log is gone.
func (l redoLog) recover() error {
	in, steps, err := l.read()
	if problem.Missing(err) {
		return nil
	}
	if err != nil {
		return l.Live.Failed(err)
	}
	// Outside git the live state lies in the workspace, wherever that was moved. A log without a worktree was being
	// begun, or emptied by a power cut.
	worktree := l.Worktree
	if l.Repo != nil && in.Worktree != "" {
		worktree, _ = l.WorktreeOf(session.Lease{Worktree: in.Worktree, GitDir: in.GitDir})
	}
	clone, err := l.InWorktree(worktree)
	switch {
	case err != nil && (steps == nil || problem.Missing(err) || errors.Is(err, syscall.ENOTDIR)):
		return l.remove() // nothing was decided, or the files went with the worktree
	case err != nil:
		return unreachable(worktree, err)
	}
	if steps != nil {
		if err := (redoLog{clone}).rollForward(*steps); err != nil {
			return unreachable(worktree, err)
		}
	}
	if err := errors.Join(sweep(clone.Layout), clone.FlushTrash()); err != nil {
		return err
	}
	return l.remove()
}

// unreachable is the error of a decided write in a worktree that may still be there and cannot be read. Nobody writes
// until it is finished there, or the worktree is removed.
func unreachable(worktree string, err error) error {
	code := record.CodeOf(err)
	if code == "" {
		code = record.IO
	}
	return record.Errorf(code, "a write in the worktree %s was cut short, and cannot be finished from here: %w", worktree, err).
		WithHint("write something in that worktree, make it readable from here, or remove it with git worktree remove")
}

// rollForward does the steps of a decided write that are not done yet. A file that was changed by another program
// meanwhile is kept, and new records come all or not at all.
func (l redoLog) rollForward(r redo) error {
	lost, err := l.lostNew(r)
	if err != nil {
		return err
	}
	if lost {
		return l.removeNew(r)
	}
	kept, names := map[string]bool{}, unflushed{}
	for _, f := range r.Files {
		if f.After != "" && kept[f.After] {
			kept[f.Path] = true // a record is not removed without its copy in the trash
			continue
		}
		done, err := l.rollFile(f, names)
		if err == nil {
			err = names.flush()
		}
		if err != nil {
			return err
		}
		kept[f.Path] = !done
	}
	return l.rollLive(r.Live, func(after string) bool { return !kept[after] })
}

// lostNew reports whether a new record is not there and can no longer come, and no file that was there has its new
// content.
func (l redoLog) lostNew(r redo) (lost bool, err error) {
	for _, f := range r.Files {
		now, err := revAt(l.path(f))
		switch {
		case foreign(err):
			continue
		case err != nil:
			return false, problem.IO(err)
		case f.Was != "" && f.Now != "" && now == f.Now:
			return false, nil
		case f.isNew() && now == "":
			_, there, err := l.resume(f)
			if err != nil {
				return false, err
			}
			lost = lost || !there
		}
	}
	return lost, nil
}

// isNew reports whether the step makes a record that did not exist.
func (f redoFile) isNew() bool { return f.Was == "" && f.Now != "" && !f.Over }

// resume is the temporary file with the new content of a file. It reports false if that is not there, or not the
// writer's.
func (l redoLog) resume(f redoFile) (*atomicfile.Pending, bool, error) {
	p, err := atomicfile.Resume(l.path(f), f.Temp)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, atomicfile.ErrNotRegular) {
		return nil, false, nil
	}
	var held record.Rev
	if err == nil {
		held, err = revAt(p.Temp())
	}
	if foreign(err) {
		return nil, false, nil
	}
	return p, err == nil && held == f.Now, problem.IO(err)
}

// removeNew removes the new records of a write that came.
func (l redoLog) removeNew(r redo) error {
	names := unflushed{}
	for _, f := range r.Files {
		if now, err := revAt(l.path(f)); err != nil || !f.isNew() || now != f.Now {
			continue
		}
		names.note(l.path(f), false)
		if err := disk.RemoveFile(l.path(f)); err != nil {
			return problem.IO(err)
		}
	}
	return names.flush()
}

func (l redoLog) path(f redoFile) string {
	if f.Live {
		return l.Live.Abs(f.Path)
	}
	return l.Abs(f.Path)
}

// rollFile does the step of one file unless it is done, and reports whether it is. A file that holds neither what it
// held nor what it is to hold stays as it is.
func (l redoLog) rollFile(f redoFile, names unflushed) (done bool, err error) {
	now, err := revAt(l.path(f))
	if foreign(err) {
		return false, nil
	}
	if err != nil {
		return false, problem.IO(err)
	}
	taken := f.To != "" && layout.Exists(l.Abs(f.To))
	switch {
	case now == f.Now && (f.To == "" || taken):
		l.note(f, names)
		return true, nil
	case now != f.Was && !f.Over, taken && !l.atBoth(f):
		return false, nil
	}
	var content *atomicfile.Pending
	if f.To != "" {
		err = l.folderFor(f)
	} else if f.Now != "" {
		var there bool
		if content, there, err = l.resume(f); err == nil && !there {
			return false, nil // the file had its new content, and another program has put the old one back
		}
	}
	if err == nil {
		err = l.put(f, content, names)
	}
	return err == nil, problem.IO(err)
}

// folderFor makes the folder to which a step moves a file.
func (l redoLog) folderFor(f redoFile) error {
	return problem.IO(disk.MakeFolder(l.Top(), filepath.Dir(l.Abs(f.To))))
}

// put does the step of a file, whatever it holds: the file gets its new content, which lies in a temporary file, or its
// new path, or it goes. The names are to be flushed.
func (l redoLog) put(f redoFile, content *atomicfile.Pending, names unflushed) error {
	l.note(f, names)
	switch {
	case f.To != "":
		return l.move(f)
	case f.Now == "":
		return disk.RemoveFile(l.path(f))
	default:
		return content.ReplaceUnflushed()
	}
}

// move gives a file its new path. One that a power cut left at both has it already, and loses the old one.
func (l redoLog) move(f redoFile) error {
	err := disk.MoveFile(l.path(f), l.Abs(f.To))
	if !errors.Is(err, fs.ErrExist) || !l.atBoth(f) {
		return err
	}
	if err := disk.SyncFolder(filepath.Dir(l.Abs(f.To))); err != nil {
		return err
	}
	return disk.RemoveFile(l.path(f))
}

// atBoth reports whether the new path of a file that is moved holds what the old one held.
func (l redoLog) atBoth(f redoFile) bool {
	there, err := revAt(l.Abs(f.To))
	return err == nil && there == f.Was
}

// note notes which names the step of a file changes.
func (l redoLog) note(f redoFile, names unflushed) {
	names.note(l.path(f), f.Now != "") // git may remove a folder once it is empty
	if f.To != "" {
		names.note(l.Abs(f.To), true)
	}
}

// unflushed is the folders in which names changed and are not flushed yet; false for one that may be gone.
type unflushed map[string]bool

// note adds the folder of a file, which may be gone unless the file stays in it.
func (u unflushed) note(path string, stays bool) {
	dir := filepath.Dir(path)
	u[dir] = u[dir] || stays
}

func (u unflushed) flush() error {
	for _, dir := range slices.Sorted(maps.Keys(u)) {
		if err := disk.SyncFolder(dir); err != nil && (u[dir] || !problem.Missing(err)) {
			return problem.IO(err)
		}
		delete(u, dir)
	}
	return nil
}

// foreign reports whether an error of revAt says that a path holds what cairn does not write: a link, a folder, or too
// much. Another program put it there.
func foreign(err error) bool {
	return record.CodeOf(err) == record.BadFile || errors.Is(err, disk.ErrNotRegular) || errors.Is(err, disk.ErrTooLarge)
}

// revAt is the revision of a file; "" if it does not exist, or is empty and so only reserves the name. Its errors are
// those of layout.ReadFile.
func revAt(path string) (record.Rev, error) {
	src, err := layout.ReadUpTo(path, kind.MaxAttachment)
	if problem.Missing(err) || err == nil && len(src) == 0 {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return kind.Rev(src), nil
}

// rollLive does the steps of the live state. It leaves out those after a file that did not get its content.
func (l redoLog) rollLive(steps []redoLive, written func(file string) bool) error {
	for _, step := range steps {
		if step.After != "" && !written(step.After) {
			continue
		}
		path := l.Live.Abs(step.Path)
		var err error
		switch {
		case step.Append:
			err = live.Append(path, []byte(step.Text))
		case step.Remove:
			err = disk.RemoveFile(path)
		default:
			err = atomicfile.WriteVolatile(path, []byte(step.Text))
		}
		if err != nil {
			return l.Live.Failed(err)
		}
	}
	return nil
}

// sweep removes the temporary files of killed writers. The caller holds the write lock, so none of them belongs to a
// writer at work.
func sweep(l layout.Layout) error {
	for _, dir := range writtenTo(l) {
		if err := atomicfile.Sweep(dir); err != nil && !problem.Missing(err) {
			return problem.IO(err)
		}
	}
	return nil
}

// writtenTo lists every folder that writes put files into.
func writtenTo(l layout.Layout) []string {
	return slices.Concat([]string{l.Top(), l.Dir(layout.FilesDir)}, place.All(l), l.Live.Folders())
}
