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
	"github.com/cairn-tasks/cairn/store/problem"
)

// Fix is a repair of one file that is right in every case: nothing in the file is lost, and nothing is added that a
// gate would count.
type Fix struct {
	Path     string // from the workspace root, with forward slashes
	Old, New []byte
}

// Fixes lists the repairs that there are for findings, one a file at most:
//
//   - a top-level key that stands again and says the same as before goes (duplicate-key);
//   - a task without an id gets the one in the name of its file (missing-field).
//
// Other findings, and other files with these, are left to a person.
func Fixes(l layout.Layout, findings []proof.Finding) ([]Fix, error) {
	var out []Fix
	done := map[string]bool{}
	for _, f := range findings {
		if f.Rule != proof.DuplicateKey.ID && f.Rule != proof.MissingField.ID || done[f.Path] {
			continue
		}
		done[f.Path] = true
		src, err := layout.ReadFile(l.Abs(f.Path))
		if err != nil {
			return nil, problem.IO(err)
		}
		if fixed := fix(f, src); !bytes.Equal(fixed, src) {
			out = append(out, Fix{f.Path, src, fixed})
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

// Apply writes the repair under the write lock. It appends no entry, since the record says what it said before. It
// returns CONFLICT if the file changed since, and BUSY, SANDBOXED and READ_ONLY as Update does.
func (f Fix) Apply(ctx context.Context, l layout.Layout) error {
	return edit(ctx, l, l.Abs(f.Path), func(src []byte) ([]byte, error) {
		if !bytes.Equal(src, f.Old) {
			return nil, record.Errorf(record.Conflict, "%s changed meanwhile", f.Path).WithHint("run the command again")
		}
		return f.New, nil
	})
}
