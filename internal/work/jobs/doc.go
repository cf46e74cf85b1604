// Package jobs keeps the jobs of a clone on disk: one folder each, in the live state, which is not committed.
//
//	jobs/<job>/spec.json     what was asked; written once
//	jobs/<job>/state.json    what became of it (job.Status); replaced whole at each change
//	jobs/<job>/events.jsonl  what happened, a line each (job.Event); of bounded size
//	jobs/<job>/process.json  what a sweep needs to end what the job started (proc.Trace)
//	jobs/<job>/lock          held by the supervisor of the job as long as it lives
//	jobs/.cancel/<job>.json  a request to cancel, which the supervisor looks for
//	jobs/.queue/<job>.json   the job waits for a slot
//	jobs/.slots/*.lock       a slot each, held by the supervisor of a job that runs
//	jobs/.lock               held while a job is created
//	jobs/changed             another content after each change of any job
//
// The lock is the proof of life of a supervisor, and whoever holds it is the only writer of the folder (Own). Locks are
// the system's and end with their process, so no process id and no clock is trusted. Whoever reads an unfinished job
// whose lock is free reconciles it: ends what the job left running, and writes that it is STALE.
//
// A kill between any two steps leaves each file with its old or its new content. A job appears with all its files, or
// not at all: its folder is made under a name that is no job's, and renamed. What is left of one that was not renamed
// is removed by the next Create.
//
// The files are read as untrusted input: links are refused, sizes are bounded, and what cannot be read is BAD_FILE.
package jobs
