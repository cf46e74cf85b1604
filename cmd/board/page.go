package board

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/cairn-tasks/cairn/internal/record"
)

// page is a text that fills the window: a task, or the help.
type page struct {
	id    record.ID // "" for the help
	title string
	lines []string // none until the text has come
	top   int
}

// open shows the selected task whole. The page is open at once, so that the next key is about it, and its text comes
// later.
func (m *Model) open() tea.Cmd {
	row, ok := m.selected()
	if !ok {
		return m.nothingSelected()
	}
	m.mode, m.page = reading, page{id: row.ID, title: string(row.ID)}
	return m.fillPage()
}

// refill makes the text of the page anew, if it is of a task.
func (m *Model) refill() tea.Cmd {
	if m.mode != reading || m.page.id == "" {
		return nil
	}
	return m.fillPage()
}

func (m *Model) fillPage() tea.Cmd {
	m.asked++
	asked, id, width := m.asked, m.page.id, m.width // as they are now: the command runs beside the model
	return m.safely(func() tea.Msg {
		text, err := m.calls.Show(m.ctx, id, width)
		return shownMsg{asked, text, err}
	})
}

// showPage takes the text of the page that is open, and leaves it where it is scrolled to. A text may come late: when
// the page was left for the board or for a line to type, or after a newer text was asked for. Then it counts for
// nothing, and opens no page by itself.
func (m *Model) showPage(msg shownMsg) {
	if m.mode != reading || m.page.id == "" || msg.asked != m.asked {
		return
	}
	if msg.err != nil {
		m.mode = looking
		m.refused(msg.err)
		return
	}
	text := strings.TrimRight(msg.text, "\n")
	m.page.lines = strings.Split(m.Wrap(text, max(1, m.width), " -"), "\n")
	m.scroll(0)
}

// Wrap breaks lines that are wider than the window.
func (m *Model) Wrap(text string, width int, breaks string) string {
	return m.ruler.Wrap(text, width, breaks)
}

// help shows the keys.
func (m *Model) help() tea.Cmd {
	lines := []string{
		m.paint.in("Keys", bold), "",
	}
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
	m.mode, m.page = reading, page{title: "help", lines: wrapped}
	return nil
}

// keyOfPage takes a key while a page is shown. Keys that do something to the task do it from here too.
func (m *Model) keyOfPage(k tea.KeyPressMsg) tea.Cmd {
	half := max(1, m.pageRows()-2)
	switch k.String() {
	case "q", "esc", "enter", "left", "h", "?":
		m.mode = looking
	case "down", "j":
		m.scroll(1)
	case "up", "k":
		m.scroll(-1)
	case "pgdown", "space", " ", "ctrl+f", "ctrl+d":
		m.scroll(half)
	case "pgup", "ctrl+b", "ctrl+u", "b":
		m.scroll(-half)
	case "home", "g":
		m.scroll(-len(m.page.lines))
	case "end", "G":
		m.scroll(len(m.page.lines))
	case "e", "n", "t", "c", "r", "m", "<", ">":
		if m.page.id == m.at.id {
			return m.keyOfBoard(k)
		}
	}
	return nil
}

func (m *Model) scroll(by int) {
	m.page.top = min(max(m.page.top+by, 0), max(0, len(m.page.lines)-m.pageRows()))
}

func (m *Model) pageRows() int { return max(1, m.height-3) }
