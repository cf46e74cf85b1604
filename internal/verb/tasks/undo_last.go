package tasks

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

type ownWrite struct {
	of   record.Ref
	at   time.Time    // of the entry: whole seconds
	fine time.Time    // when the file got it, which tells entries of one second apart; zero where this clone does not know
	by   record.Actor // who wrote the last entry of the record
}

// lastWritten is the id of the task that the caller wrote to last in this workspace, the trash included. It returns
// NOT_FOUND if they wrote nothing, NOT_YOURS if somebody wrote to it since, and INVALID_INPUT if that write was of
// several tasks, or of what is none.
func lastWritten(ctx context.Context, w *verb.Workspace, s *store.Store) (string, error) {
	all, err := newestOwn(ctx, w, s)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "", record.Errorf(record.NotFound, "%s has written nothing here", w.Actor()).WithHint("%s takes back the last write to one task; %s shows who did what",
			record.CallTo("undo", "id", "ID").OnlyShown(), record.CallTo("log").OnlyShown())
	}
	last := all[0]
	same := slices.DeleteFunc(slices.Clone(all), func(o ownWrite) bool { return !o.at.Equal(last.at) || !o.fine.Equal(last.fine) })
	switch {
	case len(same) > 1:
		var ids []record.ID
		for _, o := range same[:min(len(same), trashNamed)] {
			ids = append(ids, record.ID(o.of.ID))
		}
		return "", record.Errorf(record.InvalidInput, "your last write was of %d records at once: %s%s", len(same), record.JoinIDs(ids, ", "), record.AndMore(len(same)-len(ids))).
			WithHint("%s takes back one of them", record.CallTo("undo", "id", "ID").OnlyShown())
	case last.of.Kind != kind.Tasks.Name:
		return "", record.Errorf(record.InvalidInput, "your last write is to the %s %s, and only tasks have an undo", last.of.Kind, last.of.ID).
			WithHint("%s takes back your last write to a task", record.CallTo("undo", "id", "ID").OnlyShown())
	case last.by != w.Actor():
		return "", verb.WithID(record.Errorf(record.NotYours, "%s wrote after you: one takes back what nothing came after", last.by).
			WithHint("%s shows who did what", record.CallTo("history", "id", last.of.ID).OnlyShown()), record.ID(last.of.ID))
	}
	return last.of.ID, nil
}

// newestOwn are the writes of the caller within the second of the last one, one of each record, the newest first.
func newestOwn(ctx context.Context, w *verb.Workspace, s *store.Store) ([]ownWrite, error) {
	me, newest := w.Actor(), int64(0)
	var refs []record.Ref
	_, err := w.EachRow(ctx, s, func(k *kind.Kind, r *kind.Row) {
		for _, sign := range r.Signs {
			if sign.Who != me || sign.At < newest {
				continue
			}
			if sign.At > newest {
				newest, refs = sign.At, nil
			}
			refs = append(refs, k.Ref(r.ID))
		}
	})
	if err != nil {
		return nil, err
	}
	out, err := trashedOwn(s, me, newest)
	if err != nil {
		return nil, err
	}
	for _, of := range refs {
		k, _ := kind.For(of)
		v, err := s.Read(k, of.ID)
		if ses, is := v.(session.Session); err != nil || is && ses.Task != "" {
			continue // it went meanwhile, cannot be read, or is of a task that was written with it
		}
		if o, ok := ownIn(s, of, k.Header(v).Log, me); ok {
			out = append(out, o)
		}
	}
	sorted.By(out, func(a, b ownWrite) int {
		return cmp.Or(b.at.Compare(a.at), b.fine.Compare(a.fine), cmp.Compare(a.of.ID, b.of.ID))
	})
	return out, nil
}

// trashedOwn are the deletions of the caller since a time in seconds.
func trashedOwn(s *store.Store, me record.Actor, since int64) ([]ownWrite, error) {
	deleted, err := s.Trash().Deleted(kind.Tasks.Kind)
	var out []ownWrite
	for _, v := range deleted {
		h := kind.Tasks.Header(v)
		if last := h.Log.Last(); last.Who == me && last.At.Unix() >= since {
			out = append(out, ownWrite{of: h.Ref, at: last.At, by: me})
		}
	}
	return out, err
}

func ownIn(s *store.Store, of record.Ref, log record.Log, me record.Actor) (ownWrite, bool) {
	for _, e := range slices.Backward(log) {
		if e.Who != me {
			continue
		}
		out := ownWrite{of: of, at: e.At, by: log.Last().Who}
		hash := e.Hash()
		for _, line := range slices.Backward(s.Journal(of)) {
			if line.Entry.Hash() == hash && !line.At.IsZero() {
				out.fine = line.At
				break
			}
		}
		return out, true
	}
	return ownWrite{}, false
}
