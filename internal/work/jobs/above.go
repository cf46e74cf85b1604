package jobs

import (
	"slices"

	"github.com/cairn-tasks/cairn/internal/proc"
	"github.com/cairn-tasks/cairn/internal/work/job"
)

// Above is the running job of this clone that this process is a part of, by what is above it; false if there is none.
// The supervisor of the job is itself no part of it.
func (j Jobs) Above(up proc.Above) (job.Job, bool) {
	var named []string
	for _, variable := range up.Variables() {
		named = append(named, variable(proc.JobVariable))
	}
	if up.Conclusive && !up.Marked && len(slices.DeleteFunc(slices.Clone(named), func(id string) bool { return id == "" })) == 0 {
		return job.Job{}, false
	}
	all, _ := j.Peek()
	for _, one := range all {
		if one.Status.State != job.Running {
			continue
		}
		if held, err := isHeld(j.path(one.Spec.Job, lockName)); err != nil || !held {
			continue // its number may be another process's by now
		}
		var k kept
		_ = readJSON(j.path(one.Spec.Job, traceName), &k)
		if up.Under(one.Status.Process) || k.Mine() || slices.Contains(named, one.Spec.Job) {
			return one, true
		}
	}
	return job.Job{}, false
}
