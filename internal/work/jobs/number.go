package jobs

import (
	"fmt"

	"github.com/cairn-tasks/cairn/internal/disk/filelock"
	"github.com/cairn-tasks/cairn/internal/record"
)

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
