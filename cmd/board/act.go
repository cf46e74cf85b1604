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

type call struct {
	verb   string
	id     record.ID // "" for a verb about no task that there is
	in     map[string]any
	what   string // was done, in a word
	follow bool   // the task is selected afterwards
}

func (c call) input() map[string]any {
	in := map[string]any{}
	maps.Copy(in, c.in)
	if c.id != "" {
		in["id"] = string(c.id)
	}
	return in
}

func act(name, what string) func(*Model, verb.Row) tea.Cmd {
	return func(m *Model, row verb.Row) tea.Cmd { return m.do(call{verb: name, id: row.ID, what: what}) }
}

// moveBy moves a task to the column at the side of the selected one.
func moveBy(by int) func(*Model, verb.Row) tea.Cmd {
	return func(m *Model, row verb.Row) tea.Cmd {
		if at := m.at.column + by; at >= 0 && at < len(m.board.Columns) {
			return m.move(row, m.board.Columns[at].States[0])
		}
		m.say("there is no column there")
		return nil
	}
}

// move moves a task. Whoever moves it to where work is done takes it, as cairn start does.
func (m *Model) move(row verb.Row, to record.Status) tea.Cmd {
	if m.board.Starts != nil && m.board.Starts(row, to) {
		return m.do(call{verb: "start", id: row.ID, what: "started"})
	}
	in := map[string]any{"to": string(to)}
	return m.do(call{verb: "transition", id: row.ID, in: in, what: "moved to " + string(to)})
}

// do calls a verb beside the model. There is one such call at a time.
func (m *Model) do(c call) tea.Cmd {
	if m.work != nil {
		return m.stillRuns()
	}
	in, what := c.input(), c.verb
	if to, moves := c.in["to"]; moves {
		what = fmt.Sprintf("moving %s to %s", m.board.short(c.id), to)
	} else if c.id != "" {
		what += " " + m.board.short(c.id)
	}
	ctx, cancel := context.WithCancel(m.ctx)
	w := &work{what: what, cancel: cancel, reports: make(chan string, 1)}
	m.work = w
	run := safely(func() tea.Msg {
		defer close(w.reports)
		defer cancel()
		t, err := m.calls.Do(ctx, c.verb, in, w.report)
		return doneMsg{task: t, err: err, call: c}
	})
	return tea.Batch(run, w.listen(), m.every())
}

func (m *Model) stillRuns() tea.Cmd {
	m.said = message{text: m.work.what + " still runs", hint: "esc interrupts it", bad: true}
	return nil
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
func (w *work) listen() tea.Cmd {
	return safely(func() tea.Msg {
		if text, open := <-w.reports; open {
			return reportMsg{text}
		}
		return nil
	})
}

func (m *Model) stopWork() tea.Cmd {
	m.work.cancel()
	m.work.doing = "interrupted; waits for it to end"
	return nil
}

// done takes the end of a call, and follows the task where it went.
func (m *Model) done(msg doneMsg) tea.Cmd {
	m.work = nil
	c, t := msg.call, msg.task
	switch {
	case errors.Is(msg.err, ErrAsks) && !msg.away:
		return m.goAway(m.calls.Ask(m.ctx, c.verb, c.input()), c)
	case m.ctx.Err() != nil:
		return nil
	case errors.Is(msg.err, context.Canceled):
		m.say("interrupted: nothing was moved")
	case msg.err != nil:
		m.refused(msg.err)
	default:
		text := c.what
		if t.ID != "" {
			text = m.board.short(t.ID) + " " + text
			if c.follow {
				m.at.id = t.ID
			}
		}
		if t.Run != nil && len(t.Run.Checks) > 0 {
			text += fmt.Sprintf("; checks that ran: %d", len(t.Run.Checks))
		}
		m.say(text)
	}
	return m.reload()
}

func (m *Model) goAway(away Away, c call) tea.Cmd {
	return tea.Exec(away, func(err error) tea.Msg {
		msg := doneMsg{err: err, call: c, away: true}
		if err == nil {
			msg.task = away.Result()
		}
		return msg
	})
}

// undo takes back the last write to a task, or with redo the last undo.
func undo(redo bool) func(*Model, verb.Row) tea.Cmd {
	return func(m *Model, row verb.Row) tea.Cmd {
		what := map[bool]string{false: "your last write to it is taken back; U brings it again", true: "the last undo is taken back"}[redo]
		return m.do(call{verb: "undo", id: row.ID, in: map[string]any{"confirm": true, "redo": redo}, what: what, follow: true})
	}
}

func edit(m *Model, row verb.Row) tea.Cmd {
	if m.work != nil {
		return m.stillRuns()
	}
	return m.goAway(m.calls.Edit(m.ctx, row.ID), call{verb: "edit", id: row.ID, what: "edited"})
}
