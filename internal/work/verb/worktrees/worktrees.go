package worktrees

import (
	"context"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
)

// ListIn is the input of List.
type ListIn struct {
	ID record.ID `json:"id,omitempty" doc:"only that of this task" cli:"arg"`
}

// Worktree is a work tree in a list.
type Worktree struct {
	ID         record.ID `json:"id"` // the task
	Path       string    `json:"path"`
	Branch     string    `json:"branch"`
	Base       string    `json:"base,omitempty"`
	BaseCommit string    `json:"base_commit,omitempty"`
	MadeAt     time.Time `json:"made_at,omitzero"`
	Removable  bool      `json:"removable"`        // worktree_remove removes it
	Stays      []Stay    `json:"stays,omitempty"`  // why it is not removed
	Theirs     bool      `json:"theirs,omitempty"` // a person has moved it or uses it for something else: cairn leaves it alone
}

// Stay is a reason why a work tree is not removed.
type Stay struct {
	Reason  string `json:"reason"`
	Message string `json:"message"`
	Force   bool   `json:"force,omitempty"` // force removes it nevertheless
}

// List lists the work trees that are recorded in the clone, by their tasks; none outside git. It looks at each: what
// cannot be looked at is a reason to stay.
func List(ctx context.Context, w *verb.Workspace, s *store.Store, in ListIn) (verb.Items[Worktree], error) {
	out := verb.Items[Worktree]{Items: []Worktree{}}
	if s.Repo == nil {
		return out, nil
	}
	trees, err := work.Trees(s, w.Now)
	if err != nil {
		return out, err
	}
	var all []worktree.Standing
	if in.ID == "" {
		all, err = trees.List(ctx)
	} else {
		var one worktree.Standing
		var made bool
		if one, made, err = trees.Look(ctx, in.ID); made {
			all = append(all, one)
		}
	}
	if err != nil {
		return out, err
	}
	for _, one := range all {
		shown := Worktree{
			ID: one.Task, Path: one.Path, Branch: one.Branch, Base: one.Base, BaseCommit: one.BaseCommit,
			MadeAt: one.MadeAt, Removable: len(one.Reasons) == 0, Theirs: one.Theirs(),
		}
		for _, r := range one.Reasons {
			shown.Stays = append(shown.Stays, Stay{string(r.Why), r.Message, r.Forced()})
		}
		out.Items = append(out.Items, shown)
	}
	out.Total = len(out.Items)
	return out, nil
}

// RemoveIn is the input of Remove.
type RemoveIn struct {
	ID    record.ID `json:"id" doc:"task whose work tree to remove" cli:"arg"`
	Force bool      `json:"force,omitempty" doc:"delete what is in no commit too; commits that are nowhere else stay"`
	verb.Once
}

// Removed is what became of a work tree.
type Removed struct {
	ID       record.ID `json:"id"`
	Path     string    `json:"path,omitempty"`   // where it was
	Branch   string    `json:"branch,omitempty"` // if it stays, since its commits are not in the base
	Removed  bool      `json:"removed"`
	Replayed bool      `json:"replayed,omitempty"` // the call was made before, under the same idempotency key
}

// Remove removes the work tree of a task. It returns NOT_FOUND if none is recorded, and CONFLICT or BUSY with all
// reasons if it stays.
func Remove(ctx context.Context, w *verb.Workspace, s *store.Store, in RemoveIn) (Removed, error) {
	if err := w.InScope(in.ID); err != nil {
		return Removed{}, err
	}
	trees, err := work.Trees(s, w.Now)
	if err != nil {
		return Removed{}, err
	}
	tree, _, err := trees.Find(ctx, in.ID)
	if err != nil {
		return Removed{}, err
	}
	if err := trees.Remove(ctx, in.ID, in.Force); err != nil {
		return Removed{}, verb.WithID(err, in.ID)
	}
	of := in.ID.Ref()
	err = w.RememberCall(ctx, s, session.Key{Record: &of})
	return removed(ctx, trees, in.ID, tree.Path), err
}

// removed tells what is left of a work tree.
func removed(ctx context.Context, trees *worktree.Worktrees, id record.ID, path string) Removed {
	out := Removed{ID: id, Path: path, Removed: true}
	if tip, err := trees.Resolve(ctx, "refs/heads/"+worktree.Branch(id)); err == nil && tip != "" {
		out.Branch = worktree.Branch(id)
	}
	return out
}

// Replay tells what is left of the work tree now. One that was made since is not the one that was removed.
func (Removed) Replay(w *verb.Workspace, s *store.Store, made session.Key) (any, error) {
	if made.Record == nil {
		return Removed{}, record.Errorf(record.NotFound, "the call under this key removed no work tree")
	}
	trees, err := work.Trees(s, w.Now)
	if err != nil {
		return Removed{}, err
	}
	out := removed(context.Background(), trees, record.ID(made.Record.ID), "")
	out.Replayed = true
	return out, nil
}
