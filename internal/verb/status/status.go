// Package status holds the verb that answers the question with which somebody sits down: what runs, who holds it, what
// waits for me, and what is next. It reads rows and live state, and the files of the few tasks that it shows.
package status

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/handoffs"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// Verbs are the verbs of the package.
var Verbs = verb.Group{Name: "tasks", Toolset: verb.Records}.Of(
	verb.Declare(Status, verb.Verb{Name: "status", Title: "See what is going on",
		Summary: "Show what runs and who holds it, what stalled, waits for review or for you, is assigned, ready, overdue or was just closed.",
		When:    "When you sit down. brief tells an agent what is known and decided besides.",
	}),
)

// In is the input of Status.
type In struct {
	Limit verb.Count `json:"limit,omitempty" doc:"tasks to show of each list; 5 by default, 50 at most"`
}

// Out is a workspace at a moment. Of each list the first are shown; the totals count all.
type Out struct {
	Workspace string       `json:"workspace"` // the prefix of its ids
	Actor     record.Actor `json:"actor"`
	Total     int          `json:"total"` // tasks, closed ones too
	Open      int          `json:"open"`
	Blocked   int          `json:"blocked"` // of these, those that wait for others, or for their children

	OnBranches int `json:"on_branches,omitempty"` // open tasks beside these that only other branches have

	Running  []Task `json:"running"`  // being worked on, the last one changed first
	Stalled  []Task `json:"stalled"`  // taken up and left behind, likewise
	Review   []Task `json:"review"`   // in the review state; those that wait for the caller first
	Assigned []Task `json:"assigned"` // given to somebody who did not begin; those of the caller first
	Ready    []Task `json:"ready"`    // that next would hand out, the most urgent first
	Overdue  []Task `json:"overdue"`  // the longest overdue first
	Closed   []Task `json:"closed"`   // in the last week, the last one first
	Jobs     []Job  `json:"jobs"`     // that run or wait for a slot

	Conflicts []verb.Conflict `json:"conflicts,omitempty"` // among branches, as far as they are known

	Waiting []handoffs.Waiting `json:"waiting"` // what waits for the caller as the one who leads, as review_list has it

	Inbox int `json:"inbox"` // what waits for the caller and was not read

	Totals Totals   `json:"totals"`
	Next   []string `json:"next"` // commands to type

	Remote *verb.RemoteKnown `json:"remote,omitempty"` // how old what is said of other clones is
	verb.Problems
}

// Totals are how many there are of what is shown.
type Totals struct {
	Running  int `json:"running"`
	Stalled  int `json:"stalled"`
	Review   int `json:"review"`
	Assigned int `json:"assigned"`
	Ready    int `json:"ready"`
	Overdue  int `json:"overdue"`
	Closed   int `json:"closed"`
	Jobs     int `json:"jobs"`
	Waiting  int `json:"waiting"`

	Conflicts int `json:"conflicts,omitempty"`
}

// Task is a task on the screen.
type Task struct {
	ID       record.ID      `json:"id"`
	Title    string         `json:"title"`
	Status   record.Status  `json:"status"`
	Priority task.Priority  `json:"priority"`
	Due      task.Due       `json:"due,omitempty"`
	Actor    record.Actor   `json:"actor,omitempty"`    // who holds it
	Session  string         `json:"session,omitempty"`  // under which it is held
	Since    *time.Time     `json:"since,omitempty"`    // held since, or closed at
	Doing    string         `json:"doing,omitempty"`    // what the session last said
	Mine     bool           `json:"mine,omitempty"`     // the caller holds it, or it waits for the caller's approval
	Evidence *verb.Evidence `json:"evidence,omitempty"` // of a closed task: how much is known of its close
	Clone    string         `json:"clone,omitempty"`    // the other clone in which it is held

	Unsynced bool `json:"unsynced,omitempty"` // the git remote is not known to have the claim
	Lost     bool `json:"lost,omitempty"`     // the git remote gave the claim to another clone
	Blocked  bool `json:"blocked,omitempty"`  // it waits for others, or for its children
}

// Job is a job on the screen.
type Job struct {
	Job      string        `json:"job"`
	Task     record.ID     `json:"task"`
	Executor string        `json:"executor"`
	State    record.Status `json:"state"`
	Stalled  bool          `json:"stalled,omitempty"`
	Used     string        `json:"used,omitempty"` // tokens and what they cost, in words
}

