package verb

import (
	"slices"

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

// position is what decides where a task stands: what it waits for, who holds it, and how far it was carried elsewhere.
type position struct {
	view         View
	row          *kind.Row
	waits        bool                 // for a dep that is open
	openChildren bool                 // that it waits for
	header       func() record.Header // asked for only where the row does not say enough
	found        *session.Claim       // nil until somebody asks
}

// position is that of the task of the nth row of a graph.
func (v View) position(g *Graph, n int) *position {
	r := g.Rows()[n]
	return &position{view: v, row: r, waits: g.Blocked(n), openChildren: len(g.OpenChildren(r)) > 0, header: func() record.Header { return g.Header(r) }}
}

func (p *position) hold() session.Claim {
	if p.found == nil {
		hold := p.view.holder(p.row, p.header)
		p.found = &hold
	}
	return *p.found
}

func (p *position) elsewhere() *Elsewhere { return p.view.elsewhere(p.row, p.header) }

// standings is what ready means, and what keeps a task from being so. It is the one place that says it: next, wait,
// status, brief, rows, filters, graphs and jobs go by it.
var standings = []struct {
	code  ReasonCode
	holds func(*position) bool
}{
	{IsClosed, func(p *position) bool { return p.view.Store.Config.Flow.IsClosed(p.row.Status) }},
	{WaitsFor, func(p *position) bool { return p.waits }},
	{HasOpenChildren, func(p *position) bool { return p.openChildren }},
	{IsElsewhere, func(p *position) bool { return p.hold().Ahead || p.elsewhere() != nil }},
	{ClaimLapsed, func(p *position) bool { return !p.hold().Ahead && p.hold().Lapsed }},
	{IsHeld, func(p *position) bool {
		return p.hold().Holds() && !p.hold().Lapsed
	}},
	{OtherState, func(p *position) bool { return !startable(p.view.Store.Config.Flow, p.row.Status) }},
}

// startable reports whether work on a task can begin in a state: the initial one, and the working one for what was left
// behind there.
func startable(flow task.Flow, at record.Status) bool {
	return at == flow.Initial || flow.Working != "" && at == flow.Working
}

// standing is the first of the standings that holds, or ReadyNow.
func (p *position) standing() ReasonCode {
	for _, one := range standings {
		if one.holds(p) {
			return one.code
		}
	}
	return ReadyNow
}

// Standing is where the task of the nth row of a graph stands: the first reason for which next would not hand it out,
// or ReadyNow.
func (v View) Standing(g *Graph, n int) ReasonCode { return v.position(g, n).standing() }

// Standing is where the task stands under the lock, by what is read there. Its children are not.
func (wc WriteContext) Standing() ReasonCode {
	r, flow := kind.Tasks.Row(wc.Task), wc.Store.Config.Flow
	waits := len(flow.BlockedBy(wc.Task, kind.Deps(wc.Tx, flow))) > 0
	p := position{view: wc.w.View(wc.Store), row: &r, waits: waits, header: wc.Task.Header, found: &wc.Hold}
	return p.standing()
}

// Why lists everything that keeps the task of the nth row back, in the order of the codes, or that it is ready. The
// first is its Standing. Of a closed task it says no more than that.
func (v View) Why(g *Graph, n int) []Reason {
	p := v.position(g, n)
	var out []Reason
	for _, one := range standings {
		if one.holds(p) {
			out = append(out, p.reason(g, one.code))
			if one.code == IsClosed {
				break
			}
		}
	}
	if out == nil {
		return []Reason{{Code: ReadyNow}}
	}
	return out
}

// reason says more of one of the standings that hold.
func (p *position) reason(g *Graph, code ReasonCode) Reason {
	out := Reason{Code: code}
	switch code {
	case WaitsFor:
		out.of(g, g.BlockedBy(p.row))
	case HasOpenChildren:
		out.of(g, g.OpenChildren(p.row))
	case IsElsewhere:
		if e := p.elsewhere(); e != nil {
			out.Status, out.Branch = e.Status, e.Branch
		}
	case ClaimLapsed, IsHeld:
		out.Actor = p.hold().Actor
	case IsClosed, OtherState:
		out.Status = p.row.Status
	case ReadyNow:
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

// Waits reports whether a standing is that of a task which waits for others, or for its children: it is blocked.
func (c ReasonCode) Waits() bool { return slices.Contains([]ReasonCode{WaitsFor, HasOpenChildren}, c) }

// Taken reports whether a standing is that of a task which somebody has, here or elsewhere.
func (c ReasonCode) Taken() bool {
	return slices.Contains([]ReasonCode{IsElsewhere, ClaimLapsed, IsHeld}, c)
}
