package graphs

import (
	"math/bits"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// ranks are the rings of the open tasks: tasks that wait for one another are one ring, and any other task is a ring of
// its own. A ring stands behind all that it waits for.
type ranks struct {
	n      *net
	inside []bool  // the tasks that count
	ring   []int   // of each task; -1 for those that do not count
	rings  [][]int // the tasks of each
}

func (n *net) ranks(inside []bool) *ranks {
	r := &ranks{n: n, inside: inside}
	starts := func(yield func(int) bool) {
		for i := range n.rows {
			if r.counts(i) && !yield(i) {
				return
			}
		}
	}
	out := func(i int) bool { return !r.counts(i) }
	r.ring, r.rings = task.Rings(len(n.rows), starts, func(i int) []int {
		if slices.ContainsFunc(n.needs[i], out) {
			return slices.DeleteFunc(slices.Clone(n.needs[i]), out)
		}
		return n.needs[i]
	})
	return r
}

func (r *ranks) counts(i int) bool { return r.inside[i] && r.n.open[i] }

// longest is the chain of tasks that takes longest by what they are estimated to take, and of equals, as where there
// are no estimates, the one with most tasks; in the order in which they can be done. Tasks that wait for one another
// cannot be done, and end a chain. Of chains of one length it is the one whose last task, and then each before it, is
// the more urgent, and then has the lower id.
func (r *ranks) longest() []int {
	length, before, takes := make([]int, len(r.n.rows)), make([]int, len(r.n.rows)), make([]time.Duration, len(r.n.rows))
	best := -1
	better := func(a, b int) bool { // a is the end of a better chain
		switch {
		case b < 0:
			return true
		case takes[a] != takes[b]:
			return takes[a] > takes[b]
		case length[a] != length[b]:
			return length[a] > length[b]
		}
		if p, q := r.n.rows[a].Priority, r.n.rows[b].Priority; p != q {
			return p < q
		}
		return a < b
	}
	for _, ring := range r.rings { // what is needed comes first
		if r.isCycle(ring) {
			continue
		}
		i := ring[0]
		before[i] = -1
		for _, d := range r.n.needs[i] {
			if length[d] > 0 && better(d, before[i]) {
				before[i] = d
			}
		}
		length[i], takes[i] = 1, estimate(r.n.rows[i])
		if at := before[i]; at >= 0 {
			length[i] += length[at]
			takes[i] = min(takes[i]+takes[at], longestChain)
		}
		if better(i, best) {
			best = i
		}
	}
	var chain []int
	for i := best; i >= 0; i = before[i] {
		chain = append(chain, i)
	}
	slices.Reverse(chain)
	if len(chain) < 2 {
		return nil // no task waits for another
	}
	return chain
}

// longestEstimate is what a longer estimate counts as. Sums stop at longestChain, so that they do not run over.
const (
	longestEstimate = 10 * 365 * 24 * time.Hour
	longestChain    = 20 * longestEstimate
)

// estimate is how long a task is thought to take; 0 if it does not say so.
func estimate(r *kind.Row) time.Duration {
	d, _ := record.Span(task.OptionalOf(r.OwnValue).Estimate)
	return min(d, longestEstimate)
}

func (r *ranks) isCycle(ring []int) bool {
	return len(ring) > 1 || slices.Contains(r.n.needs[ring[0]], ring[0])
}

func (n *net) cycles(r *ranks) [][]record.ID {
	var out [][]record.ID
	for _, ring := range r.rings {
		if !r.isCycle(ring) {
			continue
		}
		ids := record.Each(ring, n.id)
		out = append(out, ids)
	}
	sorted.By(out, func(a, b []record.ID) int { return slices.Compare(a, b) })
	return out
}

// late says of each task whether something that it waits for, through others too, is to be done after it is due: later
// by its own date, or now, where that has passed.
func (r *ranks) late(now time.Time) []bool {
	out, done := make([]bool, len(r.n.rows)), make([]time.Time, len(r.n.rows))
	for _, ring := range r.rings { // what is needed comes first
		for _, i := range ring {
			for _, d := range r.n.needs[i] {
				if done[d].After(done[i]) {
					done[i] = done[d]
				}
			}
			by, ok := task.Due(r.n.rows[i].Fact(kind.DueFact)).By()
			if !ok {
				continue
			}
			out[i] = done[i].After(by)
			if by.Before(now) {
				by = now
			}
			if by.After(done[i]) {
				done[i] = by
			}
		}
	}
	return out
}

// columns is how many waiting tasks are counted at once, as bits: so 100,000 tasks need a few megabytes.
const columns = 1024

// waiting counts the open tasks that wait for each task, through others too, whatever part of the graph is shown.
func (r *ranks) waiting() []int {
	all := make([]bool, len(r.n.rows))
	for i := range all {
		all[i] = true
	}
	whole := r.n.ranks(all)
	count := make([]int, len(r.n.rows))
	set := make([][columns / 64]uint64, len(whole.rings))
	for first := 0; first < len(r.n.rows); first += columns {
		clear(set)
		for ring := len(whole.rings) - 1; ring >= 0; ring-- { // what waits comes first
			for _, i := range whole.rings[ring] {
				for _, word := range set[ring] {
					count[i] += bits.OnesCount64(word)
				}
			}
			whole.pass(ring, first, set)
		}
	}
	for _, ring := range whole.rings { // those in a cycle with it, too
		for _, i := range ring {
			count[i] += len(ring) - 1
		}
	}
	return count
}

// pass tells what a ring waits for of all that waits for the ring, and of the ring itself.
func (r *ranks) pass(ring, first int, set [][columns / 64]uint64) {
	own := set[ring]
	for _, i := range r.rings[ring] {
		if i >= first && i < first+columns {
			own[(i-first)/64] |= 1 << ((i - first) % 64)
		}
	}
	if own == [columns / 64]uint64{} {
		return
	}
	for _, i := range r.rings[ring] {
		for _, d := range r.n.needs[i] {
			if to := r.ring[d]; to != ring {
				for k, word := range own {
					set[to][k] |= word
				}
			}
		}
	}
}
