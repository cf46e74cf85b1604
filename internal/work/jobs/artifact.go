package jobs

import (
	"os"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/store/layout"
)

// Part is a file of an artifact.
type Part struct {
	Name    string
	Bytes   int64
	Changed time.Time
	path    string
}

// Read returns the content of the file, at most so many bytes; IO for one that is longer.
func (p Part) Read(most int64) ([]byte, error) {
	return layout.ReadUpTo(p.path, most)
}

// Left returns the files of an artifact that a job has left so far, in their order.
func (j Jobs) Left(id string, a job.Artifact) (parts []Part) {
	for _, name := range a.Files {
		path := j.File(id, name)
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			parts = append(parts, Part{name, info.Size(), info.ModTime(), path})
		}
	}
	return parts
}

// Artifact is Left, and returns ARTIFACT_MISSING if there is no file.
func (j Jobs) Artifact(one job.Job, a job.Artifact) ([]Part, error) {
	parts := j.Left(one.Spec.Job, a)
	if len(parts) == 0 {
		return nil, record.Errorf(record.ArtifactMissing, "%s has not left %s (%s)", one.Spec.Job, a.Name, one.Status.State).
			WithHint("%s shows what it has left", record.CallTo("job_poll", "job", one.Spec.Job).OnlyShown())
	}
	return parts, nil
}

// PR records the pull request of the job's branch: in pr.json, and then in its state. A job that has ended may get one
// too. After a crash between the two the file alone says it.
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
