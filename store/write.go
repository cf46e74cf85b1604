package store

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/store/progress"
)

// change is one file that a write creates, replaces, moves or removes.
type change struct {
	path string
	was  []byte   // the content when it was read; nil for a file that is to be created
	now  []byte   // the new content; nil for a file that is to be removed or moved
	step redoFile // the same for the log
	turn int      // files of a later turn get their content after the names of this one are flushed
	of   *staged  // the record whose file it is, or a copy for the trash; nil for another file

	pending *atomicfile.Pending // the temporary file with the new content
	at      time.Time           // when the file was last changed before the write
	taken   bool                // somebody else has made the file that is to be created
}

// newChange is the change of a file that lies at a path of the workspace.
func newChange(l layout.Layout, path string, was, now []byte) *change {
	c := &change{path: path, was: was, now: now, step: redoFile{Path: l.Rel(path)}}
	if was != nil {
		c.step.Was = kind.Rev(was)
	}
	if now != nil {
		c.step.Now = kind.Rev(now)
	}
	return c
}

// writing is a write that is being made.
type writing struct {
	tx      *Tx
	s       *Store
	log     redoLog
	files   []*change // in the order in which they get their content
	head    git.Head
	decided *redo           // the steps of the log; nil before plan
	kept    map[string]bool // files, from the workspace root, that were left as another program changed them
	names   unflushed
}

// errOvertaken says that a file changed between being read and being replaced.
var errOvertaken = errors.New("changed meanwhile")

// write makes the staged write, in the steps that the page of this package lists from 4 on.
func (tx *Tx) write(ctx context.Context) error {
	if err := ctx.Err(); err != nil || tx.idle() {
		return err
	}
	w := &writing{tx: tx, s: tx.s, log: redoLog{tx.s.Clone}, kept: map[string]bool{}, names: unflushed{}}
	if err := w.log.begin(); err != nil {
		return err
	}
	ended, err := w.run(ctx)
	clean := ended
	for _, c := range w.files {
		if ended && c.pending != nil && c.pending.Discard() != nil {
			clean = false
		}
	}
	if clean {
		_ = w.log.remove() // a log that stays only makes the next write sweep
	}
	if err == nil && len(w.files) > 0 {
		noteWrite(ctx, tx.s.Root)
	}
	return err
}

// run makes the write. It also reports whether the write has ended: nothing of it is left to be done or undone.
func (w *writing) run(ctx context.Context) (ended bool, err error) {
	if err := w.prepare(ctx); err != nil {
		return !errors.Is(err, atomicfile.ErrLeft), err
	}
	for _, c := range w.files { // once more before the first is replaced
		if err := c.unmoved(); err != nil {
			return true, err
		}
	}
	activity := gitActivity{w.s.Repo}
	beside := activity.await(ctx, w.tx.gitUntil)
	if err := ctx.Err(); err != nil {
		return true, err
	}
	before := activity.trace()
	w.plan(ctx)
	if len(w.files) > 0 {
		if err := w.log.decide(*w.decided); err != nil {
			return w.log.begin() == nil, err // the log may have been cut short
		}
	}
	if forward, err := w.publish(ctx); err != nil {
		return w.stop(forward, err)
	}
	if activity.trace() != before {
		beside = true
		if activity.await(ctx, w.tx.gitUntil); w.lostToGit() {
			return true, errOvertaken
		}
	}
	w.journal(time.Now().UTC(), beside)
	count := progress.Start(ctx, "noting what was written", len(w.decided.Live))
	err = w.log.rollLive(w.decided.Live, func(file string) bool { count.Add(1); return !w.kept[file] })
	count.End()
	switch {
	case err != nil && len(w.files) > 0:
		return false, nil // the files are written; the next write completes the live state
	case err != nil:
		return false, err
	}
	if w.s.later != nil {
		w.s.later.take(w.tx)
		return true, nil
	}
	w.tidy()
	return true, nil
}

// prepare writes the new content of every file to a temporary file.
func (w *writing) prepare(ctx context.Context) error {
	files, err := w.changes()
	if err != nil {
		return err
	}
	count := progress.Start(ctx, "writing files", len(files))
	defer count.End()
	for _, c := range files {
		if err := w.folderOf(c); err != nil {
			return err
		}
	}
	w.files = files
	return together(flushedTogether(len(files)), len(files), func(i int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		count.Add(1)
		return files[i].prepare()
	})
}

// manyFiles is from how many files on a write flushes several at once. A disk makes many flushes that wait together in
// little more time than one, and a write of few files is as short as it can be.
const manyFiles = 64

func flushedTogether(files int) (workers int) {
	if files < manyFiles {
		return 1
	}
	return 8
}

// together calls do for each number below n, by so many goroutines, and waits for all. After an error it begins no
// other call. It returns the error of the lowest number; one that is atomicfile.ErrLeft goes before all others, since
// the write has not ended then.
func together(workers, n int, do func(i int) error) error {
	var (
		all   sync.WaitGroup
		next  atomic.Int64
		fails atomic.Bool
		errs  = make([]error, n)
	)
	work := func() {
		for i := int(next.Add(1)) - 1; i < n && !fails.Load(); i = int(next.Add(1)) - 1 {
			if errs[i] = do(i); errs[i] != nil {
				fails.Store(true)
			}
		}
	}
	for range workers - 1 {
		all.Go(work)
	}
	work()
	all.Wait()
	var first error
	for _, err := range errs {
		if err != nil && (first == nil || errors.Is(err, atomicfile.ErrLeft)) {
			first = err
		}
	}
	return first
}

