// Package graphs shows the task graph as a whole: what waits for what, the longest chain, and what unblocks most.
package graphs

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/task"
)

// Verbs are the verbs about the graph.
var Verbs = verb.Group{Name: "tasks", Toolset: verb.Records}.Of(
	verb.Declare(Graph, verb.Verb{Name: "graph", Title: "Show the graph",
		Summary: "Show what waits for what: the graph of the open tasks, its longest chain, and what unblocks most.",
		When:    "To see in which order work can be done, and which task is worth doing first because others wait for it.",
	}),
)

// In is the input of Graph.
type In struct {
	ID      record.ID  `json:"id,omitempty" doc:"only this task, its parts, and what must be done before them" cli:"arg"`
	Up      bool       `json:"up,omitempty" doc:"with id: what waits for the task, in place of what it waits for"`
	All     bool       `json:"all,omitempty" doc:"closed tasks too"`
	Where   string     `json:"where,omitempty" doc:"only tasks that fit a filter, as in list" from:"filters"`
	Depth   verb.Count `json:"depth,omitempty" doc:"how many steps to go from the task, or from those for which nothing waits"`
	Limit   verb.Count `json:"limit,omitempty" doc:"how many tasks at most; 200 by default for an agent, else all"`
	Mermaid bool       `json:"mermaid,omitempty" doc:"give the picture as a graph for Mermaid"`
}

// Out is a graph. Lists are in the order of ids, but for those that say otherwise.
type Out struct {
	Root         record.ID     `json:"root,omitempty"` // the task that was asked for
	Up           bool          `json:"up,omitempty"`
	Nodes        []Node        `json:"nodes" result:"rows"`
	Edges        []Edge        `json:"edges"`
	CriticalPath []record.ID   `json:"critical_path"`       // the longest chain of open tasks, in the order in which they can be done
	Unblocks     []Unblocks    `json:"unblocks"`            // the open tasks for which most others wait, those first
	Cycles       [][]record.ID `json:"cycles,omitempty"`    // tasks that wait for one another, in a ring
	Total        int           `json:"total"`               // how many tasks there would be without a limit
	Truncated    bool          `json:"truncated,omitempty"` // there are more than limit
	Picture      string        `json:"picture,omitempty"`   // with mermaid, in place of nodes and edges
	verb.Problems
}

// Node is a task of the graph, or what a task waits for.
type Node struct {
	ID       record.ID     `json:"id"`
	Title    string        `json:"title,omitempty"`
	Status   record.Status `json:"status,omitempty"`
	Priority task.Priority `json:"priority"`
	Parent   record.ID     `json:"parent,omitempty"`
	Open     bool          `json:"open,omitempty"`
	Ready    bool          `json:"ready,omitempty"`    // next would hand it out
	Waiting  int           `json:"waiting,omitempty"`  // how many open tasks wait for it, through others too
	Missing  bool          `json:"missing,omitempty"`  // there is no such record
	Critical bool          `json:"critical,omitempty"` // it is on the critical path
	Due      task.Due      `json:"due,omitempty"`
	Overdue  bool          `json:"overdue,omitempty"` // it is open, and its time is up
	Late     bool          `json:"late,omitempty"`    // what it waits for, through others too, is due after it or overdue
}

// Edge says that a task waits for another record.
type Edge struct {
	From record.ID `json:"from"` // what waits
	To   record.ID `json:"to"`   // for what
}

// Unblocks is a task, and what its end would allow.
type Unblocks struct {
	ID      record.ID `json:"id"`
	Title   string    `json:"title"`
	Waiting int       `json:"waiting"` // open tasks that wait for it, through others too
	Ready   int       `json:"ready"`   // those among them that would be ready at once
}

const (
	boundedLimit = 200  // nodes for an agent
	mostLimit    = 5000 // nodes that an agent can ask for
	unblocksMost = 10
)

// Graph returns the graph of the open tasks, or of all, or of those around one task. Files that cannot be read are
// problems, deps on what is not there are nodes that are missing, and cycles are named: a broken graph is shown like
// any other. It returns NOT_FOUND for a task that is not there.
func Graph(ctx context.Context, w *verb.Workspace, s *store.Store, in In) (Out, error) {
	if err := in.valid(); err != nil {
		return Out{}, err
	}
	look, err := w.Graph(ctx, s)
	if err != nil {
		return Out{}, err
	}
	if in.ID != "" && look.Row(in.ID) == nil {
		_, err := kind.Tasks.Get(s, in.ID)
		return Out{}, cmp.Or(err, kind.Tasks.NotFound(string(in.ID)))
	}
	keep, err := tasks.Where(w, s, look, in.Where)
	if err != nil {
		return Out{}, err
	}
	n := newNet(s, look, in)
	n.view = w.View(s).OfMany(ctx)
	n.keeps = func(i int) bool { return in.Where == "" || keep.Fits(tasks.ItemAt(look, n.view, i)) }
	return n.show(w, look.Problems()), nil
}

