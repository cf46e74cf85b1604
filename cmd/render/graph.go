package render

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/internal/verb/graphs"
	"github.com/mattn/go-runewidth"
)

// graph prints a graph as a tree: below a task are its parts, and what must be done before it. A task is shown with all
// that is below it once, and is referred to elsewhere; one with a parent is shown below that. Its own picture, if one
// was asked for, is printed as it is.
func (r *Renderer) graph(g graphs.Out) {
	if g.Picture != "" {
		r.Printf("%s", screen.Lines(g.Picture))
		return
	}
	t := newTree(g, r.Width, r.Style)
	if !unicodeLocale(r.Getenv) {
		t.arms = asciiArms
	}
	t.print()
	r.Printf("%s", screen.Painted(t.out.String()))
	r.page("below a graph", g)
}

// chainText is a chain of tasks, without the middle of a long one.
func chainText(ids []record.ID) string {
	if len(ids) <= 8 {
		return record.JoinIDs(ids, " -> ")
	}
	return record.JoinIDs(ids[:4], " -> ") + " -> … -> " + record.JoinIDs(ids[len(ids)-4:], " -> ")
}

// cutTo cuts a line to a width; 0 is without limit.
func cutTo(line string, width int) string {
	if width == 0 {
		return line
	}
	return runewidth.Truncate(line, width, "…")
}

type tree struct {
	g     graphs.Out
	style screen.Style
	width int // 0 without limit
	arms  arms
	out   bytes.Buffer

	nodes map[record.ID]*graphs.Node
	parts map[record.ID][]*graphs.Node
	needs map[record.ID][]record.ID // or, upwards, what waits for it
	used  map[record.ID]bool        // stands below another
	done  map[record.ID]bool
	path  map[record.ID]bool // above the line that is printed
}

type arms struct{ branch, last, down string }

var (
	unicodeArms = arms{"├─ ", "└─ ", "│  "}
	asciiArms   = arms{"|- ", "`- ", "|  "}
)

// unicodeLocale reports whether the locale can show more than ASCII: one that is not set can, and C, POSIX and those of
// another character set cannot.
func unicodeLocale(getenv func(string) string) bool {
	name := strings.ToLower(cmp.Or(getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG")))
	_, set, _ := strings.Cut(name, ".")
	set, _, _ = strings.Cut(set, "@")
	return name == "" || set == "utf-8" || set == "utf8" || set == "" && name != "c" && name != "posix"
}

// branch is a line below another.
type branch struct {
	node *graphs.Node
	dep  bool // what stands above waits for it, and is not only its parent
}

func newTree(g graphs.Out, width int, st screen.Style) *tree {
	t := &tree{g: g, style: st, width: width, arms: unicodeArms, nodes: map[record.ID]*graphs.Node{}, parts: map[record.ID][]*graphs.Node{},
		needs: map[record.ID][]record.ID{}, used: map[record.ID]bool{}, done: map[record.ID]bool{}, path: map[record.ID]bool{}}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		t.nodes[n.ID] = n
	}
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Parent != "" && t.nodes[n.Parent] != nil && n.Parent != n.ID {
			if g.Up {
				t.parts[n.ID], t.used[n.Parent] = append(t.parts[n.ID], t.nodes[n.Parent]), true
			} else {
				t.parts[n.Parent], t.used[n.ID] = append(t.parts[n.Parent], n), true
			}
		}
	}
	for _, e := range g.Edges {
		from, to := e.From, e.To
		if g.Up {
			from, to = to, from
		}
		t.needs[from] = append(t.needs[from], to)
		if from != to {
			t.used[to] = true
		}
	}
	return t
}

func (t *tree) print() {
	if root := t.nodes[t.g.Root]; root != nil {
		t.show(branch{node: root}, "", "")
	}
	var tops []*graphs.Node
	for i := range t.g.Nodes {
		tops = append(tops, &t.g.Nodes[i])
	}
	sorted.By(tops, func(a, b *graphs.Node) int { // groups first, then the urgent ones
		group := sorted.First(len(t.parts[a.ID]) > 0, len(t.parts[b.ID]) > 0)
		return cmp.Or(sorted.First(!t.used[a.ID], !t.used[b.ID]), group, cmp.Compare(a.Priority, b.Priority))
	})
	for _, n := range tops { // those in cycles stand below one another, and come last
		if !t.done[n.ID] {
			t.show(branch{node: n}, "", "")
		}
	}
}

// below are the lines below a node: first its parts, but for those that others of them wait for, then what it waits
// for.
func (t *tree) below(n *graphs.Node) []branch {
	var out []branch
	needed := map[record.ID]bool{}
	for _, part := range t.parts[n.ID] {
		for _, id := range t.needs[part.ID] {
			needed[id] = id != part.ID
		}
	}
	for _, later := range []bool{false, true} { // a part that another waits for is shown below that one
		for _, part := range t.parts[n.ID] {
			if needed[part.ID] == later && (!later || !t.g.Up) {
				out = append(out, branch{node: part})
			}
		}
	}
	for _, id := range t.needs[n.ID] {
		if to := t.nodes[id]; to != nil {
			out = append(out, branch{to, true})
		}
	}
	return out
}

