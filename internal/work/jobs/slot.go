package jobs

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
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

func (w waiter) spec() job.Spec {
	return job.Spec{Job: w.Job, Priority: w.Priority, CreatedAt: w.CreatedAt}
}

// queuePause is how long one who waits sleeps before it asks again, on average.
const queuePause = 100 * time.Millisecond

// Slot waits until the job may run, and returns what gives its slot back. No more than max jobs have a slot at a time,
// and no more than executorMax of the job's executor; 0 is no limit of those. A slot is a lock file, so it ends with
// the process that has it.
//
// If none is free it calls waits, again and again. Of those who wait, the most urgent goes first (job.Before), unless its
// executor has no slot free or it may not begin yet. begin is called when it has its turn, while nobody else gets a
// slot: it reports whether the job begins. It returns the error of ctx if that ends first.
func (o *Owned) Slot(ctx context.Context, most, executorMax int, waits func(), begin func() (bool, error)) (release func(), err error) {
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
	defer func() { _ = disk.RemoveFile(place) }()
	for {
		if err := atomicfile.WriteVolatile(place, src); err != nil {
			return nil, o.jobs.live.Failed(err)
		}
		pause := queuePause
		release, err := o.jobs.slot(ctx, me, most, func() (bool, error) {
			begins, err := begin()
			if !begins { // others go first
				pause = 10 * queuePause
				_ = disk.RemoveFile(place)
			}
			return begins, err
		})
		if err != nil || release != nil {
			return release, err
		}
		waits()
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause/2 + rand.N(pause)):
		}
	}
}

// slot takes a slot for one who waits, if it is its turn and it begins. It returns nil if not.
func (j Jobs) slot(ctx context.Context, me waiter, most int, begin func() (bool, error)) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	queue, err := filelock.Acquire(ctx, j.path(queueDir, ".lock")) // all who take slots hold it for a moment, so what they count stays true
	if err != nil {
		return nil, busy(ctx, j, err, "other jobs take slots")
	}
	defer func() { _ = queue.Release() }()
	all, err := j.grab("all", most)
	if all == nil {
		return nil, err
	}
	var own *filelock.Lock
	if j.first(me) {
		own, err = j.grab("of-"+me.Executor, me.ExecutorMax)
	}
	if own == nil {
		_ = all.Release()
		return nil, err
	}
	if begins, err := begin(); !begins || err != nil {
		_, _ = all.Release(), own.Release()
		return nil, err
	}
	return func() { _, _ = all.Release(), own.Release() }, nil
}

// grab takes a slot of a kind that nobody has; nil if none is free. Slots beyond most count too: whoever has one was
// allowed more. The caller holds the lock of the queue.
func (j Jobs) grab(kind string, most int) (*filelock.Lock, error) {
	entries, err := os.ReadDir(j.path(slotsDir))
	if err != nil {
		return nil, j.live.Failed(err)
	}
	taken := map[string]bool{}
	for _, e := range entries {
		number, ok := strings.CutPrefix(strings.TrimSuffix(e.Name(), ".lock"), kind+"-")
		if !ok || strings.Trim(number, "0123456789") != "" {
			continue
		}
		if held, err := isHeld(j.path(slotsDir, e.Name())); err != nil {
			return nil, j.live.Failed(err)
		} else if held {
			taken[number] = true
		}
	}
	if most > 0 && len(taken) >= most {
		return nil, nil
	}
	n := 0
	for taken[strconv.Itoa(n)] {
		n++
	}
	name := fmt.Sprintf("%s-%d.lock", kind, n)
	lock, free, err := filelock.TryAcquire(j.path(slotsDir, name))
	if err == nil && !free {
		err = record.Errorf(record.Busy, "the slot %s is held by what is no job", name)
	}
	return lock, j.live.Failed(err)
}

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
		if _, err := job.ParseID(id); err != nil || job.Before(other.spec(), me.spec()) >= 0 {
			continue
		}
		if !j.lives(id) {
			_ = disk.RemoveFile(j.path(queueDir, e.Name()))
			continue
		}
		if free, err := j.grab("of-"+other.Executor, other.ExecutorMax); err == nil && free != nil {
			_ = free.Release()
			return false
		}
	}
	return true
}

func (j Jobs) lives(id string) bool {
	if info, err := os.Lstat(j.path(id)); err != nil || !info.IsDir() {
		return false
	}
	held, err := isHeld(j.path(id, lockName))
	return err == nil && held
}

// Number gives the job the lowest number, from first on, that no other live job has of a kind and that is good. The
// kind is a word; the job keeps the number until it gives it back, or its process ends. It returns BUSY if none of the
// first so many is free.
func (o *Owned) Number(kind string, first, count int, good func(n int) bool) (n int, release func(), err error) {
	if !record.IsWord(kind, "._-") {
		return 0, nil, record.Errorf(record.InvalidInput, "%q is no kind of number", kind)
	}
	if err := o.jobs.makeFolders(); err != nil {
		return 0, nil, err
	}
	for n = first; n < first+count; n++ {
		if good != nil && !good(n) {
			continue
		}
		lock, free, err := filelock.TryAcquire(o.jobs.path(slotsDir, fmt.Sprintf("number-%s-%d.lock", kind, n)))
		if err != nil {
			return 0, nil, o.jobs.live.Failed(err)
		}
		if free {
			return n, func() { _ = lock.Release() }, nil
		}
	}
	return 0, nil, record.Errorf(record.Busy, "all numbers of %s are taken", kind).WithHint("try again when a job has ended")
}
