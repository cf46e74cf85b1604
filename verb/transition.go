package verb

import (
	"context"
	"errors"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// TransitionIn is the input of Transition.
type TransitionIn struct {
	ID     task.ID     `json:"id" doc:"task to move" cli:"arg"`
	To     task.Status `json:"to" doc:"state to move it to" cli:"arg" from:"states"`
	Reason string      `json:"reason,omitempty" doc:"why, for the record"`
	Once
}

// Transition moves a task to a state. Before it enters a closed one, its command checks are run where they have not passed
// on this very state of the tree.
func (w *Workspace) Transition(ctx context.Context, in TransitionIn) (Task, error) {
	if err := task.ValidText("reason", in.Reason); err != nil {
		return Task{}, err
	}
	s, err := w.open()
	if err != nil {
		return Task{}, err
	}
	decide := func(sc scene, p task.Proof) (task.Task, *task.Entry, error) {
		return s.Config.Flow.Move(sc.t, in.To, p, sc.tx.Find, w.stamp(in.Reason))
	}
	return w.move(ctx, s, in.ID, transit{in.To, unchanged, decide})
}

// transit is a write that may take a task to another state.
type transit struct {
	to      task.Status                                             // "" for a write that moves nothing
	preview func(task.Task) (task.Task, error)                      // the task as it will be when the gates judge it
	decide  func(scene, task.Proof) (task.Task, *task.Entry, error) // under the lock
}

// move makes one write that may take a task to another state: it runs what the checks gate asks for, outside the lock, and
// then decides under it. A refusal after a run still records what the run showed, in one entry.
func (w *Workspace) move(ctx context.Context, s *store.Store, id task.ID, m transit) (Task, error) {
	ran, err := w.prove(ctx, s, id, m)
	if err != nil {
		return Task{}, withID(err, id)
	}
	var refusal error
	out, err := w.changeIn(ctx, s, id, func(s *store.Store, sc scene) (task.Task, *task.Entry, error) {
		refusal = nil
		if err := ran.stillHolds(sc.t); err != nil {
			return w.refuse(sc, ran, err, &refusal)
		}
		t, entry, err := m.decide(sc, ran.proof)
		if err != nil {
			return w.refuse(sc, ran, err, &refusal)
		}
		w.afterMove(s, sc, t)
		return t, entry, nil
	})
	if err == nil {
		err = withID(refusal, id)
	}
	out.Run = ran.report
	return out, ran.explain(err)
}

// refuse turns a refusal into a write of the results alone, if checks were run and still are the task's checks.
func (w *Workspace) refuse(sc scene, ran proven, err error, refusal *error) (task.Task, *task.Entry, error) {
	if !ran.records(sc.t) {
		return sc.t, nil, err
	}
	*refusal = err
	return task.RecordRun(sc.t, ran.proof.Run.Of(sc.t), w.unkeyed().stamp(""))
}

// unchanged is the preview of a move that changes nothing else.
func unchanged(t task.Task) (task.Task, error) { return t, nil }

// afterMove ends what a close ends: the live session, as finished, and the claim.
func (w *Workspace) afterMove(s *store.Store, sc scene, t task.Task) {
	flow := s.Config.Flow
	if !flow.IsClosed(sc.t.Status) && flow.IsClosed(t.Status) {
		sc.tx.Claim(t.ID, nil)
		sc.endLive(session.Finished, "closed by "+string(w.Actor))
	}
}

// explain adds what the run showed to the refusal of the checks gate.
func (p proven) explain(err error) error {
	var e *task.Error
	if p.report == nil || asksOf(err) != nil || !errors.As(err, &e) {
		return err
	}
	told := *e
	told.Details = map[string]any{"run": p.report}
	return &told
}
