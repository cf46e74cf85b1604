package jobs

import (
	"github.com/cairn-tasks/cairn/check/proc"
	"github.com/cairn-tasks/cairn/store/internal/atomicfile"
)

// Trace keeps what leads to the processes of the command that the job runs just now, so that whoever finds the job without a supervisor can end them.
// It replaces the trace before, whose command has ended.
func (o *Owned) Trace(t proc.Trace) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	src, err := encode(t)
	if err != nil {
		return err
	}
	return o.jobs.live.Failed(atomicfile.WriteVolatile(o.file(traceName), src))
}

// sweep ends what the job has left running: by the trace of its last command, and by the name of the job in the environment of its processes.
func (o *Owned) sweep() {
	var t proc.Trace
	_ = readJSON(o.file(traceName), &t) // without one the name is enough
	t.Job = o.job.Spec.Job
	proc.Sweep(t)
}
