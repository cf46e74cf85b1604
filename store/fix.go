package store

import (
	"bytes"
	"context"
	"path"
	"strings"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Fix is a repair of one file that is right in every case: nothing in the file is lost, and nothing is added that a
// gate would count.
type Fix struct {
	Path     string // from the workspace root, with forward slashes
	Old, New []byte // New is nil for a file that goes
	Keep     string // only while the file at this path holds Old too; "" for no such condition
}

// Fixes lists the repairs that there are for findings, one a file at most:
//
//   - a top-level key that stands again and says the same as before goes (duplicate-key);
//   - a task without an id gets the one in the name of its file (missing-field);
//   - of two equal files of a record one goes (two-files): that at rest, unless the record is closed.
//
// Other findings, and other files with these, are left to a person.
func Fixes(l layout.Layout, findings []proof.Finding) ([]Fix, error) {
	var out []Fix
	done := map[string]bool{}
	for _, f := range findings {
		if f.Rule == proof.TwoFiles.ID {
			out = append(out, equal(l, f.Path)...)
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

// equal is the removal of a file of a record that has an equal one, or of that one; none if they differ. The path is
// that of one that does not count.
func equal(l layout.Layout, second string) []Fix {
	k, id, _ := kind.At(second)
	counts := place.Of(l, k, id)
	src, err := layout.ReadFile(l.Abs(counts))
	if other, err2 := layout.ReadFile(l.Abs(second)); err != nil || err2 != nil || counts == second || !bytes.Equal(src, other) {
		return nil
	}
	if counts == k.File(id) && closed(l, k, src) {
		others, err := place.Others(l, k, id, l.Abs(counts))
		if err == nil && len(others) > 0 && l.Rel(others[0]) == second {
			return []Fix{{Path: counts, Old: src, Keep: second}}
		}
	}
	return []Fix{{Path: second, Old: src, Keep: counts}}
}

// closed reports whether the content of a file is that of a closed record.
func closed(l layout.Layout, k *kind.Kind, src []byte) bool {
	text, err := layout.ReadFile(l.ConfigFile())
	if err != nil {
		return false
	}
	config, err := kind.ParseConfig(text)
	if err != nil || k.Closed == nil {
		return false
	}
	v, err := k.Parse(src)
	return err == nil && k.Closed(config.Flow, k.Header(v).Status)
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

// Apply writes the repair under the write lock. It appends no entry, since the record says what it said before. It
// returns CONFLICT if the file changed since, and BUSY, SANDBOXED and READ_ONLY as Update does.
func (f Fix) Apply(ctx context.Context, l layout.Layout) error {
	return edit(ctx, l, l.Abs(f.Path), func(src []byte) ([]byte, error) {
		kept := f.Old
		if f.Keep != "" {
			kept, _ = layout.ReadFile(l.Abs(f.Keep)) // what cannot be read is not the same
		}
		if !bytes.Equal(src, f.Old) || !bytes.Equal(kept, f.Old) {
			return nil, record.Errorf(record.Conflict, "%s changed meanwhile", f.Path).WithHint("run the command again")
		}
		return f.New, nil
	})
}
