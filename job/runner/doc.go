// Package runner runs one job: it makes the work tree, begins the session, starts the executor, runs the checks, and writes what became of it all. Its
// caller is the supervisor of the job, a process of its own as a rule, and holds the job's lock until Run returns.
//
//	run.go       from the queue to the final state
//	ended.go     how a job ends: states and reasons, from errors and contexts
//	watch.go     what ends a job that works: a cancellation, time, silence
//	prepare.go   the work tree, its set-up, the actor, the ports, the session
//	prompt.go    what the executor is told
//	work.go      rounds: the executor works, hands over, and the checks run
//	patch.go     the answer of an executor that hands over a diff
//	policy.go    what a job may not have changed
//	close.go     the end: session, branch, artifacts
//	notify.go    who is told
//
// A job never closes a task. It ends with the task in review, or with its session ended and the branch left as it is. What the executor changed is
// committed on the branch of the task whichever way the job ends, unless the process is killed; then the files are in the work tree as they were.
//
// A kill at any moment leaves a job that the next look finds without a supervisor (package store/jobs): it ends the processes by the trace that is
// kept of each command before the command begins, and says that the job is STALE. Run goes on with a job that is STALE: in the same work tree, under
// the same session if that is still open, as its next round.
package runner
