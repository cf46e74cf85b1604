package jobs

import (
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/work/job"
)

// made is the job of all these that an earlier call under the same idempotency key created; nil if there is none. A key
// is kept while the job lives, and for a day after its end. The key with other arguments is a CONFLICT.
func (st *starter) made(all []job.Job) (*job.Job, error) {
	key := st.in.IdempotencyKey
	for _, one := range all {
		if key == "" || one.Spec.Key != key || one.Spec.By != st.spec.By || !one.Status.KeyStands(st.w.Now()) {
			continue
		}
		if one.Spec.Asked != st.spec.Asked {
			return nil, record.Errorf(record.Conflict, "the idempotency key was used with other arguments, for %s", one.Spec.Job).
				WithHint("repeat the call exactly, or use a new key").ForGood()
		}
		return &one, nil
	}
	return nil, nil
}

// replay answers a call that was made before with the job that it created.
func (st *starter) replay(one job.Job) Job {
	out := View(st.s, one, st.w.Now())
	out.Replayed = true
	return out
}

// admit decides, under the lock of Create, whether one more job may be created. It returns the job of an earlier call
// under the same idempotency key, ALREADY_CLAIMED if the task has a live job, and RATE_LIMIT if too many jobs wait.
func (st *starter) admit(all []job.Job) (*job.Job, error) {
	if one, err := st.made(all); one != nil || err != nil {
		return one, err
	}
	waiting := 0
	for _, one := range all {
		if one.Status.State == job.Queued {
			waiting++
		}
		if one.Spec.Task == st.spec.Task && one.Status.State.Live() {
			return nil, record.Errorf(record.AlreadyClaimed, "%s works on it already (%s)", one.Spec.Job, one.Status.State).
				WithHint("%s follows it; restart: true (--restart) cancels it first", record.CallTo("job_poll", "job", one.Spec.Job, "wait", true))
		}
	}
	if waiting >= job.MaxWaiting {
		return nil, record.Errorf(record.RateLimit, "%d jobs wait already", waiting).
			WithHint("%s shows them; start more when some have begun", record.CallTo("job_list", "state", string(job.Queued)).OnlyShown())
	}
	return nil, nil
}
