package store

import (
	"bytes"
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
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
