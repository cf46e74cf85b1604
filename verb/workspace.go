package verb

import (
	"context"
	"io"
	"time"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// Workspace is what a verb runs on: a place, and who is there. Front-ends make one for each call. Nothing is opened before
// a verb needs it, so that identity answers anywhere.
type Workspace struct {
	Dir      string     // the workspace is the nearest at or above it
	StateDir string     // the user's folder for what must not lie in a repository
	Actor    task.Actor // who acts; fixed by the front-end, never an argument
	Client   string     // the program that speaks for the actor, if it said
	Version  string     // of cairn
	Profile  Profile    // what the actor may do
	Now      func() time.Time
	Rand     io.Reader
}

func (w *Workspace) open() (*store.Store, error) { return store.Open(w.Dir, w.StateDir) }

// Open opens the store that the verbs of this workspace work on. It returns NO_WORKSPACE if there is none.
func (w *Workspace) Open() (*store.Store, error) { return w.open() }

// stamp is what the entries of this call say.
func (w *Workspace) stamp(text string) task.Stamp {
	return task.Stamp{Who: w.Actor, At: w.Now(), Text: text}
}

// actor reads an actor in an input: "me" is who acts, "unassigned" and "" nobody.
func (w *Workspace) actor(s string) (task.Actor, error) {
	switch s {
	case "me":
		return w.Actor, nil
	case "", "unassigned":
		return "", nil
	default:
		return task.ParseActor(s)
	}
}

// mayWeaken reports whether the caller may take checks away.
func (w *Workspace) mayWeaken() bool { return w.Actor.Human() || w.Profile >= Maintainer }

// scene is a task as a write meets it: under the lock, with everything that decides about it.
type scene struct {
	tx   *store.Tx
	t    task.Task
	hold session.Hold
	now  time.Time
}

// scene reads a task for a write.
func (w *Workspace) scene(tx *store.Tx, id task.ID) (scene, error) {
	t, err := tx.Task(id)
	now := w.Now()
	if err != nil {
		return scene{}, err
	}
	return scene{tx, t, session.Holder(t, tx.Live(id), now), now}, nil
}

// decision decides about a task under the lock. An entry of nil means that nothing changes and nothing is written.
type decision func(*store.Store, scene) (task.Task, *task.Entry, error)

// change makes one write of one task and returns the task as get would.
func (w *Workspace) change(ctx context.Context, id task.ID, decide decision) (Task, error) {
	s, err := w.open()
	if err != nil {
		return Task{}, err
	}
	return w.changeIn(ctx, s, id, decide)
}

func (w *Workspace) changeIn(ctx context.Context, s *store.Store, id task.ID, decide decision) (Task, error) {
	err := s.Update(ctx, func(tx *store.Tx) error {
		sc, err := w.scene(tx, id)
		if err != nil {
			return err
		}
		t, entry, err := decide(s, sc)
		if err == nil && entry != nil {
			tx.Put(t)
		}
		return err
	})
	if err != nil {
		return Task{}, withID(err, id)
	}
	return w.show(s, id)
}

// lease is a live claim of the caller from this worktree.
func (w *Workspace) lease(ctx context.Context, s *store.Store, ses string, now time.Time) *session.Lease {
	return &session.Lease{
		Actor: w.Actor, Session: ses, Worktree: s.Worktree, Branch: s.Head(ctx).Branch,
		Since: now.UTC(), Seen: now.UTC(),
	}
}

// endLive ends the session under which the task is held or was last worked on, if it is still active.
func (sc scene) endLive(to session.Status, text string) {
	id := sc.hold.Session
	if id == "" {
		id = sc.t.LastSession()
	}
	if id == "" {
		return
	}
	ses, err := sc.tx.Session(id)
	if err == nil && ses.Status == session.Active {
		sc.tx.PutSession(ses.End(to, sc.now, text))
	} // else its record lies on another branch, or is broken: it must not keep a task from being closed
}
