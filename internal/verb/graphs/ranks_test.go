package graphs

import (
	"slices"
	"testing"

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
