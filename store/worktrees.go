package store

import (
	"time"

	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/task"
)

// Worktrees returns the work trees of the tasks of this workspace, as its config, its jobs and the user's consent have them. It returns GIT
// outside a repository.
func (s *Store) Worktrees(now func() time.Time) (*worktree.Worktrees, error) {
	return worktree.Open(s.Layout, worktree.Options{Setting: s.Config.Worktrees, StateDir: s.stateDir, Now: now, Busy: s.worksOn})
}

// worksOn names the job that works on a task, or that was interrupted and may go on; "" if there is none. One that was interrupted counts only as
// long as no other was started after it. If that cannot be told it says so, since then one may.
func (s *Store) worksOn(id task.ID) string {
	all, broken, err := s.Jobs().All()
	if err != nil {
		return "whether a job works on it is not known: " + err.Error()
	}
	newest := true
	for _, one := range all { // the newest first
		if one.Spec.Task != id {
			continue
		}
		switch {
		case one.Status.State.Live():
			return one.Spec.Job + " works on it"
		case one.Status.State == job.Stale && newest:
			return one.Spec.Job + " was interrupted, and may go on until it is canceled"
		}
		newest = false
	}
	if len(broken) > 0 {
		return "whether a job works on it is not known: " + broken[0].Path + " cannot be read"
	}
	return ""
}
