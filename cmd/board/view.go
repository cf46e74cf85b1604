package board

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/cairn-tasks/cairn/internal/record"
)

// View is the screen. A panic shows nothing, and ends the board with the next message.
func (m *Model) View() (v tea.View) {
	defer func() {
		if r := recover(); r != nil {
			v = tea.NewView("")
			m.Failed = fmt.Errorf("%v", r)
		}
		v.AltScreen = true
	}()
	lines, cursor := m.screen()
	v = tea.NewView(strings.Join(lines, "\n"))
	v.Cursor = cursor
	return v
}

// screen is what is shown, line by line, and where the cursor is while a line is typed.
func (m *Model) screen() ([]string, *tea.Cursor) {
	if m.width <= 0 || m.height <= 0 {
		return nil, nil
	}
	v := m.view()
	lines := v.board()
	if m.mode == reading {
		lines = v.page()
	}
	foot, cursor := v.foot()
	room := max(0, m.height-len(foot))
	for len(lines) < room {
		lines = append(lines, "")
	}
	lines = append(lines[:room], foot...)
	lines = lines[max(0, len(lines)-m.height):]
	for i, line := range lines {
		lines[i] = m.ruler.cut(line, m.width) // windows may be narrower than a column can be
	}
	if cursor != nil {
		cursor.Y = len(lines) - 1
	}
	return lines, cursor
}

const (
	headRows = 3 // the line on top, the names of the columns, the rule below them
	footRows = 2
)

func (v view) cardRows() int { return max(1, v.m.height-headRows-footRows) }

type view struct {
	m *Model
	paint
	ruler
}

func (m *Model) view() view { return view{m, m.paint, m.ruler} }

func (v view) board() []string {
	m := v.m
	lines := []string{v.top()}
	if len(m.board.Columns) == 0 {
		return lines
	}
	var columns [][]string
	for i := m.left; i < min(m.left+v.columnsShown(), len(m.board.Columns)); i++ {
		columns = append(columns, v.column(i))
	}
	for row := range v.cardRows() + headRows - 1 {
		between := " " + v.in("│", faint) + " "
		if row == 1 {
			between = v.in("─┼─", faint)
		}
		parts := record.Each(columns, func(c []string) string { return c[row] })
		lines = append(lines, strings.Join(parts, between))
	}
	return lines
}

// top is the first line: whose board it is, how much waits for the person, what is filtered, and, where not all columns
// can be shown, where one is.
func (v view) top() string {
	left := v.in(safe(v.m.board.Name), bold)
	if v.m.board.Name == "" {
		left = v.in("cairn", bold)
	}
	if n := v.m.board.Waiting; n > 0 {
		left += "  " + v.in(fmt.Sprintf("for you: %d", n), bold)
	}
	for _, f := range v.m.query.filters() {
		left += "  " + v.in(f, magenta)
	}
	return v.apart(left, v.strip(), v.m.width)
}

// strip names all columns and marks those that are shown, or counts them where there is no room for that; "" if all are
// shown.
func (v view) strip() string {
	m, all, shown := v.m, v.m.board.Columns, v.columnsShown()
	if len(all) <= shown {
		return ""
	}
	var names []string
	for i, c := range all {
		style := []string{faint}
		if i == m.at.column {
			style = []string{bold, reverse}
		} else if i >= m.left && i < m.left+shown {
			style = []string{bold}
		}
		names = append(names, v.in(fmt.Sprintf("%s %d", safe(c.Name), c.Total), style...))
	}
	strip := strings.Join(names, " ")
	if v.StringWidth(strip)+len(m.board.Name)+2 <= m.width && len(m.query.filters()) == 0 {
		return strip
	}
	if shown == 1 {
		return fmt.Sprintf("column %d of %d", m.left+1, len(all))
	}
	return fmt.Sprintf("columns %d-%d of %d", m.left+1, m.left+shown, len(all))
}

// column is a column: its head, a rule, and as many cards as there is room for.
func (v view) column(i int) []string {
	m := v.m
	c, d, here := m.board.Columns[i], v.pen(i), i == m.at.column
	rule := v.in(strings.Repeat("─", d.width), faint)
	if here {
		rule = v.in(strings.Repeat("━", d.width), cyan)
	}
	rows := v.cardRows() + headRows - 1
	lines, shown := []string{"", rule}, 0
	for n := m.above[c.Name]; n < len(c.Tasks) && len(lines) < rows; n++ {
		lines = append(lines, d.card(c.Tasks[n], c, here && n == m.at.card)...)
		shown++
	}
	lines[0] = v.columnHead(c, d, here, shown)
	for len(lines) < rows {
		lines = append(lines, strings.Repeat(" ", d.width))
	}
	return lines[:rows]
}

