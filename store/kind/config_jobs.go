package kind

import "github.com/cairn-tasks/cairn/internal/record"

// maxJobs is the most that jobs_max can be.
const maxJobs = 64

// maxExecutor is the most bytes of the name of an executor.
const maxExecutor = 40

// isExecutor reports whether an executor may be called so. The config of a workspace only names one: its command line
// is the user's.
func isExecutor(name string) bool { return len(name) <= maxExecutor && record.IsWord(name, "._-") }

// jobs reads how jobs run and how their work comes home.
func (r *configReader) jobs() {
	if n := r.get("jobs_max"); n != nil {
		if r.c.JobsMax = r.number("jobs_max", n); r.c.JobsMax < 1 || r.c.JobsMax > maxJobs {
			r.fail(n, "jobs_max must be 1 to %d, not %s", maxJobs, r.text("jobs_max", n))
		}
	}
	if n := r.get("job_timeout"); n != nil {
		r.c.JobTimeout = r.seconds("job_timeout", n)
	}
	if n := r.get("executor"); n != nil {
		if r.c.Executor = r.text("executor", n); !isExecutor(r.c.Executor) {
			r.fail(n, "executor must name an executor, such as claude, not %q: its command line is in the user's own config", r.c.Executor)
		}
	}
	if n := r.get("worktrees"); n != nil {
		r.c.Worktrees = r.text("worktrees", n)
	}
	if n := r.get("worktree_setup"); n != nil {
		r.c.WorktreeSetup = r.text("worktree_setup", n)
	}
	if n := r.get("worktree_setup_timeout"); n != nil {
		if r.c.SetupTimeout = 0; r.text("worktree_setup_timeout", n) != "0" {
			r.c.SetupTimeout = r.seconds("worktree_setup_timeout", n)
		}
	}
	if n := r.get("close_by"); n != nil {
		by := r.text("close_by", n)
		if by != "any" && by != "merge" {
			r.fail(n, "close_by must be any or merge, not %q", by)
		}
		r.c.CloseByMerge = by == "merge"
	}
}
