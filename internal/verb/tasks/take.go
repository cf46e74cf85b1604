package tasks

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/branches"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// TakeIn is the input of Take. The id is a text, since no such task is here; a part of it is enough.
type TakeIn struct {
	ID     string `json:"id" doc:"task that another branch has, or a part of its id" cli:"arg,several" from:"abroad"`
	Branch string `json:"branch,omitempty" doc:"from this branch; by default the one that wrote last" from:"branches"`
	verb.Once
}

// Take brings a task here that only another branch has. Its file is byte for byte as it is there, with no entry more, so
// that a merge of that branch finds nothing to merge; files that the task refers to come along. What it depends on and
// is not here is named in a notice. It returns NOT_FOUND if no branch has it, and CONFLICT if it is here.
func Take(ctx context.Context, w *verb.Workspace, s *store.Store, in TakeIn) (verb.Task, error) {
	other, err := abroad(s, in)
	if err == nil {
		err = w.InScope(record.ID(other.ID))
	}
	if err != nil {
		return verb.Task{}, err
	}
	id := record.ID(other.ID)
	src, err := s.Others().Text(other)
	if err != nil {
		return verb.Task{}, err
	}
	t, err := kind.Tasks.Parse(src)
	if err != nil {
		return verb.Task{}, err
	}
	attached := attachedTo(s, other, t)
	_, err = verb.Change{Made: &session.Key{Task: id}, Decide: func(wc verb.WriteContext) (any, error) {
		if _, err := kind.Tasks.Get(wc.Tx, id); record.CodeOf(err) != record.NotFound {
			return nil, isHere(id)
		}
		for _, a := range attached {
			if err := wc.Tx.Attach(a); err != nil {
				return nil, err
			}
		}
		wc.Tx.Bring(other.Path, src)
		return nil, nil
	}}.Run(ctx, w, s)
	if err != nil {
		return verb.Task{}, verb.WithID(err, id)
	}
	out, err := w.View(s).TaskByID(id)
	out.Notices = lacking(s, t)
	return out, err
}

func isHere(id record.ID) error {
	e := record.Errorf(record.Conflict, "the task is on this branch already").
		WithHint("%s takes it up; git merge brings what other branches have of it",
			record.CallTo("claim", "id", string(id)).OnlyShown()).ForGood()
	return verb.WithID(e, id)
}

// abroad finds the task that another branch has and whose id has the part.
func abroad(s *store.Store, in TakeIn) (branches.Other, error) {
	all := s.Others().Read()
	var ids []string
	for _, other := range all {
		ids = append(ids, other.ID)
	}
	id, err := store.Complete(kind.Tasks.Kind, in.ID, ids)
	if here, other := s.Resolve(kind.Tasks.Kind, in.ID); other == nil && (err != nil || here == id) {
		return branches.Other{}, isHere(record.ID(here))
	}
	if record.CodeOf(err) == record.NotFound {
		err = record.Errorf(record.NotFound, "no other branch has a task %s that is not here", record.Clip(in.ID, 100)).
			WithHint("git fetch brings what others have pushed; %s shows what there is", record.CallTo("list"))
	}
	if err != nil {
		return branches.Other{}, err
	}
	if in.Branch == "" {
		return all[slices.Index(ids, id)], nil
	}
	for _, other := range s.Others().Versions(id) {
		if other.Branch == in.Branch {
			return other, nil
		}
	}
	return branches.Other{}, verb.BadInput("branch", "is %q, which has no %s", record.Clip(in.Branch, 100), id).
		WithHint("leave it out to take the task from %s", all[slices.Index(ids, id)].Branch)
}

// attachedTo are the files of a branch to which a task refers.
func attachedTo(s *store.Store, other branches.Other, t task.Task) (all []store.Attachment) {
	for _, ref := range t.Refs {
		if !record.IsFilePath(ref.Path) {
			continue
		}
		content, err := s.Others().File(other, ref.Path)
		sum, _ := record.FileHash(ref.Path)
		if err != nil || !strings.HasPrefix(fmt.Sprintf("%x", sha256.Sum256(content)), sum) {
			continue // it is not there either, or is no copy of what its name says; cairn check says so
		}
		all = append(all, store.Attachment{Path: ref.Path, Content: content})
	}
	return all
}

// lacking says which of the tasks that a task needs are not here.
func lacking(s *store.Store, t task.Task) (out []verb.Notice) {
	for _, id := range notHere(kind.Deps(s, s.Config.Flow), t) {
		out = append(out, verb.Notice{Code: "NEEDED_IS_NOT_HERE", Message: "it needs " + string(id) + ", which is not on this branch"})
	}
	return out
}
