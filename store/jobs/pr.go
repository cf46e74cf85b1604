package jobs

import (
	"github.com/cairn-tasks/cairn/job"
	"github.com/cairn-tasks/cairn/store/internal/atomicfile"
)

// PRName is the file in the folder of a job that says which pull request its branch has.
const PRName = "pr.json"

// PR records the pull request of the job's branch: in pr.json, and then in its state. A job that has ended may get one too.
func (o *Owned) PR(pr job.PR) error {
	src, err := encode(pr)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(o.file(PRName), src, 0o644); err != nil {
		return o.jobs.live.Failed(err)
	}
	return o.Change(func(s *job.Status) { s.PR = &pr })
}
