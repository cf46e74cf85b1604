package verb

import (
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// ReasonCode says why a task is handed out by next, or why it is not. The codes are stable.
type ReasonCode string

// The codes, in the order in which they are asked: the first that holds is where a task stands.
const (
	IsClosed        ReasonCode = "closed"
	WaitsFor        ReasonCode = "waits_for"     // deps that are open
	HasOpenChildren ReasonCode = "open_children" // which are the work
	IsElsewhere     ReasonCode = "elsewhere"     // another branch or worktree of the clone carried it further
	ClaimLapsed     ReasonCode = "claim_lapsed"  // its holder gave no sign of life; takeover ends that
	IsHeld          ReasonCode = "held"
	OtherState      ReasonCode = "state" // it is in a state in which work does not begin
	ReadyNow        ReasonCode = "ready" // next would hand it out
)

// Reason is why a task is ready, or one of the things that keep it back.
type Reason struct {
	Code   ReasonCode    `json:"code"`
	Tasks  []ReasonTask  `json:"tasks,omitempty"` // that it waits for, the first five
	Total  int           `json:"total,omitempty"` // how many there are, if these are not all
	Actor  record.Actor  `json:"actor,omitempty"` // who holds it
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

// Startable reports whether work on a task can begin in a state: the initial one, and the working one for what was left
// behind there.
func Startable(flow task.Flow, at record.Status) bool {
	return at == flow.Initial || flow.Working != "" && at == flow.Working
}

// Standing is where the task of the nth row of a graph stands: the first reason for which next would not hand it out,
// or ReadyNow. It is the rule that next, brief, status and wait go by. The
// lists (ready, list) and graph ask less: no open deps and no open children.
func (v View) Standing(g *Graph, n int) ReasonCode {
	r, flow := g.Rows()[n], v.Store.Config.Flow
	switch {
	case flow.IsClosed(r.Status):
		return IsClosed
	case g.Blocked(n):
		return WaitsFor
	case len(g.OpenChildren(r)) > 0:
		return HasOpenChildren
	}
	switch hold := v.Holder(g, r); {
	case hold.How == session.Behind || v.Behind(g, r):
		return IsElsewhere
	case hold.Lapsed:
		return ClaimLapsed
	case hold.How != session.Nobody:
		return IsHeld
	case !Startable(flow, r.Status):
		return OtherState
	default:
		return ReadyNow
	}
}

// Why lists everything that keeps the task of the nth row back, in the order of the codes, or that it is ready. The
// first is its Standing.
func (v View) Why(g *Graph, n int) []Reason {
	r, flow := g.Rows()[n], v.Store.Config.Flow
	if flow.IsClosed(r.Status) {
		return []Reason{{Code: IsClosed, Status: r.Status}}
	}
	var out []Reason
	add := func(one Reason, ids []record.ID) {
		if len(ids) == 0 {
			return
		}
		for _, id := range ids[:min(len(ids), reasonTasks)] {
			t, _ := g.Find(id)
			one.Tasks = append(one.Tasks, ReasonTask{id, t.Status, t.Assignee})
		}
		if len(ids) > reasonTasks {
			one.Total = len(ids)
		}
		out = append(out, one)
	}
	add(Reason{Code: WaitsFor}, g.BlockedBy(r))
	add(Reason{Code: HasOpenChildren}, g.OpenChildren(r))
	out = append(out, v.heldBack(g, r)...)
	if !Startable(flow, r.Status) {
		out = append(out, Reason{Code: OtherState, Status: r.Status})
	}
	if len(out) == 0 {
		return []Reason{{Code: ReadyNow}}
	}
	return out
}

// heldBack is what keeps a task back that its file does not say: work elsewhere, and who holds it.
func (v View) heldBack(g *Graph, r *kind.Row) []Reason {
	var out []Reason
	if e := v.elsewhere(g, r); e != nil {
		out = append(out, Reason{Code: IsElsewhere, Status: e.Status, Branch: e.Branch})
	}
	switch hold := v.Holder(g, r); {
	case hold.How == session.Behind:
	case hold.Lapsed:
		out = append(out, Reason{Code: ClaimLapsed, Actor: hold.Actor})
	case hold.How != session.Nobody:
		out = append(out, Reason{Code: IsHeld, Actor: hold.Actor})
	}
	return out
}
