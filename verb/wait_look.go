package verb

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

const tasksShown = 20

// lookFunc looks at what a wait watches.
type lookFunc func(context.Context) (snapshot, error)

// looker is how a wait looks at what it watches. It returns INVALID_PARAMS for an input that names nothing, or more than
// one thing.
func (w *Workspace) looker(s *store.Store, in WaitIn) (lookFunc, error) {
	filters := in.Ready || in.Status != "" || in.Assignee != nil || in.Label != "" || in.Parent != ""
	named := 0
	for _, given := range []bool{in.ID != "", in.Session != "", filters} {
		if given {
			named++
		}
	}
	switch {
	case named > 1:
		return nil, badWait("watches one thing: a task, a session, or the tasks that fit filters").
			WithHint("give id, or session, or one or more of ready, status, assignee, label and parent")
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
		return func(context.Context) (snapshot, error) { return w.seeTask(s, in) }, nil
	case in.Session != "":
		return func(context.Context) (snapshot, error) { return w.seeSession(s, in) }, nil
	default:
		return w.seeTasks(s, in)
	}
}

func badWait(format string, args ...any) *task.Error {
	return task.Errorf(task.InvalidParams, format, args...)
}

func (w *Workspace) seeTask(s *store.Store, in WaitIn) (snapshot, error) {
	t, live, err := w.together(s, in.ID)
	if err != nil {
		return snapshot{}, err
	}
	seen := append(factsOf(s.Config.Flow, t, w.Looks.find(s)), factsOfHold(t, live, w.Now())...)
	return snapshot{
		facts: seen.under(string(t.ID)), there: func(string) bool { return true }, task: t,
		show:   sync.OnceValue(func() Waited { row := w.rowCut(w.row(s, t, s.Find)); return Waited{Task: &row} }),
		cursor: cursorOf("task", append(seen.values(), string(t.ID)), len(t.Provenance)),
		met:    slices.Contains(in.WaitForStatus, t.Status),
	}, nil
}

// together reads a task and what the clone knows of it beside its file, both as they were at one moment: a write changes
// them one after the other.
func (w *Workspace) together(s *store.Store, id task.ID) (t task.Task, live session.Live, err error) {
	for range 10 { // a task that is written without a pause is told of again at the next tick
		before := s.Live(id)
		t, err = w.Looks.get(s, id)
		live = s.Live(id)
		if err != nil || reflect.DeepEqual(before, live) {
			break
		}
	}
	return t, live, err
}

func (w *Workspace) seeSession(s *store.Store, in WaitIn) (snapshot, error) {
	ses, err := w.showSession(s, string(in.Session))
	if err != nil {
		return snapshot{}, err
	}
	seen := factsOfSession(ses)
	return snapshot{
		facts: seen.under(ses.ID), there: func(string) bool { return true }, show: func() Waited { return Waited{Session: &ses} },
		cursor: cursorOf("session", append(seen.values(), ses.ID), 0),
	}, nil
}

// seeTasks looks at the tasks that fit the filters; with ready at those that next would find.
func (w *Workspace) seeTasks(s *store.Store, in WaitIn) (lookFunc, error) {
	keep, err := w.filter(s, ListIn{Status: in.Status, Assignee: in.Assignee, Label: in.Label, Parent: in.Parent, Sort: byPriority})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (snapshot, error) {
		tasks, _, err := w.Looks.list(ctx, s)
		if err != nil {
			return snapshot{}, err
		}
		var fit []task.Task
		if in.Ready {
			fit, _ = w.survey(s, tasks, keep.task)
		} else {
			fit = slices.DeleteFunc(slices.Clone(tasks), func(t task.Task) bool { return !keep.task(t) })
			slices.SortFunc(fit, moreUrgent)
		}
		find, flow := finder(tasks), s.Config.Flow
		all, seen := make(map[string]func() facts, len(fit)), make([]string, 0, len(fit))
		for i := range fit {
			t := &fit[i]
			all[string(t.ID)] = func() facts { return factsOf(flow, *t, find) }
			seen = append(seen, fmt.Sprint(t.ID, " ", t.Rev, " ", words(flow.BlockedBy(*t, find)))) // what else there is follows from these
		}
		slices.Sort(seen)
		about := fmt.Sprintf("tasks %v %s %v %s %s", in.Ready, in.Status, keep.assignee, in.Label, in.Parent)
		return snapshot{
			facts: all, there: func(id string) bool { _, ok := find(task.ID(id)); return ok }, many: true,
			show:   sync.OnceValue(func() Waited { return w.showFit(s, fit, find) }),
			cursor: cursorOf(about, seen, 0), met: len(fit) > 0,
		}, nil
	}, nil
}

// showFit shows the most urgent of the tasks that fit the filters.
func (w *Workspace) showFit(s *store.Store, fit []task.Task, find task.Find) Waited {
	total := len(fit)
	out := Waited{Tasks: []Row{}, Total: &total}
	for _, t := range fit[:min(total, tasksShown)] {
		out.Tasks = append(out.Tasks, w.rowCut(w.row(s, t, find)))
	}
	return out
}
