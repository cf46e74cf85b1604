package web

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb/graphs"
)

// graphPage is the graph as a drawing: what must be done first stands at the left.
type graphPage struct {
	filter
	graphs.Out
	ID, Up        string
	All           bool
	Width, Height int
	Zoom          int // percent
	Boxes         []box
	Lines         []line
	Short         func(string) string
}

type box struct {
	graphs.Node
	X, Y  int
	Label []string // the title, in lines that fit
	Short string
}

// TextX is how far to the right the lines of a box begin.
func (b box) TextX() int { return b.X + 10 }

// Zoomed is a measure of the drawing as it is shown.
func (g *graphPage) Zoomed(n int) int { return n * g.Zoom / 100 }

// Smaller is the next smaller size, in percent.
func (g *graphPage) Smaller() string { return itoa(max(g.Zoom*4/5, leastZoom)) }

// Larger is the next larger size, in percent.
func (g *graphPage) Larger() string { return itoa(min(g.Zoom*5/4, mostZoom)) }

// EndX is where the lines of a box that end at its right end.
func (b box) EndX() int { return b.X + boxWidth - 8 }

// DueDay is the day on which the task is due.
func (b box) DueDay() string {
	at, _ := b.Due.From()
	return at.Format("2 Jan")
}

// TextY is how far down a line of a box stands: its id is 0, then come those of its title.
func (b box) TextY(line int) int { return b.Y + 16 + line*15 }

type line struct {
	Path     string // of SVG
	Critical bool
}

// The measures of the drawing, in pixels.
const (
	boxWidth, boxHeight = 248, 52
	gapAcross, gapDown  = 56, 14
	margin              = 12
	titleLine           = 34 // characters
	nodesShown          = 400
	leastZoom, mostZoom = 20, 400 // percent
)

func (rd *reader) graph(r *http.Request) (any, error) {
	q := r.URL.Query()
	g := &graphPage{filter: filterOf(q), ID: q.Get("id"), Up: q.Get("up"), All: q.Get("all") != ""}
	if g.Zoom, _ = strconv.Atoi(q.Get("zoom")); g.Zoom < leastZoom || g.Zoom > mostZoom {
		g.Zoom = 100
	}
	in := args{"limit": nodesShown}
	for name, value := range map[string]string{"id": g.ID, "where": g.Where} {
		if value != "" {
			in[name] = value
		}
	}
	if g.All {
		in["all"] = true
	}
	if g.Up != "" && g.ID != "" {
		in["up"] = true
	}
	var err error
	if g.Out, err = ask[graphs.Out](r.Context(), rd, "graph", in); err != nil {
		return nil, err
	}
	g.draw(func(ids []string) func(string) string { return rd.shortenerOf(r.Context(), ids) })
	return g, nil
}

// draw places the tasks: each behind all that it waits for, and beside what it has to do with.
func (g *graphPage) draw(shortener func([]string) func(string) string) {
	ids := record.Each(g.Nodes, func(n graphs.Node) string { return string(n.ID) })
	short := shortener(ids)
	at := map[record.ID]int{}
	for i, n := range g.Nodes {
		at[n.ID] = i
	}
	needs, waits := make([][]int, len(g.Nodes)), make([][]int, len(g.Nodes))
	var alone []int
	for _, e := range g.Edges {
		from, ok := at[e.From]
		to, there := at[e.To]
		if ok && there {
			needs[from], waits[to] = append(needs[from], to), append(waits[to], from)
		}
	}
	layers := layersOf(needs, waits)
	g.Boxes = record.Each(g.Nodes, func(n graphs.Node) box {
		return box{Node: n, Short: short(string(n.ID)), Label: wrapped(n.Title)}
	})
	for x, layer := range layers {
		for y, i := range layer {
			g.Boxes[i].X, g.Boxes[i].Y = margin+x*(boxWidth+gapAcross), margin+y*(boxHeight+gapDown)
			g.Width, g.Height = max(g.Width, g.Boxes[i].X+boxWidth+margin), max(g.Height, g.Boxes[i].Y+boxHeight+margin)
		}
	}
	for i := range g.Nodes {
		if len(needs[i])+len(waits[i]) == 0 {
			alone = append(alone, i)
		}
	}
	g.below(alone)
	for i, list := range needs {
		for _, to := range list {
			a, b := g.Boxes[to], g.Boxes[i]
			x1, y1, x2, y2 := a.X+boxWidth, a.Y+boxHeight/2, b.X, b.Y+boxHeight/2
			bend := max(gapAcross/2, (x2-x1)/2)
			g.Lines = append(g.Lines, line{
				Path:     fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, x1+bend, y1, x2-bend, y2, x2, y2),
				Critical: a.Critical && b.Critical,
			})
		}
	}
	slices.SortStableFunc(g.Lines, func(a, b line) int { // those of the critical path lie above the others
		return cmp.Compare(map[bool]int{true: 1}[a.Critical], map[bool]int{true: 1}[b.Critical])
	})
}

