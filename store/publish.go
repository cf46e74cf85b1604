package store

import (
	"errors"
	"io/fs"

	"github.com/cairn-tasks/cairn/store/internal/atomicfile"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/task"
)

// publish gives the files their content, one after the other. Once an existing file has its new content, the write can no longer start
// over, and forward is true. If another program changes a file after that, the change is made again on top of it if the kind can do
// that; else the file is kept as it is.
func (w *writing) publish() (forward bool, err error) {
	for _, c := range w.files {
		err := w.publishOne(c)
		for tries := 0; forward && errors.Is(err, errOvertaken) && tries < maxRestarts; tries++ {
			err = w.publishAgain(c)
		}
		if forward && errors.Is(err, errOvertaken) {
			w.kept[w.s.Rel(c.path)] = true
			continue
		}
		if err != nil {
			return forward, err
		}
		forward = forward || c.was != nil
	}
	return forward, nil
}

func (w *writing) publishOne(c *change) error {
	if err := c.unmoved(); err != nil {
		return err
	}
	if w.s.beforePublish != nil {
		w.s.beforePublish(c.path)
	}
	switch {
	case c.now == nil:
		return removeSynced(c.path)
	case c.was != nil || c.over:
		return problem.IO(c.pending.Replace())
	}
	err := c.pending.Create()
	if c.taken = errors.Is(err, fs.ErrExist); c.taken {
		return task.Errorf(task.Conflict, "%s is there already", w.s.Rel(c.path)).WithHint("try again")
	}
	return problem.IO(err)
}

// publishAgain makes the same change on top of the present content of the file. It returns errOvertaken if that is not possible.
func (w *writing) publishAgain(c *change) error {
	if c.of == nil || c.now == nil {
		return errOvertaken
	}
	st := c.of
	f, err := w.s.readFile(st.kind, st.header().Ref.ID, layout.Patient())
	if err != nil {
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

// stop ends a write after an error in publish. If the write went forward, it is finished, now or by the next write. Else the files that
// were created are removed. Its error is errOvertaken only if the write is over, since starting over drops the log.
func (w *writing) stop(forward bool, err error) (ended bool, _ error) {
	var undo redo
	for i, c := range w.files {
		f := w.decided.Files[i]
		now, readErr := revAt(c.path)
		switch {
		case readErr != nil || now != f.Now || c.taken || c.over: // it was not written, or is a copy in the trash, which may stay
		case c.was != nil:
			forward = true // it was replaced or removed, and only the flush of its folder failed
		default:
			undo.Files = append(undo.Files, redoFile{Path: f.Path, Live: f.Live, Was: f.Now})
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

// lostToGit reports whether git put the old file back, so that the write has to be made again. It does so only for a write of one changed
// record: of several, some may have stayed.
func (w *writing) lostToGit() bool {
	if len(w.files) != 1 || w.files[0].was == nil || w.files[0].of == nil || w.files[0].now == nil {
		return false
	}
	st := w.files[0].of
	f, err := w.s.readFile(st.kind, st.header().Ref.ID, layout.Patient())
	return err == nil && !st.kind.Header(f.value).Log.Has(st.header().Log.Last().Hash())
}