// What stands deeper in the tree is not shown, so that what is printed does not grow with the square of a long chain.
const (
	leastText = 34      // columns that a line needs behind the lines of the tree
	mostDeep  = 3 * 200 // columns of these where nothing limits the width
)

// show prints a node and all below it. Mark is the beginning of its line, and margin that of the lines below it.
func (t *tree) show(b branch, mark, margin string) {
	n := b.node
	shown := t.done[n.ID]
	at := t.nodes[n.Parent]
	elsewhere := b.dep && !shown && !t.g.Up && at != nil && !t.path[n.Parent] && n.ID != n.Parent && !t.done[n.Parent]
	switch {
	case t.path[n.ID]:
		t.line(b, mark, "a cycle")
		return
	case shown:
		t.line(b, mark, "above")
		return
	case elsewhere:
		t.line(b, mark, "below "+string(n.Parent))
		return
	}
	t.line(b, mark, "")
	t.done[n.ID], t.path[n.ID] = true, true
	defer delete(t.path, n.ID)
	var below []branch
	for _, to := range t.below(n) {
		if !to.dep && t.done[to.node.ID] {
			continue
		}
		below = append(below, to)
	}
	room := t.width - leastText
	if t.width == 0 {
		room = mostDeep
	}
	if len(below) > 0 && runewidth.StringWidth(margin)+3 > room {
		t.text(margin+t.arms.last, fmt.Sprintf("… cairn graph %s shows what is below", n.ID))
		t.hide(n)
		return
	}
	for i, to := range below {
		if !to.dep && t.done[to.node.ID] { // shown meanwhile, below another part
			continue
		}
		last := t.isLast(to, below[i+1:])
		arm, next := t.arms.branch, t.arms.down
		if last {
			arm, next = t.arms.last, "   "
		}
		t.show(to, margin+arm, margin+next)
	}
}

// isLast reports whether none of some branches is shown behind a line: all are parts, and were shown or will be below
// the line.
func (t *tree) isLast(line branch, others []branch) bool {
	var within map[record.ID]bool
	for _, b := range others {
		if b.dep {
			return false
		}
		if t.done[b.node.ID] {
			continue
		}
		if within == nil {
			within = t.within(line.node, b.node.Parent)
		}
		if !within[b.node.ID] {
			return false
		}
	}
	return true
}

// within are the parts of a parent that will be shown below a line, since it waits for them.
func (t *tree) within(line *graphs.Node, parent record.ID) map[record.ID]bool {
	seen, todo := map[record.ID]bool{}, []record.ID{line.ID}
	for len(todo) > 0 {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, to := range t.needs[id] {
			if n := t.nodes[to]; n != nil && !seen[to] && !t.done[to] && n.Parent == parent {
				seen[to] = true
				todo = append(todo, to)
			}
		}
	}
	return seen
}

// hide takes all below a node for shown.
func (t *tree) hide(n *graphs.Node) {
	todo := []*graphs.Node{n}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, to := range t.below(at) {
			if !t.done[to.node.ID] {
				t.done[to.node.ID] = true
				todo = append(todo, to.node)
			}
		}
	}
}

// line prints the line of a node. A remark says why nothing is below it.
func (t *tree) line(b branch, mark, remark string) {
	n := b.node
	var words []string
	switch {
	case n.Missing:
		words = append(words, "there is no such record")
	case remark == "":
		words = append(words, harmless.Line(n.Title))
	}
	if remark != "" {
		words = append(words, "("+remark+")")
	}
	end := ""
	if !n.Missing && remark == "" {
		end = string(n.Status)
		if n.Ready {
			end += ", ready"
		}
		if n.Waiting > 0 {
			end += fmt.Sprintf(", %d waiting", n.Waiting)
		}
		if n.Critical {
			end += " *"
		}
		end = "  [" + end + "]"
	}
	arrow := ""
	if b.dep && mark != "" {
		arrow = "after "
		if t.g.Up {
			arrow = "before "
		}
	}
	head := mark + arrow + string(n.ID) + "  "
	text := strings.Join(words, " ")
	if t.width > 0 {
		room := t.width - runewidth.StringWidth(head) - runewidth.StringWidth(end)
		if room < 8 && end != "" { // the title says more than the state
			room, end = room+runewidth.StringWidth(end), ""
		}
		text = runewidth.Truncate(text, max(room, 1), "…")
	}
	id := t.style.Bold(string(n.ID))
	switch {
	case n.Missing || remark == "a cycle":
		id = t.style.Bad(string(n.ID))
	case n.Ready:
		id = t.style.Good(string(n.ID))
	}
	screen.Fprintf(&t.out, "%s%s%s  %s%s\n", mark, arrow, id, screen.Painted(text), end)
}

func (t *tree) text(mark, text string) {
	screen.Fprintf(&t.out, "%s%s\n", mark, cutTo(text, max(t.width-runewidth.StringWidth(mark), 1)))
}