const (
	usualLimit = 5
	waitShown  = 3 // times the limit: of what waits for the caller more is shown
	maxLimit   = 50
	titleShown = 200 // bytes
	justClosed = 7 * 24 * time.Hour
)

// Status looks at the workspace as it is now.
func Status(ctx context.Context, w *verb.Workspace, s *store.Store, in In) (Out, error) {
	if in.Limit > maxLimit {
		return Out{}, verb.BadInput("limit", "is %d", in.Limit).WithHint("1 to %d", maxLimit)
	}
	g, err := w.Graph(ctx, s)
	if err != nil {
		return Out{}, err
	}
	l := looker{w: w, s: s, g: g, view: w.View(s).OfMany(ctx), most: cmp.Or(int(in.Limit), usualLimit)}
	out := Out{Workspace: s.Config.Prefix, Actor: w.Actor(), Jobs: []Job{}, Problems: verb.ProblemsOf(g.Problems(), l.most)}
	if out.Waiting, out.Inbox, err = handoffs.WaitingFor(ctx, w, s, g); err != nil {
		return Out{}, err
	}
	l.tasks(&out)
	out.Totals.Waiting = len(out.Waiting)
	out.Waiting = out.Waiting[:min(len(out.Waiting), waitShown*l.most)]
	for _, r := range g.Others().Rows() {
		if !s.Config.Flow.IsClosed(r.Status) {
			out.OnBranches++
		}
	}
	if err := l.jobs(&out); err != nil {
		return Out{}, err
	}
	if try := verb.OwnWork().Conflicts; try != nil {
		out.Conflicts = try(ctx, w, s, g, true)
		out.Totals.Conflicts = len(out.Conflicts)
		out.Conflicts = out.Conflicts[:min(len(out.Conflicts), l.most)]
	}
	out.Next, out.Remote = next(out), l.view.RemoteKnown()
	return out, nil
}

type looker struct {
	w    *verb.Workspace
	s    *store.Store
	g    *verb.Graph
	view verb.View
	most int
}

type found struct {
	row     *kind.Row
	mine    bool
	blocked bool
}

func (l looker) tasks(out *Out) {
	now, me := l.w.Now(), l.w.Actor()
	var running, stalled, review, assigned, overdue, closed, ready []found
	waiting := map[string]bool{}
	for _, w := range out.Waiting {
		waiting[w.Record] = true
	}
	for n, r := range l.g.Rows() {
		out.Total++
		stand := l.view.Stand(l.g, n)
		if stand.Closed {
			if now.Sub(time.Unix(r.Updated, 0)) < justClosed {
				closed = append(closed, found{row: r})
			}
			continue
		}
		out.Open++
		if stand.Is(task.IsBlocked) {
			out.Blocked++
		}
		one := found{r, stand.Holder == me, stand.Is(task.IsBlocked)}
		if task.Due(r.Fact(kind.DueFact)).Passed(now) {
			overdue = append(overdue, one)
		}
		if stand.Is(task.IsAssigned) {
			assigned = append(assigned, one)
		}
		switch {
		case stand.Is(task.IsReady):
			ready = append(ready, one)
		case stand.Is(task.IsInReview):
			one.mine = waiting[r.ID]
			review = append(review, one)
		case stand.Is(task.IsStalled):
			stalled = append(stalled, one)
		case stand.Is(task.IsRunning) && !waiting[r.ID]:
			running = append(running, one)
		}
	}
	sorted.By(ready, func(a, b found) int { return tasks.MoreUrgent(a.row, b.row) })
	newest := func(a, b found) int {
		return cmp.Or(cmp.Compare(b.row.Updated, a.row.Updated), cmp.Compare(a.row.ID, b.row.ID))
	}
	sorted.By(running, newest)
	sorted.By(stalled, newest)
	sorted.By(closed, newest)
	mineFirst := func(a, b found) int {
		if a.mine != b.mine {
			return map[bool]int{true: -1, false: 1}[a.mine]
		}
		return tasks.MoreUrgent(a.row, b.row)
	}
	sorted.By(review, mineFirst)
	sorted.By(assigned, mineFirst)
	sorted.By(overdue, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.row.Fact(kind.DueFact), b.row.Fact(kind.DueFact)), cmp.Compare(a.row.ID, b.row.ID))
	})
	out.Running, out.Totals.Running = l.shown(running), len(running)
	out.Stalled, out.Totals.Stalled = l.shown(stalled), len(stalled)
	out.Review, out.Totals.Review = l.shown(review), len(review)
	out.Assigned, out.Totals.Assigned = l.shown(assigned), len(assigned)
	out.Ready, out.Totals.Ready = l.shown(ready), len(ready)
	out.Overdue, out.Totals.Overdue = l.shown(overdue), len(overdue)
	out.Closed, out.Totals.Closed = l.shown(closed), len(closed)
	for i := range out.Closed {
		out.Closed[i].Since = verb.SecondsAt(l.g.Row(out.Closed[i].ID).Updated)
	}
}