// columnHead names a column, how many tasks are in it, and how many of them are scrolled away above and below those
// that are shown.
func (v view) columnHead(c Column, d pen, here bool, shown int) string {
	name, count, away := safe(c.Name), fmt.Sprint(c.Total), ""
	above := v.m.above[c.Name]
	if above > 0 {
		away = fmt.Sprintf("↑%d", above)
	}
	if below := c.Total - above - shown; below > 0 {
		away = strings.TrimSpace(fmt.Sprintf("%s ↓%d", away, below))
	}
	room := d.width - d.StringWidth(count) - 1
	if away != "" {
		room -= d.StringWidth(away) + 1
	}
	style := []string{bold}
	if here {
		style = append(style, cyan)
	}
	return d.apart(v.in(d.cut(name, max(room, 1)), style...)+" "+v.in(count, faint), v.in(away, faint), d.width)
}

func (v view) page() []string {
	p, rows, where := v.m.page, v.pageRows(), ""
	end := min(p.top+rows, len(p.lines))
	if len(p.lines) > rows {
		where = fmt.Sprintf("lines %d-%d of %d", p.top+1, end, len(p.lines))
	}
	lines := []string{v.apart(v.in(safe(p.title), bold), v.in(where, faint), v.m.width)}
	return append(lines, p.lines[min(p.top, end):end]...)
}

func (v view) foot() ([]string, *tea.Cursor) {
	keys := func(text string) string { return v.in(v.fill(text, v.m.width), faint) }
	m, last := v.m, ""
	switch {
	case m.mode == typing:
		line, x := v.input()
		return []string{keys("enter takes it   esc gives it up"), line}, tea.NewCursor(x, 0)
	case m.mode == choosing:
		return append(v.choice(), keys("any other key gives it up")), nil
	case m.said.hint != "":
		last = v.fill("hint: "+safe(m.said.hint), m.width)
	case m.mode == reading && m.page.id == "":
		last = keys("↑ ↓ scroll   q back to the board")
	case m.mode == reading:
		last = keys("↑ ↓ scroll   q back   e edit   n note   t attest   c claim   < > move")
	default:
		last = keys("? help   enter open   < > move   c claim   n note   / find   a add   e edit   q quit")
	}
	return []string{v.said(), last}, nil
}

// said says what runs, what happened last, or which files are broken.
func (v view) said() string {
	m := v.m
	if m.work != nil {
		text := m.work.what
		if m.work.doing != "" {
			text += ": " + safe(m.work.doing)
		}
		text = v.in(v.cut(text, max(1, m.width-24)), green)
		return v.apart(text, fmt.Sprintf("%d s, esc interrupts", m.work.seconds), m.width)
	}
	text, style := safe(m.said.text), []string{green}
	hasTasks := slices.ContainsFunc(m.board.Columns, func(c Column) bool { return c.Total > 0 })
	problems := m.board.Problems
	switch {
	case m.said.bad:
		style = []string{bold, red}
	case text != "":
	case len(problems.Problems) > 0:
		first, total := problems.Problems[0], max(len(problems.Problems), problems.ProblemsTotal)
		text, style = fmt.Sprintf("cannot read %s: %s%s", safe(first.Path), safe(first.Message), record.AndMore(total-1)), []string{red}
	case len(m.board.Columns) > 0 && !hasTasks && len(m.query.filters()) == 0:
		text, style = "There are no tasks yet: a adds the first.", nil
	}
	return v.fill(v.in(text, style...), m.width)
}

// input is the line that is typed, scrolled so that the cursor can be seen, and where the cursor is.
func (v view) input() (line string, x int) {
	in, width := v.m.input, v.m.width
	prompt := v.cut(safe(in.prompt), max(1, width-10))
	room := max(1, width-v.StringWidth(prompt)-1)
	from := 0
	for v.StringWidth(string(in.text[from:in.at])) > room {
		from++
	}
	shown := v.cut(safe(string(in.text[from:])), room)
	x = v.StringWidth(prompt) + v.StringWidth(safe(string(in.text[from:in.at])))
	return v.in(prompt, bold) + shown, min(x, width-1)
}

func (v view) choice() []string {
	m := v.m
	text := v.in("move "+safe(m.board.short(m.moves.ID))+" to", bold)
	for i, state := range m.board.States[:min(len(m.board.States), len(choiceKeys))] {
		text += "  " + v.in(choiceKeys[i:i+1], bold) + " " + safe(string(state))
	}
	return strings.Split(v.Wrap(text, max(1, m.width), ""), "\n")
}
