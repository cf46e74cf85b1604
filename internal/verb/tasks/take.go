package tasks

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/branches"
	"github.com/cairn-tasks/cairn/store/kind"
)

// TakeIn is the input of Take. The id is a text, since no such record is here; a part of it is enough.
type TakeIn struct {
	ID     string `json:"id" doc:"record that another branch has, a part of its id, or of its title" cli:"arg,several" from:"others"`
	Branch string `json:"branch,omitempty" doc:"from this branch; by default the one that wrote last" from:"branches"`
	verb.Once
}

// Take brings a record here that only another branch has. Its file is byte for byte as it is there, with no entry more,
// so that a merge of that branch finds nothing to merge; files that it refers to come along. What cairn check
// finds in it here, such as a dependency that is not here, is named in a notice. It returns NOT_FOUND if no branch has it, and CONFLICT if it is here. It returns a
// verb.Task or a verb.Record.
func Take(ctx context.Context, w *verb.Workspace, s *store.Store, in TakeIn) (any, error) {
	other, err := otherOf(s, in)
	if err == nil {
		err = w.InScope(record.ID(other.ID))
	}
	if err != nil {
		return nil, err
	}
	k, _ := kind.For(other.Ref())
	src, err := s.Others().Text(other)
	if err != nil {
		return nil, err
	}
	v, err := k.Parse(src)
	if err != nil {
		return nil, err
	}
	attached := attachedTo(s, other, k.Header(v).Refs)
	made := verb.KeyOf(other.Ref())
	_, err = verb.Change{Made: &made, Decide: func(wc verb.WriteContext) (any, error) {
		if _, err := wc.Tx.Read(k, other.ID); record.CodeOf(err) != record.NotFound {
			return nil, isHere(other.Ref())
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
		return nil, verb.WithID(err, record.ID(other.ID))
	}
	out, err := w.View(s).AnyByID(k, other.ID)
	if err != nil {
		return nil, err
	}
	return verb.Noticed(out, verb.Findings(ctx, w, s, record.ID(other.ID))), nil
}

func isHere(of record.Ref) error {
	e := record.Errorf(record.Conflict, "the %s is on this branch already", of.Kind).
		WithHint("git merge brings what other branches have of it")
	if of.Kind == record.TaskKind {
		e = e.WithHint("%s takes it up; git merge brings what other branches have of it",
			record.CallTo("claim", "id", of.ID).OnlyShown())
	}
	return verb.WithID(e.ForGood(), record.ID(of.ID))
}

// otherOf finds the record that another branch has and whose id has the part: a task, or else of another kind.
func otherOf(s *store.Store, in TakeIn) (branches.Other, error) {
	for _, k := range branches.Kinds() {
		all := s.Others().Read(k)
		if named := verb.Titled(all, in.ID, func(other branches.Other) string { return other.Row.Title }); len(named) == 1 {
			in.ID = named[0].ID
		}
		ids := record.Each(all, func(other branches.Other) string { return other.ID })
		id, err := store.Complete(k, in.ID, ids, func(id string) string { return all[slices.Index(ids, id)].Row.Title })
		if here, other := s.Resolve(k, in.ID); other == nil && (err != nil || here == id) {
			return branches.Other{}, isHere(k.Ref(here))
		}
		switch code := record.CodeOf(err); {
		case code == record.NotFound || code == record.InvalidInput:
			continue
		case err != nil:
			return branches.Other{}, err
		case in.Branch == "":
			return all[slices.Index(ids, id)], nil
		default:
			return in.from(s, all[slices.Index(ids, id)])
		}
	}
	return branches.Other{}, record.Errorf(record.NotFound, "no other branch has a record %s that is not here", record.Clip(in.ID, 100)).
		WithHint("git fetch brings what others have pushed; %s shows what there is", record.CallTo("list"))
}

// from is a record as the branch has it that is named.
func (in TakeIn) from(s *store.Store, newest branches.Other) (branches.Other, error) {
	for _, other := range s.Others().Versions(newest.Ref()) {
		if other.Branch == in.Branch {
			return other, nil
		}
	}
	return branches.Other{}, verb.BadInput("branch", "is %q, which has no %s", record.Clip(in.Branch, 100), newest.ID).
		WithHint("leave it out to take it from %s", newest.Branch)
}

// attachedTo are the files of a branch to which a record refers.
func attachedTo(s *store.Store, other branches.Other, refs []record.Reference) (all []store.Attachment) {
	for _, ref := range refs {
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
