package snapshot

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"strings"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Records is every record of a working tree, as its file had it when it was read. It never changes, and serves many
// questions for one reading. Long bodies are not kept. It is a kind.Reader and a kind.Lister.
type Records struct {
	tree *tree
	at   map[record.Ref]*proof.RecordFile
}

// ReadRecords reads the files under .cairn on disk, without git, on all processors. It takes no lock, so it may have
// read a write that was under way in part.
func ReadRecords(ctx context.Context, l layout.Layout) (Records, error) {
	tree, err := fillTree(ctx, diskSource{l}, &treeReader{Layout: l, known: (*tree)(nil).task, lean: true})
	if err != nil {
		return Records{}, err
	}
	r := Records{tree, map[record.Ref]*proof.RecordFile{}}
	for _, f := range tree.Tasks {
		r.at[f.Ref] = &proof.RecordFile{File: f.File, Value: f.Task}
	}
	for _, f := range tree.Records {
		r.at[f.Ref] = f
	}
	maps.DeleteFunc(r.at, func(_ record.Ref, f *proof.RecordFile) bool { _, _, ok := kind.At(f.Path); return !ok })
	return r, nil
}

// Judge judges the records by the rules of package proof.
func (r Records) Judge() []proof.Finding { return proof.Judge(r.tree.Tree) }

// FilesReferredTo are the paths of the files that records refer to. A record that cannot be read refers to all files
// that its text names.
func (r Records) FilesReferredTo() map[string]bool {
	out := map[string]bool{}
	named := func(src []byte) {
		for path := range r.tree.Files {
			out[path] = out[path] || src == nil || bytes.Contains(src, []byte(path))
		}
	}
	for of, f := range r.at {
		if !f.Sound() {
			named(f.Src)
			continue
		}
		k, _ := kind.Named(of.Kind)
		for _, ref := range k.Header(f.Value).Refs {
			out[ref.Path] = true
		}
	}
	for _, f := range r.tree.Seconds {
		named(append([]byte{}, f.Src...)) // it may come to count
	}
	return out
}

// Read returns a record. It returns INVALID_INPUT, NOT_FOUND and BAD_FILE as store.Store.Read does.
func (r Records) Read(k *kind.Kind, id string) (any, error) {
	if err := k.ParseID(id); err != nil {
		return nil, err
	}
	f, ok := r.at[k.Ref(id)]
	if !ok {
		return nil, k.NotFound(id)
	}
	if err := cmp.Or(f.Unread, f.Flaw); err != nil {
		return nil, problem.BadFile(f.Path, err)
	}
	if got := k.Header(f.Value).Ref.ID; got != id {
		return nil, record.Errorf(record.BadFile, "%s has the id %s", f.Path, got)
	}
	return f.Value, nil
}

// All returns every record of a kind, sorted by the names of the files, and the files that cannot be read.
func (r Records) All(_ context.Context, k *kind.Kind) (out []any, problems []problem.Problem, _ error) {
	ids := []string{}
	for of := range r.at {
		if of.Kind == k.Name {
			ids = append(ids, of.ID)
		}
	}
	sorted.By(ids, func(a, b string) int { return strings.Compare(k.FileName(a), k.FileName(b)) })
	for _, id := range ids {
		v, err := r.Read(k, id)
		if err != nil {
			problems = append(problems, problem.Of(r.at[k.Ref(id)].Path, err))
			continue
		}
		out = append(out, v)
	}
	for _, f := range r.tree.Seconds {
		if of, _, _ := kind.At(f.Path); of == k {
			problems = append(problems, problem.Second(f.Path, f.Counts))
		}
	}
	return out, problems, nil
}
