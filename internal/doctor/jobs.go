package doctor

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
)

// jobs finds folders of jobs that cannot be read, and jobs that lost the process that ran them. It removes neither: in
// such a folder may lie the only copy of what an executor answered, and whether a job goes on is for whoever started it
// to say.
func (v Visit) jobs(context.Context) ([]Finding, error) {
	all, broken, err := work.Jobs(v.Store).All()
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, b := range broken {
		message := fmt.Sprintf("the job %s cannot be read: %s", filepath.Base(b.Path), b.Message)
		out = append(out, find(JobBroken, v.Store.Rel(b.Path), message, "see what is in the folder, and take it away if nothing there is needed"))
	}
	for _, one := range all {
		if one.Status.State == job.Stale {
			f := find(JobStale, "", fmt.Sprintf("%s of %s lost the process that ran it", one.Spec.Job, one.Spec.Task),
				fmt.Sprintf("cairn job retry %s, or cairn job cancel %s", one.Spec.Job, one.Spec.Job))
			f.Task = one.Spec.Task
			out = append(out, f)
		}
	}
	return out, nil
}
