package store

import (
	"time"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/task"
)

// Tx is a write under way: what was read under the lock, and what is to be written. It is good until fn returns.
type Tx struct {
	s        *Store
	tasks    map[task.ID]*staged
	order    []task.ID
	sessions map[string]*stagedSession
	trash    []trashed
	others   []change // of files that are neither tasks nor sessions
	beats    []session.Heartbeat
	key      *session.Key
	on       map[task.ID]writtenOn // what the tasks were written on
	patient  time.Time             // until when git is waited for
}

// staged is a task as it was read, and as it is to be.
type staged struct {
	file       file // zero for a task that is to be created
	was        task.Task
	now        task.Task
	put        bool
	claims     bool           // lease is to replace what the record says
	lease      *session.Lease // nil ends the claim
	supersedes bool           // work that was carried further elsewhere is given up
	opens      string         // a session that is created with this write
	gone       bool           // it is to leave the workspace
}

type stagedSession struct {
	file file // zero for a session that is to be created
	was  session.Session
	now  session.Session
}

// Task reads the newest revision of a task. It returns NOT_FOUND if there is none, and BAD_FILE if its file is broken.
func (tx *Tx) Task(id task.ID) (task.Task, error) {
	if st, ok := tx.tasks[id]; ok {
		return st.now, nil
	}
	f, t, err := tx.s.readTask(id)
	if err != nil {
		return task.Task{}, found(id, err)
	}
	tx.tasks[id] = &staged{file: f, was: t, now: t}
	return t, nil
}

// Find is a task.Find that sees what was put into the Tx.
func (tx *Tx) Find(id task.ID) (task.Task, bool) {
	if st, ok := tx.tasks[id]; ok {
		return st.now, true
	}
	return tx.s.Find(id)
}

// Live is what the clone knows of a task, beside its file.
func (tx *Tx) Live(id task.ID) session.Live { return tx.s.Live(id) }

// Put stages a new state of a task that Task returned. Its claim stays as it is, refreshed if the writer holds it.
func (tx *Tx) Put(t task.Task) {
	st := tx.tasks[t.ID]
	if !st.put {
		tx.order = append(tx.order, t.ID)
	}
	st.now, st.put = t, true
}

// Claim stages a new live claim on a task that Task returned, whether or not it is put too; nil ends the claim.
func (tx *Tx) Claim(id task.ID, lease *session.Lease) {
	tx.tasks[id].lease, tx.tasks[id].claims = lease, true
}

// Supersede says that this write of a task starts again from this worktree's state, whatever was reached elsewhere.
func (tx *Tx) Supersede(id task.ID) { tx.tasks[id].supersedes = true }

// Create stages a new task. Update returns CONFLICT, with nothing written, if there is a file of that id already.
func (tx *Tx) Create(t task.Task) {
	tx.tasks[t.ID] = &staged{now: t}
	tx.Put(t)
}

// Session reads the newest revision of a session.
func (tx *Tx) Session(id string) (session.Session, error) {
	if st, ok := tx.sessions[id]; ok {
		return st.now, nil
	}
	f, ses, err := tx.s.readSession(id)
	if isMissing(err) {
		_, err = tx.s.Session(id)
	}
	if err != nil {
		return session.Session{}, ioError(err)
	}
	tx.sessions[id] = &stagedSession{file: f, was: ses, now: ses}
	return ses, nil
}

// PutSession stages a session: a new state of one that Session returned, or a new one of a task that is put too.
func (tx *Tx) PutSession(ses session.Session) {
	if st, ok := tx.sessions[ses.ID]; ok {
		st.now = ses
		return
	}
	tx.sessions[ses.ID] = &stagedSession{now: ses}
	if st, ok := tx.tasks[ses.Task]; ok {
		st.opens = ses.ID
	}
}

// Key returns what the clone remembers of a call, or nil.
func (tx *Tx) Key(call string) *session.Key { return tx.s.Key(call) }

// Remember stages what is to be remembered of the call that makes this write.
func (tx *Tx) Remember(k session.Key) { tx.key = &k }

// Beat stages a heartbeat.
func (tx *Tx) Beat(b session.Heartbeat) { tx.beats = append(tx.beats, b) }

// content is what the file of a staged task will hold.
func (st *staged) content(old *frontmatter.Doc) ([]byte, error) {
	if old == nil {
		return st.created()
	}
	doc, err := editTask(old, st.was, st.now)
	if err != nil {
		return nil, err
	}
	if len(doc.Front()) > len(old.Front()) && !bare(st.now.Provenance.Last()) {
		err = room(doc)
	}
	return doc.Bytes(), err
}

func (st *staged) created() ([]byte, error) {
	src, err := newTaskFile(st.now)
	if err == nil && len(src)-len(st.now.Body) > fullAt {
		err = task.Errorf(task.TaskFull, "what stands above the body would have more than %d KiB", fullAt>>10).
			WithHint("say less in checks, labels and deps")
	}
	return src, err
}

// bare reports whether an entry only moves a task or its claim. Such writes must be possible even when the record is full.
func bare(e task.Entry) bool {
	switch e.Did {
	case task.Deleted:
		return true
	case task.Finished, task.Canceled: // they cannot do without
		return len(e.Text) <= bareText
	case task.Transitioned, task.Claimed, task.Released, task.Began, task.TakenOver:
		return e.Text == ""
	default:
		return false
	}
}

// content is what the file of a staged session will hold.
func (st *stagedSession) content(old *frontmatter.Doc) ([]byte, error) {
	if old == nil {
		return newSessionFile(st.now)
	}
	doc, err := editSession(old, st.was, st.now)
	if err != nil {
		return nil, err
	}
	return doc.Bytes(), nil
}

func (st *stagedSession) changed() bool { return !st.was.Equal(st.now) }
