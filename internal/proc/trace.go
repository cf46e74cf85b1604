package proc

import (
	"context"
	"fmt"
	"strings"
)

// JobVariable is the variable of the environment that names the job in which a process runs.
const JobVariable = "CAIRN_JOB"

// Trace is what leads another process to the processes of a command, when the program that ran the command was killed.
// It can be kept as JSON.
type Trace struct {
	PID     int    `json:"pid,omitempty"`     // of the command, for people
	Group   int    `json:"group,omitempty"`   // its process group, which is the number of the group's leader
	Started uint64 `json:"started,omitempty"` // when the leader began, in the system's own unit; 0 if it does not tell
	Mark    uint64 `json:"mark,omitempty"`    // the limit that its processes inherit (Linux); 0 for none
	Job     string `json:"job,omitempty"`     // the value of CAIRN_JOB in its environment; "" for none
	Boot    string `json:"boot,omitempty"`    // the run of the system in which Started means something
	Space   string `json:"space,omitempty"`   // the numbering of processes in which Group means something
}

// Sweep ends every process that a trace leads to and that is still running, and returns the numbers of those that it
// could not end, such as one of another user, or one that hangs in the kernel for more than two seconds. It is for what
// Run could not end itself because its program was killed; calling it while that program lives ends the command.
//
// A process is ended if one of these holds: it is in the process group, and the group's leader has the start time that
// was recorded; it carries the mark, began no earlier than the leader, and names no other job in its environment; or it
// names the job. Each is asked again once the process is held by a handle, so a process that was given the same number
// meanwhile is never ended. A Trace with nothing but a Job is enough where no other is known. The calling process is
// never ended.
//
// On macOS there are no marks and no handles: the start time of each process is read again just before the signal. On
// other systems but Linux it does nothing, since nothing tells when a process began; there the guard has ended the
// group, and on Windows the system.
func Sweep(t Trace) (left []int) {
	if t.Group == 0 && t.Mark == 0 && t.Job == "" {
		return nil
	}
	return t.end()
}

type tracer struct{}

// Traced is a context under which each command that Run starts is reported to started too, before it runs its first
// instruction on Linux, and as soon as it runs elsewhere. Whoever keeps the traces can end what the commands started even
// after this program was killed.
func Traced(ctx context.Context, started func(Trace)) context.Context {
	return context.WithValue(ctx, tracer{}, started)
}

// Untraced is a context of whose commands nobody is told.
func Untraced(ctx context.Context) context.Context { return context.WithValue(ctx, tracer{}, nil) }

// jobOf is the job that an environment names, or "".
func jobOf(env []string) (job string) {
	for _, variable := range env {
		if value, ok := strings.CutPrefix(variable, JobVariable+"="); ok {
			job = value
		}
	}
	return job
}

// Process is a process whose working directory lies in a folder.
type Process struct {
	PID  int
	Name string
}

func (p Process) String() string {
	if p.Name == "" {
		return fmt.Sprintf("process %d", p.PID)
	}
	return fmt.Sprintf("process %d (%s)", p.PID, p.Name)
}
