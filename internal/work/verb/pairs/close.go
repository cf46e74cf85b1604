package pairs

import (
	"context"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/sessions"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// CloseIn is the input of Close.
type CloseIn struct {
	ID      record.ID `json:"id" doc:"task of the pair" cli:"arg"`
	Summary string    `json:"summary,omitempty" doc:"what was done: hands the work over for review, as finish does"`
	verb.Once
}

// Close ends the session of a pair: with a summary it hands over, and without one it gives the task back. The work tree
// is removed only if it is the task's own, and all that was done in it is committed and merged; Kept says why it stays.
//
// It returns BUSY while a job of the task runs, and NOT_FOUND if there is no pair and no work tree.
func Close(ctx context.Context, w *verb.Workspace, in CloseIn) (Pair, error) {
	s, err := w.Open()
	if err != nil {
		return Pair{}, err
	}
	t, err := kind.Tasks.Get(s, in.ID)
	if err == nil {
		err = w.InScope(in.ID)
	}
	if err != nil {
		return Pair{}, err
	}
	if err := noJob(s, in.ID, record.Busy); err != nil {
		return Pair{}, verb.WithID(err, in.ID)
	}
	d, err := find(ctx, w, s, t)
	if err != nil {
		return Pair{}, verb.WithID(err, in.ID)
	}
	if !d.open() && d.tree == nil {
		return Pair{}, record.Errorf(record.NotFound, "no pair works on %s", in.ID).WithHint("%s opens one", record.CallTo("pair_open", "id", in.ID).OnlyShown())
	}
	if who := w.Actor(); d.open() && who.Agent() && who != d.session.Actor && w.Profile < verb.Maintainer {
		return Pair{}, verb.WithID(record.Errorf(record.NotYours, "the pair is %s's", d.session.Actor).WithHint("its person closes it"), in.ID)
	}
	if d.open() {
		if err := end(ctx, w, d, in.Summary); err != nil {
			return Pair{}, verb.WithID(err, in.ID)
		}
		if ended, err := kind.Sessions.Get(d.at, d.session.ID); err == nil {
			d.session = ended
		}
	}
	if err := w.RememberCall(ctx, s, session.Key{Task: in.ID}); err != nil {
		return Pair{}, err
	}
	out := d.view(s, t)
	if d.tree == nil {
		out.Kept = "it is a person's, and not the task's own"
		return out, nil
	}
	return removed(ctx, w, s, d, out)
}

// end ends the session of a pair as its agent. Who opened it may, and whoever may change the task.
func end(ctx context.Context, w *verb.Workspace, d place, summary string) error {
	acts := w.At(d.at.Root).InNameOf(d.session.Actor)
	var err error
	if summary != "" {
		_, err = verb.Do(ctx, acts, sessions.Finish, sessions.FinishIn{Session: verb.SessionID(d.session.ID), Summary: summary})
	} else {
		_, err = verb.Do(ctx, acts, sessions.Cancel, sessions.CancelIn{Session: verb.SessionID(d.session.ID), Reason: "the pair was closed by " + string(w.Actor())})
	}
	return err
}

// removed removes the work tree of a pair if that loses nothing, and says so.
func removed(ctx context.Context, w *verb.Workspace, s *store.Store, d place, out Pair) (Pair, error) {
	trees, err := work.Trees(s, w.Now)
	if err != nil {
		return out, err
	}
	if err := trees.Remove(ctx, d.tree.Task, false); err != nil {
		out.Kept = record.MessageOf(err)
		return out, nil
	}
	out.Removed, out.Worktree, out.Root, out.Environment = true, "", "", nil
	return out, nil
}
