package jobs

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/disk/filelock"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Word is what somebody says to the executor of a job while the job lives.
type Word struct {
	By   record.Actor `json:"by"`
	Text string       `json:"text"`
	At   time.Time    `json:"at"`
}

// MaxWords is the most words that are said to one job.
const MaxWords = 200

// Say keeps words for the executor of a job, and returns how many there are with these. The supervisor of the job gives
// them to the executor; how many it gave is in its state. After a crash they are kept whole or not at all.
//
// It returns ALREADY_TERMINAL if the job has ended, RATE_LIMIT for more than MaxWords, and otherwise the errors of Get.
func (j Jobs) Say(ctx context.Context, id string, word Word) (count int, err error) {
	if err := j.Hears(id); err != nil {
		return 0, err
	}
	if err := j.makeFolders(); err != nil {
		return 0, err
	}
	lock, err := filelock.AcquireWithin(ctx, j.path(createLock), createPatience)
	if err != nil {
		return 0, busy(ctx, j, err, "others are creating jobs, or saying something to one")
	}
	defer func() { _ = lock.Release() }()
	all, err := j.Words(id)
	if err != nil {
		return 0, err
	}
	if len(all) >= MaxWords {
		return 0, record.Errorf(record.RateLimit, "%s was told %d times already", id, len(all)).
			WithHint("%s keeps it on the task", record.CallTo("note", "id", "ID", "text", "TEXT").OnlyShown())
	}
	var src []byte
	for _, w := range append(all, word) {
		line, err := encode(w)
		if err != nil {
			return 0, err
		}
		src = append(src, line...)
	}
	if err := atomicfile.Write(j.path(sayDir, id+".jsonl"), src, 0o644); err != nil {
		return 0, j.live.Failed(err)
	}
	j.changed()
	return len(all) + 1, nil
}

// Hears returns ALREADY_TERMINAL, with what to do in place of that, for a job that has ended, and otherwise the errors
// of Get.
func (j Jobs) Hears(id string) error {
	one, err := j.Get(id)
	if err != nil || !one.Status.State.Final() {
		return err
	}
	return record.Errorf(record.AlreadyTerminal, "%s has ended: %s", id, one.Status.State).
		WithHint("%s has another job go on; %s keeps it on the task", record.CallTo("job_start", "id", one.Spec.Task, "context", "TEXT").OnlyShown(),
			record.CallTo("note", "id", one.Spec.Task, "text", "TEXT").OnlyShown()).ForGood()
}

// Words are all that was said to a job, the oldest first.
func (j Jobs) Words(id string) (all []Word, err error) {
	src, err := disk.ReadRegular(j.path(sayDir, id+".jsonl"), 2*MaxWords*job.MaxEventText)
	if problem.Missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, j.live.Failed(err)
	}
	for line := range bytes.Lines(src) {
		var w Word
		if err := json.Unmarshal(line, &w); err != nil {
			return all, damaged(id, err)
		}
		all = append(all, w)
	}
	return all, nil
}

// Unheard are the words that no run of the executor has heard to its end.
func (o *Owned) Unheard() ([]Word, error) {
	all, err := o.jobs.Words(o.job.Spec.Job)
	return all[min(o.Job().Status.Heard, len(all)):], err
}
