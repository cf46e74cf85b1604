package jobs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/proc"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// A repository that is copied while a job runs has the files of the job, and not its processes.
func TestACopyLetsTheProcessesOfTheOriginalBe(t *testing.T) {
	s, other := storetest.New(t), storetest.New(t)
	create(t, s, spec("job-copied", job.P1, 0))
	o := own(t, s, "job-copied")
	become(t, o, job.Running)
	if err := o.Trace(proc.Trace{Job: "job-copied"}); err != nil {
		t.Fatal(err)
	}
	child := exec.Command("sleep", "600")
	child.Env = append(os.Environ(), proc.JobVariable+"=job-copied")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = child.Wait(); close(ended) }()
	t.Cleanup(func() { _ = child.Process.Signal(syscall.SIGKILL); <-ended })

	if err := os.CopyFS(other.Live.Jobs(), os.DirFS(s.Live.Jobs())); err != nil {
		t.Fatal(err)
	}
	if got := get(t, other, "job-copied").Status.State; got != job.Stale {
		t.Errorf("the copy says that the job is %s", got)
	}
	select {
	case <-ended:
		t.Fatal("looking at the copy ended a process of the original")
	case <-time.After(100 * time.Millisecond):
	}
	if got := get(t, s, "job-copied").Status.State; got != job.Running {
		t.Errorf("the original is %s", got)
	}

	// One that was moved is the original still.
	if err := o.Release(); err != nil {
		t.Fatal(err)
	}
	third := storetest.New(t)
	if err := os.MkdirAll(filepath.Dir(third.Live.Jobs()), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(s.Live.Jobs(), third.Live.Jobs()); err != nil {
		t.Fatal(err)
	}
	if got := get(t, third, "job-copied").Status.State; got != job.Stale {
		t.Errorf("the moved one is %s", got)
	}
	<-ended
}

// The lock is the proof of life only where others look for it.
func TestASupervisorWhoseLockWasTakenAwayWritesNothing(t *testing.T) {
	s := storetest.New(t)
	create(t, s, spec("job-a", job.P1, 0))
	o := own(t, s, "job-a")
	become(t, o, job.Running)
	if err := os.Remove(work.Jobs(s).File("job-a", "lock")); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"Held": o.Held(), "Change": o.Change(func(s *job.Status) { s.State = job.Succeeded }), "Trace": o.Trace(proc.Trace{Job: "job-a"}),
	} {
		if record.CodeOf(err) != record.Conflict {
			t.Errorf("%s: %v", what, err)
		}
	}
	if got := get(t, s, "job-a").Status; got.State != job.Running || got.Version != 2 {
		t.Errorf("it wrote %+v", got)
	}
	if err := o.Release(); err != nil {
		t.Fatal(err)
	}
	again := own(t, s, "job-a")
	become(t, again, job.Stale, job.Queued, job.Running)
	if err := again.Held(); err != nil {
		t.Errorf("the next supervisor: %v", err)
	}
}
