package trees

import (
	"context"
	"errors"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
)

// Verbs are the verbs of work trees.
var Verbs = verb.Group{Name: "jobs", Noun: "worktree", Toolset: verb.Jobs}.Of(
	verb.Declare(List, verb.Verb{Name: "worktree_list", Title: "List work trees",
		Summary: "List the git work trees that cairn made for tasks of this clone, each with all reasons why it stays.",
		When:    "To find where the work on a task lies, and before cleaning up.",
	}),
	verb.Declare(Conflicts, verb.Verb{Name: "conflicts", Title: "See which branches conflict",
		Summary: "Tell which branches of this clone, and of those that were fetched, would not merge with which, and the files.",
		When:    "Before anybody merges, and while work goes on beside others. Nothing is merged; what is not committed counts as files that were changed.",
	}),
	verb.Declare(Remove, verb.Verb{Name: "worktree_remove", Title: "Remove a work tree", Kind: verb.Destructive,
		Profile: verb.Operator, Scopes: true,
		Summary: "Remove the work tree of a task if nothing can be lost by it: it is clean, its commits are merged or pushed, nothing works in it.",
		When:    "When its work has come home. With force, what is in no commit is deleted too; commits that are nowhere else, and what somebody works in, are never removed.",
	}),
)

// ListIn is the input of List.
type ListIn struct {
	ID record.ID `json:"id,omitempty" doc:"only that of this task" cli:"arg"`
}

// List lists the work trees that are recorded in the clone, by their tasks; none outside git. It looks at each: what
// cannot be looked at is a reason to stay.
func List(ctx context.Context, w *verb.Workspace, s *store.Store, in ListIn) (verb.Items[worktree.Standing], error) {
	out := verb.Items[worktree.Standing]{Items: []worktree.Standing{}}
	if s.Repo == nil {
		return out, nil
	}
	trees, err := work.Trees(s, w.Now)
	if err != nil {
		return out, err
	}
	if in.ID == "" {
		out.Items, err = trees.List(ctx)
	} else if one, made, failed := trees.Look(ctx, in.ID); failed != nil {
		err = failed
	} else if made {
		out.Items = append(out.Items, one)
	}
	out.Items, out.Total = verb.NoNil(out.Items), len(out.Items)
	return out, err
}

// RemoveIn is the input of Remove.
type RemoveIn struct {
	ID     record.ID `json:"id,omitempty" doc:"task whose work tree to remove; or say merged" cli:"arg"`
	Force  bool      `json:"force,omitempty" doc:"delete what is in no commit too; commits that are nowhere else stay"`
	Merged bool      `json:"merged,omitempty" doc:"true, without an id: remove all by which nothing can be lost" mcp:"quiet"`
	verb.Once
}

// Removed is what became of a work tree.
type Removed struct {
	ID       record.ID `json:"id,omitempty"`
	All      []Removed `json:"all,omitempty"`    // of several, each that was removed
	Stay     int       `json:"stay,omitempty"`   // of several, how many stay
	Path     string    `json:"path,omitempty"`   // where it was
	Branch   string    `json:"branch,omitempty"` // if it stays, since its commits are not in the base
	Removed  bool      `json:"removed"`
	Replayed bool      `json:"replayed,omitempty"` // the call was made before, under the same idempotency key
}

// Remove removes the work tree of a task. It returns NOT_FOUND if none is recorded, and CONFLICT or BUSY with all
// reasons if it stays. With Merged it removes all that can be, and returns them.
func Remove(ctx context.Context, w *verb.Workspace, s *store.Store, in RemoveIn) (Removed, error) {
	switch {
	case (in.ID == "") != in.Merged || in.Merged && in.Force:
		return Removed{}, verb.BadInput("", "names a task by its id, or says merged, which forces nothing").WithHint("give one of id and merged")
	case in.Merged:
		return removeMerged(ctx, w, s)
	}
	if err := w.InScope(in.ID); err != nil {
		return Removed{}, err
	}
	trees, err := work.Trees(s, w.Now)
	if err != nil {
		return Removed{}, err
	}
	tree, _, err := trees.Find(in.ID)
	if err != nil {
		return Removed{}, err
	}
	if err := trees.Remove(ctx, in.ID, in.Force); err != nil {
		return Removed{}, verb.WithID(cutOff(s, in.ID, err), in.ID)
	}
	of := in.ID.Ref()
	err = w.RememberCall(ctx, s, session.Key{Record: &of})
	return removed(ctx, s, in.ID, tree.Path), err
}

// cutOff is the refusal to remove the work tree of a task, with what leads on where its job was cut off: nothing there
// is to be merged yet.
func cutOff(s *store.Store, id record.ID, err error) error {
	last, found := work.Jobs(s).LastOf(id)
	var refused *record.Error
	if !found || last.Status.State != job.Stale || !errors.As(err, &refused) || refused.Code != record.Conflict {
		return err
	}
	told := *refused
	return told.WithHint("its job was cut off: %s goes on there, and %s keeps the work on a branch of its own",
		Retry(s, last), record.CallTo("job_discard", "id", id).OnlyShown())
}

// removeMerged removes each work tree by which nothing can be lost. One that came to hold something meanwhile stays.
func removeMerged(ctx context.Context, w *verb.Workspace, s *store.Store) (out Removed, err error) {
	if err := w.InScope(""); err != nil {
		return out, err
	}
	trees, err := work.Trees(s, w.Now)
	if err != nil {
		return out, err
	}
	all, err := trees.List(ctx)
	for _, one := range all {
		switch {
		case one.Path == "": // work that was given up, which is a branch alone
		case one.Removable && trees.Remove(ctx, one.Task, false) == nil:
			out.All = append(out.All, removed(ctx, s, one.Task, one.Path))
		default:
			out.Stay++
		}
	}
	out.Removed = len(out.All) > 0
	return out, err
}

func removed(ctx context.Context, s *store.Store, id record.ID, path string) Removed {
	out := Removed{ID: id, Path: path, Removed: true}
	if tip, err := s.Repo.Commit(ctx, "refs/heads/"+worktree.Branch(id)); err == nil && tip != "" {
		out.Branch = worktree.Branch(id)
	}
	return out
}

// Replay tells what is left of the work tree now. One that was made since is not the one that was removed.
func (Removed) Replay(_ *verb.Workspace, s *store.Store, made session.Key) (any, error) {
	if made.Record == nil || s.Repo == nil {
		return Removed{}, record.Errorf(record.NotFound, "the call under this key removed no work tree")
	}
	out := removed(context.Background(), s, record.ID(made.Record.ID), "")
	out.Replayed = true
	return out, nil
}
