package work

import (
	"context"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// A job that was interrupted may go on in its work tree, unless another was started on the task after it.
func TestAnInterruptedJobKeepsItsWorkTree(t *testing.T) {
	s := storetest.New(t)
	begin := func(id string, minute int, states ...job.State) {
		spec := job.Spec{
			Job: id, Task: "PROJ-1", By: "human:ada", Executor: "mine", Output: job.Edits, Priority: job.P1, TTL: 3600, Timeout: 600,
			CreatedAt: storetest.Noon.Add(time.Duration(minute) * time.Minute),
		}
		if _, _, err := Jobs(s).Create(context.Background(), spec, func([]job.Job) (*job.Job, error) { return nil, nil }); err != nil {
			t.Fatal(err)
		}
		o, err := Jobs(s).Own(id)
		if err != nil {
			t.Fatal(err)
		}
		for _, state := range states {
			if err := o.Change(func(s *job.Status) { s.State = state }); err != nil {
				t.Fatal(err)
			}
		}
		if err := o.Release(); err != nil {
			t.Fatal(err)
		}
	}
	begin("job-a", 0, job.Running, job.Stale)
	if why := worksOn(s, "PROJ-1"); why != "job-a was interrupted, and may go on until it is canceled" {
		t.Errorf("after job-a: %q", why)
	}
	if why := worksOn(s, "PROJ-2"); why != "" {
		t.Errorf("of another task: %q", why)
	}
	begin("job-b", 1, job.Running, job.Succeeded)
	if why := worksOn(s, "PROJ-1"); why != "" {
		t.Errorf("after job-b: %q", why)
	}
}
