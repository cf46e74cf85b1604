package worktree

import (
	"context"
	"strings"

	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/store/internal/git"
	"github.com/cairn-tasks/cairn/store/record"
)

// contained reports whether all that a branch changed since it left a base is in the base as it is now, as after a squash: each file is there
// as the branch left it, or merging the branch once more would change nothing. A change that the base has taken back is not in it.
func (w *Worktrees) contained(ctx context.Context, tip, base string) (bool, error) {
	bases, err := w.repo.History().MergeBases(ctx, tip, base)
	if err != nil || len(bases) != 1 {
		return false, err
	}
	changed, err := w.repo.NumStat(ctx, bases[0], tip)
	if err != nil {
		return false, err
	}
	all := true
	for _, c := range changed {
		if all, err = w.hasFile(ctx, c.Path, bases[0], tip, base); err != nil {
			return false, err
		}
		if !all {
			break
		}
	}
	if all {
		return true, nil
	}
	return w.mergesToNothing(ctx, tip, base)
}

// hasFile reports whether a base has a file as a branch left it; or a record, with all that the branch added to it.
func (w *Worktrees) hasFile(ctx context.Context, path, fork, tip, base string) (bool, error) {
	at := func(commit string) (f git.File, err error) {
		files, err := w.repo.Objects().Files(ctx, commit, path)
		if len(files) == 1 && files[0].Path == path {
			f = files[0]
		}
		return f, err
	}
	theirs, err := at(tip)
	if err != nil {
		return false, err
	}
	ours, err := at(base)
	if err != nil || ours.Mode == theirs.Mode && ours.ID == theirs.ID {
		return err == nil, err
	}
	if !git.Ours(path) || ours.ID == "" || theirs.ID == "" {
		return false, nil
	}
	var versions [3][]byte
	names := []string{fork + ":" + path, ours.ID, theirs.ID}
	err = w.repo.Objects().Blobs(ctx, names, maxRecord, func(i int, b git.Blob) { versions[i] = b.Content })
	if err != nil || versions[1] == nil || versions[2] == nil {
		return false, err
	}
	markers := frontmatter.Markers{Size: 7, Ours: "ours", Theirs: "theirs"}
	both, clean := record.Merge(path, versions[0], versions[1], versions[2], record.DefaultConfig().Flow, markers)
	return clean && string(both) == string(versions[1]), nil
}

// mergesToNothing reports whether merging a branch into a base would leave the base as it is. Older versions of git cannot tell, which is no; and in
// a clone that is not trusted git is not asked, since a merge starts the drivers that its config names.
func (w *Worktrees) mergesToNothing(ctx context.Context, tip, base string) (bool, error) {
	if !w.trusted() {
		return false, nil
	}
	with, err := w.merging(ctx)
	if err != nil {
		return false, err
	}
	out, err := with.Run(ctx, w.repo.Top, "merge-tree", "--write-tree", "--no-messages", base, tip)
	if git.Exited(err) != 0 {
		return false, nil // they conflict, or there is no such command
	}
	if err != nil {
		return false, err
	}
	return w.sameTree(ctx, base, strings.TrimSpace(string(out)))
}
