package jobs

import (
	"time"

	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/work/job"
)

// request is a request to cancel a job.
type request struct {
	By     record.Actor `json:"by"`
	Reason string       `json:"reason,omitempty"`
	At     time.Time    `json:"at"`
}

// Cancel asks the supervisor of a job to end it, and returns without waiting for that. Where there is no supervisor, it
// ends what is left of the job and writes CANCELED itself. The request stays if the caller is killed, and is then
// carried out by whoever looks at the job next.
//
// It returns ALREADY_TERMINAL if the job has ended, and otherwise the errors of Get.
func (j Jobs) Cancel(id string, who record.Actor, reason string) error {
	one, err := j.Get(id)
	if err != nil {
		return err
	}
	if err := terminal(one); err != nil {
		return err
	}
	src, err := encode(request{By: who, Reason: cut(reason, job.MaxEventText), At: time.Now().UTC()})
	if err != nil {
		return err
	}
	if err := j.makeFolders(); err != nil {
		return err
	}
	if err := atomicfile.WriteVolatile(j.path(cancelDir, id+".json"), src); err != nil {
		return j.live.Failed(err)
	}
	j.changed()
	owned, err := j.own(id, !manned(one.Status))
	if owned != nil {
		defer func() { _ = owned.Release() }()
	}
	switch {
	case record.CodeOf(err) == record.Busy:
		return nil // its supervisor carries it out, or whoever looks next
	case err != nil:
		return err
	}
	if err := terminal(owned.Job()); err != nil { // it ended meanwhile
		return err
	}
	return owned.abandoned()
}

func terminal(one job.Job) error {
	if !one.Status.State.Final() {
		return nil
	}
	return record.Errorf(record.AlreadyTerminal, "%s has ended: %s", one.Spec.Job, one.Status.State).
		WithHint("%s shows how", record.CallTo("job_poll", "job", one.Spec.Job)).ForGood()
}

// Canceled returns who asked for the end of the job, and why, if somebody did.
func (o *Owned) Canceled() (who record.Actor, reason string, yes bool) {
	var asked request
	if err := readJSON(o.jobs.path(cancelDir, o.job.Spec.Job+".json"), &asked); err != nil {
		return "", "", false
	}
	if by, err := record.ParseActor(string(asked.By)); err == nil {
		asked.By = by
	}
	return asked.By, cut(asked.Reason, job.MaxEventText), true
}
