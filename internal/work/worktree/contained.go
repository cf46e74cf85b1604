package worktree

import (
	"context"
	"strings"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
)

// unmerged adds that commits of the branch are nowhere else, or that this is not known.
func (l *look) unmerged(ctx context.Context) {
	safe, err := l.safe(ctx)
	if err != nil {
		l.add(Uncertain, "whether its commits are anywhere else is not known: %s", err)
	} else if !safe {
		l.add(Unmerged, "commits of %s are neither in %s nor pushed", l.Branch, l.Base)
	}
}

// safe reports whether all that was committed on the branch is in its base, or in a branch of a remote.
func (l *look) safe(ctx context.Context) (bool, error) {
	tip, err := l.on(l.treeOf(l.made)).tip(ctx)
	if err != nil {
		return false, err
	}
	for _, pushed := range l.Pushed {
		if pushed == tip {
			return true, nil
		}
	}
	if pushed, err := l.repo.InRemote(ctx, tip); err != nil || pushed {
		return pushed, err
	}
	base, err := l.branchTip(ctx, l.Base)
	if err != nil {
		return false, err
	}
	if base == "" {
		return false, record.Errorf(record.Git, "the branch %s, which it was to be merged into, is not there any more", l.Base)
	}
	if in, err := l.isAncestor(ctx, tip, base); err != nil || in {
		return in, err
	}
	return containment{clone: l.clone, tip: tip, base: base}.holds(ctx)
}

// containment is the question whether a base contains all that a branch changed, though not its commits, as after a
// squash.
type containment struct {
	*clone
	tip, base string // commits
	fork      string // where the branch left the base
}

// holds reports whether the base, as it is now, contains all that the branch changed: it has each file as the branch
// left it, or merging the branch once more would change nothing. A change that the base has taken back is not
// contained.
func (c containment) holds(ctx context.Context) (bool, error) {
	bases, err := c.repo.History().MergeBases(ctx, c.tip, c.base)
	if err != nil || len(bases) != 1 {
		return false, err
	}
	c.fork = bases[0]
	changed, err := c.repo.NumStat(ctx, c.fork, c.tip)
	if err != nil {
		return false, err
	}
	for _, one := range changed {
		has, err := c.hasFile(ctx, one.Path)
		if err != nil {
			return false, err
		}
		if !has {
			return c.mergesToNothing(ctx)
		}
	}
	return true, nil
}

// hasFile reports whether the base has a file as the branch left it, or a record with all that the branch added to it.
func (c containment) hasFile(ctx context.Context, path string) (bool, error) {
	theirs, err := c.fileAt(ctx, c.tip, path)
	if err != nil {
		return false, err
	}
	ours, err := c.fileAt(ctx, c.base, path)
	if err != nil || ours.Mode == theirs.Mode && ours.ID == theirs.ID {
		return err == nil, err
	}
	if !git.Ours(path) || ours.ID == "" || theirs.ID == "" {
		return false, nil
	}
	versions, err := c.blobs(ctx, c.fork+":"+path, ours.ID, theirs.ID)
	if err != nil || versions[1] == nil || versions[2] == nil {
		return false, err
	}
	markers := format.Markers{Size: 7, Ours: "ours", Theirs: "theirs"}
	both, clean := kind.Merge(path, versions[0], versions[1], versions[2], kind.DefaultConfig().Flow, markers)
	return clean && string(both) == string(versions[1]), nil
}

// fileAt is a file in a commit; the zero value if it is not there.
func (c containment) fileAt(ctx context.Context, commit, path string) (f git.File, err error) {
	files, err := c.repo.Objects().Files(ctx, commit, path)
	if len(files) == 1 && files[0].Path == path {
		f = files[0]
	}
	return f, err
}

// mergesToNothing reports whether merging the branch into the base would leave the base as it is. It reports false
// where that is not known: with a git that is too old to tell, and in a clone that is not trusted, since a merge starts
// the drivers that its config names.
func (c containment) mergesToNothing(ctx context.Context) (bool, error) {
	if !c.trusted() {
		return false, nil
	}
	with, err := c.withDriver(ctx)
	if err != nil {
		return false, err
	}
	out, err := with.Run(ctx, c.repo.Top, "merge-tree", "--write-tree", "--no-messages", c.base, c.tip)
	if git.Exited(err) != 0 {
		return false, nil // they conflict, or there is no such command
	}
	if err != nil {
		return false, err
	}
	return c.hasTree(ctx, c.base, strings.TrimSpace(string(out)))
}
