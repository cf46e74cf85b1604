package store

import (
	"bytes"
	"context"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/store/snapshot"
)

// oneFile is the repair that makes one file of two that a record has, by the path of the one that does not count. Two
// that differ are merged as git's merge driver merges them, from the version that both come from. It is nil if one of
// them cannot be read. Of three files that all differ two become one at a time.
func oneFile(ctx context.Context, l layout.Layout, second string) (*Fix, error) {
	k, id, _ := kind.At(second)
	counts := place.Of(l, k, id)
	ours, err := layout.ReadFile(l.Abs(counts))
	theirs, err2 := layout.ReadFile(l.Abs(second))
	others, err3 := place.Others(l, k, id, l.Abs(counts))
	if err != nil || err2 != nil || err3 != nil || len(others) == 0 || counts == second {
		return nil, nil
	}
	next := l.Rel(others[0]) == second
	f := &Fix{Path: counts, Old: ours, New: ours, Gone: second, Was: theirs}
	if !bytes.Equal(ours, theirs) {
		a, readable := entriesOf(k, id, ours)
		b, readable2 := entriesOf(k, id, theirs)
		if !next || !readable || !readable2 {
			return nil, nil
		}
		base, err := snapshot.CommonVersion(ctx, l, k.Ref(id), a, b)
		if err != nil {
			return nil, err
		}
		markers := format.Markers{Size: 7, Ours: counts, Theirs: second}
		merged, clean := kind.Merge(counts, base, ours, theirs, snapshot.FlowToMerge(l), markers)
		if f.New, f.Disputed = merged, !clean; f.Disputed {
			return f, nil
		}
	}
	if next && counts == k.File(id) && closed(l, k, f.New) {
		f.Path, f.Old, f.Gone, f.Was = second, theirs, counts, ours
	}
	return f, nil
}

// entriesOf are the entries of a content that is that of a record with an id. It reports false for another one, and for
// a merge that was not finished.
func entriesOf(k *kind.Kind, id string, src []byte) (record.Log, bool) {
	doc, err := format.Parse(src, k.Form)
	if err != nil || doc.Unmerged() > 0 {
		return nil, false
	}
	v, err := k.Decode(doc)
	if err != nil || k.Header(v).Ref.ID != id {
		return nil, false
	}
	return k.Header(v).Log, true
}

// closed reports whether the content of a file is that of a closed record.
func closed(l layout.Layout, k *kind.Kind, src []byte) bool {
	config, err := snapshot.ReadConfig(l)
	if err != nil || k.Closed == nil {
		return false
	}
	v, err := k.Parse(src)
	return err == nil && k.Closed(config.Flow, k.Header(v).Status)
}
