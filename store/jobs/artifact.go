package jobs

import (
	"os"

	"github.com/cairn-tasks/cairn/job"
	"github.com/cairn-tasks/cairn/store/internal/atomicfile"
)

// Left is how many bytes of an artifact a job has left so far, all files of it together. It reports false if there is none.
func (j Jobs) Left(id string, a job.Artifact) (bytes int64, there bool) {
	for _, name := range a.Files {
		if info, err := os.Lstat(j.File(id, name)); err == nil && info.Mode().IsRegular() {
			bytes, there = bytes+info.Size(), true
		}
	}
	return bytes, there
}

// PR records the pull request of the job's branch: in pr.json, and then in its state. A job that has ended may get one too. After a crash between the
// two the file alone says it.
func (o *Owned) PR(pr job.PR) error {
	src, err := encode(pr)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(o.file(job.PRFile), src, 0o644); err != nil {
		return o.jobs.live.Failed(err)
	}
	return o.Change(func(s *job.Status) { s.PR = &pr })
}
