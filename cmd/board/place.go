package board

import (
	"maps"

	tea "charm.land/bubbletea/v2"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// settle finds the selected task again after the board or the window has changed, and scrolls so that it can be seen.
// Of a task that is gone the place stays.
func (m *Model) settle() {
	if len(m.board.Columns) == 0 {
		return
	}
	if column, card, ok := m.board.find(m.at.id); ok {
		m.at.column, m.at.card = column, card
	}
	m.at.column = min(max(m.at.column, 0), len(m.board.Columns)-1)
	cards := m.column().Tasks
	if m.at.end {
		m.at.card, m.at.end = len(cards)-1, len(cards) < m.column().Total
	}
	m.at.card = min(max(m.at.card, 0), max(0, len(cards)-1))
	m.at.id = ""
	if len(cards) > 0 {
		m.at.id = cards[m.at.card].ID
	}
	m.reveal()
}

// column is the one with the selection. There is one whenever something was loaded.
func (m *Model) column() Column {
	if len(m.board.Columns) == 0 {
		return Column{}
	}
	return m.board.Columns[m.at.column]
}

func (m *Model) selected() (verb.Row, bool) {
	cards := m.column().Tasks
	if m.at.card >= len(cards) {
		return verb.Row{}, false
	}
	return cards[m.at.card], true
}

// goTo selects a card of the column. It loads more of a column of which the end comes near.
func (m *Model) goTo(card int) tea.Cmd {
	c := m.column()
	card = min(max(card, 0), max(0, len(c.Tasks)-1))
	m.at.card, m.at.id, m.at.end = card, "", false
	if card < len(c.Tasks) {
		m.at.id = c.Tasks[card].ID
	}
	m.reveal()
	if len(c.Tasks) < c.Total && card >= len(c.Tasks)-Page/2 {
		return m.want(c, len(c.Tasks)+2*Page)
	}
	return nil
}

// goToEnd selects the last card of the column, of which all are loaded for it.
func goToEnd(m *Model) tea.Cmd {
	c := m.column()
	m.at.end = len(c.Tasks) < c.Total
	m.settle()
	if !m.at.end {
		return m.goTo(len(c.Tasks) - 1)
	}
	return m.want(c, c.Total)
}

func (m *Model) want(c Column, n int) tea.Cmd {
	if m.query.Wanted(c.Name) >= n && m.loading {
		return nil
	}
	want := maps.Clone(m.query.Want) // it is in use by the load that is under way
	if want == nil {
		want = map[string]int{}
	}
	want[c.Name] = min(max(n, want[c.Name]), c.Total)
	m.query.Want = want
	return m.reload()
}

// turn selects a card in another column, at about the height of the one before.
func turn(by int) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		if len(m.board.Columns) == 0 {
			return nil
		}
		height := m.at.card - m.above[m.column().Name]
		m.at.column = min(max(m.at.column+by, 0), len(m.board.Columns)-1)
		return m.goTo(m.above[m.column().Name] + height)
	}
}

// reveal scrolls so that the selected card can be seen whole.
func (m *Model) reveal() {
	if len(m.board.Columns) == 0 || m.width == 0 {
		return
	}
	shown := m.view().columnsShown()
	m.left = min(max(m.left, m.at.column-shown+1), m.at.column)
	m.left = min(max(m.left, 0), len(m.board.Columns)-shown)
	c := m.column()
	above := min(m.above[c.Name], max(0, len(c.Tasks)-1), m.at.card)
	m.above[c.Name] = max(above, m.view().leastAbove(c))
}

// leastAbove is how many cards must be scrolled away so that the selected one can be seen. It draws cards from there
// upwards until the screen is full, and no others.
func (v view) leastAbove(c Column) int {
	m := v.m
	d, room := v.pen(m.at.column), v.cardRows()
	if !d.compact {
		room++ // the empty line below the last card may be hidden
	}
	at := min(m.at.card, len(c.Tasks)-1)
	for ; at >= 0; at-- {
		room -= len(d.card(c.Tasks[at], c, at == m.at.card))
		if room < 0 {
			break
		}
	}
	return min(at+1, max(0, m.at.card))
}

// The least and the usual width of a column.
const (
	leastColumn = 26
	gap         = 3 // columns of the terminal between two columns of the board
)

func (v view) columnsShown() int {
	m := v.m
	n := (m.width + gap) / (leastColumn + gap)
	return min(max(n, 1), max(1, len(m.board.Columns)))
}

// columnWidth is the width of the nth column. What is left of a division goes to the first ones.
func (v view) columnWidth(n int) int {
	m := v.m
	shown := v.columnsShown()
	room := m.width - gap*(shown-1)
	w := room / shown
	if n-m.left < room%shown {
		w++
	}
	return max(w, 4)
}

func (v view) pen(column int) pen {
	return pen{v.paint, v.ruler, v.columnWidth(column), v.m.board, v.m.compact}
}
