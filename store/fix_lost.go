package store

import (
	"context"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/live"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/store/snapshot"
)

// PutBack is the repair of a record that lacks entries which commits of the history have, as after git revert, or in
// a merge that took one side whole (see snapshot.Lost): they come back, each where its time puts it, with what they
// account for (see kind.PutBack), and one more entry, of the stamp, says so. What a merge lost is merged once more
// (see remerge). It is nil if the record cannot be read, and for kinds of which nothing is put back.
func PutBack(ctx context.Context, l layout.Layout, path string, lost []record.Entry, stamp record.Stamp) (*Fix, error) {
	k, _, ok := kind.At(path)
	if !ok || len(lost) == 0 {
		return nil, nil
	}
	src, err := layout.ReadFile(l.Abs(path))
	if err != nil {
		return nil, problem.IO(err)
	}
	doc, err := format.Parse(src, k.Form)
	if err != nil || doc.Unmerged() > 0 {
		return nil, nil //nolint:nilerr // which is a finding of its own
	}
	v, err := k.Decode(doc)
	config, configErr := snapshot.ReadConfig(l)
	if err != nil || configErr != nil {
		return nil, nil //nolint:nilerr // as above
	}
	deps := kind.Deps(workTree{live.Clone{Layout: l}}, config.Flow)
	whole, entry, _ := k.PutBack(config.Flow, v, lost, deps, stamp)
	if entry == nil {
		return nil, nil
	}
	if text := remerge(ctx, l, k, path, src, lost, config); text != nil {
		stamp.Text = entry.Text
		if merged, err := k.Settled(path, text, [2][]byte{text, src}, config.Flow, deps, stamp); err == nil {
			return &Fix{Path: path, Old: src, New: merged, Lost: lost}, nil
		}
	}
	if doc, err = k.Edit(doc, v, whole); err != nil {
		return nil, nil //nolint:nilerr // a person does what no edit can
	}
	return &Fix{Path: path, Old: src, New: doc.Bytes(), Lost: lost}, nil
}

// lostOf are the entries that records have lost, by the paths of these: of which findings say that their provenance was
// rewritten, and from which the newest commits took some out.
func lostOf(ctx context.Context, l layout.Layout, findings []proof.Finding) (map[string][]record.Entry, error) {
	wanted := map[record.Ref]bool{}
	for _, f := range findings {
		if k, id, ok := kind.At(f.Path); ok && f.Rule == proof.ProvenanceRewritten.ID {
			wanted[k.Ref(id)] = true
		}
	}
	lost, err := snapshot.LostLately(ctx, l)
	if err != nil {
		return nil, err
	}
	all, err := snapshot.Lost(ctx, l, wanted)
	out := map[string][]record.Entry{}
	for _, some := range []map[record.Ref][]record.Entry{lost, all} {
		for of, entries := range some {
			if k, ok := kind.For(of); ok {
				out[place.Of(l, k, of.ID)] = entries
			}
		}
	}
	return out, err
}
