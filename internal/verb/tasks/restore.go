package tasks

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// RestoreIn is the input of Restore. The id is a text, since no such task is there; a part of it is enough.
type RestoreIn struct {
	ID     string `json:"id" doc:"task in the trash, or a part of its id" cli:"arg,several" from:"trash"`
	Reason string `json:"reason,omitempty" doc:"why, for the record"`
	verb.Once
}

// Restore takes a task out of the trash of this clone, with the records of the sessions on it that went with it. The
// file is as it was, with one entry more. A session that was active ends as abandoned. Whoever held the task stays its
// assignee and claims it anew. It is refused while there is a task of that id, or while what it depends on is gone.
func Restore(ctx context.Context, w *verb.Workspace, s *store.Store, in RestoreIn) (verb.Task, error) {
	if err := record.ValidText("reason", in.Reason); err != nil {
		return verb.Task{}, err
	}
	id, err := inTrash(s, in.ID)
	if err == nil {
		err = w.InScope(id)
	}
	if err != nil {
		return verb.Task{}, err
	}
	_, err = verb.Change{Made: &session.Key{Task: id}, Decide: func(wc verb.WriteContext) (any, error) {
		return nil, stageRestore(w, s, wc.Tx, id, in.Reason)
	}}.Run(ctx, w, s)
	if err != nil {
		return verb.Task{}, verb.WithID(deletedElsewhere(ctx, s, id, err), id)
	}
	out, err := w.View(s).TaskByID(id)
	if err == nil {
		out.Notices = verb.Findings(ctx, w, s, id)
	}
	return out, err
}

// deletedElsewhere adds to the refusal of a task that the trash of this clone lacks which commit deleted it.
func deletedElsewhere(ctx context.Context, s *store.Store, id record.ID, err error) error {
	e, ok := errors.AsType[*record.Error](err)
	if !ok || e.Code != record.NotFound {
		return err
	}
	commit := s.Git().Newest(ctx, s.File(kind.Tasks.Kind, string(id)))
	if commit == "" {
		return e.WithHint("no commit here has it either; it may be on a branch that was not fetched")
	}
	return e.WithHint("commit %s deleted it; %s takes that commit back", commit, record.CallTo("revert", "commit", commit).OnlyShown())
}

const trashNamed = 5

// inTrash finds the task in the trash whose id has the part. A whole id is returned as it is: the write judges it.
func inTrash(s *store.Store, part string) (record.ID, error) {
	deleted, err := s.Trash().Deleted(kind.Tasks.Kind)
	if err != nil {
		return "", err
	}
	var all, hits []string
	for _, v := range deleted {
		id := kind.Tasks.Header(v).Ref.ID
		all = append(all, id)
		if part != "" && strings.Contains(strings.ToLower(id), strings.ToLower(part)) {
			hits = append(hits, id)
		}
	}
	if slices.Contains(all, part) || len(hits) == 0 && kind.Tasks.ParseID(part) == nil {
		return record.ID(part), nil
	}
	switch len(hits) {
	case 1:
		return record.ID(hits[0]), nil
	case 0:
		e := record.Errorf(record.NotFound, "no task in the trash of this clone is called %q", verb.Head(part, 40))
		if len(all) == 0 {
			return "", e.WithHint("the trash is empty; a task that another clone deleted comes back with git")
		}
		return "", e.WithHint("there are %s%s", strings.Join(all[:min(trashNamed, len(all))], ", "), record.AndMore(max(0, len(all)-trashNamed)))
	default:
		return "", record.Errorf(record.AmbiguousID, "%q fits %d tasks in the trash", part, len(hits)).WithHint("one of %s", strings.Join(hits[:min(trashNamed, len(hits))], ", "))
	}
}

// notHere are what a task needs, its dependencies and its parent, of which there is no record.
func notHere(find task.Find, t task.Task) (out []record.ID) {
	for _, id := range append(slices.Clone(t.Deps), t.Parent) {
		if _, here := find(id); id != "" && !here {
			out = append(out, id)
		}
	}
	return out
}

func stageRestore(w *verb.Workspace, s *store.Store, tx *store.Tx, id record.ID, reason string) error {
	v, err := tx.Restore(kind.Tasks.Kind, string(id))
	if err != nil {
		return err
	}
	t := v.(task.Task)
	find := kind.Deps(tx, s.Config.Flow)
	for _, dep := range notHere(find, t) {
		if _, err := inTrash(s, string(dep)); err == nil && kind.Tasks.ParseID(string(dep)) == nil {
			return record.Errorf(record.DanglingDep, "it needs %s, which is not here", dep).
				WithHint("if that was deleted too: %s first", record.CallTo("restore", "id", string(dep)).OnlyShown())
		}
	}
	t, _, err = s.Config.Flow.Restore(t, find, w.Stamp(reason))
	if err != nil {
		return err
	}
	kind.Tasks.Put(tx, t)
	return restoreSessions(w, s, tx, id)
}

// restoreSessions stages the sessions on a task that went into the trash with it. One that cannot be read stays there.
func restoreSessions(w *verb.Workspace, s *store.Store, tx *store.Tx, id record.ID) error {
	deleted, err := s.Trash().Deleted(kind.Sessions.Kind)
	if err != nil {
		return err
	}
	for _, v := range deleted {
		if v.(session.Session).Task != id {
			continue
		}
		whole, err := tx.Restore(kind.Sessions.Kind, v.(session.Session).ID)
		if err != nil {
			continue
		}
		ses := whole.(session.Session)
		if ses.Status == session.Active {
			ses = ses.End(session.Abandoned, w.Stamp("its task was deleted, and restored"))
		}
		kind.Sessions.Put(tx, ses)
	}
	return nil
}
