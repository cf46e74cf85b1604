package worktree

import (
	"context"
	"path/filepath"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/store/problem"
)

// carrying copies the file of a task and the config of the workspace, which may be in no commit yet, into the new work
// tree of the task.
type carrying struct {
	*clone
	task  record.ID
	begin string        // the commit that the work begins at
	there layout.Layout // the workspace in the new work tree
}

// run copies the files that the work tree lacks, and commits them there.
func (c carrying) run(ctx context.Context) error {
	files := c.config()
	name, err := c.taskFile(ctx)
	if err != nil {
		return err
	}
	if name != "" {
		files = append(files, name)
	}
	if len(files) == 0 {
		return nil
	}
	for _, name := range files {
		if err := c.copy(name); err != nil {
			return err
		}
	}
	repo, err := opened(c.there.Worktree)
	if err != nil {
		return err
	}
	inRepo := make([]string, len(files))
	for i, name := range files {
		inRepo[i] = layout.Layout{Root: c.there.Root, Repo: repo}.InRepo(name)
	}
	return commitPaths(ctx, c.there.Worktree, "cairn: bring "+string(c.task)+" into its work tree", inRepo...)
}

// config lists the files of the config, from the root of the workspace, if the work tree lacks the config.
func (c carrying) config() (files []string) {
	for _, path := range []string{layout.ConfigName, ".gitignore", layout.SignersName} {
		from, to := filepath.Join(c.layout.Top(), path), filepath.Join(c.there.Top(), path)
		if layout.IsFile(from) && !layout.Exists(to) && (path == layout.ConfigName || len(files) > 0) {
			files = append(files, layout.Folder+"/"+path)
		}
	}
	return files
}

// taskFile is the file of the task, from the root of the workspace, if it is to be copied: the work tree does not have
// it, or it differs from what the work begins with only by changes that are uncommitted here. Else it is "". It returns
// NOT_FOUND if there is no such task.
func (c carrying) taskFile(ctx context.Context) (string, error) {
	k, id := kind.Tasks.Kind, string(c.task)
	name, isThere := place.Of(c.layout, k, id), place.There(c.there, k, id)
	here, err := layout.ReadFile(c.layout.Abs(name))
	if problem.Missing(err) && isThere {
		return "", nil
	}
	if problem.Missing(err) {
		return "", record.Errorf(record.NotFound, "there is no task %s", c.task)
	}
	if err != nil {
		return "", problem.IO(err)
	}
	if !isThere {
		return name, nil
	}
	if place.Of(c.there, k, id) != name {
		return "", nil
	}
	versions, err := c.blobs(ctx, "HEAD:"+c.layout.InRepo(name), c.begin+":"+c.layout.InRepo(name))
	if err != nil {
		return "", err
	}
	committed, begin := versions[0], versions[1]
	if committed == nil || string(committed) != string(begin) || string(here) == string(committed) {
		return "", nil
	}
	return name, nil
}

// copy copies a file of the workspace into the work tree.
func (c carrying) copy(name string) error {
	data, err := layout.ReadFile(c.layout.Abs(name))
	if err != nil {
		return problem.IO(err)
	}
	to := c.there.Abs(name)
	if err := disk.MakeVolatile(c.there.Worktree, filepath.Dir(to)); err != nil {
		return problem.IO(err)
	}
	return problem.IO(atomicfile.Write(to, data, 0o644))
}
