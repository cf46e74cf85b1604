package verb

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

const tasksShown = 20

// lookout is how a wait looks at what it watches. It returns INVALID_PARAMS for an input that names nothing, or more than
// one thing.
func (w *Workspace) lookout(s *store.Store, in WaitIn) (func(context.Context) (sight, error), error) {
	filters := in.Ready || in.Status != "" || in.Assignee != nil
	named := 0
	for _, given := range []bool{in.ID != "", in.Session != "", filters} {
		if given {
			named++
		}
	}
	switch {
	case named != 1:
		return nil, badWait("watches one thing: a task, a session, or the tasks that fit filters").
			WithHint("give id, or session, or one or more of ready, status and assignee")
	case len(in.WaitForStatus) > 0 && in.ID == "":
		return nil, badWait("wait_for_status is about one task").WithHint("give its id; to watch all tasks in a state use status")
	case in.Cursor != "" && !cursorForm.MatchString(in.Cursor):
		return nil, badWait("the cursor is not one that wait returned").WithHint("leave it out to wait from now on")
	}
	for _, status := range in.WaitForStatus {
		if err := s.Config.Flow.Known(status); err != nil {
			return nil, err
		}
	}
	switch {
	case in.ID != "":
		return func(context.Context) (sight, error) { return w.seeTask(s, in) }, nil
	case in.Session != "":
		return func(context.Context) (sight, error) { return w.seeSession(s, in) }, nil
	default:
		return w.seeTasks(s, in)
	}
}

func badWait(format string, args ...any) *task.Error {
	return task.Errorf(task.InvalidParams, format, args...)
}

func (w *Workspace) seeTask(s *store.Store, in WaitIn) (sight, error) {
	t, live, err := together(s, in.ID)
	if err != nil {
		return sight{}, err
	}
	row := w.row(s, t, s.Find)
	seen := map[string]facts{string(t.ID): append(factsOf(s.Config.Flow, t, s.Find), factsOfHold(t, live, w.Now())...)}
	return sight{
		facts: seen, there: func(string) bool { return true }, task: t, out: Waited{Task: &row},
		cursor: cursorOf("task", seen, len(t.Provenance)),
		met:    slices.Contains(in.WaitForStatus, t.Status),
	}, nil
}

// together reads a task and what the clone knows of it beside its file, both as they were at one moment: a write changes
// them one after the other.
func together(s *store.Store, id task.ID) (t task.Task, live session.Live, err error) {
	for range 10 { // a task that is written without a pause is told of again at the next tick
		before := s.Live(id)
		t, err = s.Get(id)
		live = s.Live(id)
		if err != nil || reflect.DeepEqual(before, live) {
			break
		}
	}
	return t, live, err
}

func (w *Workspace) seeSession(s *store.Store, in WaitIn) (sight, error) {
	ses, err := w.showSession(s, string(in.Session))
	if err != nil {
		return sight{}, err
	}
	seen := map[string]facts{ses.ID: factsOfSession(ses)}
	return sight{
		facts: seen, there: func(string) bool { return true }, out: Waited{Session: &ses}, cursor: cursorOf("session", seen, 0),
	}, nil
}

// seeTasks looks at the tasks that fit the filters; with ready at those that next would find.
func (w *Workspace) seeTasks(s *store.Store, in WaitIn) (func(context.Context) (sight, error), error) {
	keep, err := w.filter(s, ListIn{Status: in.Status, Assignee: in.Assignee, Sort: byPriority})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (sight, error) {
		tasks, _, err := s.List(ctx)
		if err != nil {
			return sight{}, err
		}
		var fit []task.Task
		if in.Ready {
			fit, _ = w.survey(s, tasks, keep.task)
		} else {
			fit = slices.DeleteFunc(slices.Clone(tasks), func(t task.Task) bool { return !keep.task(t) })
			slices.SortFunc(fit, moreUrgent)
		}
		find := finder(tasks)
		seen, total := map[string]facts{}, len(fit)
		for _, t := range fit {
			seen[string(t.ID)] = factsOf(s.Config.Flow, t, find)
		}
		out := Waited{Tasks: []Row{}, Total: &total}
		for _, t := range fit[:min(total, tasksShown)] {
			out.Tasks = append(out.Tasks, w.row(s, t, find))
		}
		about := fmt.Sprintf("tasks %v %s %v", in.Ready, in.Status, keep.assignee)
		return sight{
			facts: seen, there: func(id string) bool { _, ok := find(task.ID(id)); return ok }, out: out,
			cursor: cursorOf(about, seen, 0), met: total > 0,
		}, nil
	}, nil
}
