package jobs

import (
	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/proc"
)

// kept is the content of process.json: what leads to the processes of a job, and which folder's they are.
type kept struct {
	proc.Trace
	Folder string `json:"folder,omitempty"` // the folder of the job
	Lock   uint64 `json:"lock,omitempty"`   // the number of its lock file; 0 where files have none
}

// Trace keeps what leads to the processes of the command that the job runs just now, so that whoever finds the job
// without a supervisor can end them. It replaces the trace before, whose command has ended. It returns CONFLICT if the
// folder is not this process's any more.
func (o *Owned) Trace(t proc.Trace) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.held(); err != nil {
		return err
	}
	src, err := encode(kept{t, o.file(""), disk.StampOf(o.file(lockName)).Inode})
	if err != nil {
		return err
	}
	return o.jobs.live.Failed(atomicfile.WriteVolatile(o.file(traceName), src))
}

// sweep ends what the job has left running: by the trace of its last command, and by the name of the job in the
// environment of its processes. The processes of a job are let be by a copy of its folder, as in a copy of the
// repository: their own supervisor may live. A folder that was moved has the lock file of before.
func (o *Owned) sweep() {
	var k kept
	_ = readJSON(o.file(traceName), &k) // without one the name is enough
	here := disk.StampOf(o.file(lockName)).Inode
	if k.Folder == "" || k.Folder == o.file("") || k.Lock != 0 && k.Lock == here {
		k.Job = o.job.Spec.Job
		proc.Sweep(k.Trace)
	}
}