func (in In) valid() error {
	switch {
	case in.Up && in.ID == "":
		return verb.BadInput("up", "goes with the id of a task")
	case in.Limit > mostLimit:
		return verb.BadInput("limit", "is %d", in.Limit).WithHint("1 to %d", mostLimit)
	}
	return nil
}

// net is the open part of a graph, by the numbers of its rows: what waits for what.
type net struct {
	in    In
	flow  task.Flow
	look  *verb.Graph
	rows  []*kind.Row
	open  []bool
	needs [][]int        // the open tasks that an open task waits for, each once
	waits [][]int        // the open tasks that wait for an open task
	parts [][]int        // the tasks below a task
	every [][]int        // the tasks that name a task among their deps, whatever their states
	keeps func(int) bool // whether a task fits the filter
	view  verb.View
}

// number is where the row of a task is, if it has one.
func (n *net) number(id record.ID) (int, bool) {
	i := n.look.Set().Number(string(id))
	return i, i >= 0
}

func newNet(s *store.Store, look *verb.Graph, in In) *net {
	n := &net{in: in, flow: s.Config.Flow, look: look, rows: look.Rows()}
	for _, r := range n.rows {
		n.open = append(n.open, !n.flow.IsClosed(r.Status))
	}
	for _, edges := range []*[][]int{&n.needs, &n.waits, &n.parts, &n.every} {
		*edges = make([][]int, len(n.rows))
	}
	named := make([]int, len(n.rows)) // the last one that named a task among its deps, from 1
	for i, r := range n.rows {
		if p, ok := n.number(r.Parent); ok && p != i {
			n.parts[p] = append(n.parts[p], i)
		}
		for _, id := range r.Deps {
			d, ok := n.number(id)
			if !ok {
				continue
			}
			n.every[d] = append(n.every[d], i)
			if n.open[i] && n.open[d] && named[d] != i+1 {
				n.needs[i], n.waits[d] = append(n.needs[i], d), append(n.waits[d], i)
			}
			named[d] = i + 1
		}
	}
	return n
}

// show makes the result. Who acts is asked for only where there is more than an agent is shown.
func (n *net) show(w *verb.Workspace, problems []problem.Problem) Out {
	out := Out{Root: n.in.ID, Up: n.in.Up, Nodes: []Node{}, Edges: []Edge{}, CriticalPath: []record.ID{}, Unblocks: []Unblocks{}}
	out.Problems = verb.ProblemsOf(problems, 50)
	chosen := n.chosen()
	out.Total = len(chosen)
	bounded := w.Bounded || len(chosen) > boundedLimit && w.Actor().Agent()
	limit := int(n.in.Limit)
	if limit == 0 && bounded {
		limit = boundedLimit
	}
	inside := make([]bool, len(n.rows))
	for _, i := range chosen {
		inside[i] = true
	}
	ranks := n.ranks(inside)
	critical := make([]bool, len(n.rows))
	for _, i := range ranks.longest() {
		critical[i] = true
		out.CriticalPath = append(out.CriticalPath, n.id(i))
	}
	waiting, late := ranks.waiting(), ranks.late(w.Now())
	out.Cycles = n.cycles(ranks)
	out.Unblocks = n.unblocks(chosen, waiting)
	if limit > 0 && len(chosen) > limit {
		out.Truncated = true
		chosen = chosen[:limit] // the nearest first
		clear(inside)
		for _, i := range chosen {
			inside[i] = true
		}
	}
	if bounded {
		out.CriticalPath = out.CriticalPath[:min(len(out.CriticalPath), mostLimit)]
		out.Cycles = out.Cycles[:min(len(out.Cycles), unblocksMost)]
	}
	slices.Sort(chosen)
	n.draw(&out, chosen, inside, critical, waiting)
	for i := range out.Nodes {
		if at, ok := n.number(out.Nodes[i].ID); ok {
			due := task.Due(n.rows[at].Fact(kind.DueFact))
			out.Nodes[i].Due, out.Nodes[i].Overdue, out.Nodes[i].Late = due, n.open[at] && due.Passed(w.Now()), late[at]
		}
	}
	if n.in.Mermaid {
		out.Picture = mermaid(out) + out.cut()
		out.Nodes, out.Edges = []Node{}, []Edge{}
	}
	return out
}

// cut is a comment in a picture that says how much it leaves out; "" if it shows all.
func (out Out) cut() string {
	if !out.Truncated {
		return ""
	}
	return "%% " + out.Shown() + "\n"
}

// Shown says how many of the tasks are shown, and how many more there are.
func (out Out) Shown() string {
	shown := min(len(out.Nodes), out.Total)
	return fmt.Sprintf("%d of %d tasks, %d more", shown, out.Total, out.Total-shown)
}

