package tasks

import (
	"context"
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// DeleteIn is the input of Delete.
type DeleteIn struct {
	ID     record.ID `json:"id" doc:"task to delete" cli:"arg,several"`
	Reason string    `json:"reason,omitempty" doc:"why, for the record"`
	verb.Once
}

// Deleted is what Delete did.
type Deleted struct {
	ID       record.ID `json:"id"`
	Trash    string    `json:"trash"` // the file's copy, with its last entry; copied back it is the task again
	Replayed bool      `json:"replayed,omitempty"`
}

// Delete moves a task, and the records of the sessions on it, out of the workspace into this clone's trash. It refuses
// a task that another one depends on or belongs to, and one that somebody is at work on, here or on another branch.
func Delete(ctx context.Context, w *verb.Workspace, s *store.Store, in DeleteIn) (Deleted, error) {
	if err := record.ValidText("reason", in.Reason); err != nil {
		return Deleted{}, err
	}
	_, err := verb.Change{Kind: kind.Tasks.Kind, IDs: []string{string(in.ID)}, Decide: func(wc verb.WriteContext) (any, error) {
		if err := mayDelete(w, wc); err != nil {
			return nil, err
		}
		return stageDelete(ctx, w, wc, in.Reason)
	}}.Run(ctx, w, s)
	return Deleted{ID: in.ID, Trash: s.Trash().File(in.ID.Ref())}, err
}

// Replay says where the copy is.
func (Deleted) Replay(_ *verb.Workspace, s *store.Store, key session.Key) (any, error) {
	if _, ok := kind.Tasks.Find(s)(key.Task); ok {
		return nil, record.Errorf(record.Conflict, "the idempotency key deleted %s before, and it is there again", key.Task).WithHint("use a new key")
	}
	return Deleted{ID: key.Task, Trash: s.Trash().File(key.Task.Ref()), Replayed: true}, nil
}

// mayDelete keeps what somebody is at work on.
func mayDelete(w *verb.Workspace, wc verb.WriteContext) error {
	if wc.Hold.Ahead || !wc.Hold.Free(w.Actor(), wc.Store.Worktree) && !wc.Hold.Lapsed && !w.Actor().Human() {
		return wc.Hold.Refuse(wc.Task.ID, w.Actor(), wc.Store.Worktree, false)
	}
	if ses, active := wc.ActiveSession(); active && !wc.Hold.Lapsed {
		return record.Errorf(record.SessionLive, "session %s is at work on it", ses.ID).
			WithHint("%s, by %s, ends it", record.CallTo("cancel", "session", ses.ID), ses.Actor).
			WithNext(record.CallTo("get_session", "session", ses.ID))
	}
	return nil
}

// stageDelete deletes a task, unless another waits for it that does not go together with it.
func stageDelete(
	ctx context.Context, w *verb.Workspace, wc verb.WriteContext, reason string, together ...string,
) (task.Task, error) {
	s := wc.Store
	g, err := w.Graph(ctx, s)
	if err != nil {
		return wc.Task, err
	}
	for _, p := range g.Problems() {
		if k, id, _ := kind.At(p.Path); k == kind.Tasks.Kind && id == string(wc.Task.ID) {
			continue // another file of the task, which goes with it or keeps it
		}
		if s.Mentions(p, string(wc.Task.ID)) {
			return wc.Task, record.Errorf(record.BadFile, "%s cannot be read, and may depend on it", p.Path).WithHint("fix that file first")
		}
	}
	var dependents []string
	for _, r := range g.Rows() {
		if (r.Parent == wc.Task.ID || slices.Contains(r.Deps, wc.Task.ID)) && !slices.Contains(together, r.ID) {
			dependents = append(dependents, r.ID)
		}
	}
	t, _, err := s.Config.Flow.Delete(wc.Task, dependents, w.Stamp(reason))
	if err != nil {
		return wc.Task, err
	}
	wc.Tx.Delete(t.ID.Ref())
	return t, deleteSessions(ctx, w, wc, t.ID)
}

func deleteSessions(ctx context.Context, w *verb.Workspace, wc verb.WriteContext, id record.ID) error {
	sessions, err := w.Reads.Look(ctx, wc.Store, kind.Sessions.Kind)
	if err != nil {
		return err
	}
	for _, ses := range sessions.Rows() {
		if ses.Parent != id {
			continue
		}
		if _, err := kind.Sessions.Get(wc.Tx, ses.ID); err != nil {
			return err
		}
		wc.Tx.Delete(kind.Sessions.Ref(ses.ID))
		wc.Tx.Silence(ses.ID)
	}
	return nil
}
