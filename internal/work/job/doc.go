// Package job holds the rules of a job: one attempt at a task that cairn runs with a program. It has what a caller may
// ask for (Spec), what becomes of it (Status), the order of the queue, when it is tried again, and for how long an
// idempotency key stands.
//
// It is pure: it reads no file and no clock and starts nothing. Package internal/work/jobs keeps jobs in files,
// internal/work/executor knows the programs, and internal/work/runner runs a job.
package job