// draw adds nodes and edges, and a node for each record that a task waits for and that is no task that is shown.
func (n *net) draw(out *Out, chosen []int, inside, critical []bool, waiting []int) {
	others := map[record.ID]Node{}
	for _, i := range chosen {
		r := n.rows[i]
		node := Node{
			ID: n.id(i), Title: r.Title, Status: r.Status, Priority: r.Priority, Open: n.open[i], Waiting: waiting[i], Critical: critical[i],
			Ready: n.view.Stand(n.look, i).Is(task.IsReady),
		}
		if p, ok := n.number(r.Parent); ok && inside[p] {
			node.Parent = r.Parent
		}
		out.Nodes = append(out.Nodes, node)
		for _, id := range record.Unique(r.Deps) {
			if at, ok := n.number(id); ok && inside[at] {
				out.Edges = append(out.Edges, Edge{node.ID, id})
			} else if other := n.other(id); !ok && (n.in.All || other.Missing || other.Open) {
				others[id] = other
				out.Edges = append(out.Edges, Edge{node.ID, id})
			}
		}
	}
	for _, other := range others {
		out.Nodes = append(out.Nodes, other)
	}
	sorted.By(out.Nodes, func(a, b Node) int { return cmp.Compare(a.ID, b.ID) })
}

// other is the node of what is no task. One that is closed is shown only where closed tasks are.
func (n *net) other(id record.ID) Node {
	dep, found := n.look.Find(id)
	return Node{
		ID: id, Title: dep.Title, Status: dep.Status, Priority: dep.Priority, Missing: !found, Open: found && !n.flow.DepClosed(dep),
	}
}

func (n *net) id(i int) record.ID { return record.ID(n.rows[i].ID) }

// chosen are the tasks that are shown, the nearest to where the look begins first, and equals by id.
func (n *net) chosen() []int {
	var next []int
	fits := func(i int) bool {
		return (n.open[i] || n.in.All) && n.keeps(i)
	}
	if n.in.ID != "" {
		first, _ := n.number(n.in.ID)
		next = []int{first}
	} else {
		next = n.tops(fits)
	}
	var all []int
	seen := make([]bool, len(n.rows))
	for _, i := range next {
		seen[i] = true
	}
	left := 0 // those before are seen, or do not fit
	for depth := 0; ; depth++ {
		for len(next) > 0 {
			all = append(all, next...)
			if n.in.Depth > 0 && depth >= int(n.in.Depth) {
				return all
			}
			next = n.step(next, seen, fits)
			depth++
		}
		if n.in.ID != "" {
			return all
		}
		for ; left < len(n.rows) && len(next) == 0; left++ { // what is left is in rings, or behind them
			if !seen[left] && fits(left) {
				seen[left] = true
				next = append(next, left)
			}
		}
		if len(next) == 0 {
			return all
		}
		depth = -1
	}
}

func (n *net) step(from []int, seen []bool, fits func(int) bool) []int {
	var next []int
	add := func(i int) {
		if !seen[i] && fits(i) {
			seen[i] = true
			next = append(next, i)
		}
	}
	for _, i := range from {
		for _, to := range n.beside(i) {
			add(to)
		}
	}
	slices.Sort(next)
	return next
}

// beside are the tasks one step from a task: upwards, what waits for it and what it is a part of.
func (n *net) beside(i int) []int {
	var out []int
	if n.in.Up && n.in.ID != "" {
		if p, ok := n.number(n.rows[i].Parent); ok {
			out = append(out, p)
		}
		if n.in.All {
			return append(out, n.every[i]...)
		}
		return append(out, n.waits[i]...)
	}
	out = append(out, n.parts[i]...)
	for _, id := range n.rows[i].Deps {
		if d, ok := n.number(id); ok {
			out = append(out, d)
		}
	}
	return out
}

// tops are the tasks that fit, are no part of one that fits, and that none that fits waits for; all that fit, if there
// is a filter.
func (n *net) tops(fits func(int) bool) []int {
	below := make([]bool, len(n.rows))
	for i, r := range n.rows {
		if !fits(i) || n.in.Where != "" {
			continue
		}
		for _, id := range r.Deps {
			if d, ok := n.number(id); ok && d != i {
				below[d] = true
			}
		}
		for _, p := range n.parts[i] {
			below[p] = true
		}
	}
	var tops []int
	for i := range n.rows {
		if fits(i) && !below[i] {
			tops = append(tops, i)
		}
	}
	return tops
}

// unblocks lists the tasks for which most others wait. At equal numbers the more urgent one is first.
func (n *net) unblocks(chosen []int, waiting []int) []Unblocks {
	all := record.Those(chosen, func(i int) bool { return waiting[i] > 0 })
	sorted.By(all, func(a, b int) int {
		return cmp.Or(cmp.Compare(waiting[b], waiting[a]), cmp.Compare(n.rows[a].Priority, n.rows[b].Priority), cmp.Compare(a, b))
	})
	out := []Unblocks{}
	for _, i := range all[:min(len(all), unblocksMost)] {
		ready := 0
		for _, by := range n.waits[i] {
			stand := n.view.Stand(n.look, by)
			stand.WaitsFor = len(n.look.BlockedBy(n.rows[by])) > 1
			if stand.Is(task.IsReady) {
				ready++
			}
		}
		out = append(out, Unblocks{n.id(i), n.rows[i].Title, waiting[i], ready})
	}
	return out
}
