package verb

import (
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// Reason is why a task is ready, or one of the things that keep it back.
type Reason struct {
	Code   task.Word     `json:"code"`
	Tasks  []ReasonTask  `json:"tasks,omitempty"` // that it waits for, the first five
	Total  int           `json:"total,omitempty"` // how many there are, if these are not all
	Actor  record.Actor  `json:"actor,omitempty"` // who holds it, or was given it
	Status record.Status `json:"status,omitempty"`
	Branch string        `json:"branch,omitempty"` // where it was carried further
}

// ReasonTask is a task that another waits for.
type ReasonTask struct {
	ID       record.ID     `json:"id"`
	Status   record.Status `json:"status,omitempty"` // "" if there is no such record
	Assignee record.Actor  `json:"assignee,omitempty"`
}

const reasonTasks = 5

// Stand is how the task of the nth row of a graph stands.
func (v View) Stand(g *Graph, n int) task.Stand {
	r := g.Rows()[n]
	s := v.Store.Config.Flow.Stand(r.Status)
	header := func() record.Header { return g.Header(r) }
	if s.Closed {
		s.Elsewhere = v.elsewhere(r, header) != nil
		return s
	}
	s.WaitsFor, s.Children = g.Blocked(n), len(g.OpenChildren(r)) > 0
	s = held(s, v.holder(r, header), v.elsewhere(r, header))
	s.Elsewhere = s.Elsewhere || g.isAbroad(r)
	if s.Taken {
		s.Silent = func() bool { return v.Execution(g, r) == string(session.Stalled) }
	}
	return s
}

// held adds to how a task stands who has it, and whether it was carried further elsewhere.
func held(s task.Stand, hold session.Claim, elsewhere *Elsewhere) task.Stand {
	s.Elsewhere = hold.Ahead || elsewhere != nil
	if !hold.Ahead {
		s.Holder, s.Taken, s.Lapsed = hold.Actor, hold.Taken, hold.Lapsed
	}
	return s
}

// Stand is how the task stands under the lock, by what is read there. Its children are not.
func (wc WriteContext) Stand() task.Stand {
	r, flow, v := kind.Tasks.Row(wc.Task), wc.Store.Config.Flow, wc.w.View(wc.Store)
	s := flow.Stand(wc.Task.Status)
	s.WaitsFor = len(flow.BlockedBy(wc.Task, kind.Deps(wc.Tx, flow))) > 0
	return held(s, wc.Hold, v.elsewhere(&r, wc.Task.Header))
}

// Why lists everything that keeps the task of the nth row back, in the order of the words, or that it is ready.
func (v View) Why(g *Graph, n int) []Reason {
	r := g.Rows()[n]
	var out []Reason
	for _, word := range v.Stand(g, n).Why() {
		why := Reason{Code: word}
		switch word {
		case task.WaitsFor:
			why.of(g, g.BlockedBy(r))
		case task.HasChildren:
			why.of(g, g.OpenChildren(r))
		case task.IsElsewhere:
			if e := v.elsewhere(r, func() record.Header { return g.Header(r) }); e != nil {
				why.Status, why.Branch = e.Status, e.Branch
			} else {
				why.Status, why.Branch = r.Status, g.only[r.ID].Branch
			}
		case task.IsLapsed, task.IsHeld, task.IsAssigned:
			why.Actor = v.Holder(g, r).Actor
		case task.IsClosed, task.IsInReview, task.OtherState:
			why.Status = r.Status
		default:
		}
		out = append(out, why)
	}
	return out
}

// of names the tasks that a reason is about, the first of them.
func (r *Reason) of(g *Graph, ids []record.ID) {
	for _, id := range ids[:min(len(ids), reasonTasks)] {
		t, _ := g.Find(id)
		r.Tasks = append(r.Tasks, ReasonTask{id, t.Status, t.Assignee})
	}
	if len(ids) > reasonTasks {
		r.Total = len(ids)
	}
}
