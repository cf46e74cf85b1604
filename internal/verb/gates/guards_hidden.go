package gates

import (
	"maps"
	"os"
	"path"
	"path/filepath"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/guard"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
)

// What git does not show of the files on which a check stands.

// withoutAbsent is a tree without the files that git was told not to look at and that are not on disk, in folders that
// are. In a folder that is left out as a whole, as of a sparse checkout, nobody looks for them.
func withoutAbsent(tree store.Tree, absent []string) store.Tree {
	if len(absent) == 0 {
		return tree
	}
	missing := record.SetOf(absent)
	there := map[string]bool{}
	for at := range tree {
		if !missing[at] {
			there[path.Dir(at)] = true
		}
	}
	out := maps.Clone(tree)
	for _, at := range absent {
		if there[path.Dir(at)] {
			delete(out, at)
		}
	}
	return out
}

// hidden finds files that git ignores, in folders of tracked files, and that came or changed since the work began. A
// folder that did not change since has no new one.
func (g *guarding) hidden(now store.Tree) (out []guard.Change) {
	if g.since.IsZero() {
		return nil
	}
	folders := map[string]bool{".": true}
	for at := range now {
		folders[path.Dir(at)] = true
	}
	top := g.files.Layout.Repo.Top
	for folder := range folders {
		at := filepath.Join(top, filepath.FromSlash(folder))
		if disk.StampOfFolder(at).OlderThan(g.since) {
			continue
		}
		entries, _ := os.ReadDir(at)
		for _, e := range entries {
			file := path.Join(folder, e.Name())
			if now[file] != "" || g.was[file] != "" || !e.Type().IsRegular() || disk.StampOf(filepath.Join(at, e.Name())).OlderThan(g.since) {
				continue
			}
			if content, err := g.files.Layout.Repo.Content(file, mostGuard); err == nil {
				out = append(out, guard.Change{Path: file, Now: "ignored " + record.Digest(string(content))})
			}
		}
	}
	return out
}
