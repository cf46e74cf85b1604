package store

import (
	"bytes"
	"context"
	"errors"
	"path"
	"path/filepath"
	"strings"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/store/internal/atomicfile"
	"github.com/cairn-tasks/cairn/task"
)

// Mend is a repair of one file that is right whatever came about: nothing that the file says is lost by it, and it says
// nothing that a gate or a record asks for.
type Mend struct {
	Path     string // from the workspace root, with forward slashes
	Old, New []byte
}

// Mends lists the repairs that there are for findings, one a file at most:
//
//   - a top-level key that stands again and says the same as before goes (duplicate-key);
//   - a task without an id gets the one that its file is called by (missing-field).
//
// Other findings, and other files with these, are left to a person.
func (l Layout) Mends(findings []proof.Finding) ([]Mend, error) {
	var out []Mend
	looked := map[string]bool{}
	for _, f := range findings {
		if f.Rule != proof.DuplicateKey && f.Rule != proof.MissingField || looked[f.Path] {
			continue
		}
		looked[f.Path] = true
		src, err := readRegular(l.abs(f.Path))
		if err != nil {
			return nil, ioError(err)
		}
		if mended := mend(f, src); !bytes.Equal(mended, src) {
			out = append(out, Mend{f.Path, src, mended})
		}
	}
	return out, nil
}

// mend is what a file with a finding should hold.
func mend(f proof.Finding, src []byte) []byte {
	if f.Task == "" {
		return frontmatter.WithoutRepeats(src, frontmatter.YAML)
	}
	src = frontmatter.WithoutRepeats(src, frontmatter.Markdown)
	doc, err := frontmatter.Parse(src, frontmatter.Markdown)
	if err != nil || doc.Get("id") != nil {
		return src
	}
	id := strings.TrimSuffix(path.Base(f.Path), taskExt)
	if _, err := task.ParseID(id); err != nil {
		return src
	}
	if doc, err = doc.Edit(taskKeys, frontmatter.Set(frontmatter.Path{"id"}, frontmatter.String(id))); err != nil {
		return src
	}
	return doc.Bytes()
}

// Mend makes a repair, under the lock of all writers. It appends no entry, since the record says what it said. It returns
// CONFLICT if the file changed since, and BUSY, SANDBOXED and READ_ONLY as Update does.
func (l Layout) Mend(ctx context.Context, m Mend) error {
	s := &Store{Layout: l, lockPatience: lockPatience}
	if src, err := readRegular(l.ConfigFile()); err == nil {
		s.Config, _ = ParseConfig(src) // one that is broken may be what is mended
	}
	return s.exclusively(ctx, func() error { return s.land(m) })
}

// land writes what a repair makes of a file, under the lock.
func (s *Store) land(m Mend) error {
	have, err := readRegular(s.abs(m.Path))
	if err != nil {
		return ioError(err)
	}
	if !bytes.Equal(have, m.Old) {
		return task.Errorf(task.Conflict, "%s changed meanwhile", m.Path).WithHint("run the command again")
	}
	if err := s.setDirty(true); err != nil {
		return err
	}
	err = atomicfile.Write(s.abs(m.Path), m.New, 0o644)
	if !errors.Is(err, atomicfile.ErrLeft) {
		_ = s.setDirty(false) // a marker too many costs the next write a look round
	}
	return ioError(err)
}

// abs is where a file lies that is named from the workspace root.
func (l Layout) abs(rel string) string { return filepath.Join(l.Root, filepath.FromSlash(rel)) }
