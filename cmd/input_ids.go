package cmd

import (
	"cmp"
	"context"
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/branches"
	"github.com/cairn-tasks/cairn/store/kind"
)

// completeIDs replaces parts of ids by the whole ids.
func (in *input) completeIDs(ctx context.Context, w *verb.Workspace) (err error) {
	for _, f := range in.fields {
		switch value := in.values[f.Name].(type) {
		case string:
			if in.values[f.Name], err = in.completeID(ctx, w, f, value); err != nil {
				return err
			}
		case []string:
			for i, part := range value {
				if value[i], err = in.completeID(ctx, w, f, part); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// completeID is the function, but that a task may be named by words of its title too, unless there are several words:
// then some may be a text that lacks its quotes.
func (in *input) completeID(ctx context.Context, w *verb.Workspace, f verb.Field, part string) (string, error) {
	id, err := completeID(ctx, w, f, part)
	k, _ := kind.Named(f.Names)
	ofTask := k == kind.Tasks.Kind || k == kind.Sessions.Kind // a session goes by its task
	if !ofTask || len(in.each) > 1 || kind.Tasks.ParseID(part) == nil {
		return id, err
	}
	unknown := record.CodeOf(err) == record.NotFound
	if err == nil && id == part { // which may be the id of no record
		s, openErr := w.Open()
		if openErr != nil {
			return "", openErr
		}
		_, _, found := kind.Find(s, id)
		unknown = record.CodeOf(found) == record.NotFound
	}
	if !unknown {
		return id, err
	}
	there, several := titled(ctx, w, part)
	switch {
	case several != nil:
		return "", several
	case there == "":
		return id, err
	}
	return completeID(ctx, w, f, there)
}

// completeID finds the id of a record that a field names by a part of it: of a task also by the id that it had where it
// was imported from (verb.ImportedAs), of a session by that of its task. A whole id is returned even if no record has
// it, since the verb knows what that means; and so is what names no record.
func completeID(ctx context.Context, w *verb.Workspace, f verb.Field, part string) (string, error) {
	k, isRecord := kind.Named(f.Names)
	if part == "" || !isRecord && f.From != "jobs" {
		return part, nil
	}
	s, err := w.Open()
	if err != nil {
		return "", err
	}
	if !isRecord {
		return work.Jobs(s).Resolve(part)
	}
	if part == lastOne {
		return lastWritten(ctx, w, s, k)
	}
	var id string
	if f.AnyKind {
		id, err = completeAnyID(s, k, part)
	} else {
		id, err = s.Resolve(k, part)
	}
	unknown := record.CodeOf(err) == record.NotFound
	if unknown || err == nil && id == part {
		kinds := []*kind.Kind{k}
		if f.AnyKind {
			kinds = branches.Kinds()
		}
		if there, hint := otherByPart(s, part, kinds); there != "" || hint != nil {
			return there, hint
		}
	}
	if k == kind.Tasks.Kind && (unknown || err == nil && id == part) {
		if there, hint := verb.ImportedAs(ctx, w, s, part); there != "" || hint != nil {
			return there, hint
		}
	}
	switch {
	case unknown && k.ParseID(part) == nil:
		return part, nil
	case unknown && k == kind.Sessions.Kind && f.Type == verb.Text:
		return sessionOn(w, s, part, err)
	}
	return id, err
}

// titled is the only open task of those that some words name (verb.Titled), or else the only task. It is "" if there is
// none, and AMBIGUOUS_ID for several.
func titled(ctx context.Context, w *verb.Workspace, said string) (string, error) {
	k := kind.Tasks.Kind
	s, err := w.Open()
	if err != nil {
		return "", err
	}
	view, err := w.Reads.Look(ctx, s, k)
	if err != nil {
		return "", err
	}
	rows := slices.Clone(view.Rows())
	for _, other := range s.Others().Read(k) {
		if !slices.ContainsFunc(rows, func(r *kind.Row) bool { return r.ID == other.ID }) { // it may just have been taken
			rows = append(rows, &other.Row)
		}
	}
	all := verb.Titled(rows, said, func(r *kind.Row) string { return r.Title })
	if open := record.Those(all, func(r *kind.Row) bool { return !s.Config.Flow.IsClosed(r.Status) }); len(open) > 0 {
		all = open
	}
	switch len(all) {
	case 0:
		return "", nil
	case 1:
		return all[0].ID, nil
	}
	ids := record.Each(all, func(r *kind.Row) string { return r.ID })
	return "", store.Ambiguous(k, said, ids, func(id string) string { return all[slices.Index(ids, id)].Title })
}

// otherByPart is the only record of the first of some kinds with a part in its id that is on another branch alone; "" if
// there is none, or if the part is one of an id here.
func otherByPart(s *store.Store, part string, kinds []*kind.Kind) (string, error) {
	for _, k := range kinds {
		if _, err := s.Resolve(k, part); err == nil || record.CodeOf(err) == record.AmbiguousID {
			return "", nil
		}
		others := s.Others().Read(k)
		ids := record.Each(others, func(other branches.Other) string { return other.ID })
		id, err := store.Complete(k, part, ids, func(id string) string { return others[slices.Index(ids, id)].Row.Title })
		if err == nil || record.CodeOf(err) == record.AmbiguousID {
			return id, err
		}
	}
	return "", nil
}

// lastOne stands for the record of a kind that the caller wrote to last.
const lastOne = "-"

// lastWritten is the record of a kind to which the caller wrote last. It returns NOT_FOUND if there is none.
func lastWritten(ctx context.Context, w *verb.Workspace, s *store.Store, k *kind.Kind) (string, error) {
	view, err := w.Reads.Look(ctx, s, k)
	if err != nil {
		return "", err
	}
	me := w.Actor()
	mine := slices.DeleteFunc(slices.Clone(view.Rows()), func(r *kind.Row) bool { return !r.Wrote(me) })
	sorted.By(mine, func(a, b *kind.Row) int { return cmp.Compare(b.Newest, a.Newest) })
	var last string
	var at int64
	for _, row := range mine {
		if row.Newest <= at {
			break
		}
		v, err := s.Read(k, row.ID)
		if err != nil {
			continue // it is gone meanwhile
		}
		if newest := k.Header(v).Log.NewestBy(me).Unix(); newest > at {
			last, at = row.ID, newest
		}
	}
	if last == "" {
		return "", record.Errorf(record.NotFound, "- stands for the %s that you wrote to last, and %s wrote to none", k.Name, me).
			WithHint("%s shows what there is", record.CallTo("list").OnlyShown())
	}
	return last, nil
}

// completeAnyID is completeID for a field that takes the id of a record of any kind. A whole id wins; else the part
// must occur in one id of all kinds only. What occurs in none is a kind's own to report.
func completeAnyID(s *store.Store, k *kind.Kind, part string) (string, error) {
	if kind.ParseAnyID(part) == nil {
		if _, _, err := kind.Find(s, part); err == nil || record.CodeOf(err) == record.BadFile {
			return part, nil
		}
	}
	var hits []string
	for _, of := range kind.Kinds() {
		ids, err := s.Candidates(of, part)
		if err != nil {
			return "", err
		}
		hits = append(hits, ids...)
	}
	switch {
	case len(hits) == 0 && (k.ParseID(part) == nil || kind.ParseAnyID(part) == nil):
		return part, nil
	case len(hits) == 1:
		return hits[0], nil
	}
	return store.Complete(k, part, hits, s.TitleOf)
}

// sessionOn is the session that the caller has on a task, which a part of an id names in place of one. What names no
// task is not found, as the error says that is given.
func sessionOn(w *verb.Workspace, s *store.Store, part string, notFound error) (string, error) {
	id, err := s.Resolve(kind.Tasks.Kind, part)
	if err != nil {
		if record.CodeOf(err) == record.AmbiguousID {
			return "", err
		}
		return "", notFound
	}
	t, err := kind.Tasks.Get(s, record.ID(id))
	if err != nil {
		return "", err
	}
	hold := session.Holder(t.Header(), s.Known(t.ID.Ref()), w.Now())
	switch {
	case hold.Session != "" && hold.Actor == w.Actor():
		return hold.Session, nil
	case hold.Session != "":
		return "", verb.WithID(record.Errorf(record.NotYours, "%s has session %s on it, and not %s", hold.Actor, hold.Session, w.Actor()).
			WithHint("%s shows that session", record.CallTo("get_session", "session", hold.Session).OnlyShown()), t.ID)
	default:
		return "", record.Errorf(record.NotFound, "%s has no session on %s", w.Actor(), t.ID).
			WithHint("%s opens one; without one, %s closes the task, and cairn close %s --as STATE gives it up", record.CallTo("begin", "id", t.ID), record.CallTo("done", "", t.ID), t.ID)
	}
}
