// Package place finds the files of records: in the folder of their kind, or at rest in one of the folders of months
// (kind.Kind.Rest). Who reads or writes the file of a record asks here where it lies.
//
// One file of an id counts. That in the folder of the kind comes before those at rest, and of these the one in the
// newest month comes first. Any other file of that id is a problem of its own (problem.Second).
//
// Records may be moved by hand and by git at any time, so nothing is remembered between two calls. A workspace without
// records at rest pays one look for a folder that is not there.
package place

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Each calls visit with each folder under .cairn in which records of a kind may lie, those that count first. The usual
// one need not exist. Which others there are is asked after it was visited, so that a record which is moved out of it
// meanwhile, into a new folder perhaps, is in one of those that are visited.
func Each(l layout.Layout, k *kind.Kind, visit func(folder string) error) error {
	if err := visit(k.Folder); err != nil {
		return err
	}
	rest, err := atRest(l, k)
	if err != nil {
		return err
	}
	for _, folder := range rest {
		if err := visit(folder); err != nil {
			return err
		}
	}
	return nil
}

// atRest lists the folders of a kind's records at rest, newest month first. Links are among them: layout.NoLinks
// refuses those.
func atRest(l layout.Layout, k *kind.Kind) ([]string, error) {
	if k.Rest == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(l.Dir(k.Rest))
	if err != nil && !problem.Missing(err) {
		return nil, problem.IO(err)
	}
	var folders []string
	for _, e := range slices.Backward(entries) { // they are sorted by name
		if kind.IsMonth(e.Name()) && (e.IsDir() || e.Type()&fs.ModeSymlink != 0) {
			folders = append(folders, k.RestIn(e.Name()))
		}
	}
	return folders, nil
}

// All lists the paths of the folders of all kinds: those in which records may lie, and those around them. Those that
// cannot be listed are left to who reads records.
func All(l layout.Layout) []string {
	out := append(kind.Folders(), kind.Rests()...)
	for _, k := range kind.Kinds() {
		rest, _ := atRest(l, k)
		out = append(out, rest...)
	}
	for i, folder := range out {
		out[i] = l.Dir(folder)
	}
	return out
}

// Try calls try with the path of the file of a record. If there is no such file, which is fs.ErrNotExist, it calls it
// with the next path where one can lie, until one is there. It returns what try returned last.
func Try(l layout.Layout, k *kind.Kind, id string, try func(path string) error) error {
	usual := l.Abs(k.File(id))
	err := try(usual)
	if !absent(err) {
		return err
	}
	rest, listed := atRest(l, k)
	if listed != nil {
		return listed
	}
	for _, folder := range rest {
		if at := try(l.Abs(k.FileIn(folder, id))); !absent(at) {
			return at
		}
	}
	if len(rest) > 0 {
		return try(usual) // it may have been moved back meanwhile
	}
	return err
}

// absent reports whether an error says that there is no file at a path: none of its name, or none of its folder's.
func absent(err error) bool { return problem.Missing(err) || errors.Is(err, syscall.ENOTDIR) }

// Of is the path of the file of a record from the workspace root, with forward slashes: where it lies, or the usual one
// if there is none.
func Of(l layout.Layout, k *kind.Kind, id string) string {
	at := l.Abs(k.File(id))
	if Try(l, k, id, func(path string) error { at = path; _, err := os.Lstat(path); return err }) != nil {
		return k.File(id)
	}
	return l.Rel(at)
}

// Others lists the paths of all files of a record but one, in absolute form, those that count first.
func Others(l layout.Layout, k *kind.Kind, id, but string) (paths []string, _ error) {
	if k.Rest == "" {
		return nil, nil
	}
	return paths, Each(l, k, func(folder string) error {
		if path := l.Abs(k.FileIn(folder, id)); path != but && layout.Exists(path) {
			paths = append(paths, path)
		}
		return nil
	})
}

// There reports whether there is a file of a record.
func There(l layout.Layout, k *kind.Kind, id string) bool {
	return layout.Exists(l.Abs(Of(l, k, id)))
}

// File is a file that is called like one of a record.
type File struct {
	Path string // from the workspace root, with forward slashes
	ID   string // by its name; it may be none that the kind can have
	Type fs.FileMode
}

// List lists the files of a kind, one of each id, sorted by name, and the problems of further ones. Names that begin
// with a dot, and those with another ending, are ignored.
func List(l layout.Layout, k *kind.Kind) ([]File, []problem.Problem, error) {
	var files []File
	folders := 0
	err := Each(l, k, func(folder string) error {
		folders++
		entries, err := os.ReadDir(l.Dir(folder))
		if err != nil && !problem.Missing(err) {
			return problem.IO(err)
		}
		for _, e := range entries {
			if id, ok := k.IDOf(e.Name()); ok {
				files = append(files, File{k.FileIn(folder, id), id, e.Type()})
			}
		}
		return nil
	})
	if err != nil || folders == 1 {
		return files, nil, err
	}
	sorted.By(files, func(a, b File) int { return strings.Compare(path.Base(a.Path), path.Base(b.Path)) })
	var problems []problem.Problem
	out := files[:0]
	for _, f := range files {
		n := len(out)
		switch {
		case n == 0 || out[n-1].ID != f.ID:
			out = append(out, f)
		case layout.Exists(l.Abs(out[n-1].Path)):
			problems = append(problems, problem.Second(f.Path, out[n-1].Path))
		default:
			out[n-1] = f // it was moved while the folders were listed
		}
	}
	sorted.By(problems, func(a, b problem.Problem) int { return strings.Compare(a.Path, b.Path) })
	return out, problems, nil
}
