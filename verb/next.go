package verb

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// NextIn is the input of Next. A filter that is left out lets everything through.
type NextIn struct {
	Label  string  `json:"label,omitempty" doc:"only tasks with this label" from:"labels"`
	Parent task.ID `json:"parent,omitempty" doc:"only children of this task"`
	Once
}

// Work is what Next found: a task that is the caller's from now on, or how many there would be.
type Work struct {
	Task     *Task `json:"task"`    // null if there is none to be had
	Blocked  int   `json:"blocked"` // open tasks that wait for others
	Claimed  int   `json:"claimed"` // open tasks that somebody holds, here or elsewhere
	Replayed bool  `json:"replayed,omitempty"`
}

// exitOfNext says whether a task was found.
func exitOfNext(out any) int {
	if out.(Work).Task == nil {
		return ExitNothingFound
	}
	return 0
}

// errTaken says that a task was taken, or was no longer there to be taken, when its turn came.
var errTaken = errors.New("taken")

// Next claims the most urgent task that can be worked on now, the oldest among equals: one in the initial state, or left
// behind in the working one, that waits for nothing and that nobody holds. What somebody else takes meanwhile is passed
// over. Nothing to be had is an answer and no error.
func (w *Workspace) Next(ctx context.Context, in NextIn) (Work, error) {
	s, err := w.open()
	if err != nil {
		return Work{}, err
	}
	tasks, _, err := w.Reads.List(ctx, s)
	if err != nil {
		return Work{}, err
	}
	free, out := w.survey(s, tasks, func(t task.Task) bool {
		return (in.Label == "" || slices.Contains(t.Labels, in.Label)) && (in.Parent == "" || t.Parent == in.Parent)
	})
	for _, t := range free {
		got, err := w.takeNext(ctx, s, t.ID)
		if errors.Is(err, errTaken) || task.CodeOf(err) == task.NotFound || task.CodeOf(err) == task.BadFile {
			out.Claimed++
			continue
		}
		if err == nil {
			out.Task = &got
		}
		return out, err
	}
	return out, nil
}

// survey finds the tasks that could be taken now, the most urgent first, and counts the open ones that could not.
func (w *Workspace) survey(s *store.Store, tasks []task.Task, keep func(task.Task) bool) (free []task.Task, out Work) {
	find, live := finder(tasks), s.Lives()
	for _, t := range tasks {
		if !keep(t) || s.Config.Flow.IsClosed(t.Status) {
			continue
		}
		hold := session.Holder(t, live(t.ID), w.Now())
		switch {
		case len(s.Config.Flow.BlockedBy(t, find)) > 0:
			out.Blocked++
		case hold.How != session.Nobody || hold.Lapsed:
			out.Claimed++
		case startable(s, t):
			free = append(free, t)
		}
	}
	slices.SortFunc(free, moreUrgent)
	return free, out
}

// startable reports whether a task is where work on it can start.
func startable(s *store.Store, t task.Task) bool {
	flow := s.Config.Flow
	return t.Status == flow.Initial || flow.Working != "" && t.Status == flow.Working
}

// moreUrgent sorts tasks the way everything that lists them does.
func moreUrgent(a, b task.Task) int {
	return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.ID, b.ID))
}

// takeNext claims a task, if it still is as it was when it was picked.
func (w *Workspace) takeNext(ctx context.Context, s *store.Store, id task.ID) (Task, error) {
	return w.changeIn(ctx, s, id, func(s *store.Store, sc scene) (task.Task, *task.Entry, error) {
		flow := s.Config.Flow
		if sc.hold.How != session.Nobody || sc.hold.Lapsed || !startable(s, sc.t) || len(flow.BlockedBy(sc.t, sc.tx.Find)) > 0 {
			return sc.t, nil, errTaken
		}
		t, entry, err := flow.Claim(sc.t, false, w.stamp(""))
		if err == nil {
			sc.tx.Claim(id, w.lease(ctx, s, "", sc.now))
		}
		return t, entry, err
	})
}

func (Work) again(w *Workspace, s *store.Store, key session.Key) (any, error) {
	t, err := w.show(s, key.Task)
	return Work{Task: &t, Replayed: true}, notHere(err, string(key.Task))
}

// finder is a task.Find over tasks that were read.
func finder(tasks []task.Task) task.Find {
	byID := make(map[task.ID]int, len(tasks))
	for i, t := range tasks {
		byID[t.ID] = i
	}
	return func(id task.ID) (task.Task, bool) {
		i, ok := byID[id]
		if !ok {
			return task.Task{}, false
		}
		return tasks[i], true
	}
}
