package job_test

import (
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/work/job"
)

func TestASharedBudget(t *testing.T) {
	now := time.Date(2026, 6, 21, 12, 0, 0, 0, time.UTC)
	of := func(task record.ID, state job.State, cost float64, hoursAgo int) job.Job {
		at := now.Add(-time.Duration(hoursAgo) * time.Hour)
		return job.Job{
			Spec:   job.Spec{Task: task, CreatedAt: at},
			Status: job.Status{State: state, Usage: job.Usage{Cost: cost}, StartedAt: at, FinishedAt: at.Add(time.Minute)},
		}
	}
	all := []job.Job{of("T-1", job.Failed, 2, 50), of("T-1", job.Failed, 1, 1), of("T-2", job.Succeeded, 4, 2), of("T-2", job.Running, 0.5, 30)}
	for name, tt := range map[string]struct {
		budget  job.SharedBudget
		left    float64
		limited bool
		spent   string
	}{
		"none":          {job.SharedBudget{}, 0, false, ""},
		"of the task":   {job.SharedBudget{Task: 10}, 7, true, ""},
		"of the day":    {job.SharedBudget{Task: 10, Day: 6}, 0.5, true, ""},
		"the task's":    {job.SharedBudget{Task: 3, Day: 60}, 0, true, "jobs at it cost $3.00, and may cost $3.00"},
		"the day's":     {job.SharedBudget{Day: 5}, -0.5, true, "jobs of the last 24 hours cost $5.50, and may cost $5.00"},
		"more than one": {job.SharedBudget{Task: 3.5, Day: 9}, 0.5, true, ""},
	} {
		if left, limited := tt.budget.Left(all, "T-1", now); left != tt.left || limited != tt.limited {
			t.Errorf("%s: %g is left, %t; want %g, %t", name, left, limited, tt.left, tt.limited)
		}
		if got := tt.budget.Spent(all, "T-1", now); got != tt.spent {
			t.Errorf("%s: %q, want %q", name, got, tt.spent)
		}
	}

	failed := []job.Job{of("T-1", job.Failed, 0, 9), of("T-1", job.Succeeded, 0, 8), of("T-1", job.Failed, 0, 7), of("T-1", job.Canceled, 0, 6), of("T-1", job.Failed, 0, 5), of("T-2", job.Failed, 0, 4)}
	if n := job.InVain(failed, "T-1", time.Time{}); n != 2 {
		t.Errorf("%d jobs were in vain, want 2", n)
	}
	if n := job.InVain(failed, "T-1", now.Add(-6*time.Hour)); n != 1 {
		t.Errorf("since a person did something %d jobs were in vain, want 1", n)
	}
}
