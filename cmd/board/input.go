package board

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// input is a line that a person types.
type input struct {
	prompt  string
	text    []rune
	at      int                          // where the next character goes
	changed func(*Model, string) tea.Cmd // after each change; nil if only the whole line counts
	done    func(*Model, string) tea.Cmd // once it is typed
	left    func(*Model) tea.Cmd         // when it is given up; nil for nothing
}

// ask has a person type a line.
func (m *Model) ask(in input, text string) tea.Cmd {
	in.text = []rune(text)
	in.at = len(in.text)
	m.mode, m.input = typing, in
	return nil
}

// keyOfInput takes a key while a line is typed.
func (m *Model) keyOfInput(k tea.KeyPressMsg) tea.Cmd {
	in := &m.input
	switch k.String() {
	case "enter":
		m.mode = looking
		return in.done(m, strings.TrimSpace(string(in.text)))
	case "esc":
		m.mode = looking
		if in.left != nil {
			return in.left(m)
		}
		return nil
	case "left", "ctrl+b":
		in.at = max(0, in.at-1)
	case "right", "ctrl+f":
		in.at = min(len(in.text), in.at+1)
	case "home", "ctrl+a":
		in.at = 0
	case "end", "ctrl+e":
		in.at = len(in.text)
	case "backspace", "ctrl+h":
		return m.erase(in.at - 1)
	case "delete", "ctrl+d":
		return m.erase(in.at)
	case "ctrl+u":
		in.text, in.at = in.text[in.at:], 0
		return m.inputChanged()
	case "ctrl+w":
		for in.at > 0 && in.text[in.at-1] == ' ' {
			in.remove(in.at - 1)
		}
		for in.at > 0 && in.text[in.at-1] != ' ' {
			in.remove(in.at - 1)
		}
		return m.inputChanged()
	default:
		return m.typed(k.Text)
	}
	return nil
}

// typed puts text where the cursor is. What is pasted becomes one line.
func (m *Model) typed(text string) tea.Cmd {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' || r == '\t' }), " ")
	if text == "" || !utf8.ValidString(text) {
		return nil
	}
	in, runes := &m.input, []rune(text)
	in.text = append(in.text[:in.at:in.at], append(runes, in.text[in.at:]...)...)
	in.at += len(runes)
	return m.inputChanged()
}

func (m *Model) erase(i int) tea.Cmd {
	if i < 0 || i >= len(m.input.text) {
		return nil
	}
	m.input.remove(i)
	return m.inputChanged()
}

// remove takes a character away.
func (in *input) remove(i int) {
	in.text = append(in.text[:i:i], in.text[i+1:]...)
	if i < in.at {
		in.at--
	}
}

func (m *Model) inputChanged() tea.Cmd {
	if m.input.changed == nil {
		return nil
	}
	return m.input.changed(m, string(m.input.text))
}

// askText filters as one types.
func (m *Model) askText() tea.Cmd {
	set := func(m *Model, text string) tea.Cmd {
		m.query.Text = strings.TrimSpace(text)
		return m.reload()
	}
	return m.ask(input{
		prompt: "find: ", changed: set, done: set,
		left: func(m *Model) tea.Cmd { return set(m, "") },
	}, m.query.Text)
}

// askWhere filters by the language of list.
func (m *Model) askWhere() tea.Cmd {
	return m.ask(input{prompt: "where: ", done: func(m *Model, text string) tea.Cmd {
		m.query.Where = text
		return m.reload()
	}}, m.query.Where)
}

// askNote writes a note on the selected task.
func (m *Model) askNote() tea.Cmd {
	row, ok := m.selected()
	if !ok {
		return m.nothingSelected()
	}
	return m.ask(input{prompt: "note on " + m.board.short(row.ID) + ": ", done: func(m *Model, text string) tea.Cmd {
		if text == "" {
			return nil
		}
		return m.do(call{verb: "note", id: row.ID, in: map[string]any{"text": text}, what: "noted"})
	}}, "")
}

// askTask makes a task.
func (m *Model) askTask() tea.Cmd {
	return m.ask(input{prompt: "new task: ", done: func(m *Model, text string) tea.Cmd {
		if text == "" {
			return nil
		}
		return m.do(call{verb: "create", in: map[string]any{"title": text}, what: "created", follow: true})
	}}, "")
}

// askAttest settles a manual check of the selected task.
func (m *Model) askAttest() tea.Cmd {
	row, ok := m.selected()
	if !ok {
		return m.nothingSelected()
	}
	return m.ask(input{prompt: "attest on " + m.board.short(row.ID) + " (as in: 0 pass I read it): ", done: func(m *Model, text string) tea.Cmd {
		check, rest, _ := strings.Cut(text, " ")
		word, why, _ := strings.Cut(strings.TrimSpace(rest), " ")
		if check == "" {
			return nil
		}
		if word != "pass" && word != "fail" {
			m.said = said{text: "say whether the check passes", hint: "the number of the check, pass or fail, and what you saw: 0 pass I read it", bad: true}
			return nil
		}
		in := map[string]any{"check": check, "pass": word == "pass"}
		if why = strings.TrimSpace(why); why != "" {
			in["text"] = why
		}
		return m.do(call{verb: "attest", id: row.ID, in: in, what: "attested"})
	}}, "")
}
