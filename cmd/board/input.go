package board

import (
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// input is a line that a person types.
type input struct {
	prompt  string
	text    []rune
	at      int                          // where the next character goes
	changed func(*Model, string) tea.Cmd // after each change; nil if only the whole line counts
	done    func(*Model, string) tea.Cmd // once it is typed
	left    func(*Model, string) tea.Cmd // when it is given up; nil for nothing
}

func (m *Model) ask(in input, text string) tea.Cmd {
	in.text = []rune(text)
	in.at = len(in.text)
	m.mode, m.input = typing, in
	return nil
}

// ended is what a key that ends the line has done; nil for any other key.
func (in *input) ended(key string) func(*Model, string) tea.Cmd {
	switch {
	case key == "enter":
		return in.done
	case key == "esc" && in.left != nil:
		return in.left
	case key == "esc":
		return func(*Model, string) tea.Cmd { return nil }
	}
	return nil
}

func (m *Model) inputChanged(did bool) tea.Cmd {
	if !did || m.input.changed == nil {
		return nil
	}
	return m.input.changed(m, string(m.input.text))
}

// key edits the line by a key, and reports whether its text has changed.
func (in *input) key(name, text string) bool {
	switch name {
	case "left", "ctrl+b":
		in.at = max(0, in.at-1)
	case "right", "ctrl+f":
		in.at = min(len(in.text), in.at+1)
	case "home", "ctrl+a":
		in.at = 0
	case "end", "ctrl+e":
		in.at = len(in.text)
	case "backspace", "ctrl+h":
		return in.remove(in.at-1, in.at)
	case "delete", "ctrl+d":
		return in.remove(in.at, in.at+1)
	case "ctrl+u":
		return in.remove(0, in.at)
	case "ctrl+w":
		from := len([]rune(strings.TrimRight(string(in.text[:in.at]), " ")))
		for from > 0 && in.text[from-1] != ' ' {
			from--
		}
		return in.remove(from, in.at)
	default:
		return in.put(text)
	}
	return false
}

// put puts text where the cursor is. What is pasted becomes one line.
func (in *input) put(text string) bool {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' || r == '\t' }), " ")
	if text == "" || !utf8.ValidString(text) {
		return false
	}
	runes := []rune(text)
	in.text = slices.Insert(in.text, in.at, runes...)
	in.at += len(runes)
	return true
}

// remove takes characters away, if there are such, and puts the cursor there.
func (in *input) remove(from, to int) bool {
	if from < 0 || to > len(in.text) {
		return false
	}
	in.text, in.at = slices.Delete(in.text, from, to), from
	return true
}

// askText filters as one types.
func askText(m *Model) tea.Cmd {
	set := func(m *Model, text string) tea.Cmd {
		m.query.Text = strings.TrimSpace(text)
		return m.reload()
	}
	left := func(m *Model, _ string) tea.Cmd { return set(m, "") }
	return m.ask(input{prompt: "find: ", changed: set, done: set, left: left}, m.query.Text)
}

func askWhere(m *Model) tea.Cmd {
	return m.ask(input{prompt: "where: ", done: func(m *Model, text string) tea.Cmd {
		m.query.Where = text
		return m.reload()
	}}, m.query.Where)
}

// askFor has a person type a text of a call. Without a text nothing is called.
func askFor(m *Model, prompt, key string, c call) tea.Cmd {
	return m.ask(input{prompt: prompt, done: func(m *Model, text string) tea.Cmd {
		if text == "" {
			return nil
		}
		c.in = map[string]any{key: text}
		return m.do(c)
	}}, "")
}

func askTask(m *Model) tea.Cmd {
	return askFor(m, "new task: ", "title", call{verb: "create", what: "created", follow: true})
}

func askNote(m *Model, row verb.Row) tea.Cmd {
	return askFor(m, "note on "+m.board.short(row.ID)+": ", "text", call{verb: "note", id: row.ID, what: "noted"})
}

func askAttest(m *Model, row verb.Row) tea.Cmd {
	return m.ask(input{prompt: "attest on " + m.board.short(row.ID) + " (as in: 0 pass I read it): ", done: func(m *Model, text string) tea.Cmd {
		check, rest, _ := strings.Cut(text, " ")
		word, why, _ := strings.Cut(strings.TrimSpace(rest), " ")
		if check == "" {
			return nil
		}
		if word != "pass" && word != "fail" {
			hint := "the number of the check, pass or fail, and what you saw: 0 pass I read it"
			m.said = message{text: "say whether the check passes", hint: hint, bad: true}
			return nil
		}
		in := map[string]any{"check": check, "pass": word == "pass"}
		if why = strings.TrimSpace(why); why != "" {
			in["text"] = why
		}
		return m.do(call{verb: "attest", id: row.ID, in: in, what: "attested"})
	}}, "")
}
