package activity

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/index"
	"github.com/cairn-tasks/cairn/store/kind"
)

// manyTasks is a wait for the tasks that fit filters. There may be hundreds of such waits at once, each with its own
// filters. They share the look at the files, and what differs from the look before; each then judges only the tasks
// that differ.
type manyTasks struct {
	w     *verb.Workspace
	s     *store.Store
	keep  tasks.Filter
	about string // what is watched, for the cursor
	flow  string // the states and what they mean, for what is shared
	ready bool   // only the tasks that next would find
	last  *among // what the read before found; nil for none
}

// among is what one read found among all tasks.
type among struct {
	all      *index.Set // the tasks of which some fit
	rows     []*row     // those that fit, sorted by id
	sum      uint64     // of the hashes of the rows
	foreign  []string   // those of the rows that depend on what is no task; that may change while no task does
	serial   int64      // of this one among all
	before   int64      // the serial of the one that it was made from; 0 for none
	vanished bool       // a task that fitted before cannot be read any more
}

var serials atomic.Int64

func watchMany(w *verb.Workspace, s *store.Store, in WaitIn) (*manyTasks, error) {
	keep, err := tasks.NewFilter(w, s, tasks.ListIn{Status: verb.NonEmpty(in.Status), Assignee: in.Assignee, Label: in.Label, Parent: in.Parent})
	if err != nil {
		return nil, err
	}
	return &manyTasks{
		w: w, s: s, keep: keep, ready: in.Ready, flow: string(jsonOf([]any{s.Root, s.Live, sharable(s.Config)})),
		about: fmt.Sprintf("tasks %v %s %v %s %s", in.Ready, in.Status, keep.Assignee, in.Label, in.Parent),
	}, nil
}

// read is a readFunc. It is called by one goroutine at a time.
func (m *manyTasks) read(ctx context.Context) (snapshot, error) {
	g, err := m.w.Graph(ctx, m.s)
	if err != nil {
		return snapshot{}, err
	}
	all := g.Set()
	if m.ready {
		if all, err = m.free(ctx); err != nil {
			return snapshot{}, err
		}
	}
	if m.last == nil {
		m.last = m.judge(g, all)
	} else if touched := m.touched(all); len(touched) > 0 {
		m.last = m.judgeAgain(g, all, touched)
	}
	return m.snapshot(ctx, g, m.last), nil
}

func (m *manyTasks) free(ctx context.Context) (*index.Set, error) {
	shared, leave := verb.Share(m.w.Reads, "free "+m.flow, func(ctx context.Context) (*index.Set, error) {
		g, err := m.w.Graph(ctx, m.s)
		if err != nil {
			return nil, err
		}
		free, _ := tasks.Survey(ctx, m.w, m.s, g, func(*kind.Row) bool { return true })
		return index.NewSet(free), nil
	})
	defer leave()
	return shared(ctx)
}

// touched lists the ids of the tasks that have to be judged again, sorted.
func (m *manyTasks) touched(all *index.Set) []string {
	touched := all.Touched(m.last.all)
	if len(m.last.foreign) == 0 {
		return touched
	}
	touched = slices.Concat(touched, m.last.foreign)
	slices.Sort(touched)
	return slices.Compact(touched)
}

func (m *manyTasks) judge(g *verb.Graph, all *index.Set) *among {
	now := &among{all: all, serial: serials.Add(1)}
	for _, r := range all.Rows() {
		now.add(m.row(g, r))
	}
	return now
}

// judgeAgain judges the tasks that were touched, and keeps what was found about the others.
func (m *manyTasks) judgeAgain(g *verb.Graph, all *index.Set, touched []string) *among {
	now := &among{all: all, serial: serials.Add(1), before: m.last.serial, rows: make([]*row, 0, len(m.last.rows)+len(touched))}
	old := m.last.rows
	for _, id := range touched {
		for len(old) > 0 && old[0].id < id {
			now.add(old[0])
			old = old[1:]
		}
		fitted := len(old) > 0 && old[0].id == id
		if fitted {
			old = old[1:]
		}
		if r := all.Find(id); r != nil {
			now.add(m.row(g, r))
		} else if _, there := g.Find(record.ID(id)); fitted && !there {
			now.vanished = true
		}
	}
	for _, r := range old {
		now.add(r)
	}
	return now
}

func (a *among) add(r *row) {
	if r == nil {
		return
	}
	a.rows = append(a.rows, r)
	a.sum += r.hash
	if r.foreign {
		a.foreign = append(a.foreign, r.id)
	}
}

// row is a task that fits, or nil.
func (m *manyTasks) row(g *verb.Graph, r *kind.Row) *row {
	if !m.keep.Fits(r) {
		return nil
	}
	blockedBy := g.BlockedBy(r)
	stamp := string(r.Rev) // everything else follows from the file and from what it waits for
	for _, id := range blockedBy {
		stamp += " " + string(id)
	}
	return &row{
		id: r.ID, stamp: stamp, value: func() any { return rowOf(r, blockedBy) }, of: r, hash: hashOf(r.ID, stamp),
		foreign: slices.ContainsFunc(r.Deps, func(id record.ID) bool { return g.Row(id) == nil }),
	}
}

func hashOf(texts ...string) uint64 {
	h := fnv.New64a()
	for _, text := range texts {
		_, _ = h.Write([]byte(text))
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}

func (m *manyTasks) snapshot(ctx context.Context, g *verb.Graph, found *among) snapshot {
	return snapshot{
		rows: found.rows, many: true, among: found, met: len(found.rows) > 0,
		exists: func(id string) bool { _, ok := g.Find(record.ID(id)); return ok },
		cursor: fmt.Sprintf("%016x-0", hashOf(m.about)+found.sum),
		answer: sync.OnceValue(func() Waited { return answerFit(m.w.View(m.s).OfMany(ctx), g, found.rows) }),
	}
}

// answerFit is the most urgent of the tasks that fit the filters.
func answerFit(view verb.View, g *verb.Graph, fit []*row) Waited {
	total, rows := len(fit), make([]*kind.Row, len(fit))
	for i, r := range fit {
		rows[i] = r.of
	}
	out := Waited{Tasks: []verb.Row{}, Total: &total}
	for _, r := range tasks.Foremost(rows, tasksShown) {
		out.Tasks = append(out.Tasks, view.Row(g, r))
	}
	return out
}
