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
	var lines []string
	if m.mode == reading {
		lines = m.pageView()
	} else {
		lines = m.boardView()
	}
	foot, cursor := m.foot()
	room := max(0, m.height-len(foot))
	for len(lines) < room {
		lines = append(lines, "")
	}
	lines = append(lines[:room], foot...)
	if len(lines) > m.height {
		lines = lines[len(lines)-m.height:]
	}
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

// cardRows is how many lines there are for the cards of a column.
func (m *Model) cardRows() int { return max(1, m.height-headRows-footRows) }

func (m *Model) boardView() []string {
	lines := []string{m.top()}
	if len(m.board.Columns) == 0 {
		return lines
	}
	shown := m.columnsShown()
	columns := make([][]string, 0, shown)
	for i := m.left; i < min(m.left+shown, len(m.board.Columns)); i++ {
		columns = append(columns, m.columnView(i))
	}
	for row := range m.cardRows() + headRows - 1 {
		between := " " + m.paint.in("│", faint) + " "
		if row == 1 {
			between = m.paint.in("─┼─", faint)
		}
		var parts []string
		for _, c := range columns {
			parts = append(parts, c[row])
		}
		lines = append(lines, strings.Join(parts, between))
	}
	return lines
}

// top is the first line: whose board it is, what is filtered, and, where not all columns can be shown, where one is.
func (m *Model) top() string {
	left := m.paint.in(safe(m.board.Name), bold)
	if m.board.Name == "" {
		left = m.paint.in("cairn", bold)
	}
	for _, f := range m.filters() {
		left += "  " + m.paint.in(f, magenta)
	}
	return m.ruler.apart(left, m.strip(), m.width)
}

func (m *Model) filters() []string {
	var out []string
	if m.query.Text != "" {
		out = append(out, "find: "+safe(m.query.Text))
	}
	if m.query.Where != "" {
		out = append(out, "where: "+safe(m.query.Where))
	}
	if m.query.Mine {
		out = append(out, "mine")
	}
	return out
}

// strip names all columns and marks those that are shown, or counts them where there is no room for that; "" if all are
// shown.
func (m *Model) strip() string {
	all, shown := m.board.Columns, m.columnsShown()
	if len(all) <= shown {
		return ""
	}
	var names []string
	for i, c := range all {
		name := fmt.Sprintf("%s %d", safe(c.Name), c.Total)
		switch {
		case i == m.at.column:
			name = m.paint.in(name, bold, reverse)
		case i >= m.left && i < m.left+shown:
			name = m.paint.in(name, bold)
		default:
			name = m.paint.in(name, faint)
		}
		names = append(names, name)
	}
	strip := strings.Join(names, " ")
	if m.ruler.StringWidth(strip)+len(m.board.Name)+2 <= m.width && len(m.filters()) == 0 {
		return strip
	}
	if shown == 1 {
		return fmt.Sprintf("column %d of %d", m.left+1, len(all))
	}
	return fmt.Sprintf("columns %d-%d of %d", m.left+1, m.left+shown, len(all))
}

// columnView is a column: its head, a rule, and as many cards as there is room for.
func (m *Model) columnView(i int) []string {
	c, d, here := m.board.Columns[i], m.drawn(i), i == m.at.column
	lines := []string{m.columnHead(c, d, here), m.rule(d, here)}
	rows := m.cardRows() + headRows - 1
	for n := m.above[c.Name]; n < len(c.Tasks) && len(lines) < rows; n++ {
		lines = append(lines, d.card(c.Tasks[n], c, here && n == m.at.card).lines...)
	}
	for len(lines) < rows {
		lines = append(lines, strings.Repeat(" ", d.width))
	}
	return lines[:rows]
}

// columnHead names a column, how many tasks are in it, and how many of them are scrolled away above and below.
func (m *Model) columnHead(c Column, d drawn, here bool) string {
	name := safe(c.Name)
	count := fmt.Sprint(c.Total)
	away := ""
	if above := m.above[c.Name]; above > 0 {
		away = fmt.Sprintf("↑%d", above)
	}
	if below := c.Total - m.above[c.Name] - m.fitting(c, d); below > 0 {
		away = strings.TrimSpace(fmt.Sprintf("%s ↓%d", away, below))
	}
	room := d.width - d.StringWidth(count) - 1
	if away != "" {
		room -= d.StringWidth(away) + 1
	}
	name = d.cut(name, max(room, 1))
	style := []string{bold}
	if here {
		style = []string{bold, cyan}
	}
	return d.apart(m.paint.in(name, style...)+" "+m.paint.in(count, faint), m.paint.in(away, faint), d.width)
}

// fitting is how many cards of a column can be seen, also in part.
func (m *Model) fitting(c Column, d drawn) int {
	room, n := m.cardRows(), 0
	for i := m.above[c.Name]; i < len(c.Tasks) && room > 0; i++ {
		room -= len(d.card(c.Tasks[i], c, false).lines)
		n++
	}
	return n
}

