package job

import (
	"cmp"
	"time"
)

// Before orders jobs that wait: the most urgent first, then the oldest, then by id.
func Before(a, b Spec) int {
	return cmp.Or(cmp.Compare(a.Priority, b.Priority), a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.Job, b.Job))
}

// Deadline is when a job is over its time to live: a queued one expires then, and a running one is ended as Timeout.
func (j Job) Deadline() time.Time { return j.Spec.CreatedAt.Add(j.Spec.TTL.Duration()) }

// EndOfRun is when a running job is ended as Timeout: the earlier of its time limit and its time to live.
func (j Job) EndOfRun() time.Time {
	end := j.Status.StartedAt.Add(j.Spec.Timeout.Duration())
	if d := j.Deadline(); d.Before(end) {
		return d
	}
	return end
}

// How often a crashed executor is started again, and after how long.
const (
	MaxCrashes   = 3
	firstBackoff = 10 * time.Second
	maxBackoff   = 5 * time.Minute
)

// Backoff is how long to wait before the executor is started again after its nth crash, the first being 1. It is false
// if it is not.
func Backoff(crash int) (time.Duration, bool) {
	if crash < 1 || crash > MaxCrashes {
		return 0, false
	}
	return min(firstBackoff<<(crash-1), maxBackoff), true
}

// KeyStands reports whether an idempotency key still stands for a job: while it has not ended, and for a day after.
func (s Status) KeyStands(now time.Time) bool {
	return !s.State.Final() || now.Sub(s.FinishedAt) < WindowOfKeys
}
