package board

import (
	tea "charm.land/bubbletea/v2"
)

// binding is what a key does while a person looks at the columns.
type binding struct {
	keys []string
	name string // as the help shows it
	does string // in the words of the help
	do   func(*Model) tea.Cmd
}

// bindings are the keys, in the order in which the help lists them.
func bindings() []binding {
	return []binding{
		{[]string{"up", "k"}, "↑ ↓ ← →", "select a task (or k j h l)", func(m *Model) tea.Cmd { return m.goTo(m.at.card - 1) }},
		{[]string{"down", "j"}, "", "", func(m *Model) tea.Cmd { return m.goTo(m.at.card + 1) }},
		{[]string{"left", "h"}, "", "", func(m *Model) tea.Cmd { return m.turn(-1) }},
		{[]string{"right", "l", "tab"}, "", "", func(m *Model) tea.Cmd { return m.turn(1) }},
		{[]string{"shift+tab"}, "", "", func(m *Model) tea.Cmd { return m.turn(-1) }},
		{[]string{"pgdown", "ctrl+d", "ctrl+f"}, "pgup pgdn", "a screen up, a screen down", func(m *Model) tea.Cmd { return m.goTo(m.at.card + m.screenful()) }},
		{[]string{"pgup", "ctrl+u", "ctrl+b"}, "", "", func(m *Model) tea.Cmd { return m.goTo(m.at.card - m.screenful()) }},
		{[]string{"home", "g"}, "g G", "the first task, the last task", func(m *Model) tea.Cmd { return m.goTo(0) }},
		{[]string{"end", "G"}, "", "", (*Model).goToEnd},
		{[]string{"enter", "o"}, "enter", "open: the task with its body, checks and provenance", (*Model).open},
		{[]string{"/"}, "/", "show only what has these words", (*Model).askText},
		{[]string{"w"}, "w", "show only what fits a filter, as in list --where", (*Model).askWhere},
		{[]string{"@"}, "@", "show only what you hold, and all again", (*Model).toggleMine},
		{[]string{">", "L", "shift+right"}, "< >", "move the task to the state at the left, at the right", func(m *Model) tea.Cmd { return m.moveBy(1) }},
		{[]string{"<", "H", "shift+left"}, "", "", func(m *Model) tea.Cmd { return m.moveBy(-1) }},
		{[]string{"m"}, "m", "move the task to a state that you choose", (*Model).chooseState},
		{[]string{"c"}, "c", "claim the task", func(m *Model) tea.Cmd { return m.act("claim", "claimed", nil) }},
		{[]string{"r"}, "r", "release the task", func(m *Model) tea.Cmd { return m.act("release", "released", nil) }},
		{[]string{"n"}, "n", "write a note", (*Model).askNote},
		{[]string{"a"}, "a", "add a task", (*Model).askTask},
		{[]string{"e"}, "e", "edit the task in your editor", (*Model).edit},
		{[]string{"t"}, "t", "attest a manual check: its number, pass or fail, what you saw", (*Model).askAttest},
		{[]string{"esc"}, "esc", "interrupt what runs; else drop the filter", (*Model).escape},
		{[]string{"?"}, "?", "this help", (*Model).help},
		{[]string{"ctrl+z"}, "ctrl+z", "stop the board as any program; fg brings it back", func(*Model) tea.Cmd { return tea.Suspend }},
		{[]string{"q"}, "q", "quit (or ctrl+c)", (*Model).quit},
	}
}

// key takes a key.
func (m *Model) key(k tea.KeyPressMsg) tea.Cmd {
	if k.String() == "ctrl+c" {
		return m.interrupt()
	}
	switch m.mode {
	case reading:
		return m.keyOfPage(k)
	case typing:
		return m.keyOfInput(k)
	case choosing:
		return m.keyOfChoice(k)
	default:
		return m.keyOfBoard(k)
	}
}

func (m *Model) keyOfBoard(k tea.KeyPressMsg) tea.Cmd {
	for _, b := range bindings() {
		for _, name := range b.keys {
			if k.String() == name {
				m.said = said{}
				return b.do(m)
			}
		}
	}
	return nil
}

// interrupt is Ctrl-C: it ends what runs, and the board where nothing does.
func (m *Model) interrupt() tea.Cmd {
	if m.work != nil {
		return m.stopWork()
	}
	m.Interrupted = true
	return tea.Quit
}

// quit ends the board, unless something runs.
func (m *Model) quit() tea.Cmd {
	if m.work != nil {
		return m.stillRuns()
	}
	return tea.Quit
}

// escape ends what runs, or drops the filters where nothing does.
func (m *Model) escape() tea.Cmd {
	if m.work != nil {
		return m.stopWork()
	}
	if m.query.Text == "" && m.query.Where == "" && !m.query.Mine {
		return nil
	}
	m.query = Query{}
	return m.reload()
}

func (m *Model) toggleMine() tea.Cmd {
	m.query.Mine = !m.query.Mine
	return m.reload()
}

// screenful is about how many cards there are on a screen.
func (m *Model) screenful() int { return max(1, m.cardRows()/5) }
