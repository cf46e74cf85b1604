package worktree

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/layout"
)

// Make makes the work tree of a task, on the branch cairn/<task>, or returns the one that is recorded once Verify
// accepts it. base is the branch that the work goes to, "" for the one that is checked out here; commit is where it
// begins, "" for the tip of base.
//
// If the branch exists already, it keeps its commits; if commit contains all of them, the branch is moved forward to
// commit. The file of the task and the config of the workspace are copied and committed there if the commit does not
// have them. Ignored files that .worktreeinclude names are copied.
//
// It returns INVALID_INPUT for a base or commit that does not exist, a place that is in the repository or behind a
// link, and a .worktreeinclude that names too much; CONFLICT if the branch is checked out elsewhere, or something else
// lies at the path; GIT if nobody is set as the author of commits. A kill leaves a record of what was begun, which the
// next call removes and makes again.
func (w *Worktrees) Make(ctx context.Context, id record.ID, base, commit string) (Tree, error) {
	if err := w.mayWrite(); err != nil {
		return Tree{}, err
	}
	release, err := w.lockTask(ctx, id)
	if err != nil {
		return Tree{}, err
	}
	defer release()
	m, ok, err := w.records().read(id)
	if err != nil {
		return Tree{}, err
	}
	if ok && m.Ready && m.Removing != "" {
		r := &removal{clone: w.clone, made: m}
		if ok, err = r.settle(ctx); err != nil {
			return Tree{}, err
		}
		m = r.made
	}
	if ok && m.Ready {
		return w.treeOf(m), w.Verify(ctx, w.treeOf(m))
	}
	if ok {
		if err := (&making{w.clone, m}).undo(ctx); err != nil {
			return Tree{}, err
		}
	}
	next, err := w.plan(ctx, id, base, commit)
	if err != nil {
		return Tree{}, err
	}
	return w.treeOf(next.made), next.run(ctx)
}

// making makes a work tree of a task, whose lock the caller holds. Its record says how far it has come.
type making struct {
	*clone
	made
}

// plan decides what is to be made for a task. It changes nothing but the folder around it.
func (c *clone) plan(ctx context.Context, id record.ID, base, commit string) (*making, error) {
	if _, err := record.ParseID(string(id)); err != nil {
		return nil, err
	}
	if err := c.repo.Identity(ctx); err != nil {
		return nil, err
	}
	base, tip, err := c.base(ctx, base)
	if err != nil {
		return nil, err
	}
	if commit == "" {
		commit = tip
	}
	start, err := c.repo.Commit(ctx, commit)
	if err != nil {
		return nil, err
	}
	if start == "" {
		return nil, record.Errorf(record.InvalidInput, "the clone has no commit %q", record.Clip(commit, 100)).
			WithHint("leave it out to begin at the newest of %s", base)
	}
	dir, err := c.location().make()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, string(id))
	if layout.Exists(path) {
		return nil, record.Errorf(record.Conflict, "%s is there, and cairn did not make it", path).WithHint("see what it is, and move it away")
	}
	return &making{c, made{Task: id, Path: path, Branch: Branch(id), Base: base, BaseCommit: start, MadeAt: c.o.Now().UTC()}}, nil
}

// run makes what was planned, and takes it away again if it fails.
func (k *making) run(ctx context.Context) error {
	if err := k.save(); err != nil {
		return err
	}
	if err := k.fill(ctx); err != nil {
		return errors.Join(err, k.undo(context.WithoutCancel(ctx)))
	}
	k.Ready = true
	return k.save()
}

func (k *making) save() error { return k.records().write(k.made) }

// fill has git make the work tree, and copies what belongs there.
func (k *making) fill(ctx context.Context) (err error) {
	if err := k.add(ctx); err != nil {
		return err
	}
	if k.Copied, err = (includes{k.repo, k.Path}).copy(ctx); err != nil {
		return err
	}
	there := layout.Layout{Root: k.treeOf(k.made).Root, Worktree: k.Path}
	return carrying{k.clone, k.Task, k.BaseCommit, there}.run(ctx)
}
