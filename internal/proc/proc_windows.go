package proc

import (
	"errors"
	"os"
	"os/exec"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is a job object. A process that a member starts is a member too.
type group struct {
	cmd *exec.Cmd
	job windows.Handle
}

// newGroup makes the job of a command that is not started yet. The system ends the job's processes when its last handle
// is closed, so they do not outlive this program either.
func newGroup(cmd *exec.Cmd) (*group, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		_ = windows.CloseHandle(job)
		return nil, err
	}
	return &group{cmd, job}, nil
}

// join is called once the command has started and puts it into the job. A process that it started before stays outside.
func (g *group) join() error {
	const access = windows.PROCESS_SET_QUOTA | windows.PROCESS_TERMINATE
	p, err := windows.OpenProcess(access, false, uint32(g.cmd.Process.Pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(p)
	return windows.AssignProcessToJobObject(g.job, p)
}

// open does nothing: the command runs already.
func (g *group) open() {}

// ask says that nothing can be asked to end on Windows.
func (g *group) ask() error { return errors.ErrUnsupported }

// trace names the command. A Sweep needs no more: the system ended the job with its last handle.
func (g *group) trace(env []string) Trace { return Trace{PID: g.cmd.Process.Pid, Job: jobOf(env)} }

// kill ends every process of the job, and the command itself in case it could not join.
func (g *group) kill() error {
	job := windows.TerminateJobObject(g.job, 1)
	err := g.cmd.Process.Kill()
	if errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return errors.Join(job, err)
}

func (g *group) close() { _ = windows.CloseHandle(g.job) }

// signalOf returns "": no signal ends a process on Windows.
func signalOf(*os.ProcessState) string { return "" }

// SignalName returns "": the signals that a POSIX shell reports are not the system's.
func SignalName(int) string { return "" }

// Inside returns none: Windows does not let a folder be moved in which a process works, and a work tree is moved before
// it is removed.
func Inside(string) ([]Process, error) { return nil, nil }

// end finds nothing to do: the system ends the processes of a command with the program that ran it.
func (t Trace) end() (left []int) { return nil }
