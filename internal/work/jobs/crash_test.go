package jobs_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// died is the exit status of a process that ended itself at a step.
const died = 9

// playDie creates a job, has it run and succeed, and ends itself before a change of the disk, by its number.
func playDie(s *store.Store, args []string) error {
	at, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil {
		return err
	}
	var step atomic.Int64
	disk.Intercept = func(_ disk.Call, do func() error) error {
		if step.Add(1) == at {
			os.Exit(died)
		}
		return do()
	}
	id := fmt.Sprintf("job-n%d", at)
	if _, _, err := work.Jobs(s).Create(context.Background(), spec(id, job.P1, int(at)), anyway); err != nil {
		return err
	}
	o, err := work.Jobs(s).Own(id)
	if err != nil {
		return err
	}
	release, err := o.Slot(context.Background(), 3, 0, func() {}, begins)
	if err != nil {
		return err
	}
	defer release()
	for _, state := range []job.State{job.Running, job.Succeeded} {
		if err := o.Change(func(s *job.Status) { s.State, s.Process = state, os.Getpid() }); err != nil {
			return err
		}
	}
	return o.Release()
}

// Whatever change of the disk a kill comes before, each job is whole: what was asked, a state that may be, and events
// that can be read. Its lock is free, and the next job is created as ever.
func TestSlowAKillAtAnyStepLeavesWholeJobsOrNone(t *testing.T) {
	slowtest.Skip(t)
	t.Parallel()
	s := storetest.New(t)
	for at := 1; ; at++ {
		p := storetest.Start(t, s, "die", strconv.Itoa(at))
		err := p.Cmd.Wait()
		if p.Cmd.ProcessState.ExitCode() != died {
			if err != nil || at < 20 {
				t.Fatalf("the whole story has %d steps, error %v", at, err)
			}
			return
		}
		all, broken, err := work.Jobs(s).All()
		if err != nil || len(broken) > 0 {
			t.Fatalf("after a kill at step %d: %v, %v", at, broken, err)
		}
		for _, one := range all {
			events, total, err := work.Jobs(s).Events(one.Spec.Job, 0, 100)
			if err != nil || total == 0 || events[0].State != job.Queued {
				t.Errorf("after a kill at step %d %s has the events %v, %v", at, one.Spec.Job, events, err)
			}
			if one.Status.State == job.Running {
				t.Errorf("after a kill at step %d %s is RUNNING", at, one.Spec.Job)
			}
		}
	}
}
