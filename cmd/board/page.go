package board

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// page is a text that fills the window: a task, or the help.
type page struct {
	id    record.ID // "" for the help
	title string
	lines []string // none until the text has come
	top   int
	asked int // how many times a text was asked for
}

// open shows a task whole. The page is open at once, so that the next key is about it, and its text comes later.
func open(m *Model, row verb.Row) tea.Cmd {
	m.mode, m.page = reading, page{id: row.ID, title: string(row.ID), asked: m.page.asked}
	return m.refill()
}

// refill makes the text of the page anew, if it is of a task.
func (m *Model) refill() tea.Cmd {
	if m.mode != reading || m.page.id == "" {
		return nil
	}
	m.page.asked++
	asked, id, width := m.page.asked, m.page.id, m.width // as they are now: the command runs beside the model
	return safely(func() tea.Msg {
		text, err := m.calls.Show(m.ctx, id, width)
		return shownMsg{asked, text, err}
	})
}

// showPage takes the text of the page that is open, and leaves it where it is scrolled to. A text may come late: when
// the page was left for the board or for a line to type, or after a newer text was asked for. Then it counts for
// nothing, and opens no page by itself.
func (m *Model) showPage(msg shownMsg) {
	if m.mode != reading || m.page.id == "" || msg.asked != m.page.asked {
		return
	}
	if msg.err != nil {
		m.mode = looking
		m.refused(msg.err)
		return
	}
	m.page.lines = strings.Split(m.ruler.Wrap(strings.TrimRight(msg.text, "\n"), max(1, m.width), " -"), "\n")
	m.page.scroll(0, m.view().pageRows())
}

func help(m *Model) tea.Cmd {
	lines := []string{m.paint.in("Keys", bold), ""}
	for _, b := range bindings() {
		if b.name != "" {
			lines = append(lines, fmt.Sprintf("  %s  %s", m.ruler.fill(b.name, 10), b.does))
		}
	}
	lines = append(lines, "",
		"The columns are the states of this workspace; what is closed stands in one,",
		"the newest first. A move goes through the gates: where they refuse it, the",
		"line at the bottom says why, and what helps. Checks run beside the board.",
		"Everything is done by the same verbs as at the command line, in your name.")
	var wrapped []string
	for _, line := range lines {
		wrapped = append(wrapped, strings.Split(m.ruler.Wrap(line, max(1, m.width), ""), "\n")...)
	}
	m.mode, m.page = reading, page{title: "help", lines: wrapped, asked: m.page.asked}
	return nil
}

func (m *Model) keyOfPage(key string) tea.Cmd {
	rows, by := m.view().pageRows(), 0
	switch key {
	case "q", "esc", "enter", "left", "h", "?":
		m.mode = looking
	case "down", "j":
		by = 1
	case "up", "k":
		by = -1
	case "pgdown", "space", " ", "ctrl+f", "ctrl+d":
		by = max(1, rows-2)
	case "pgup", "ctrl+b", "ctrl+u", "b":
		by = -max(1, rows-2)
	case "home", "g":
		by = -len(m.page.lines)
	case "end", "G":
		by = len(m.page.lines)
	default:
		if m.page.id == m.at.id && m.page.id != "" {
			return m.keyOfBoard(key, true)
		}
	}
	m.page.scroll(by, rows)
	return nil
}

func (p *page) scroll(by, rows int) { p.top = min(max(p.top+by, 0), max(0, len(p.lines)-rows)) }

func (v view) pageRows() int { return max(1, v.m.height-3) }
