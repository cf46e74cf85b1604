package board

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// binding is what some keys do while a person looks at the columns: something at all, or to the selected task. What
// they do to a task they do from its page too.
type binding struct {
	keys string // with blanks between them
	name string // as the help shows it
	does string // in the words of the help
	do   func(*Model) tea.Cmd
	task func(*Model, verb.Row) tea.Cmd
}

// bindings are the keys, in the order in which the help lists them.
func bindings() []binding {
	step := func(by int) func(*Model) tea.Cmd { return func(m *Model) tea.Cmd { return m.goTo(m.at.card + by) } }
	screens := func(by int) func(*Model) tea.Cmd {
		return func(m *Model) tea.Cmd { return m.goTo(m.at.card + by*max(1, m.view().cardRows()/5)) }
	}
	return []binding{
		{keys: "up k", name: "↑ ↓ ← →", does: "select a task (or k j h l)", do: step(-1)},
		{keys: "down j", do: step(1)},
		{keys: "left h shift+tab", do: turn(-1)},
		{keys: "right l tab", do: turn(1)},
		{keys: "pgdown ctrl+d ctrl+f", name: "pgup pgdn", does: "a screen up, a screen down", do: screens(1)},
		{keys: "pgup ctrl+u ctrl+b", do: screens(-1)},
		{keys: "home g", name: "g G", does: "the first task, the last task", do: func(m *Model) tea.Cmd { return m.goTo(0) }},
		{keys: "end G", do: goToEnd},
		{keys: "enter o", name: "enter", does: "open: the task with its body, checks and history", task: open},
		{keys: "/", name: "/", does: "show only what has these words", do: askText},
		{keys: "w", name: "w", does: "show only what fits a filter, as in list --where", do: askWhere},
		{keys: "@", name: "@", does: "show only what you hold, and all again", do: toggleMine},
		{keys: "v", name: "v", does: "a line a task, and whole cards again", do: toggleCompact},
		{keys: "> L shift+right", name: "< >", does: "move the task to the state at the left, at the right; into work it is taken too", task: moveBy(1)},
		{keys: "< H shift+left", task: moveBy(-1)},
		{keys: "m", name: "m", does: "move the task to a state that you choose", task: chooseState},
		{keys: "c", name: "c", does: "claim the task", task: act("claim", "claimed")},
		{keys: "r", name: "r", does: "release the task", task: act("release", "released")},
		{keys: "n", name: "n", does: "write a note", task: askNote},
		{keys: "a", name: "a", does: "add a task", do: askTask},
		{keys: "e", name: "e", does: "edit the task in your editor", task: edit},
		{keys: "u", name: "u U", does: "undo your last write to the task, redo it", task: undo(false)},
		{keys: "U", task: undo(true)},
		{keys: "t", name: "t", does: "attest a manual check: its number, pass or fail, what you saw", task: askAttest},
		{keys: "esc", name: "esc", does: "interrupt what runs; else drop the filter", do: escape},
		{keys: "?", name: "?", does: "this help", do: help},
		{keys: "ctrl+z", name: "ctrl+z", does: "stop the board as any program; fg brings it back", do: func(*Model) tea.Cmd { return tea.Suspend }},
		{keys: "q", name: "q", does: "quit (or ctrl+c)", do: quit},
	}
}

func toggleCompact(m *Model) tea.Cmd {
	m.compact = !m.compact
	m.reveal()
	return nil
}

const choiceKeys = "123456789abcdefghijklmnoprstuvwxyz"

func (m *Model) key(k tea.KeyPressMsg) tea.Cmd {
	if k.String() == "ctrl+c" { // ends what runs, and the board where nothing does
		if m.work != nil {
			return m.stopWork()
		}
		m.Interrupted = true
		return tea.Quit
	}
	switch m.mode {
	case reading:
		return m.keyOfPage(k.String())
	case typing:
		if done := m.input.ended(k.String()); done != nil {
			m.mode = looking
			return done(m, strings.TrimSpace(string(m.input.text)))
		}
		return m.inputChanged(m.input.key(k.String(), k.Text))
	case choosing:
		m.mode = looking
		if i := strings.Index(choiceKeys, k.String()); len(k.String()) == 1 && i >= 0 && i < len(m.board.States) {
			return m.move(m.moves, m.board.States[i])
		}
		return nil
	default:
		return m.keyOfBoard(k.String(), false)
	}
}

// keyOfBoard does what a key does; if that is asked, only to the selected task.
func (m *Model) keyOfBoard(key string, toTask bool) tea.Cmd {
	for _, b := range bindings() {
		if !slices.Contains(strings.Fields(b.keys), key) || toTask && b.task == nil {
			continue
		}
		m.said = message{}
		if b.task == nil {
			return b.do(m)
		}
		if row, ok := m.selected(); ok {
			return b.task(m, row)
		}
		m.say("no task is selected")
	}
	return nil
}

// quit ends the board, unless something runs.
func quit(m *Model) tea.Cmd {
	if m.work != nil {
		return m.stillRuns()
	}
	return tea.Quit
}

// escape ends what runs, or drops the filters where nothing does.
func escape(m *Model) tea.Cmd {
	if m.work != nil {
		return m.stopWork()
	}
	if len(m.query.filters()) == 0 {
		return nil
	}
	m.query = Query{}
	return m.reload()
}

func toggleMine(m *Model) tea.Cmd {
	m.query.Mine = !m.query.Mine
	return m.reload()
}

func chooseState(m *Model, row verb.Row) tea.Cmd {
	m.mode, m.moves = choosing, row
	return nil
}
