package snapshot

import (
	"bytes"
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Records is every record of a working tree, as its file had it when it was read. It never changes, and serves many
// questions for one reading. Long bodies are not kept. It is a kind.Reader and a kind.Lister.
type Records struct {
	tree   *tree
	atRest map[record.Ref]string // the paths of the records that are not where their kind has them
}

// ReadRecords reads the files under .cairn on disk, without git, on all processors. It takes no lock, so it may have
// read a write that was under way in part.
func ReadRecords(ctx context.Context, l layout.Layout) (Records, error) {
	tree, err := fillTree(ctx, diskSource{l}, &treeReader{Layout: l, known: (*tree)(nil).task, lean: true})
	if err != nil {
		return Records{}, err
	}
	r := Records{tree, map[record.Ref]string{}}
	for _, f := range tree.files() {
		if k, id, ok := kind.At(f.Path); ok && f.Path != k.File(id) {
			r.atRest[k.Ref(id)] = f.Path
		}
	}
	return r, nil
}

// Judge judges the records by the rules of package proof.
func (r Records) Judge() []proof.Finding { return proof.Judge(r.tree.Tree) }

// FilesReferredTo are the paths of the files that records refer to. A record that cannot be read refers to all files
// that its text names.
func (r Records) FilesReferredTo() map[string]bool {
	out := map[string]bool{}
	add := func(f proof.File, refs []record.Reference) {
		for _, ref := range refs {
			out[ref.Path] = true
		}
		if f.Sound() {
			return
		}
		for path := range r.tree.Files {
			if bytes.Contains(f.Src, []byte(path)) || f.Src == nil {
				out[path] = true
			}
		}
	}
	for _, f := range r.tree.Tasks {
		add(f.File, f.Task.Refs)
	}
	for _, f := range r.tree.Records {
		add(f.File, f.Head.Refs)
	}
	for _, f := range r.tree.Seconds {
		for path := range r.tree.Files { // it may come to count
			out[path] = out[path] || bytes.Contains(f.Src, []byte(path))
		}
	}
	return out
}

// Read returns a record. It returns INVALID_INPUT, NOT_FOUND and BAD_FILE as store.Store.Read does.
func (r Records) Read(k *kind.Kind, id string) (any, error) {
	if err := k.ParseID(id); err != nil {
		return nil, err
	}
	at := cmp.Or(r.atRest[k.Ref(id)], k.File(id))
	if k == kind.Tasks.Kind {
		i, ok := slices.BinarySearchFunc(r.tree.Tasks, at, func(f proof.TaskFile, at string) int { return strings.Compare(f.Path, at) })
		if ok {
			return valueOf(k, id, r.tree.Tasks[i].File, r.tree.Tasks[i].Task)
		}
		return nil, k.NotFound(id)
	}
	i, ok := slices.BinarySearchFunc(r.tree.Records, at, func(f proof.RecordFile, at string) int { return strings.Compare(f.Path, at) })
	if ok {
		return valueOf(k, id, r.tree.Records[i].File, r.tree.Records[i].Value)
	}
	return nil, k.NotFound(id)
}

// All returns every record of a kind, sorted by the names of the files, and the files that cannot be read.
func (r Records) All(_ context.Context, k *kind.Kind) ([]any, []problem.Problem, error) {
	type named struct {
		file  string
		value any
	}
	var read []named
	var problems []problem.Problem
	add := func(f proof.File, v any) {
		of, id, ok := kind.At(f.Path)
		if !ok || of != k {
			return
		}
		err := k.ParseID(id)
		if err == nil {
			v, err = valueOf(k, id, f, v)
		}
		if err != nil {
			problems = append(problems, problem.Of(f.Path, err))
			return
		}
		read = append(read, named{path.Base(f.Path), v})
	}
	for _, f := range r.tree.Tasks {
		add(f.File, f.Task)
	}
	for _, f := range r.tree.Records {
		add(f.File, f.Value)
	}
	for _, f := range r.tree.Seconds {
		if of, _, _ := kind.At(f.Path); of == k {
			problems = append(problems, problem.Second(f.Path, f.Counts))
		}
	}
	slices.SortStableFunc(read, func(a, b named) int { return strings.Compare(a.file, b.file) })
	var out []any
	for _, one := range read {
		out = append(out, one.value)
	}
	return out, problems, nil
}

// valueOf returns the record in a file, or BAD_FILE.
func valueOf(k *kind.Kind, id string, f proof.File, v any) (any, error) {
	switch {
	case f.Unread != nil:
		return nil, problem.BadFile(f.Path, f.Unread)
	case f.Flaw != nil:
		return nil, problem.BadFile(f.Path, f.Flaw)
	}
	if got := k.Header(v).Ref.ID; got != id {
		return nil, record.Errorf(record.BadFile, "%s has the id %s", f.Path, got)
	}
	return v, nil
}
