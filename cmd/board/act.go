package board

import (
	"context"
	"errors"
	"fmt"
	"maps"

	tea "charm.land/bubbletea/v2"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// call is a call of a verb.
type call struct {
	verb   string
	id     record.ID // "" for a verb about no task that there is
	in     map[string]any
	what   string // was done, in a word
	follow bool   // the task is selected afterwards
}

// then is what comes after a call.
type then struct {
	call call
	away func() verb.Task // of a call that had the terminal; nil for others
}

// act calls a verb on the selected task.
func (m *Model) act(name, what string, in map[string]any) tea.Cmd {
	row, ok := m.selected()
	if !ok {
		return m.nothingSelected()
	}
	return m.do(call{verb: name, id: row.ID, in: in, what: what})
}

func (m *Model) nothingSelected() tea.Cmd {
	m.say("no task is selected")
	return nil
}

// moveBy moves the selected task to the column at its side.
func (m *Model) moveBy(by int) tea.Cmd {
	row, ok := m.selected()
	if !ok {
		return m.nothingSelected()
	}
	to, ok := m.stateAfter(by)
	if !ok {
		m.say("there is no column there")
		return nil
	}
	return m.move(row, to.States[0])
}

func (m *Model) move(row verb.Row, to record.Status) tea.Cmd {
	return m.do(call{verb: "transition", id: row.ID, in: map[string]any{"to": string(to)}, what: "moved to " + string(to)})
}

// chooseState asks for the state to move the selected task to.
func (m *Model) chooseState() tea.Cmd {
	row, ok := m.selected()
	if !ok {
		return m.nothingSelected()
	}
	m.mode, m.moves = choosing, row
	return nil
}

// choiceKeys are the keys for the states, in their order.
const choiceKeys = "123456789abcdefghijklmnoprstuvwxyz"

func (m *Model) keyOfChoice(k tea.KeyPressMsg) tea.Cmd {
	m.mode = looking
	for i, state := range m.board.States {
		if i < len(choiceKeys) && k.String() == choiceKeys[i:i+1] {
			return m.move(m.moves, state)
		}
	}
	return nil
}

// do calls a verb beside the model. There is one such call at a time.
func (m *Model) do(c call) tea.Cmd {
	if m.work != nil {
		return m.stillRuns()
	}
	in := c.input()
	ctx, cancel := context.WithCancel(m.ctx)
	w := &work{what: m.workName(c), cancel: cancel, reports: make(chan string, 1)}
	m.work = w
	run := m.safely(func() tea.Msg {
		defer close(w.reports)
		defer cancel()
		t, err := m.calls.Do(ctx, c.verb, in, w.report)
		return doneMsg{t, err, then{call: c}}
	})
	return tea.Batch(run, m.listen(w), m.every())
}

func (m *Model) stillRuns() tea.Cmd {
	m.said = said{text: m.work.what + " still runs", hint: "esc interrupts it", bad: true}
	return nil
}

// input is what the verb takes.
func (c call) input() map[string]any {
	in := maps.Clone(c.in)
	if in == nil {
		in = map[string]any{}
	}
	if c.id != "" {
		in["id"] = string(c.id)
	}
	return in
}

// workName says what a call does, for the line that says that it runs.
func (m *Model) workName(c call) string {
	if c.id == "" {
		return c.verb
	}
	if to, ok := c.in["to"].(string); ok {
		return fmt.Sprintf("moving %s to %s", m.board.short(c.id), to)
	}
	return c.verb + " " + m.board.short(c.id)
}

// report takes a report of a call. Of reports that nobody has taken yet the last counts.
func (w *work) report(text string) {
	for {
		select {
		case w.reports <- text:
			return
		default:
		}
		select {
		case <-w.reports:
		default:
		}
	}
}

// listen waits for the next report of a call.
func (m *Model) listen(w *work) tea.Cmd {
	return m.safely(func() tea.Msg {
		text, open := <-w.reports
		if !open {
			return nil
		}
		return reportMsg{text}
	})
}

func (m *Model) report(text string) tea.Cmd {
	if m.work == nil {
		return nil
	}
	m.work.doing = text
	return m.listen(m.work)
}

// tick counts the seconds of what runs.
func (m *Model) tick() tea.Cmd {
	if m.work == nil {
		return nil
	}
	m.work.seconds++
	return m.every()
}

func (m *Model) stopWork() tea.Cmd {
	m.work.cancel()
	m.work.doing = "interrupted; waits for it to end"
	return nil
}

// done takes the end of a call.
func (m *Model) done(msg doneMsg) tea.Cmd {
	m.work = nil
	c := msg.then.call
	if errors.Is(msg.err, ErrAsks) && msg.then.away == nil {
		return m.goAway(m.calls.Ask(m.ctx, c.verb, c.input()), c)
	}
	switch {
	case m.ctx.Err() != nil:
		return nil
	case errors.Is(msg.err, context.Canceled):
		m.say("interrupted: nothing was moved")
	case msg.err != nil:
		m.refused(msg.err)
	default:
		m.succeeded(c, msg.task)
	}
	return m.reload()
}

// succeeded says what was done, and follows the task where it went.
func (m *Model) succeeded(c call, t verb.Task) {
	if c.follow && t.ID != "" {
		m.at.id = t.ID
	}
	text := c.what
	if id := t.ID; id != "" {
		text = m.board.short(id) + " " + text
	}
	if t.Run != nil && len(t.Run.Checks) > 0 {
		text += fmt.Sprintf("; checks that ran: %d", len(t.Run.Checks))
	}
	m.say("%s", text)
}

// goAway gives the terminal away for a call, and takes it back.
func (m *Model) goAway(away Away, c call) tea.Cmd {
	return tea.Exec(away, func(err error) tea.Msg {
		msg := doneMsg{err: err, then: then{call: c, away: away.Result}}
		if err == nil {
			msg.task = away.Result()
		}
		return msg
	})
}

// edit gives the terminal to the person's editor.
func (m *Model) edit() tea.Cmd {
	row, ok := m.selected()
	if !ok {
		return m.nothingSelected()
	}
	if m.work != nil {
		return m.stillRuns()
	}
	return m.goAway(m.calls.Edit(m.ctx, row.ID), call{verb: "edit", id: row.ID, what: "edited"})
}
