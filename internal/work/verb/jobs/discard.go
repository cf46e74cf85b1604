package jobs

import (
	"context"
	"fmt"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/gates"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/desk"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// DiscardIn is the input of Discard.
type DiscardIn struct {
	ID     record.ID `json:"id" doc:"task whose attempt to give up" cli:"arg"`
	Reason string    `json:"reason,omitempty" doc:"why"`
	verb.Once
}

// Discarded is what became of an attempt that was given up.
type Discarded struct {
	ID record.ID `json:"id"`
	worktree.Left
	Replayed bool `json:"replayed,omitempty"`
}

// Discard gives up what was done on a task in its work tree: the live job of the task ends, whoever holds it there lets
// go of it, its work is parked on a branch, and the work tree goes (worktree.Park). The task is as the base has it, with what
// others than whoever worked there said of it.
// Whatever state the work tree is in, the task is free afterwards.
//
// It returns NOT_FOUND for a task that is not there, UNTRUSTED in a clone that nobody trusted, BUSY if something works
// in its work tree and does not end, and CONFLICT if a person has the branch of the task checked out elsewhere, or a
// submodule has commits that are nowhere else.
func Discard(ctx context.Context, w *verb.Workspace, s *store.Store, in DiscardIn) (Discarded, error) {
	if err := record.ValidText("reason", in.Reason); err != nil {
		return Discarded{}, err
	}
	_, err := kind.Tasks.Get(s, in.ID)
	if err == nil {
		err = w.InScope(in.ID)
	}
	if err == nil { // git would start what the clone names
		err = gates.Consent(ctx, w, s, nil)
	}
	if err != nil {
		return Discarded{}, err
	}
	if err := somethingToDiscard(ctx, s, w, in.ID); err != nil {
		return Discarded{}, verb.WithID(err, in.ID)
	}
	if in.Reason == "" {
		in.Reason = "the attempt was given up"
	}
	parked, err := discard(ctx, w, s, in.ID, in.Reason)
	if err != nil {
		return Discarded{}, verb.WithID(err, in.ID)
	}
	of := in.ID.Ref()
	parked.Branches = verb.NoNil(parked.Branches)
	return Discarded{ID: in.ID, Left: parked}, w.RememberCall(ctx, s, session.Key{Record: &of})
}

// treesOf are the work trees to which that of a task belongs.
func treesOf(s *store.Store, w *verb.Workspace, id record.ID) (*worktree.Worktrees, error) {
	t, err := kind.Tasks.Get(s, id)
	if err != nil {
		return nil, err
	}
	return work.TreesOf(s, t, w.Now)
}

// somethingToDiscard returns NOT_FOUND for a task on which no job is at work, and that has neither a work tree nor a
// branch.
func somethingToDiscard(ctx context.Context, s *store.Store, w *verb.Workspace, id record.ID) error {
	if _, live := work.Jobs(s).LiveOf(id); live {
		return nil
	}
	trees, err := treesOf(s, w, id)
	if err != nil {
		return err
	}
	_, made, err := trees.Find(id)
	if err != nil || made {
		return nil //nolint:nilerr // what cannot be found out is no reason to keep an attempt
	}
	if tip, err := trees.Repo().Commit(ctx, "refs/heads/"+worktree.Branch(id)); err != nil || tip != "" {
		return nil //nolint:nilerr // likewise
	}
	return record.Errorf(record.NotFound, "there is nothing to discard of %s: no job, no work tree and no branch", id).
		WithHint("%s begins an attempt; %s shows those there were", record.CallTo("job_start", "id", id).OnlyShown(), record.CallTo("job_list", "task", id).OnlyShown())
}

// discard is Discard once it is known that it may be done.
func discard(
	ctx context.Context, w *verb.Workspace, s *store.Store, id record.ID, why string,
) (none worktree.Left, err error) {
	if err := cancelLive(ctx, w, s, id, why); err != nil {
		return none, err
	}
	if err := letTaskGo(ctx, w, s, id, why); err != nil {
		return none, err
	}
	trees, err := treesOf(s, w, id)
	if err != nil {
		return none, err
	}
	var others remarks
	if tree, made, err := trees.Find(id); err == nil && made {
		others = remarksIn(w, s, tree)
	}
	parked, err := trees.Park(ctx, id)
	if err == nil {
		err = s.DropBranch(ctx, id.Ref(), worktree.Branch(id))
	}
	if err == nil {
		err = others.bring(ctx, w, s, id)
	}
	return parked, err
}

// letTaskGo is letGo for the work tree of a task, if there is one.
func letTaskGo(ctx context.Context, w *verb.Workspace, s *store.Store, id record.ID, why string) error {
	trees, err := treesOf(s, w, id)
	if err != nil {
		return err
	}
	if tree, made, err := trees.Find(id); err == nil && made {
		letGo(ctx, w, s, tree, why)
		_, _ = trees.CommitRecords(ctx, tree, fmt.Sprintf("%s: %s", id, why)) // if it cannot, the next job does
	}
	return nil
}

// letGo ends the session that holds a task in its work tree, or the claim, also at the git remote. A record there that
// cannot be written is no reason to stop: the live state of the branch is dropped after it.
func letGo(ctx context.Context, w *verb.Workspace, s *store.Store, tree worktree.Tree, why string) {
	root := tree.Root
	if tree.Repo != "" { // its record is here
		root = s.Root
	}
	there := w.At(root).WithoutKey()
	at, err := there.Open()
	if err == nil {
		_ = desk.Desk{Task: tree.Task, Acts: there, At: at, Top: at.Worktree, Why: why}.LetGo(ctx)
	}
}

// Replay tells what is parked of the task now.
func (Discarded) Replay(w *verb.Workspace, s *store.Store, made session.Key) (any, error) {
	if made.Record == nil || s.Repo == nil {
		return Discarded{}, record.Errorf(record.NotFound, "the call under this key gave nothing up")
	}
	id := record.ID(made.Record.ID)
	trees, err := treesOf(s, w, id)
	if err != nil {
		return Discarded{}, err
	}
	parked, err := trees.Parked(context.Background(), id)
	return Discarded{ID: id, Left: worktree.Left{Branches: verb.NoNil(parked)}, Replayed: true}, err
}
