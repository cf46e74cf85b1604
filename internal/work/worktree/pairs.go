package worktree

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/live"
)

// Pair is two commits that may be merged with one another, sorted.
type Pair [2]string

// PairOf is the pair of two commits.
func PairOf(one, other string) Pair { return Pair{min(one, other), max(one, other)} }

func (p Pair) key() string { return p[0] + " " + p[1] }

// Together tries in memory to merge the commits of pairs with one another, and lists for each the files that both changed
// in ways that do not go together. No work tree changes, and no ref. What was found is kept by the two commits; of the
// others it tries the first so many, and leaves the rest out of the answer.
//
// It returns UNTRUSTED in a clone that nobody trusted, since a merge starts the drivers that its config names, and GIT for
// a git that cannot merge in memory.
func (w *Worktrees) Together(ctx context.Context, pairs []Pair, most int) (map[Pair][]string, error) {
	kept, out := w.kept(), map[Pair][]string{}
	var todo []Pair
	for _, p := range pairs {
		if files, ok := kept[p.key()]; ok {
			out[p] = files
		} else if !slices.Contains(todo, p) {
			todo = append(todo, p)
		}
	}
	if todo = todo[:min(len(todo), most)]; len(todo) == 0 {
		return out, nil
	}
	if err := w.mayWrite(); err != nil {
		return out, err
	}
	with, err := w.withDriver(ctx)
	if err != nil {
		return out, err
	}
	for _, p := range todo {
		files, err := w.mergeTree(ctx, with, p[0], p[1])
		if git.Exited(err) == usageError {
			return out, record.Errorf(record.Git, "this git cannot merge in memory (merge-tree --write-tree)").WithHint("install git 2.38 or newer")
		}
		if err != nil {
			continue // one of them is gone, or they have nothing in common
		}
		out[p] = slices.DeleteFunc(files, w.repo.SetsAside)
	}
	w.keep(kept, out)
	return out, nil
}

// usageError is the status with which git ends that does not know an option.
const usageError = 129

// kept is what Together found before, by the pair.
func (w *Worktrees) kept() map[string][]string {
	kept := live.Read(w.layout.Live.Merges(), func(src []byte) (m map[string][]string, err error) { return m, json.Unmarshal(src, &m) })
	if kept == nil {
		return nil
	}
	return *kept
}

// maxKept is how many pairs are kept: those of 60 branches.
const maxKept = 2_000

// keep adds what was found to what was kept. If that is more than is kept, the rest is found anew when it is asked for.
func (w *Worktrees) keep(kept map[string][]string, found map[Pair][]string) {
	all := map[string][]string{}
	if len(kept)+len(found) <= maxKept {
		maps.Copy(all, kept)
	}
	for p, files := range found {
		all[p.key()] = files
	}
	if src := live.Encode(all); len(src) <= live.MaxFile {
		_ = atomicfile.WriteVolatile(w.layout.Live.Merges(), src)
	}
}
