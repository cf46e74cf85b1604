package verb

import (
	"context"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// DeleteIn is the input of Delete.
type DeleteIn struct {
	ID     task.ID `json:"id" doc:"task to delete, in full" cli:"arg"`
	Reason string  `json:"reason,omitempty" doc:"why, for the record"`
	Once
}

// Deleted is what Delete did.
type Deleted struct {
	ID       task.ID `json:"id"`
	Trash    string  `json:"trash"` // the file's copy, with its last entry; copied back it is the task again
	Replayed bool    `json:"replayed,omitempty"`
}

// Delete moves a task, and the records of the sessions on it, out of the workspace into this clone's trash. What another
// task depends on or belongs to stays, and so does what somebody is at work on, here or on another branch.
func (w *Workspace) Delete(ctx context.Context, in DeleteIn) (Deleted, error) {
	if err := task.ValidText("reason", in.Reason); err != nil {
		return Deleted{}, err
	}
	s, err := w.open()
	if err != nil {
		return Deleted{}, err
	}
	err = w.update(ctx, s, func(tx *store.Tx) error {
		sc, err := w.scene(tx, in.ID)
		if err == nil {
			err = w.mayDelete(s, sc)
		}
		if err != nil {
			return err
		}
		return w.delete(ctx, s, sc, in.Reason)
	})
	return Deleted{ID: in.ID, Trash: s.TrashFile(in.ID)}, withID(err, in.ID)
}

func (Deleted) again(_ *Workspace, s *store.Store, key session.Key) (any, error) {
	if _, ok := s.Find(key.Task); ok {
		return nil, task.Errorf(task.Conflict, "the idempotency key deleted %s before, and it is there again", key.Task).WithHint("use a new key")
	}
	return Deleted{ID: key.Task, Trash: s.TrashFile(key.Task), Replayed: true}, nil
}

// mayDelete keeps what somebody is at work on.
func (w *Workspace) mayDelete(s *store.Store, sc scene) error {
	if sc.hold.How == session.Behind || !sc.hold.Free(w.Actor, s.Worktree) && !sc.hold.Lapsed && !w.Actor.Human() {
		return sc.hold.Refuse(sc.t.ID, w.Actor, s.Worktree, false)
	}
	if ses, err := sc.tx.Session(sc.hold.Session); sc.hold.Session != "" && err == nil && ses.Status == session.Active && !sc.hold.Lapsed {
		return task.Errorf(task.SessionLive, "session %s is at work on it", ses.ID).
			WithHint("%s, by %s, ends it", task.CallTo("cancel", "session", ses.ID), ses.Actor).
			WithNext("get_session", map[string]any{"session": ses.ID})
	}
	return nil
}

// delete decides by the graph, and stages the deletion.
func (w *Workspace) delete(ctx context.Context, s *store.Store, sc scene, reason string) error {
	all, problems, err := s.List(ctx)
	if err != nil {
		return err
	}
	for _, p := range problems {
		if s.Mentions(p, sc.t.ID) {
			return task.Errorf(task.BadFile, "%s cannot be read, and may depend on it", p.Path).WithHint("mend that file first")
		}
	}
	t, _, err := task.Delete(sc.t, all, w.stamp(reason))
	if err != nil {
		return err
	}
	w.remember(sc.tx, t.ID, "")
	return sc.tx.Delete(ctx, t)
}
