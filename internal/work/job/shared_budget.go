package job

import (
	"fmt"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// SharedBudget is what jobs of a clone may cost in US dollars beside the budget of each: all jobs at one task, and all that were
// at work in the last 24 hours. 0 is no limit. What a program does not tell costs nothing.
type SharedBudget struct{ Task, Day float64 }

// MaxInVain is how many jobs in a row may fail at a task to which no person did anything meanwhile.
const MaxInVain = 5

// Left is what jobs at a task may still cost; false if there is no limit.
func (p SharedBudget) Left(all []Job, task record.ID, now time.Time) (left float64, limited bool) {
	at, day := spent(all, task, now)
	if p.Task > 0 {
		left, limited = p.Task-at, true
	}
	if p.Day > 0 && (!limited || p.Day-day < left) {
		left, limited = p.Day-day, true
	}
	return left, limited
}

// Spent says which limit is used up for jobs at a task, in words; "" for none.
func (p SharedBudget) Spent(all []Job, task record.ID, now time.Time) string {
	at, day := spent(all, task, now)
	switch {
	case p.Task > 0 && at >= p.Task:
		return fmt.Sprintf("jobs at it cost $%.2f, and may cost $%.2f", at, p.Task)
	case p.Day > 0 && day >= p.Day:
		return fmt.Sprintf("jobs of the last 24 hours cost $%.2f, and may cost $%.2f", day, p.Day)
	default:
		return ""
	}
}

// spent is what jobs cost at a task, and in the last day.
func spent(all []Job, task record.ID, now time.Time) (at, day float64) {
	const lastDay = 24 * time.Hour
	for _, one := range all {
		if one.Spec.Task == task {
			at += one.Status.Cost
		}
		if s := one.Status; s.State == Running || now.Sub(s.StartedAt) < lastDay || now.Sub(s.FinishedAt) < lastDay {
			day += s.Cost
		}
	}
	return at, day
}

// InVain counts the jobs that failed at a task, of those that were made after the last one that succeeded, and in a later
// second than since.
func InVain(all []Job, task record.ID, since time.Time) (n int) {
	var newest time.Time // of those that did not fail
	for _, one := range all {
		if one.Spec.Task == task && one.Status.State == Succeeded && one.Spec.CreatedAt.After(newest) {
			newest = one.Spec.CreatedAt
		}
	}
	for _, one := range all {
		if one.Spec.Task == task && one.Status.State == Failed && one.Spec.CreatedAt.After(newest) && one.Spec.CreatedAt.Truncate(time.Second).After(since) {
			n++
		}
	}
	return n
}
