package graphs

import (
	"slices"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/store/kind"
)

// chains are two chains, of three tasks and of two, each task with an estimate.
func chains(estimates ...string) *ranks {
	n := &net{waits: make([][]int, 5), needs: [][]int{nil, {0}, {1}, nil, {3}}, open: []bool{true, true, true, true, true}}
	for i, id := range []string{"T-1", "T-2", "T-3", "T-4", "T-5"} {
		r := &kind.Row{ID: id}
		r.Add("own:estimate", estimates[i])
		n.rows = append(n.rows, r)
	}
	return n.ranks([]bool{true, true, true, true, true})
}

// A task will be late if something that it waits for, through others too, is due after it, or is overdue.
func TestLate(t *testing.T) {
	now := time.Date(2026, 6, 20, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		due  []string // of the tasks of both chains
		want []bool
	}{
		{[]string{"", "", "", "", ""}, []bool{false, false, false, false, false}},
		{[]string{"2026-07-01", "", "2026-07-01", "2026-07-03", "2026-07-02"}, []bool{false, false, false, false, true}},
		{[]string{"2026-07-02", "", "2026-07-01", "", "2026-01-01"}, []bool{false, false, true, false, false}},
		{[]string{"2026-06-01", "2026-06-19", "2026-06-20", "", ""}, []bool{false, true, false, false, false}},
		{[]string{"", "2026-07-02", "2026-07-01", "nonsense", "2026-07-01"}, []bool{false, false, true, false, false}},
	} {
		r := chains("", "", "", "", "")
		for i, due := range c.due {
			r.n.rows[i].Add(kind.DueFact, due)
		}
		if got := r.late(now); !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, want %v", c.due, got, c.want)
		}
	}
}

func TestLongestChain(t *testing.T) {
	for _, c := range []struct {
		estimates []string
		want      []int
	}{
		{[]string{"", "", "", "", ""}, []int{0, 1, 2}},
		{[]string{"1h", "1h", "1h", "4h", ""}, []int{3, 4}},
		{[]string{"1h", "1h", "3h", "4h", ""}, []int{0, 1, 2}},
		{[]string{"", "", "", "", "1h"}, []int{3, 4}},
		{[]string{"nonsense", "", "", "", ""}, []int{0, 1, 2}},
		{[]string{"9999d", "9999d", "9999d", "9999d", "9999d"}, []int{0, 1, 2}},
	} {
		if got := chains(c.estimates...).longest(); !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, want %v", c.estimates, got, c.want)
		}
	}
}
