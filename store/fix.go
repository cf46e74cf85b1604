package store

import (
	"bytes"
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/live"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/store/snapshot"
)

// Fix is a repair of one file that is right in every case: nothing in the file is lost, and nothing is added that a
// gate would count, but for what another file of the record, or an earlier commit, has.
type Fix struct {
	Path     string // from the workspace root, with forward slashes
	Old, New []byte
	Gone     string         // another file of the record, which goes once Path holds New; "" for none
	Was      []byte         // what that holds
	Lost     []record.Entry // the entries that New has again
	Disputed bool           // the two contradict each other, between the markers of New: it is to be looked at, and not made
}

// Fixes lists the repairs that there are for findings, one a file at most:
//
//   - a top-level key that stands again and says the same as before goes (duplicate-key);
//   - a task without an id gets the one in the name of its file (missing-field);
//   - two files of a record become one (two-files): that at rest if the record is closed, else that among the others;
//   - the entries that a record has lost come back (provenance-rewritten; see PutBack), with one more, of the stamp. So
//     do those that the newest commits took out, found or not, since on the branch that is the base nothing is compared.
//
// Other findings, and other files with these, are left to a person. It returns GIT if git refuses to tell the version
// that two files come from, or what the record had.
func Fixes(ctx context.Context, l layout.Layout, findings []proof.Finding, stamp record.Stamp) ([]Fix, error) {
	var out []Fix
	done := map[string]bool{}
	lost, err := lostOf(ctx, l, findings)
	if err != nil {
		return nil, err
	}
	for _, path := range slices.Sorted(maps.Keys(lost)) {
		back, err := PutBack(ctx, l, path, lost[path], stamp)
		if err != nil {
			return nil, err
		}
		if back != nil {
			done[path], out = true, append(out, *back)
		}
	}
	for _, f := range findings {
		if f.Rule == proof.TwoFiles.ID {
			merge, err := oneFile(ctx, l, f.Path)
			if err != nil {
				return nil, err
			}
			if merge != nil {
				out = append(out, *merge)
			}
			continue
		}
		if f.Rule != proof.DuplicateKey.ID && f.Rule != proof.MissingField.ID || done[f.Path] {
			continue
		}
		done[f.Path] = true
		src, err := layout.ReadFile(l.Abs(f.Path))
		if err != nil {
			return nil, problem.IO(err)
		}
		if fixed := fix(f, src); !bytes.Equal(fixed, src) {
			out = append(out, Fix{Path: f.Path, Old: src, New: fixed})
		}
	}
	return out, nil
}

// fix is the repaired content of a file with a finding.
func fix(f proof.Finding, src []byte) []byte {
	form := format.YAML // of the config
	k, _, ok := kind.At(f.Path)
	if ok {
		form = k.Form
	}
	if src = format.WithoutRepeats(src, form); k != kind.Tasks.Kind {
		return src
	}
	doc, err := format.Parse(src, format.Markdown)
	if err != nil || doc.Get("id") != nil {
		return src
	}
	id := strings.TrimSuffix(path.Base(f.Path), kind.Tasks.Ext())
	if _, err := record.ParseID(id); err != nil {
		return src
	}
	if doc, err = doc.Edit(kind.Tasks.Keys(), format.Set(format.Path{"id"}, format.String(id))); err != nil {
		return src
	}
	return doc.Bytes()
}

// Apply writes the repair under the write lock, with the file that goes in one write. It appends no entry of its own. It returns CONFLICT if a file changed since or is disputed, and BUSY, SANDBOXED and
// READ_ONLY as Update does.
func (f Fix) Apply(ctx context.Context, l layout.Layout) error {
	if f.Disputed {
		return record.Errorf(record.Conflict, "%s and %s contradict each other", f.Path, f.Gone).
			WithHint("have both say the same first")
	}
	return editing(ctx, l, func(tx *Tx) error {
		if err := unchanged(l, f.Path, f.Old); err != nil {
			return err
		}
		if !bytes.Equal(f.Old, f.New) {
			tx.replace(l.Abs(f.Path), f.Old, f.New)
		}
		if f.Gone == "" {
			return nil
		}
		tx.replace(l.Abs(f.Gone), f.Was, nil)
		if len(tx.files) > 1 {
			tx.files[1].step.After = f.Path
		}
		return unchanged(l, f.Gone, f.Was)
	})
}

// unchanged returns CONFLICT for a file that no longer has a content.
func unchanged(l layout.Layout, path string, was []byte) error {
	now, err := layout.ReadFile(l.Abs(path))
	if err == nil && bytes.Equal(now, was) {
		return nil
	}
	if err != nil && !problem.Missing(err) {
		return problem.IO(err)
	}
	return record.Errorf(record.Conflict, "%s changed meanwhile", path).WithHint("run the command again")
}

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

// remerge is the file of a record as it would be had the merge that lost entries of it been made key by key, with what
// was written since. Where the sides of that merge do not go together it has what the merge took. It is nil if no merge
// lost the entries, and if what was written since does not go together with that.
//
// The entries of an update do not say what it changed: only so labels, titles and texts of the other side come back.
func remerge(
	ctx context.Context, l layout.Layout, k *kind.Kind, path string, src []byte, lost []record.Entry, config kind.Config,
) []byte {
	out, err := git.Run(ctx, l.Repo.Top,
		"rev-list", "--full-history", "--min-parents=2", "--max-parents=2", "--max-count=100", "HEAD", "--", l.InRepo(path))
	if err != nil {
		return nil
	}
	for merge := range strings.FieldsSeq(string(out)) {
		bases, err := l.Repo.History().MergeBases(ctx, merge+"^1", merge+"^2")
		if err != nil || len(bases) == 0 {
			continue
		}
		var file [4][]byte // of the base, of both sides, of the merge
		commits := []string{bases[0], merge + "^1", merge + "^2", merge}
		for i := range commits {
			commits[i] += ":" + l.InRepo(path)
		}
		err = l.Repo.Objects().Blobs(ctx, commits, format.MaxFile, func(i int, b git.Blob) { file[i] = b.Content })
		if err != nil || file[1] == nil || file[2] == nil || file[3] == nil {
			continue
		}
		sides := [2][]byte{file[1], file[2]}
		if gone := k.Lost(file[3], sides); !among(lost, gone) {
			continue
		}
		choices := k.Choose(path, file[0], sides[0], sides[1], config.Flow)
		theirs := make([]bool, len(choices.Differences))
		for i := range theirs {
			theirs[i] = string(file[3]) == string(sides[1])
		}
		whole, clean := kind.Merge(path, file[3], src, choices.With(theirs), config.Flow, format.Markers{})
		if !clean {
			return nil
		}
		return whole
	}
	return nil
}

// among reports whether a list has the first of some entries.
func among(list, some []record.Entry) bool {
	return len(some) > 0 && record.Log(list).Hashes()[some[0].Hash()]
}

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
