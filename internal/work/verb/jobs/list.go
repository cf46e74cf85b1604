package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/task"
)

// ListIn is the input of List. A filter that is left out lets everything through.
type ListIn struct {
	State    string     `json:"state,omitempty" doc:"only jobs in this state" enum:"QUEUED,RUNNING,SUCCEEDED,FAILED,CANCELED,EXPIRED,STALE,WAITING"`
	Task     record.ID  `json:"task,omitempty" doc:"only jobs of this task"`
	Executor string     `json:"executor,omitempty" doc:"only jobs of this executor" from:"executors"`
	Parked   bool       `json:"parked,omitempty" doc:"true: only the last jobs of open tasks that failed, expired or were cut off" mcp:"quiet"`
	Limit    verb.Count `json:"limit,omitempty" doc:"how many to return; 20 by default, 100 at most"`
	Offset   int        `json:"offset,omitempty" doc:"how many of the newest to leave out"`
}

// Listed is a page of jobs, the newest first.
type Listed struct {
	Items    []Job             `json:"items" result:"rows"`
	Total    int               `json:"total"` // that fit, on all pages
	HasMore  bool              `json:"has_more"`
	Problems []problem.Problem `json:"problems,omitempty"` // folders of jobs that cannot be read
}

// Doing is the state of a job and what it does in it, in words.
func (j Job) Doing() string {
	state := string(j.State)
	if j.State == job.Running && j.Phase != "" {
		state += " " + string(j.Phase)
	}
	if j.Stalled {
		state += ", silent"
	}
	return state
}

const (
	usualLimit = 20
	maxLimit   = 100
)

// List lists the jobs of the clone.
func List(_ context.Context, w *verb.Workspace, s *store.Store, in ListIn) (Listed, error) {
	in.State = strings.ToUpper(in.State)
	if in.State != "" && !slices.Contains(job.States, job.State(in.State)) {
		return Listed{}, verb.BadInput("state", "is %q", verb.Head(in.State, 40)).WithHint("QUEUED, RUNNING, SUCCEEDED, FAILED, CANCELED, EXPIRED, STALE or WAITING")
	}
	if err := validPage(in.Limit, maxLimit, in.Offset); err != nil {
		return Listed{}, err
	}
	all, broken, err := work.Jobs(s).All()
	if err != nil {
		return Listed{}, err
	}
	if in.Parked {
		all = Parked(s, all)
	}
	all = slices.DeleteFunc(all, func(one job.Job) bool {
		return in.State != "" && one.Status.State != job.State(in.State) || in.Task != "" && one.Spec.Task != in.Task ||
			in.Executor != "" && one.Spec.Executor != in.Executor
	})
	from := min(in.Offset, len(all))
	to := min(from+cmp.Or(int(in.Limit), usualLimit), len(all))
	out := Listed{Items: []Job{}, Total: len(all), HasMore: to < len(all), Problems: counted(broken)}
	for _, one := range all[from:to] {
		out.Items = append(out.Items, View(s, one, w.Now()))
	}
	return out, nil
}

// counted is what is wrong with folders of jobs, in one line: the first of them, and how many more there are.
func counted(broken []problem.Problem) []problem.Problem {
	if len(broken) < 2 {
		return broken
	}
	first := broken[0]
	first.Message += fmt.Sprintf("; and %d more folders of jobs cannot be read", len(broken)-1)
	return []problem.Problem{first}
}

// Parked are those of all jobs, the newest first, with which somebody may go on: the last one of each open task, if it
// failed, expired or was cut off. One that somebody canceled is not among them.
func Parked(s *store.Store, all []job.Job) (out []job.Job) {
	met := map[record.ID]bool{}
	for _, one := range all {
		state := one.Status.State
		if met[one.Spec.Task] {
			continue
		}
		met[one.Spec.Task] = true
		t, err := kind.Tasks.Get(s, one.Spec.Task)
		if (state == job.Failed || state == job.Expired || state == job.Stale) && err == nil && !s.Config.Flow.IsClosed(t.Status) {
			out = append(out, one)
		}
	}
	return out
}

// validPage returns INVALID_INPUT for a page that cannot be asked for.
func validPage(limit, most verb.Count, offset int) error {
	switch {
	case limit > most:
		return verb.BadInput("limit", "is %d", limit).WithHint("1 to %d; ask for the next page with offset", most)
	case offset < 0:
		return verb.BadInput("offset", "is %d", offset).WithHint("0 or more")
	default:
		return nil
	}
}

// reachable reports whether the files of a task are in this repository, or in another one that is here and trusted.
func reachable(s *store.Store, row verb.Row) bool {
	if row.Repo == "" {
		return true
	}
	files, err := s.Files(task.Task{Repo: row.Repo})
	return err == nil && files.Trusted()
}

const readyAtOnce = 500 // tasks of a page of the list

// Ready returns tasks on which a job may begin now, at most so many, the most urgent first: those that are ready, not
// started, not for a pair, and with their files in this repository or in one that is here and trusted. A label narrows them, and so does skip. By the time a job is started one of them may be taken; see LeftAlone.
func Ready(ctx context.Context, w *verb.Workspace, label string, most int, skip func(record.ID) bool) (found []verb.Row, err error) {
	s, err := w.Open()
	if err != nil {
		return nil, err
	}
	there := *w
	w, there.ForAgents, there.Queued = &there, true, true
	ready := true
	in := tasks.ListIn{Ready: &ready, Status: []string{string(s.Config.Flow.Initial)}, Label: label, Limit: readyAtOnce}
	for {
		page, err := tasks.List(ctx, w, s, in)
		if err != nil {
			return nil, err
		}
		for _, row := range page.Tasks {
			switch {
			case len(found) == most:
				return found, nil
			case row.Mode == task.PairMode || skip(row.ID) || !reachable(s, row):
			default:
				found = append(found, row)
			}
		}
		if in.Cursor = page.NextCursor; in.Cursor == "" {
			return found, nil
		}
	}
}

// LeftAlone reports whether an error of Start says that somebody else was faster at the task, that no job can do it, or
// that nobody let its own commands run: whoever goes through a list of tasks goes on with the next.
func LeftAlone(err error) bool {
	if e, ok := errors.AsType[*record.Error](err); ok && e.Code == record.Untrusted {
		return e.ID != "" // else no task may be started
	}
	return slices.Contains([]record.Code{
		record.AlreadyClaimed, record.TaskTypeMismatch, record.TaskClosed, record.DepsOpen, record.Elsewhere, record.Collides, record.SessionLive, record.NotYours, record.Conflict, record.NotFound,
	}, record.CodeOf(err))
}
