package tasks

import (
	"context"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/gates"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// TransitionIn is the input of Transition.
type TransitionIn struct {
	ID     record.ID     `json:"id" doc:"task to move" cli:"arg,several"`
	To     record.Status `json:"to" doc:"state to move it to" cli:"arg" from:"states"`
	Reason string        `json:"reason,omitempty" doc:"why, for the record"`
	verb.Once
}

// StaysHere is false for a task that is given up, which may be done from anywhere, and where the refusal to close a task
// says more.
func (in TransitionIn) StaysHere(c kind.Config) bool {
	return !c.Flow.IsClosed(in.To) || in.To == c.Flow.Done() && !c.CloseByMerge
}

// Transition moves a task to a state. Before it enters a closed one, its command checks are run where they have not
// passed on this very state of the tree.
func Transition(ctx context.Context, w *verb.Workspace, s *store.Store, in TransitionIn) (verb.Task, error) {
	if err := record.ValidText("reason", in.Reason); err != nil {
		return verb.Task{}, err
	}
	if err := modeInStatus(s.Config.Flow, in.ID, in.To); err != nil {
		return verb.Task{}, err
	}
	if s.Config.Flow.IsClosed(in.To) {
		if err := w.NotInJob(s, in.ID); err != nil {
			return verb.Task{}, err
		}
	}
	decide := func(wc verb.WriteContext, p task.Proof) (task.Task, *record.Entry, error) {
		return s.Config.Flow.Move(wc.Task, in.To, p, kind.Deps(wc.Tx, wc.Store.Config.Flow), w.Stamp(in.Reason))
	}
	return gates.Transition{To: in.To, Preview: gates.Unchanged, Decide: decide}.Make(ctx, w, s, in.ID)
}

// BackToWork moves a task that is in review to the working state, and does nothing with any other. The store is that of
// the workspace.
func BackToWork(ctx context.Context, w *verb.Workspace, s *store.Store, id record.ID, why string) error {
	flow := s.Config.Flow
	t, err := kind.Tasks.Get(s, id)
	if err != nil || flow.Working == "" || flow.Review == "" || t.Status != flow.Review || flow.Working == flow.Review {
		return err
	}
	_, err = Transition(ctx, w, s, TransitionIn{ID: id, To: flow.Working, Reason: why})
	return err
}

// StartIn is the input of Start.
type StartIn struct {
	ID       record.ID `json:"id" doc:"task to start" cli:"arg,several"`
	Takeover bool      `json:"takeover,omitempty" doc:"end what lapsed, or redo what is further elsewhere"`
	verb.Once
}

// Start makes the caller the holder of a task and moves it to the working state, through the deps gate, in one entry.
// It opens no session. Of a task that the caller holds and that is at work already it changes nothing. Where the flow
// has no working state it only claims.
func Start(ctx context.Context, w *verb.Workspace, s *store.Store, in StartIn) (verb.Task, error) {
	return w.ChangeIn(ctx, s, in.ID, func(wc verb.WriteContext) (task.Task, *record.Entry, error) {
		flow := wc.Store.Config.Flow
		takesOver, err := wc.Take(ctx, in.Takeover)
		if err != nil {
			return wc.Task, nil, err
		}
		t, entry, err := flow.Start(wc.Task, takesOver, kind.Deps(wc.Tx, flow), w.Stamp(""))
		holds := wc.Hold.Live() && wc.Hold.Worktree == wc.Store.Worktree
		if err != nil || entry == nil && holds {
			return t, nil, err
		}
		if takesOver {
			wc.Tx.Supersede(t.ID.Ref())
		}
		if !wc.Mine() || !holds { // a claim that is there goes on, with its session and its end
			wc.Tx.Claim(t.ID.Ref(), wc.Lease(ctx, ""))
		}
		return t, entry, nil
	})
}