// below places the tasks that have to do with no other in rows below the rest.
func (g *graphPage) below(alone []int) {
	if len(alone) == 0 {
		return
	}
	across := max(4, (g.Width-margin)/(boxWidth+gapDown))
	top := g.Height
	if top > 0 {
		top += gapDown
	}
	for n, i := range alone {
		b := &g.Boxes[i]
		b.X, b.Y = margin+n%across*(boxWidth+gapDown), margin+top+n/across*(boxHeight+gapDown)
		g.Width, g.Height = max(g.Width, b.X+boxWidth+margin), max(g.Height, b.Y+boxHeight+margin)
	}
}

// layersOf puts each node behind all that it needs. Those that need one another are put behind what is before them.
func layersOf(needs, waits [][]int) [][]int {
	depth, open := make([]int, len(needs)), make([]int, len(needs))
	var next []int
	for i := range needs {
		if open[i] = len(needs[i]); open[i] == 0 && len(waits[i]) > 0 {
			next = append(next, i)
		}
	}
	placed := make([]bool, len(needs))
	var layers [][]int
	put := func(i int) {
		for len(layers) <= depth[i] {
			layers = append(layers, nil)
		}
		layers[depth[i]], placed[i] = append(layers[depth[i]], i), true
	}
	for len(next) > 0 {
		i := next[0]
		next = next[1:]
		put(i)
		for _, by := range waits[i] {
			depth[by] = max(depth[by], depth[i]+1)
			if open[by]--; open[by] == 0 {
				next = append(next, by)
			}
		}
	}
	for i := range needs { // in rings, or behind them
		if !placed[i] && len(needs[i])+len(waits[i]) > 0 {
			put(i)
		}
	}
	for n := 1; n < len(layers); n++ {
		before := map[int]int{}
		for y, i := range layers[n-1] {
			before[i] = y
		}
		slices.SortStableFunc(layers[n], func(a, b int) int { return cmp.Compare(middle(needs[a], before), middle(needs[b], before)) })
	}
	return layers
}

// middle is where the needs of a node stand in the layer before it.
func middle(needs []int, at map[int]int) float64 {
	sum, n := 0, 0
	for _, i := range needs {
		if y, ok := at[i]; ok {
			sum += y
			n++
		}
	}
	if n == 0 {
		return 1e9
	}
	return float64(sum) / float64(n)
}

// wrapped is a title in two lines at most.
func wrapped(title string) []string {
	r := []rune(title)
	if len(r) <= titleLine {
		return []string{title}
	}
	cut := titleLine
	for i := titleLine; i > titleLine/2; i-- {
		if r[i] == ' ' {
			cut = i
			break
		}
	}
	rest := []rune(string(r[cut:]))
	if rest[0] == ' ' {
		rest = rest[1:]
	}
	if len(rest) > titleLine {
		rest = append(rest[:titleLine-1], '…')
	}
	return []string{string(r[:cut]), string(rest)}
}