const lastTurn = 5

// changes lists the files in the order of their turns. The write can start over as long as only new files have their
// content.
func (w *writing) changes() ([]*change, error) {
	const trash, created, changed, gone, again, moved = 0, 1, 2, 3, 4, lastTurn
	var all [lastTurn + 1][]*change
	add := func(turn int, c *change) {
		c.turn = turn
		all[turn] = append(all[turn], c)
	}
	for _, c := range w.tx.files {
		switch {
		case c.was == nil:
			add(created, c)
		case c.now == nil:
			add(gone, c)
		default:
			add(changed, c)
		}
	}
	for _, of := range w.tx.order {
		st := w.tx.records[of]
		if !st.changed() {
			continue
		}
		if st.file.doc == nil { // where a record of that id lies at rest, it is in the way
			st.file.path = w.s.Abs(w.s.File(st.kind, of.ID))
		}
		var was []byte
		from := st.from
		if st.file.doc != nil {
			was, from = st.file.doc.Bytes(), st.file
		}
		src, err := st.content(from.doc, from.value, st.now)
		if err != nil {
			return nil, w.cannotWrite(st.file, err)
		}
		c := newChange(w.s.Layout, st.file.path, was, src)
		switch {
		case st.gone:
			copied := newChange(w.s.Layout, w.s.Trash().free(of, src), nil, src)
			copied.step.Path, copied.step.Live, copied.step.Over = w.s.Live.Rel(copied.path), true, true
			copied.of = st
			add(trash, copied)
			c = newChange(w.s.Layout, st.file.path, was, nil)
			c.step.After = copied.step.Path
			add(gone, c)
		case was == nil:
			add(created, c)
		case st.kind.CanAgain():
			add(again, c)
		default:
			add(changed, c)
		}
		c.of = st
		if was != nil {
			others, err := w.others(st, c.step.Path)
			if err != nil {
				return nil, err
			}
			all[moved] = append(all[moved], others...)
		}
	}
	for _, c := range w.tx.moves {
		if !c.of.changed() {
			add(moved, c)
		}
	}
	return slices.Concat(all[:]...), nil
}

// others is the removal of each other file of a record that holds what the one that is written held: a power cut left
// the record at both places. It returns CONFLICT for a deletion that another version of the record would outlive.
func (w *writing) others(st *staged, after string) (out []*change, _ error) {
	of := st.was().Ref
	paths, err := place.Others(w.s.Layout, st.kind, of.ID, st.file.path)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		src, err := layout.ReadFile(path)
		if err == nil && bytes.Equal(src, st.file.doc.Bytes()) {
			c := newChange(w.s.Layout, path, src, nil)
			c.step.After, c.turn = after, lastTurn
			out = append(out, c)
		} else if st.gone {
			return nil, record.Errorf(record.Conflict, "%s would be left: it is another version of %s, and the one that is read is %s",
				w.s.Rel(path), of.ID, w.s.Rel(st.file.path)).
				WithHint("%s makes one file of the two", record.CallTo("check", "fix", true)).ForGood()
		}
	}
	return out, nil
}

// folderOf makes the folder of a file that gets content, or to which one is moved: git keeps no empty folders.
func (w *writing) folderOf(c *change) error {
	switch {
	case c.step.To != "":
		return w.log.folderFor(c.step)
	case c.now == nil:
		return nil
	case c.step.Live:
		return w.s.MakeTrash()
	}
	return problem.IO(disk.MakeFolder(w.s.Top(), filepath.Dir(c.path)))
}

// prepare writes the new content of a file, if it gets one, to a temporary file.
func (c *change) prepare() (err error) {
	if c.now == nil {
		return nil
	}
	if c.pending, err = atomicfile.Prepare(c.path, c.now, 0o644); err != nil {
		return problem.IO(err)
	}
	c.step.Temp = c.pending.Retain()
	return nil
}

// cannotWrite is the error of a file that cannot be written as intended: it would be too large, or it has something
// that cannot be edited without touching other lines.
func (w *writing) cannotWrite(f file, err error) error {
	var bad *format.Error
	switch {
	case errors.As(err, new(*record.Error)):
		return err
	case errors.As(err, &bad) && bad.TooLarge:
		return record.Errorf(record.TaskFull, "%s", bad.Msg).WithHint("move what is long into a file of its own")
	case f.doc == nil:
		return record.Errorf(record.InvalidInput, "it makes no file that could be read again: %w", err).WithHint("say less, or plainer things")
	default:
		return problem.BadFile(w.s.Rel(f.path), err)
	}
}

// unmoved returns errOvertaken if the file no longer holds what was read.
func (c *change) unmoved() error {
	if c.was == nil {
		return nil
	}
	if now, err := layout.ReadFile(c.path); err != nil || !bytes.Equal(now, c.was) {
		return errOvertaken
	}
	return nil
}

// plan makes the steps of the redo log: w.decided. It notes when each file was last changed, and what is checked out,
// for the journal.
func (w *writing) plan(ctx context.Context) {
	w.decided = &redo{}
	for _, c := range w.files {
		c.at = layout.Modified(c.path)
		w.decided.Files = append(w.decided.Files, c.step)
	}
	w.head = w.s.Head(ctx)
	if w.s.later == nil {
		w.decided.Live = w.liveSteps()
	}
}
