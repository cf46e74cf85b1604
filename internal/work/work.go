// Package work is cairn's own work on tasks: jobs that programs work on, the git work trees in which that is done,
// reviews, pairs and landing. It is a wing: it imports the core, and no package of the core imports it. What the core
// asks of it goes through verb.Wing.
//
//	job        the rules of a job: what may be asked for, its states, the queue, retries
//	jobs       the jobs of a clone on disk
//	executor   the programs that work on tasks
//	desk       begins the session of an executor, or of the agent of a pair
//	runner     runs one job
//	witness    what the clone knows of the records on a branch
//	worktree   the git work tree of each task
//	verb       the verbs of jobs, pairs, reviews and work trees, and where the work on a task lies
//
// This package opens them for the store of a workspace.
package work

import (
	"cmp"
	"context"
	"path/filepath"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/jobs"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// Jobs returns the jobs of the clone.
func Jobs(s *store.Store) jobs.Jobs { return jobs.In(s.Live) }

// Trees returns the work trees of the tasks of this workspace, as its config, its jobs and the user's consent have
// them. It returns GIT outside a repository.
func Trees(s *store.Store, now func() time.Time) (*worktree.Worktrees, error) {
	o := options(s, now)
	o.Other = func(repo string) (*worktree.Worktrees, error) { return treesIn(s, repo, now) }
	return worktree.Open(s.Layout, o)
}

func options(s *store.Store, now func() time.Time) worktree.Options {
	return worktree.Options{Setting: s.Config.Worktrees, StateDir: s.StateDir(), Trusted: s.Trusted, Now: now, Busy: func(id record.ID) string { return worksOn(s, id) }}
}

// TreesOf returns the work trees to which that of a task belongs: those of the repository in which one is recorded for
// it, else of the one that has its files. It returns the errors of store.Files.
func TreesOf(s *store.Store, t task.Task, now func() time.Time) (*worktree.Worktrees, error) {
	repo, top := worktree.InRepo(s.Live, t.ID)
	if own, err := Trees(s, now); err != nil || top == "" && t.Repo == "" {
		return own, err
	} else if _, made, err := own.Find(t.ID); err != nil || made {
		return own, err
	}
	return treesIn(s, cmp.Or(repo, t.Repo), now)
}

// treesIn returns the work trees in another repository of the workspace. What is recorded of them lies in the live state
// of the workspace.
func treesIn(s *store.Store, repo string, now func() time.Time) (*worktree.Worktrees, error) {
	files, err := s.Files(task.Task{Repo: repo})
	if err != nil {
		return nil, err
	}
	if files.Repo == "" { // the workspace's own, by another name
		return Trees(s, now)
	}
	if s.Repo != nil && files.Layout.Repo.CommonDir == s.Repo.CommonDir {
		return nil, record.Errorf(record.InvalidInput, "%s is a checkout of this repository, and the branch of a task would be the same", files.Root).
			WithHint("leave repo out of the task, and it has a work tree here")
	}
	o, l := options(s, now), files.Layout
	o.Repo, o.Trusted, l.Live = repo, files.Trusted, s.Live
	return worktree.Open(l, o)
}

// FilesIn is the top of the work tree in another repository that was made for a task whose files are there; "" for none.
func FilesIn(s *store.Store, t task.Task) string {
	if repo, top := worktree.InRepo(s.Live, t.ID); repo == t.Repo {
		return top
	}
	return ""
}

// GoesInto is the branch that the work on a task goes into, where a work tree was made for the task.
func GoesInto(s *store.Store, t task.Task) string {
	if s.Repo == nil {
		return ""
	}
	trees, err := TreesOf(s, t, time.Now)
	if err != nil {
		return ""
	}
	tree, _, err := trees.Find(t.ID)
	if err != nil {
		return ""
	}
	return tree.Base
}

// Throwaway makes a work tree of the repository of some files, and removes it when use returns. use gets its top, and the
// folder in it in which commands run.
func Throwaway(ctx context.Context, s *store.Store, files store.Files, what verb.Throwaway, use func(top, root string) error) error {
	o := options(s, time.Now)
	open := func() (*worktree.Worktrees, error) { return worktree.Open(s.Layout, o) }
	if files.Repo != "" {
		open = func() (*worktree.Worktrees, error) { return treesIn(s, files.Repo, time.Now) }
	}
	trees, err := open()
	if err != nil {
		return err
	}
	top := files.Layout.Repo.Top
	in := worktree.Throwaway{
		Lock:   what.For + "-" + record.Digest(top),
		Commit: cmp.Or(what.Commit, files.Head(ctx).Commit), From: top, Changes: what.Commit == "", Links: what.Links,
	}
	return trees.InThrowaway(ctx, in, func(made string) error {
		root := made
		if rel, err := filepath.Rel(top, files.Root); err == nil {
			root = filepath.Join(made, rel)
		}
		return use(made, root)
	})
}

// Sweep removes the throw-away work trees that killed processes left, as far as it can now. Where there is none it reads
// one folder.
func Sweep(ctx context.Context, s *store.Store) {
	if s.Repo == nil {
		return
	}
	if trees, err := Trees(s, time.Now); err == nil {
		trees.Sweep(ctx)
	}
}

// worksOn names the job that works on a task, or that was interrupted and may go on; "" if there is none. One that was
// interrupted counts only as long as no other was started after it. If that cannot be told it says so, since then one
// may.
func worksOn(s *store.Store, id record.ID) string {
	all, broken, err := Jobs(s).All()
	if err != nil {
		return "whether a job works on it is not known: " + err.Error()
	}
	switch last, found := jobs.Last(all, id); {
	case found && last.Status.State.Live():
		return last.Spec.Job + " works on it"
	case found && last.Status.State == job.Waiting:
		return last.Spec.Job + " waits for an answer, and goes on then"
	case found && last.Status.State == job.Stale:
		return last.Spec.Job + " was interrupted, and may go on until it is canceled"
	case len(broken) > 0:
		return "whether a job works on it is not known: " + broken[0].Path + " cannot be read"
	}
	return ""
}

// PairFolder makes the folder for what the agent of a pair is to read, and returns its path. It lies outside of all
// work trees, and may be deleted when no agent runs.
func PairFolder(s *store.Store, id record.ID) (string, error) {
	if err := s.MakeLive(); err != nil {
		return "", err
	}
	dir := s.Live.Pair(id)
	if err := disk.MakeVolatile(string(s.Live), dir); err != nil {
		return "", s.Live.Failed(err)
	}
	return dir, nil
}
