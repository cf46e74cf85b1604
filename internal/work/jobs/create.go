package jobs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/disk/filelock"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/work/job"
)

// createPatience is how long Create waits for others that create jobs.
const createPatience = 10 * time.Second

// Create makes a QUEUED job of a spec, and reports whether it did. It is decided under one lock for the clone: admit
// gets all jobs and may refuse with an error, or return a job that stands for the new one, which is then returned.
// admit must be quick and may not call Create.
//
// It returns INVALID_SPEC for a spec that is not valid, and BUSY if the lock is not free in time. After a crash there
// is the whole job or none.
func (j Jobs) Create(ctx context.Context, spec job.Spec, admit func(all []job.Job) (*job.Job, error)) (job.Job, bool, error) {
	if _, err := job.ParseID(spec.Job); err != nil {
		return job.Job{}, false, err
	}
	if err := spec.Valid(); err != nil {
		return job.Job{}, false, err
	}
	if err := j.makeFolders(); err != nil {
		return job.Job{}, false, err
	}
	lock, err := filelock.AcquireWithin(ctx, j.path(createLock), createPatience)
	if err != nil {
		return job.Job{}, false, busy(ctx, j, err, "other jobs are being created")
	}
	defer func() { _ = lock.Release() }()
	j.removeHalves()
	all, err := j.List()
	if err != nil {
		return job.Job{}, false, err
	}
	stands, err := admit(all)
	if err != nil {
		return job.Job{}, false, err
	}
	if stands != nil {
		return *stands, false, nil
	}
	one := job.Job{Spec: spec, Status: job.Status{State: job.Queued, Version: 1, CreatedAt: spec.CreatedAt, Base: spec.Base, BaseCommit: spec.BaseCommit}}
	if err := j.write(one); err != nil {
		return job.Job{}, false, j.live.Failed(err)
	}
	j.changed()
	return one, true, nil
}

func (j Jobs) makeFolders() error {
	if err := j.noLinks(); err != nil {
		return err
	}
	around := filepath.Dir(filepath.Dir(string(j.live)))
	for _, dir := range []string{j.live.Jobs(), j.path(cancelDir), j.path(queueDir), j.path(sayDir), j.path(slotsDir)} {
		if err := disk.MakeFolder(around, dir); err != nil {
			return j.live.Failed(err)
		}
	}
	return nil
}

// write makes the folder of a job under a name that is no job's, and renames it once it is complete.
func (j Jobs) write(one job.Job) error {
	id := one.Spec.Job
	if _, err := os.Lstat(j.path(id)); err == nil {
		return record.Errorf(record.Conflict, "there is a job %s already", id).WithHint("try again; the next one gets another id")
	}
	half := j.path(newPrefix + id)
	if err := disk.MakeFolder(j.live.Jobs(), half); err != nil {
		return err
	}
	files := map[string]any{SpecName: one.Spec, StateName: one.Status, EventsName: stateEvent(one.Status, one.Spec.CreatedAt)}
	for name, content := range files {
		src, err := encode(content)
		if err == nil {
			err = atomicfile.Write(filepath.Join(half, name), src, 0o644)
		}
		if err != nil {
			return err
		}
	}
	if err := disk.Replace(half, j.path(id)); err != nil {
		return err
	}
	return disk.SyncFolder(j.live.Jobs())
}

// removeHalves removes what killed callers of Create have left. The caller holds the lock. What cannot be removed stays
// for the next time.
func (j Jobs) removeHalves() {
	entries, _ := os.ReadDir(j.live.Jobs())
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), newPrefix) || !e.IsDir() {
			continue
		}
		files, _ := os.ReadDir(j.path(e.Name()))
		for _, f := range files {
			_ = disk.RemoveFile(j.path(e.Name(), f.Name()))
		}
		_ = disk.RemoveFile(j.path(e.Name()))
	}
}

// busy turns the end of the patience into BUSY. The end of the caller's own context stays what it is.
func busy(ctx context.Context, j Jobs, err error, why string) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return record.Errorf(record.Busy, "%s", why).WithHint("try again")
	default:
		return j.live.Failed(err)
	}
}
