package store

import (
	"bytes"
	"errors"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/task"
)

// Tx is a write that is being put together: what was read under the lock, and what is to be written. It may be used
// until fn returns. It knows files and what all kinds of record share, and of single kinds only that sessions have
// heartbeats.
type Tx struct {
	s        *Store
	records  map[record.Ref]*staged
	order    []record.Ref // of the records that were put
	files    []*change    // of files that are not records
	moves    []*change    // of files of records that stay as they are
	silent   []string     // sessions whose heartbeat is removed
	beats    []session.Heartbeat
	inbox    *session.Inbox
	saw      []task.Fact
	key      *session.Key
	gitUntil time.Time // when to stop waiting for git
}

// staged is a record as it was read, and as it is to be written.
type staged struct {
	kind       *kind.Kind
	from       file // that a new record begins as, byte for byte: its copy in the trash; zero for none
	file       file // without a document if the record is new; its path is that of the write
	now        any
	put        bool
	claims     bool           // lease replaces that in the live state
	lease      *session.Lease // nil ends the claim
	supersedes bool           // progress that was made elsewhere is given up
	gone       bool           // the record is deleted
}

// was is the header as it was read; zero for a new record.
func (st *staged) was() record.Header {
	if st.file.doc == nil {
		return record.Header{}
	}
	return st.kind.Header(st.file.value)
}

// header is the header as it is to be written.
func (st *staged) header() record.Header { return st.kind.Header(st.now) }

// Read returns the newest state of a record: what was put into the Tx, or else what its file has. Its errors are those
// of Store.Read.
func (tx *Tx) Read(k *kind.Kind, id string) (any, error) {
	if st, ok := tx.records[k.Ref(id)]; ok {
		return st.now, nil
	}
	f, err := tx.s.readFile(k, id, layout.Patient())
	if err != nil {
		return nil, notFound(k, id, err)
	}
	tx.records[k.Ref(id)] = &staged{kind: k, file: f, now: f.value}
	return f.value, nil
}

// Known is what the clone knows of a record beside its file.
func (tx *Tx) Known(of record.Ref) session.Live { return tx.s.Known(of) }

// Put stages a new state of a record that Read returned, or a new record. For a new record whose file exists, Update
// returns CONFLICT and writes nothing. The claim stays as it is; it is refreshed if the writer holds it.
//
// New records are written first, in the order in which they were put, then the others. Of these the kinds that can make
// a change again (kind.Kind.Again) come last, as sessions do after their tasks.
func (tx *Tx) Put(k *kind.Kind, v any) {
	ref := k.Header(v).Ref
	st, ok := tx.records[ref]
	if !ok {
		st = &staged{kind: k}
		tx.records[ref] = st
	}
	if !st.put {
		tx.order = append(tx.order, ref)
	}
	st.now, st.put = v, true
}

// Claim stages a new lease of a record that was read or put; nil ends the claim.
func (tx *Tx) Claim(of record.Ref, lease *session.Lease) {
	tx.records[of].lease, tx.records[of].claims = lease, true
}

// Supersede stages that progress which other worktrees made on a record is given up: work starts again from the state
// in this one.
func (tx *Tx) Supersede(of record.Ref) { tx.records[of].supersedes = true }

// Delete stages the deletion of a record that was read. Its newest state goes into the trash of the clone, and its live
// state is removed.
func (tx *Tx) Delete(of record.Ref) {
	st := tx.records[of]
	st.gone = true
	if !st.put {
		st.put = true
		tx.order = append(tx.order, of)
	}
}

// Move stages that the file of a record, which was read, goes into another folder of its kind (kind.Kind.RestIn) with
// its bytes as they are. What the write changes of the record, if anything, is lost nowhere: then the file stays where
// it is. So it does if another program changes it meanwhile, or puts a file at the new path.
func (tx *Tx) Move(of record.Ref, folder string) {
	st := tx.records[of]
	to := tx.s.Abs(st.kind.FileIn(folder, of.ID))
	if st.file.doc != nil && to != st.file.path {
		c := newChange(tx.s.Layout, st.file.path, st.file.doc.Bytes(), nil)
		c.step.To, c.of = tx.s.Rel(to), st
		tx.moves = append(tx.moves, c)
	}
}

// Bring stages a new file of a record, byte for byte as another branch has it, at a path from the workspace root. The
// caller has read that there is no such record.
func (tx *Tx) Bring(path string, src []byte) { tx.replace(tx.s.Abs(path), nil, src) }

// Silence stages the removal of the heartbeat of a session.
func (tx *Tx) Silence(ses string) { tx.silent = append(tx.silent, ses) }

// Key returns what the clone remembers of a call, or nil.
func (tx *Tx) Key(call string) *session.Key { return tx.s.Key(call) }

// Remember stages the idempotency key of the call that makes this write.
func (tx *Tx) Remember(k session.Key) { tx.key = &k }

// Beat stages a heartbeat.
func (tx *Tx) Beat(b session.Heartbeat) { tx.beats = append(tx.beats, b) }

// Inbox returns what the clone keeps of the inbox of an actor.
func (tx *Tx) Inbox(who record.Actor) session.Inbox { return tx.s.Inbox(who) }

// Acknowledge stages what the clone is to keep of an inbox.
func (tx *Tx) Acknowledge(in session.Inbox) { tx.inbox = &in }

// Saw stages what this clone saw of checks, beside the records.
func (tx *Tx) Saw(facts ...task.Fact) { tx.saw = append(tx.saw, facts...) }

// EditConfig stages a change of config.yaml. It returns the error of edit if that has a code; a format error becomes
// BAD_FILE.
func (tx *Tx) EditConfig(edit func(*format.Doc) (*format.Doc, error)) error {
	path := tx.s.ConfigFile()
	doc, err := layout.ReadDoc(path, format.YAML, layout.Patient())
	next := doc
	if err == nil {
		next, err = edit(doc)
	}
	switch {
	case errors.As(err, new(*record.Error)):
		return err
	case err != nil:
		return problem.IO(tx.s.badFile(path, err))
	case !bytes.Equal(next.Bytes(), doc.Bytes()):
		tx.replace(path, doc.Bytes(), next.Bytes())
	}
	return nil
}

// replace stages the new content of a file that is no record. was is nil for a file that is to be created.
func (tx *Tx) replace(path string, was, now []byte) {
	tx.files = append(tx.files, newChange(tx.s.Layout, path, was, now))
}

func (tx *Tx) idle() bool {
	for _, st := range tx.records {
		if st.claims || st.changed() {
			return false
		}
	}
	return len(tx.files)+len(tx.moves)+len(tx.beats)+len(tx.silent)+len(tx.saw) == 0 && tx.key == nil && tx.inbox == nil
}

// changed reports whether the file of the record is to be written.
func (st *staged) changed() bool {
	return st.put && (st.gone || st.file.doc == nil || !st.kind.Same(st.file.value, st.now))
}

// content is the new content of the file of a staged record: that of a new record, if doc is nil, or doc after the
// change from was to now. It returns TASK_FULL if the record has no room for it.
func (st *staged) content(doc *format.Doc, was, now any) ([]byte, error) {
	var next *format.Doc
	var err error
	if doc == nil {
		next, err = st.kind.Create(now)
	} else {
		next, err = st.kind.Edit(doc, was, now)
	}
	if err == nil && st.kind.Form == format.Markdown {
		err = roomFor(doc, next, st.kind.Header(now).Log.Last())
	}
	if err != nil {
		return nil, err
	}
	return next.Bytes(), nil
}
