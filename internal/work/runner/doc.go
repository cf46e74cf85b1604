// Package runner runs one job: it makes the work tree, begins the session, starts the executor, runs the checks, and
// writes how the job ended. Its caller is the supervisor of the job, usually a process of its own, which holds the
// job's lock until Run returns.
//
// A job never closes a task. It ends with the task in review, or with its session ended and the branch left as it is.
// However the job ends, what the executor changed is committed on the branch of the task. It stays uncommitted in the
// work tree only if a hook refuses the commit, and while the job is STALE.
//
// After a kill at any moment, whoever next reads the job (package internal/work/jobs) finds that it has no supervisor.
// They end its processes, which are recorded before each command begins, and write that the job is STALE. Run goes on
// with a STALE job as its next round: in the same work tree, and under the same session if that is still active.
package runner
