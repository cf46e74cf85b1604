package git

import (
	"context"
	"io"
	"slices"
	"strings"
)

// addNested adds a repository inside this one: a submodule, or one that git does not track. Its content is the commit
// that is checked out in it; if its work tree differs from that commit, the fingerprint of the work tree is added.
//
// A submodule that is not checked out stays as the index has it. Another work tree of this clone is left out, since its
// files belong to another branch. A repository that is not tracked did not come with this clone, so the filters that
// its config names are not started, and its files are hashed as they are.
func (w *workTree) addNested(ctx context.Context, path string, untracked bool) error {
	repo, ok, err := open(w.path(path))
	if err != nil || !ok || repo.CommonDir == w.CommonDir {
		return err
	}
	nested := workTree{Repo: repo, foreign: w.foreign || untracked}
	id, err := nested.state(ctx)
	if err != nil {
		return err
	}
	w.tree.set(path, modeRepo, id)
	return nil
}

// addSubmodules adds every submodule in the index, whether or not git calls it changed.
func (w *workTree) addSubmodules(ctx context.Context) error {
	for path, file := range w.tree {
		if !strings.HasPrefix(file, modeRepo+" ") {
			continue
		}
		if err := w.addNested(ctx, path, false); err != nil {
			return err
		}
	}
	return nil
}

// state is the content of a repository in the tree of the one around it.
func (w *workTree) state(ctx context.Context) (string, error) {
	head, err := w.Head(ctx)
	if err != nil {
		return "", err
	}
	if err := w.read(ctx); err != nil {
		return "", err
	}
	work := w.tree.Fingerprint()
	committed := Tree{}.Fingerprint()
	if head.Commit != "" {
		if committed, err = w.Objects().Fingerprint(ctx, head.Commit); err != nil {
			return "", err
		}
	}
	if work == committed {
		return head.Commit, nil
	}
	return head.Commit + "+" + work, nil
}

// runFiltering runs a command that hashes files of the work tree, for which git starts filters. In a foreign repository
// the filters that its own config names are switched off.
func (w *workTree) runFiltering(ctx context.Context, in io.Reader, args ...string) ([]byte, error) {
	var off []setting
	if w.foreign {
		var err error
		if off, err = w.filtersOff(ctx); err != nil {
			return nil, err
		}
	}
	return output(ctx, with(command(ctx, w.Top, args...), off), in, args)
}

// filtersOff returns the settings that switch off each filter that the repository's own config, or a file that it
// includes, names. Filters of the user and the system stay.
func (w *workTree) filtersOff(ctx context.Context) ([]setting, error) {
	out, err := answer(Run(ctx, w.Top, "config", "-z", "--show-scope", "--name-only", "--get-regexp", `^filter\.`))
	if err != nil {
		return nil, err
	}
	var off []setting
	fields := records([]byte(out))
	for pair := range slices.Chunk(fields, 2) {
		if len(pair) < 2 {
			return nil, garbled("config", out)
		}
		scope, key := pair[0], pair[1]
		dot := strings.LastIndexByte(key, '.')
		if scope != "local" && scope != "worktree" || dot < 0 {
			continue
		}
		for _, s := range []setting{{"clean", ""}, {"smudge", ""}, {"process", ""}, {"required", "false"}} {
			off = append(off, setting{key[:dot+1] + s.key, s.value})
		}
	}
	return off, nil
}
