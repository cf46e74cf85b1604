package jobs

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/disk/filelock"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/work/job"
)

// waiter is a job that waits for a slot: the content of its file in the folder of the queue.
type waiter struct {
	Job         string       `json:"job"`
	Priority    job.Priority `json:"priority"`
	CreatedAt   time.Time    `json:"created_at"`
	Executor    string       `json:"executor"`
	ExecutorMax int          `json:"executor_max,omitempty"` // 0 is no limit
}

func (w waiter) asJob() job.Job {
	return job.Job{Spec: job.Spec{Job: w.Job, Priority: w.Priority, CreatedAt: w.CreatedAt}}
}

// queuePause is how long one who waits sleeps before it asks again, on average.
const queuePause = 100 * time.Millisecond

// Slot waits until the job may run, and returns what gives its slot back. No more than max jobs have a slot at a time,
// and no more than executorMax of the job's executor; 0 is no limit of those. A slot is a lock file, so it ends with
// the process that has it.
//
// Of those who wait, the most urgent goes first (job.Before), unless its executor has no slot free. It returns the
// error of ctx if that ends first.
func (o *Owned) Slot(ctx context.Context, most, executorMax int) (release func(), err error) {
	spec := o.Job().Spec
	me := waiter{spec.Job, spec.Priority, spec.CreatedAt, spec.Executor, executorMax}
	if err := o.jobs.makeFolders(); err != nil {
		return nil, err
	}
	src, err := encode(me)
	if err != nil {
		return nil, err
	}
	place := o.jobs.path(queueDir, me.Job+".json")
	if err := atomicfile.WriteVolatile(place, src); err != nil {
		return nil, o.jobs.live.Failed(err)
	}
	defer func() { _ = disk.RemoveFile(place) }()
	for {
		release, err := o.jobs.slot(ctx, me, most)
		if err != nil || release != nil {
			return release, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(queuePause/2 + rand.N(queuePause)):
		}
	}
}

// slot takes a slot for one who waits, if it is its turn. It returns nil if not.
func (j Jobs) slot(ctx context.Context, me waiter, most int) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	queue, err := filelock.Acquire(ctx, j.path(queueDir, ".lock")) // all who take slots hold it for a moment, so what they count stays true
	if err != nil {
		return nil, j.busy(ctx, err, "other jobs take slots")
	}
	defer func() { _ = queue.Release() }()
	free, err := j.free("all", most)
	if err != nil || free < 0 {
		return nil, err
	}
	own, err := j.free(ofExecutor(me.Executor), me.ExecutorMax)
	if err != nil || own < 0 || !j.first(me) {
		return nil, err
	}
	return j.take(slotName("all", free), slotName(ofExecutor(me.Executor), own))
}

func ofExecutor(name string) string { return "of-" + name }

func slotName(kind string, n int) string { return fmt.Sprintf("%s-%d.lock", kind, n) }

// free returns the number of a slot of a kind that nobody has, or -1 if none is free. Slots beyond most count too:
// whoever has one was allowed more.
func (j Jobs) free(kind string, most int) (int, error) {
	entries, err := os.ReadDir(j.path(slotsDir))
	if err != nil {
		return -1, j.live.Failed(err)
	}
	taken := map[string]bool{}
	for _, e := range entries {
		if number, ok := strings.CutPrefix(e.Name(), kind+"-"); !ok || strings.Trim(strings.TrimSuffix(number, ".lock"), "0123456789") != "" {
			continue
		}
		if held, err := isHeld(j.path(slotsDir, e.Name())); err != nil {
			return -1, j.live.Failed(err)
		} else if held {
			taken[e.Name()] = true
		}
	}
	if most > 0 && len(taken) >= most {
		return -1, nil
	}
	for n := 0; ; n++ {
		if !taken[slotName(kind, n)] {
			return n, nil
		}
	}
}

// isHeld reports whether another one holds a lock.
func isHeld(path string) (bool, error) {
	lock, free, err := filelock.TryAcquire(path)
	if err != nil || !free {
		return err == nil, err
	}
	return false, lock.Release()
}

// first reports whether no more urgent job waits that could have a slot. One that waits has a supervisor; what others
// left is removed.
func (j Jobs) first(me waiter) bool {
	entries, _ := os.ReadDir(j.path(queueDir))
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".json")
		var other waiter
		if !ok || id == me.Job || readJSON(j.path(queueDir, e.Name()), &other) != nil || other.Job != id {
			continue
		}
		if _, err := job.ParseID(id); err != nil || job.Before(other.asJob(), me.asJob()) >= 0 {
			continue
		}
		if !j.lives(id) {
			_ = disk.RemoveFile(j.path(queueDir, e.Name()))
			continue
		}
		if n, err := j.free(ofExecutor(other.Executor), other.ExecutorMax); err == nil && n >= 0 {
			return false
		}
	}
	return true
}

// lives reports whether a job has a supervisor.
func (j Jobs) lives(id string) bool {
	if info, err := os.Lstat(j.path(id)); err != nil || !info.IsDir() {
		return false
	}
	held, err := isHeld(j.path(id, lockName))
	return err == nil && held
}

// take takes slots that are free. The caller holds the lock of the queue.
func (j Jobs) take(names ...string) (release func(), err error) {
	var locks []*filelock.Lock
	release = func() {
		for _, lock := range locks {
			_ = lock.Release()
		}
	}
	for _, name := range names {
		lock, free, err := filelock.TryAcquire(j.path(slotsDir, name))
		if err == nil && !free {
			err = record.Errorf(record.Busy, "the slot %s is held by what is no job", name)
		}
		if err != nil {
			release()
			return nil, j.live.Failed(err)
		}
		locks = append(locks, lock)
	}
	return release, nil
}
