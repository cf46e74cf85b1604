package store

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/task"
)

// actor writes as the verbs do: it reads under the lock, asks the rules of task and session, and puts what they say.
type actor struct {
	s   *Store
	who task.Actor
	now func() time.Time
}

func newActor(s *Store, who task.Actor) actor { return actor{s, who, time.Now} }

func (a actor) stamp(text string) task.Stamp { return task.Stamp{Who: a.who, At: a.now(), Text: text} }

// scene is a task under the lock, and who holds it.
type scene struct {
	tx   *Tx
	t    task.Task
	hold session.Hold
}

// change makes one write of one task. A decision without an entry writes nothing.
func (a actor) change(id task.ID, decide func(scene) (task.Task, *task.Entry, error)) error {
	return a.s.Update(context.Background(), func(tx *Tx) error {
		t, err := tx.Task(id)
		if err != nil {
			return err
		}
		t, entry, err := decide(scene{tx, t, session.Holder(t.Header(), tx.Live(id), a.now())})
		if err == nil && entry != nil {
			tx.Put(t)
		}
		return err
	})
}

func (a actor) create(title string, deps ...task.ID) (task.ID, error) {
	id, err := task.NewID(a.s.Config.Prefix, a.now(), rand.Reader)
	if err != nil {
		return "", err
	}
	return id, a.createAs(id, title, deps...)
}

func (a actor) createAs(id task.ID, title string, deps ...task.ID) error {
	return a.s.Update(context.Background(), func(tx *Tx) error {
		t, err := a.s.Config.Flow.Create(task.Task{ID: id, Title: title, Priority: task.DefaultPriority, Deps: deps}, tx.Find, a.stamp(""))
		if err == nil {
			tx.Create(t)
		}
		return err
	})
}

func (a actor) note(id task.ID, text string) error {
	return a.change(id, func(sc scene) (task.Task, *task.Entry, error) { return task.Note(sc.t, a.stamp(text)) })
}

func (a actor) move(id task.ID, to task.Status) error {
	return a.change(id, func(sc scene) (task.Task, *task.Entry, error) {
		return a.s.Config.Flow.Move(sc.t, to, task.Proof{}, sc.tx.Find, a.stamp(""))
	})
}

func (a actor) lease(ses string) *session.Lease {
	return &session.Lease{Actor: a.who, Session: ses, Worktree: a.s.Worktree, Since: a.now(), Seen: a.now()}
}

func (a actor) claim(id task.ID) error {
	return a.change(id, func(sc scene) (task.Task, *task.Entry, error) {
		if err := sc.hold.Refuse(id, a.who, a.s.Worktree, false); err != nil {
			return sc.t, nil, err
		}
		t, entry, err := a.s.Config.Flow.Claim(sc.t, false, a.stamp(""))
		if entry != nil {
			sc.tx.Claim(id, a.lease(""))
		}
		return t, entry, err
	})
}

func (a actor) release(id task.ID) error {
	return a.change(id, func(sc scene) (task.Task, *task.Entry, error) {
		t, entry, err := task.Release(sc.t, sc.hold.How == session.Claimed, a.stamp(""))
		if entry == nil {
			return t, nil, err
		}
		sc.tx.Claim(id, nil)
		return t, entry, sc.endSession(a.stamp("released"))
	})
}

// endSession abandons the session under which the task is held.
func (sc scene) endSession(by task.Stamp) error {
	if sc.hold.Session == "" {
		return nil
	}
	ses, err := sc.tx.Session(sc.hold.Session)
	if err == nil && ses.Status == session.Active {
		sc.tx.PutSession(ses.End(session.Abandoned, by))
	}
	return err
}

// begin opens a session on a task and returns its id.
func (a actor) begin(id task.ID) (string, error) {
	token, err := task.Token(a.now(), rand.Reader)
	if err != nil {
		return "", err
	}
	ses := session.Prefix + "-" + token
	return ses, a.change(id, func(sc scene) (task.Task, *task.Entry, error) {
		if err := sc.hold.Refuse(id, a.who, a.s.Worktree, false); err != nil {
			return sc.t, nil, err
		}
		if sc.hold.Session != "" {
			return sc.t, nil, task.Errorf(task.SessionLive, "has session %s", sc.hold.Session)
		}
		stamp := a.stamp("")
		stamp.Session = ses
		t, entry, err := a.s.Config.Flow.Begin(sc.t, false, sc.tx.Find, stamp)
		if entry != nil {
			sc.tx.Put(t)
			sc.tx.Claim(id, a.lease(ses))
			sc.tx.PutSession(session.New(session.Session{ID: ses, Task: id, Actor: a.who}, stamp))
			sc.tx.Beat(session.Heartbeat{Session: ses, Actor: a.who, At: a.now()})
		}
		return t, entry, err
	})
}

// finish hands the task of a session over for review.
func (a actor) finish(ses string) error {
	s, err := a.s.Session(ses)
	if err != nil {
		return err
	}
	return a.change(s.Task, func(sc scene) (task.Task, *task.Entry, error) {
		s, err := sc.tx.Session(ses)
		if err == nil {
			err = s.Usable(a.who)
		}
		if err != nil {
			return sc.t, nil, err
		}
		stamp := a.stamp("done")
		stamp.Session = ses
		t, entry, err := a.s.Config.Flow.Finish(sc.t, task.Proof{}, sc.tx.Find, stamp)
		if entry != nil {
			sc.tx.PutSession(s.End(session.Finished, stamp))
			sc.tx.Claim(s.Task, a.lease(""))
		}
		return t, entry, err
	})
}
