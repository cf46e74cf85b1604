package frontmatter

// maxEdits is how many lines two texts may differ in before they are no longer compared line by line: what lies between
// their equal beginnings and ends then counts as one change.
const maxEdits = 800

// match returns for each line of a the line of b that it became, or -1. Lines that are matched are equal, and their order
// is the same in both.
func match(a, b []string) []int {
	at := make([]int, len(a))
	for i := range at {
		at[i] = -1
	}
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		at[head] = head
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
		at[len(a)-tail] = len(b) - tail
	}
	for _, p := range common(a[head:len(a)-tail], b[head:len(b)-tail]) {
		at[head+p[0]] = head + p[1]
	}
	return at
}

// common returns the pairs of equal lines on a shortest way from a to b, last pair first (Myers, "An O(ND) difference
// algorithm", 1986), or none if the way is too long.
func common(a, b []string) [][2]int {
	reach := map[int]int{1: 0} // how far into a one gets on each diagonal
	var trace []map[int]int
	for d := 0; d <= min(len(a)+len(b), maxEdits); d++ {
		step := map[int]int{}
		for k := -d; k <= d; k += 2 {
			x := advance(reach, k, d)
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			step[k] = x
			if x >= len(a) && x-k >= len(b) {
				return walkBack(trace, len(a), len(b))
			}
		}
		trace, reach = append(trace, step), step
	}
	return nil
}

// advance makes the d-th edit that leads furthest on diagonal k: an insertion, or else a deletion.
func advance(reach map[int]int, k, d int) int {
	if k == -d || k != d && reach[k-1] < reach[k+1] {
		return reach[k+1]
	}
	return reach[k-1] + 1
}

// walkBack follows the traces from the ends of both texts and collects the lines that were stepped over in both.
func walkBack(trace []map[int]int, x, y int) (pairs [][2]int) {
	for d := len(trace); d > 0; d-- {
		reach, k := trace[d-1], x-y
		from := k - 1
		if k == -d || k != d && reach[k-1] < reach[k+1] {
			from = k + 1
		}
		fromX := reach[from]
		fromY := fromX - from
		for x > fromX && y > fromY {
			x, y = x-1, y-1
			pairs = append(pairs, [2]int{x, y})
		}
		x, y = fromX, fromY
	}
	for x > 0 && y > 0 {
		x, y = x-1, y-1
		pairs = append(pairs, [2]int{x, y})
	}
	return pairs
}
