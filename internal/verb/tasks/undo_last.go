package tasks

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
)

type ownWrite struct {
	of   record.Ref
	at   time.Time    // of the entry: whole seconds
	fine time.Time    // when the file got it, which tells entries of one second apart; zero where this clone does not know
	by   record.Actor // who wrote the last entry of the record
}

// undoes begins the text of an entry that takes another back: what follows is its short hash.
const undoes = "undoes "

// lastStep is the newest entry that nobody has taken back, and what was before it; without redo neither what was undone
// nor its undo counts. With redo it is the undo that came last. It is zero where there is none.
func lastStep(log record.Log, redo bool) (last record.Entry, prior record.Log) {
	var steps []int
	undid := false // the newest entry
	for i, e := range log {
		hash, undo := strings.CutPrefix(e.Text, undoes)
		n := len(steps)
		undid = undo && n > 0 && log[steps[n-1]].ShortHash() == hash && takesBack(e, log[steps[n-1]])
		switch {
		case undid:
			steps = steps[:n-1]
		case undo && e.Did == record.Restored && n > 0 && log[steps[n-1]].Who == e.Who: // the entry that it takes back went with the trash
		default:
			steps = append(steps, i)
		}
	}
	at := len(log) - 1
	switch {
	case redo && undid:
	case !redo && len(steps) > 0:
		at = steps[len(steps)-1]
	default:
		return record.Entry{}, nil
	}
	return log[at], log[:at]
}

// takesBack reports whether an entry can be the undo of another, which it names: of the same actor, a note of a note, a
// release of a claim, a deletion of a creation.
func takesBack(e, step record.Entry) bool {
	return e.Who == step.Who && (e.Did == record.Noted) == (step.Did == record.Noted) &&
		(e.Did == record.Deleted) == (step.Did == record.Created) && (e.Did != record.Released || step.Did == record.Claimed)
}

func nothingLeft(id record.ID, redo bool) error {
	e := record.Errorf(record.NotFound, "nothing that was written to it is left to take back")
	if redo {
		e = record.Errorf(record.NotFound, "the last write to it is no undo")
	}
	return verb.WithID(e.WithHint("%s shows who did what", record.CallTo("history", "id", string(id)).OnlyShown()), id)
}

// lastWritten are the ids of what the caller wrote last in this workspace, and has not taken back; the trash included.
// They are several if one write was of several tasks. With redo they are of the last undo. It returns NOT_FOUND if there
// is none, NOT_YOURS if somebody wrote there since, and INVALID_INPUT for a write of what is no task.
func lastWritten(ctx context.Context, w *verb.Workspace, s *store.Store, redo bool) ([]string, error) {
	all, err := newestOwn(ctx, w, s, redo)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		what := map[bool]string{false: "written nothing here that is not taken back", true: "taken back nothing here"}[redo]
		return nil, record.Errorf(record.NotFound, "%s has %s", w.Actor(), what).WithHint("%s takes back the last write to one task; %s shows who did what",
			record.CallTo("undo", "id", "ID").OnlyShown(), record.CallTo("log").OnlyShown())
	}
	var ids []string
	for _, o := range all {
		if !o.at.Equal(all[0].at) || !o.fine.Equal(all[0].fine) {
			break
		}
		switch {
		case o.of.Kind != kind.Tasks.Name:
			return nil, record.Errorf(record.InvalidInput, "your last write is to the %s %s, and only tasks have an undo", o.of.Kind, o.of.ID).
				WithHint("%s takes back your last write to a task", record.CallTo("undo", "id", "ID").OnlyShown())
		case o.by != w.Actor():
			return nil, verb.WithID(record.Errorf(record.NotYours, "%s wrote after you: one takes back what nothing came after", o.by).
				WithHint("%s shows who did what", record.CallTo("history", "id", o.of.ID).OnlyShown()), record.ID(o.of.ID))
		}
		ids = append(ids, o.of.ID)
	}
	gone := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return layout.Exists(s.File(kind.Tasks.Kind, id)) })
	if len(gone) > 0 && len(ids) > 1 {
		return nil, record.Errorf(record.InvalidInput, "your last write was of %d tasks at once, and %s went into the trash", len(ids), strings.Join(gone[:min(len(gone), trashNamed)], ", ")).
			WithHint("%s brings one back", record.CallTo("restore", "id", gone[0]).OnlyShown())
	}
	return ids, nil
}

// newestOwn are the newest writes of the caller that are not taken back, or with redo their undos, one of each record, the
// newest first. Where there are many it has those of the last second only.
func newestOwn(ctx context.Context, w *verb.Workspace, s *store.Store, redo bool) ([]ownWrite, error) {
	me := w.Actor()
	out, err := trashedOwn(s, me, redo)
	if err != nil {
		return nil, err
	}
	type signed struct {
		of record.Ref
		at int64
	}
	var all []signed
	_, err = w.EachRow(ctx, s, func(k *kind.Kind, r *kind.Row) {
		for _, sign := range r.Signs {
			if sign.Who == me {
				all = append(all, signed{k.Ref(r.ID), sign.At})
			}
		}
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b signed) int { return cmp.Compare(b.at, a.at) })
	for newest := int64(0); len(all) > 0 && all[0].at >= newest; all = all[1:] {
		k, _ := kind.For(all[0].of)
		v, err := s.Read(k, all[0].of.ID)
		if ses, is := v.(session.Session); err != nil || is && ses.Task != "" {
			continue // it went meanwhile, cannot be read, or is of a task that was written with it
		}
		if o, ok := ownIn(s, all[0].of, k.Header(v).Log, me, redo); ok {
			out = append(out, o)
			newest = max(newest, o.at.Unix())
		}
	}
	sorted.By(out, func(a, b ownWrite) int {
		return cmp.Or(b.at.Compare(a.at), b.fine.Compare(a.fine), cmp.Compare(a.of.ID, b.of.ID))
	})
	return out, nil
}

// trashedOwn are the deletions of the caller; with redo those that took a creation back.
func trashedOwn(s *store.Store, me record.Actor, redo bool) ([]ownWrite, error) {
	deleted, err := s.Trash().Deleted(kind.Tasks.Kind)
	var out []ownWrite
	for _, v := range deleted {
		h := kind.Tasks.Header(v)
		if last, _ := lastStep(h.Log, redo); last.Who == me && last.Did == record.Deleted {
			out = append(out, ownWrite{of: h.Ref, at: last.At, by: me})
		}
	}
	return out, err
}

// ownIn is what the caller wrote last to a record, of what nobody has taken back.
func ownIn(s *store.Store, of record.Ref, log record.Log, me record.Actor, redo bool) (out ownWrite, ok bool) {
	last, prior := lastStep(log, redo)
	out = ownWrite{of: of, by: last.Who}
	for last.Did != "" && last.Who != me && !redo {
		last, prior = lastStep(prior, false)
	}
	if last.Did == "" || last.Who != me {
		return out, false
	}
	out.at = last.At
	hash := last.Hash()
	for _, line := range slices.Backward(s.Journal(of)) {
		if line.Entry.Hash() == hash && !line.At.IsZero() {
			out.fine = line.At
			break
		}
	}
	return out, true
}
