package verb

import (
	"context"
	"io"
	"time"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/sshsign"
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
	Rights              // what the actor may do
	Bounded  bool       // answers go into an agent's context, so what is long is cut and says so
	Now      func() time.Time
	Rand     io.Reader
	Progress func(Progress) // told how far a long call has come; nil if nobody wants to know
	Patience time.Duration  // how long a caller that is told nothing waits for an answer; 0 for as long as it takes
	Watcher  Watcher        // shared by the calls of a process; nil for one of its own
	Reads    *SharedReads   // shared by the calls of a process; nil where there is one call alone
	Signer   *sshsign.Tool  // with which the actor signs what attest records; nil for no signature

	// Confirm asks the person in whose name something is done that only a person may do, outside of all locks. It returns nil
	// once they have confirmed it, else why it is not done. Where it is nil nobody can be asked, and all such is refused.
	Confirm func(context.Context, []task.Ask) error

	once      *session.Key // of the call under way, if it came with an idempotency key
	confirmed []task.Ask   // what the person has confirmed of the call under way
}

func (w *Workspace) open() (*store.Store, error) { return store.Open(w.Dir, w.StateDir) }

// Open opens the store that the verbs of this workspace work on. It returns NO_WORKSPACE if there is none.
func (w *Workspace) Open() (*store.Store, error) { return w.open() }

// stamp is what the entries of this call say.
func (w *Workspace) stamp(text string) task.Stamp {
	stamp := task.Stamp{Who: w.Actor, At: w.Now(), Text: text}
	if w.once != nil {
		stamp.Key = w.once.String()
	}
	return stamp
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
	if err == nil {
		err = w.inScope(id)
	}
	if err == nil {
		err = w.recorded(t)
	}
	if err != nil {
		return scene{}, err
	}
	return scene{tx, t, session.Holder(t, tx.Live(id), now), now}, nil
}

// decision decides about a task under the lock. An entry of nil means that nothing changes and nothing is written.
type decision func(*store.Store, scene) (task.Task, *task.Entry, error)

// update makes a write of this call, unless the call was made before.
func (w *Workspace) update(ctx context.Context, s *store.Store, fn func(*store.Tx) error) error {
	return s.Update(ctx, func(tx *store.Tx) error {
		if err := w.known(tx.Key); err != nil {
			return err
		}
		return fn(tx)
	})
}

// read reads a task before it is written, unless the call was made before.
func (w *Workspace) read(s *store.Store, id task.ID) (task.Task, error) {
	if err := w.inScope(id); err != nil {
		return task.Task{}, err
	}
	t, err := s.Get(id)
	if err == nil {
		err = w.recorded(t)
	}
	return t, err
}

// change makes one write of one task and returns the task as get would.
func (w *Workspace) change(ctx context.Context, id task.ID, decide decision) (Task, error) {
	s, err := w.open()
	if err != nil {
		return Task{}, err
	}
	return w.changeIn(ctx, s, id, decide)
}

func (w *Workspace) changeIn(ctx context.Context, s *store.Store, id task.ID, decide decision) (Task, error) {
	err := w.update(ctx, s, func(tx *store.Tx) error {
		sc, err := w.scene(tx, id)
		if err != nil {
			return err
		}
		t, entry, err := decide(s, sc)
		if err == nil {
			err = w.inPerson(s, sc, t, entry)
		}
		if err != nil {
			return err
		}
		switch {
		case entry == nil:
			w.remember(tx, id, "")
		case entry.Key != "": // the results of a refused call carry none, so that it can be made again
			w.remember(tx, id, entry.Session)
		}
		if entry != nil {
			tx.Put(t)
		}
		return nil
	})
	if err != nil {
		return Task{}, withID(err, id)
	}
	return w.show(s, id)
}

// lease is a live claim of the caller from this worktree.
func (w *Workspace) lease(ctx context.Context, s *store.Store, ses string, now time.Time) *session.Lease {
	return &session.Lease{
		Actor: w.Actor, Session: ses, Worktree: s.Worktree, GitDir: s.GitDir(), Branch: s.Head(ctx).Branch,
		Since: now.UTC(), Seen: now.UTC(),
	}
}

// endLive ends the session under which the task is held or was last worked on, if it is still active.
func (sc scene) endLive(to session.Status, text string) {
	id := sc.hold.Session
	if id == "" {
		id = sc.t.Provenance.LastSession()
	}
	if id == "" {
		return
	}
	ses, err := sc.tx.Session(id)
	if err == nil && ses.Status == session.Active {
		sc.tx.PutSession(ses.End(to, sc.now, text))
	} // else its record lies on another branch, or is broken: it must not keep a task from being closed
}
