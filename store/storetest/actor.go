package storetest

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// Actor writes as the verbs do: it reads under the lock, decides by the rules of task and session, and puts the result.
type Actor struct {
	S   *store.Store
	Who record.Actor
	Now func() time.Time
}

// NewActor returns an actor with the real clock.
func NewActor(s *store.Store, who record.Actor) Actor { return Actor{s, who, time.Now} }

// Stamp is who does something now, with a text.
func (a Actor) Stamp(text string) record.Stamp {
	return record.Stamp{Who: a.Who, At: a.Now(), Text: text}
}

// write is what a decision is made from: a task that was read under the lock, and who holds it.
type write struct {
	tx   *store.Tx
	t    task.Task
	hold session.Claim
}

// change makes one write of one task. A decision without an entry writes nothing.
func (a Actor) change(id record.ID, decide func(write) (task.Task, *record.Entry, error)) error {
	return a.S.Update(context.Background(), func(tx *store.Tx) error {
		t, err := kind.Tasks.Get(tx, id)
		if err != nil {
			return err
		}
		t, entry, err := decide(write{tx, t, session.Holder(t.Header(), tx.Known(id.Ref()), a.Now())})
		if err == nil && entry != nil {
			kind.Tasks.Put(tx, t)
		}
		return err
	})
}

// Create creates a task with an id of its own.
func (a Actor) Create(title string, deps ...record.ID) (record.ID, error) {
	id, err := record.NewID(a.S.Config.Prefix, a.Now(), rand.Reader)
	if err != nil {
		return "", err
	}
	return id, a.CreateAs(id, title, deps...)
}

// CreateAs creates a task.
func (a Actor) CreateAs(id record.ID, title string, deps ...record.ID) error {
	return a.S.Update(context.Background(), func(tx *store.Tx) error {
		one := task.Task{ID: id, Title: title, Priority: task.DefaultPriority, Deps: deps}
		t, err := a.S.Config.Flow.Create(one, kind.Tasks.Find(tx), a.Stamp(""))
		if err == nil {
			kind.Tasks.Put(tx, t)
		}
		return err
	})
}

// Note adds a note to a task.
func (a Actor) Note(id record.ID, text string) error {
	return a.change(id, func(w write) (task.Task, *record.Entry, error) { return task.Note(w.t, a.Stamp(text)) })
}

// AddNote stages a note by human:kim, at Noon.
func AddNote(tx *store.Tx, id record.ID, text string) error {
	t, err := kind.Tasks.Get(tx, id)
	if err != nil {
		return err
	}
	if t, _, err = task.Note(t, record.Stamp{Who: "human:kim", At: Noon, Text: text}); err == nil {
		kind.Tasks.Put(tx, t)
	}
	return err
}

// NotesOf is the texts of the notes on a task, oldest first.
func NotesOf(t task.Task) []string {
	var notes []string
	for _, e := range t.Provenance {
		if e.Did == record.Noted {
			notes = append(notes, e.Text)
		}
	}
	return notes
}

// Move moves a task to a state.
func (a Actor) Move(id record.ID, to record.Status) error {
	return a.change(id, func(w write) (task.Task, *record.Entry, error) {
		return a.S.Config.Flow.Move(w.t, to, task.Proof{}, kind.Tasks.Find(w.tx), a.Stamp(""))
	})
}

func (a Actor) lease(ses string) *session.Lease {
	return &session.Lease{Actor: a.Who, Session: ses, Worktree: a.S.Worktree, Since: a.Now(), Seen: a.Now()}
}

// Claim claims a task.
func (a Actor) Claim(id record.ID) error {
	return a.change(id, func(w write) (task.Task, *record.Entry, error) {
		if err := w.hold.Refuse(id, a.Who, a.S.Worktree, false); err != nil {
			return w.t, nil, err
		}
		t, entry, err := a.S.Config.Flow.Claim(w.t, false, a.Stamp(""))
		if entry != nil {
			w.tx.Claim(id.Ref(), a.lease(""))
		}
		return t, entry, err
	})
}

// Release releases a task, and abandons the session that holds it.
func (a Actor) Release(id record.ID) error {
	return a.change(id, func(w write) (task.Task, *record.Entry, error) {
		t, entry, err := task.Release(w.t, w.hold.Live(), a.Stamp(""))
		if entry == nil {
			return t, nil, err
		}
		w.tx.Claim(id.Ref(), nil)
		if w.hold.Session == "" {
			return t, entry, nil
		}
		ses, err := kind.Sessions.Get(w.tx, w.hold.Session)
		if err == nil && ses.Status == session.Active {
			kind.Sessions.Put(w.tx, ses.End(session.Abandoned, a.Stamp("released")))
		}
		return t, entry, err
	})
}

// Begin opens a session on a task and returns its id.
func (a Actor) Begin(id record.ID) (string, error) {
	token, err := record.Token(a.Now(), rand.Reader)
	if err != nil {
		return "", err
	}
	ses := session.Prefix + "-" + token
	return ses, a.BeginAs(ses, id)
}

// BeginAs opens a session on a task.
func (a Actor) BeginAs(ses string, id record.ID) error {
	return a.change(id, func(w write) (task.Task, *record.Entry, error) {
		if err := w.hold.Refuse(id, a.Who, a.S.Worktree, false); err != nil {
			return w.t, nil, err
		}
		if w.hold.Live() && w.hold.Session != "" { // of a closed task the file names the last one
			return w.t, nil, record.Errorf(record.SessionLive, "has session %s", w.hold.Session)
		}
		stamp := a.Stamp("")
		stamp.Session = ses
		t, entry, err := a.S.Config.Flow.Begin(w.t, false, kind.Tasks.Find(w.tx), stamp)
		if entry != nil {
			w.tx.Claim(id.Ref(), a.lease(ses))
			kind.Sessions.Put(w.tx, session.New(session.Session{ID: ses, Task: id, Actor: a.Who}, stamp))
			w.tx.Beat(session.Heartbeat{Session: ses, Actor: a.Who, At: a.Now()})
		}
		return t, entry, err
	})
}

// Finish hands the task of a session over for review.
func (a Actor) Finish(ses string) error {
	s, err := kind.Sessions.Get(a.S, ses)
	if err != nil {
		return err
	}
	return a.change(s.Task, func(w write) (task.Task, *record.Entry, error) {
		s, err := kind.Sessions.Get(w.tx, ses)
		if err == nil {
			err = s.Usable(a.Who)
		}
		if err != nil {
			return w.t, nil, err
		}
		stamp := a.Stamp("done")
		stamp.Session = ses
		t, entry, err := a.S.Config.Flow.Finish(w.t, task.Proof{}, kind.Tasks.Find(w.tx), stamp)
		if entry != nil {
			kind.Sessions.Put(w.tx, s.End(session.Finished, stamp))
			w.tx.Claim(s.Task.Ref(), a.lease(""))
		}
		return t, entry, err
	})
}

// Delete deletes a task, and ends the session that holds it.
func (a Actor) Delete(id record.ID) error {
	return a.change(id, func(w write) (task.Task, *record.Entry, error) {
		t := w.t.With(record.Entry{Who: a.Who, At: a.Now(), Did: record.Deleted})
		w.tx.Delete(id.Ref())
		if ses := w.hold.Session; ses != "" {
			if _, err := kind.Sessions.Get(w.tx, ses); err != nil {
				return t, nil, err
			}
			w.tx.Delete(kind.Sessions.Ref(ses))
			w.tx.Silence(ses)
		}
		last := t.Provenance.Last()
		return t, &last, nil
	})
}
