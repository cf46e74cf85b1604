package store

import (
	"context"
	"errors"
	"io/fs"

	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/store/progress"
)

// publish gives the files their content, one after the other. Once an existing file has its new content, the write can
// no longer start over, and forward is true. If another program changes a file after that, the change is made again on
// top of it if the kind can do that; else the file is kept as it is. Names are flushed before those of the next turn
// change.
func (w *writing) publish(ctx context.Context) (forward bool, err error) {
	count := progress.Start(ctx, "putting files in place", len(w.files))
	defer count.End()
	for i, c := range w.files {
		count.Add(1)
		if i > 0 && c.turn != w.files[i-1].turn {
			if err := w.names.flush(); err != nil {
				return forward, err
			}
		}
		if w.kept[c.step.After] {
			w.kept[c.step.Path] = true
			continue
		}
		err := w.publishOne(c)
		for tries := 0; forward && errors.Is(err, errOvertaken) && tries < maxRestarts; tries++ {
			err = w.publishAgain(c)
		}
		if forward && errors.Is(err, errOvertaken) {
			w.kept[c.step.Path] = true
			continue
		}
		if err != nil {
			return forward, err
		}
		forward = forward || c.was != nil
	}
	return forward, w.names.flush()
}

// publishOne does the step of one file, unless the file no longer holds what was read, or somebody took or made it: then
// it returns errOvertaken, and CONFLICT for a file that is to be created.
func (w *writing) publishOne(c *change) error {
	if err := c.unmoved(); err != nil {
		return err
	}
	if w.s.beforePublish != nil {
		w.s.beforePublish(c.path)
	}
	if c.step.isNew() {
		w.names.note(c.path, true)
		err := c.pending.CreateUnflushed()
		if c.taken = errors.Is(err, fs.ErrExist); c.taken {
			return record.Errorf(record.Conflict, "%s is there already", w.s.Rel(c.path)).WithHint("try again")
		}
		return problem.IO(err)
	}
	err := w.log.put(c.step, c.pending, w.names)
	if c.step.To != "" && (errors.Is(err, fs.ErrExist) || problem.Missing(err) && !layout.Exists(c.path)) {
		return errOvertaken
	}
	return problem.IO(err)
}

// publishAgain makes the same change on top of the present content of the file. It returns errOvertaken if that is not
// possible.
func (w *writing) publishAgain(c *change) error {
	if c.of == nil || c.now == nil {
		return errOvertaken
	}
	st := c.of
	f, err := w.s.readFile(st.kind, st.header().Ref.ID, layout.Patient())
	if err != nil || f.path != c.path {
		return errOvertaken
	}
	next, ok := st.kind.Again(f.value, st.file.value, st.now)
	if !ok {
		return errOvertaken
	}
	src, err := st.content(f.doc, f.value, next)
	if err != nil {
		return errOvertaken
	}
	pending, err := atomicfile.Prepare(c.path, src, 0o644)
	if err != nil {
		return problem.IO(err)
	}
	_ = c.pending.Discard()
	c.was, c.now, c.pending = f.doc.Bytes(), src, pending
	return w.publishOne(c)
}

// stop ends a write after an error in publish. If the write went forward, it is finished, now or by the next write.
// Else the files that were created are removed. Its error is errOvertaken only if the write is over, since starting
// over drops the log.
func (w *writing) stop(forward bool, err error) (ended bool, _ error) {
	var undo redo
	for _, c := range w.files {
		now, readErr := revAt(c.path)
		switch {
		case readErr != nil || now != c.step.Now || c.taken || c.step.Over: // it was not written, or is a copy in the trash, which may stay
		case c.was != nil:
			forward = true // it was replaced or removed, and only the flush of its folder failed
		default:
			undo.Files = append(undo.Files, redoFile{Path: c.step.Path, Was: c.step.Now})
		}
	}
	var failed error
	switch {
	case forward:
		if failed = w.log.rollForward(*w.decided); failed == nil {
			return true, nil
		}
	case len(undo.Files) == 0:
		failed = w.log.begin()
	default:
		if failed = w.log.replace(undo); failed == nil {
			failed = w.log.rollForward(undo)
		}
	}
	if failed != nil && errors.Is(err, errOvertaken) {
		err = failed
	}
	return failed == nil, err
}

// lostToGit reports whether git put the old file back, so that the write has to be made again. It does so only for a
// write of one changed record: of several, some may have stayed.
func (w *writing) lostToGit() bool {
	if len(w.files) != 1 || w.files[0].was == nil || w.files[0].of == nil || w.files[0].now == nil {
		return false
	}
	st := w.files[0].of
	f, err := w.s.readFile(st.kind, st.header().Ref.ID, layout.Patient())
	return err == nil && !st.kind.Header(f.value).Log.Has(st.header().Log.Last().Hash())
}
