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
func Close(ctx context.Context, w *verb.Workspace, s *store.Store, in CloseIn) (Pair, error) {
	p, err := taskOf(s, in.ID)
	if err == nil {
		err = w.InScope(in.ID)
	}
	if err != nil {
		return Pair{}, err
	}
	if err = p.noJob(record.Busy); err == nil {
		err = p.find(ctx, w)
	}
	if err == nil {
		err = p.end(ctx, w, in.Summary)
	}
	if err != nil {
		return Pair{}, verb.WithID(err, in.ID)
	}
	if err := w.RememberCall(ctx, p.s, session.Key{Task: in.ID}); err != nil {
		return Pair{}, err
	}
	out := p.view()
	if p.tree == nil {
		out.Kept = "it is a person's, and not the task's own"
		return out, nil
	}
	trees, err := work.Trees(p.s, w.Now)
	if err != nil {
		return out, err
	}
	if err := trees.Remove(ctx, p.tree.Task, false); err != nil { // it would lose something
		out.Kept = record.MessageOf(err)
		return out, nil
	}
	out.Removed, out.Worktree, out.Root, out.Environment = true, "", "", nil
	return out, nil
}

// end ends the session of a pair as its agent. Who opened it may, and whoever may change the task.
func (p *place) end(ctx context.Context, w *verb.Workspace, summary string) error {
	who := w.Actor()
	switch {
	case !p.open() && p.tree == nil:
		return record.Errorf(record.NotFound, "no pair works on %s", p.task.ID).
			WithHint("%s opens one", record.CallTo("pair_open", "id", p.task.ID).OnlyShown())
	case !p.open():
		return nil
	case who.Agent() && who != p.session.Actor && w.Profile < verb.Maintainer:
		return record.Errorf(record.NotYours, "the pair is %s's", p.session.Actor).WithHint("its person closes it")
	}
	acts, id := w.At(p.at.Root).InNameOf(p.session.Actor), verb.SessionID(p.session.ID)
	var err error
	if summary != "" {
		_, err = verb.Do(ctx, acts, sessions.Finish, sessions.FinishIn{Session: id, Summary: summary})
	} else {
		why := "the pair was closed by " + string(who)
		_, err = verb.Do(ctx, acts, sessions.Cancel, sessions.CancelIn{Session: id, Reason: why})
	}
	if ended, gone := kind.Sessions.Get(p.at, p.session.ID); gone == nil {
		p.session = ended
	}
	return err
}