func (m *Model) rule(d drawn, here bool) string {
	if here {
		return m.paint.in(strings.Repeat("━", d.width), cyan)
	}
	return m.paint.in(strings.Repeat("─", d.width), faint)
}

func (m *Model) pageView() []string {
	rows := m.pageRows()
	where := ""
	if len(m.page.lines) > rows {
		where = fmt.Sprintf("lines %d-%d of %d", m.page.top+1, min(m.page.top+rows, len(m.page.lines)), len(m.page.lines))
	}
	lines := []string{m.ruler.apart(m.paint.in(safe(m.page.title), bold), m.paint.in(where, faint), m.width)}
	end := min(m.page.top+rows, len(m.page.lines))
	for _, line := range m.page.lines[min(m.page.top, end):end] {
		lines = append(lines, m.ruler.cut(line, m.width))
	}
	return lines
}

// foot is the two last lines: what happened, and what one can do.
func (m *Model) foot() ([]string, *tea.Cursor) {
	switch m.mode {
	case typing:
		line, x := m.inputLine()
		return []string{m.keyLine("enter takes it   esc gives it up"), line}, tea.NewCursor(x, 0)
	case choosing:
		return m.choiceLines(), nil
	case looking, reading:
	}
	return []string{m.saidLine(), m.lastLine()}, nil
}

// saidLine says what runs, what happened last, or which files are broken.
func (m *Model) saidLine() string {
	switch {
	case m.work != nil:
		text := m.work.what
		if m.work.doing != "" {
			text += ": " + safe(m.work.doing)
		}
		return m.ruler.apart(m.paint.in(m.ruler.cut(text, max(1, m.width-24)), green), fmt.Sprintf("%d s, esc interrupts", m.work.seconds), m.width)
	case m.said.bad:
		return m.ruler.fill(m.paint.in(safe(m.said.text), bold, red), m.width)
	case m.said.text != "":
		return m.ruler.fill(m.paint.in(safe(m.said.text), green), m.width)
	case m.isEmpty():
		return m.ruler.fill("There are no tasks yet: a adds the first.", m.width)
	default:
		return m.ruler.fill(m.paint.in(m.brokenLine(), red), m.width)
	}
}

// isEmpty reports whether there is nothing to show, though nothing is filtered and every file can be read.
func (m *Model) isEmpty() bool {
	return len(m.board.Columns) > 0 && len(m.filters()) == 0 && m.brokenLine() == "" &&
		!slices.ContainsFunc(m.board.Columns, func(c Column) bool { return c.Total > 0 })
}

// brokenLine says which files could not be read, or "".
func (m *Model) brokenLine() string {
	problems := m.board.Problems.Problems
	if len(problems) == 0 {
		return ""
	}
	first := problems[0]
	total := max(len(problems), m.board.Problems.ProblemsTotal)
	return fmt.Sprintf("cannot read %s: %s%s", safe(first.Path), safe(first.Message), record.AndMore(total-1))
}

// lastLine is the hint of a refusal, or the keys.
func (m *Model) lastLine() string {
	if m.said.hint != "" {
		return m.ruler.fill("hint: "+safe(m.said.hint), m.width)
	}
	if m.mode == reading {
		if m.page.id == "" {
			return m.keyLine("↑ ↓ scroll   q back to the board")
		}
		return m.keyLine("↑ ↓ scroll   q back   e edit   n note   t attest   c claim   < > move")
	}
	return m.keyLine("? help   enter open   < > move   c claim   n note   / find   a add   e edit   q quit")
}

func (m *Model) keyLine(text string) string {
	return m.paint.in(m.ruler.fill(text, m.width), faint)
}

// inputLine is the line that is typed, scrolled so that the cursor can be seen, and where the cursor is.
func (m *Model) inputLine() (line string, x int) {
	prompt := m.ruler.cut(safe(m.input.prompt), max(1, m.width-10))
	room := max(1, m.width-m.ruler.StringWidth(prompt)-1)
	from := 0
	for m.ruler.StringWidth(string(m.input.text[from:m.input.at])) > room {
		from++
	}
	shown := m.ruler.cut(safe(string(m.input.text[from:])), room)
	x = m.ruler.StringWidth(prompt) + m.ruler.StringWidth(safe(string(m.input.text[from:m.input.at])))
	return m.paint.in(prompt, bold) + shown, min(x, m.width-1)
}

// choiceLines ask for a state.
func (m *Model) choiceLines() []string {
	var parts []string
	for i, state := range m.board.States {
		if i < len(choiceKeys) {
			parts = append(parts, m.paint.in(choiceKeys[i:i+1], bold)+" "+safe(string(state)))
		}
	}
	text := m.paint.in("move "+safe(m.board.short(m.moves.ID))+" to", bold) + "  " + strings.Join(parts, "  ")
	lines := strings.Split(m.ruler.Wrap(text, max(1, m.width), ""), "\n")
	return append(lines, m.keyLine("any other key gives it up"))
}

// Lines are the lines of the screen, with their colours.
func (m *Model) Lines() []string {
	lines, _ := m.screen()
	return lines
}
