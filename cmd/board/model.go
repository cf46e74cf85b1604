package board

import (
	"context"
	"fmt"
	"reflect"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/charmbracelet/x/ansi"
)

// Model is the board and what a person is doing with it. Make one with New.
type Model struct {
	calls Calls
	ctx   context.Context //nolint:containedctx // of the program that the model lives in: commands end with it
	paint paint
	ruler ruler
	every func() tea.Cmd // makes a command that returns a second message; replaced in tests

	width, height int
	compact       bool // a line a task

	board   Board
	query   Query
	loading bool
	again   bool  // load once more after that
	good    Query // that was loaded last

	at    place
	left  int            // the first column that is shown
	above map[string]int // how many cards of a column are scrolled away above

	mode  mode
	input input
	page  page
	moves verb.Row // the task to choose a state for
	said  message
	work  *work // that is under way; nil for none

	// Failed is the panic that ended the board, or nil.
	Failed error
	// Interrupted says that the person ended the board by Ctrl-C.
	Interrupted bool
}

// place is the selected task: a column, and the id of a card in it. The index is where the card was last, so that
// another takes its place when it is gone.
type place struct {
	column int
	card   int
	id     record.ID
	end    bool // the last card is meant, which is still to be loaded
}

type mode int

const (
	looking  mode = iota // at the columns
	reading              // a page: of a task, or the help
	typing               // a line of text
	choosing             // a state to move a task to
)

type message struct {
	text, hint string
	bad        bool
	load       bool // it is about reading the board, and goes away once that succeeds
}

// work is a call under way, which a person can interrupt.
type work struct {
	what    string // in words
	doing   string // what it said last of itself
	seconds int
	cancel  context.CancelFunc
	reports chan string
}

// New returns a board that was loaded with a query. Commands that it returns end with the context.
func New(ctx context.Context, calls Calls, colours bool, query Query, b Board) *Model {
	return &Model{
		board: b, good: query,
		calls: calls, ctx: ctx, paint: paint(colours), ruler: ruler{ansi.WcWidth}, query: query, above: map[string]int{},
		every: func() tea.Cmd { return tea.Tick(time.Second, func(time.Time) tea.Msg { return second{} }) },
	}
}

// The messages that the model sends itself.
type (
	loadedMsg struct {
		board Board
		query Query
		err   error
	}
	changedMsg struct{} // something may have changed
	second     struct{} // has gone by
	reportMsg  struct{ text string }
	doneMsg    struct { // a call is done
		task verb.Task
		err  error
		call call
		away bool // it had the terminal
	}
	shownMsg struct { // the text of a page
		asked int // which of the times that one was asked for
		text  string
		err   error
	}
	failedMsg struct{ err error } // a command has panicked
)

// Init waits for the next change.
func (m *Model) Init() tea.Cmd {
	return safely(func() tea.Msg {
		m.calls.Wait(m.ctx)
		return changedMsg{}
	})
}

// Update takes a message. A panic ends the board, with the terminal as it was.
func (m *Model) Update(msg tea.Msg) (model tea.Model, cmd tea.Cmd) {
	defer func() {
		if r := recover(); r != nil {
			m.Failed = fmt.Errorf("%v", r)
			model, cmd = m, tea.Quit
		}
	}()
	if m.Failed != nil {
		return m, tea.Quit // View has failed
	}
	return m, m.update(msg)
}

func (m *Model) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		m.settle()
		return m.refill()
	case tea.ModeReportMsg:
		if msg.Mode == ansi.ModeUnicodeCore && (msg.Value == ansi.ModeSet || msg.Value == ansi.ModeReset || msg.Value == ansi.ModePermanentlySet) {
			m.ruler = ruler{ansi.GraphemeWidth} // as the renderer does
		}
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		if m.mode == typing {
			return m.inputChanged(m.input.put(msg.Content))
		}
	case loadedMsg:
		return m.take(msg)
	case changedMsg:
		if m.ctx.Err() != nil {
			return nil
		}
		return tea.Batch(m.Init(), m.reload())
	case second:
		if m.work != nil {
			m.work.seconds++
			return m.every()
		}
	case reportMsg:
		if m.work != nil {
			m.work.doing = msg.text
			return m.work.listen()
		}
	case doneMsg:
		return m.done(msg)
	case shownMsg:
		m.showPage(msg)
	case failedMsg:
		m.Failed = msg.err
		return tea.Quit
	}
	return nil
}

// safely makes a command of a function whose panic ends the board instead of the process.
func safely(run func() tea.Msg) tea.Cmd {
	return func() (msg tea.Msg) {
		defer func() {
			if r := recover(); r != nil {
				msg = failedMsg{fmt.Errorf("%v", r)}
			}
		}()
		return run()
	}
}

// reload loads the board once more. Of calls during a load only one more comes of it.
func (m *Model) reload() tea.Cmd {
	if m.loading {
		m.again = true
		return nil
	}
	m.loading = true
	query := m.query // as it is now: the command runs beside the model
	return safely(func() tea.Msg {
		b, err := m.calls.Load(m.ctx, query)
		return loadedMsg{b, query, err}
	})
}

// take shows what was loaded. The selected task stays selected, also in another column. If nothing could be loaded, what
// was shown before stays, and a filter that is refused is taken back.
func (m *Model) take(msg loadedMsg) (next tea.Cmd) {
	m.loading = false
	if m.again {
		m.again = false
		next = m.reload()
	}
	switch {
	case msg.err != nil && m.ctx.Err() != nil:
		return next // the board comes to its end
	case msg.err != nil:
		m.refused(msg.err)
		if m.query.Where == m.good.Where || msg.query.Where != m.query.Where {
			m.said.load = true
			return next
		}
		m.query.Where = m.good.Where
		return tea.Batch(next, m.reload())
	case m.said.load:
		m.said = message{}
	}
	changed := !reflect.DeepEqual(m.board.Columns, msg.board.Columns)
	m.board, m.good = msg.board, msg.query
	m.settle()
	if changed {
		return tea.Batch(next, m.refill())
	}
	return next
}

func (m *Model) refused(err error) {
	text, hint := m.calls.Explain(err)
	m.said = message{text: text, hint: hint, bad: true}
}

func (m *Model) say(text string) { m.said = message{text: text} }