func (l looker) shown(all []found) []Task {
	out := []Task{}
	for _, one := range all[:min(l.most, len(all))] {
		var hold session.Claim // of a closed task it is not asked
		if !l.s.Config.Flow.IsClosed(one.row.Status) {
			hold = l.view.Holder(l.g, one.row)
		}
		t := Task{
			ID: record.ID(one.row.ID), Title: verb.Head(one.row.Title, titleShown), Status: one.row.Status, Priority: one.row.Priority,
			Due: task.Due(one.row.Fact(kind.DueFact)), Actor: hold.Actor, Session: hold.Session, Mine: one.mine, Blocked: one.blocked,
			Clone: hold.Clone, Unsynced: hold.Unsynced, Lost: hold.LostTo != nil,
		}
		t.Evidence = l.view.EvidenceOf(one.row)
		if !hold.Since.IsZero() {
			since := hold.Since.UTC()
			t.Since = &since
		}
		if t.Session != "" {
			if ses, err := l.view.SessionByID(t.Session); err == nil {
				t.Doing = verb.Head(ses.Told(), titleShown)
			}
		}
		out = append(out, t)
	}
	return out
}

// jobs are those that run or wait for a slot.
func (l looker) jobs(out *Out) error {
	all, err := verb.OwnWork().Jobs(l.s)
	for _, one := range all {
		if !one.Live {
			continue
		}
		if out.Totals.Jobs++; out.Totals.Jobs <= l.most {
			out.Jobs = append(out.Jobs, Job{one.ID, one.Task, one.Executor, one.State, one.Stalled, one.Used})
		}
	}
	return err
}

// next are the commands that lead on, the most pressing first; at most two.
func next(out Out) []string {
	var all []string
	add := func(is bool, command string) {
		if is {
			all = append(all, command)
		}
	}
	first := func(list []Task, mine bool) record.ID { // that is the caller's, or any
		for _, t := range list {
			if t.Mine || !mine {
				return t.ID
			}
		}
		return ""
	}
	if len(out.Waiting) > 0 {
		add(true, out.Waiting[0].Next)
	}
	add(out.Inbox > 0, "cairn inbox")
	held := slices.Concat(out.Running, out.Stalled)
	if at := slices.IndexFunc(held, func(t Task) bool { return t.Mine && t.Lost }); at >= 0 {
		add(true, "cairn release "+string(held[at].ID))
	}
	if at := slices.IndexFunc(out.Running, func(t Task) bool { return t.Mine && !t.Lost && !t.Blocked && t.Clone == "" }); at >= 0 {
		add(true, "cairn done "+string(out.Running[at].ID))
	}
	free := slices.DeleteFunc(slices.Clone(out.Assigned), func(t Task) bool { return t.Blocked })
	for _, id := range []record.ID{first(free, true), first(out.Ready, false)} {
		add(id != "", "cairn start "+string(id))
	}
	left := slices.DeleteFunc(slices.Clone(out.Stalled), func(t Task) bool { return t.Blocked })
	if id := first(left, false); id != "" {
		add(true, "cairn start "+string(id)+" --takeover")
	}
	if id := first(out.Review, false); id != "" {
		add(true, "cairn review show "+string(id))
	}
	add(out.Open > 0, "cairn list")
	add(out.Open == 0, "cairn add 'what is to be done'")
	return slices.Compact(all)[:min(2, len(all))]
}
