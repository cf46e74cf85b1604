package cmd

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/cmd/board"
	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/cmd/terminal"
	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/handoffs"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/watch"
	"github.com/cairn-tasks/cairn/task"
)

// boardCommand is cairn board. What it shows and does is of package board; here is what needs the process and its
// terminal.
type boardCommand struct{ *call }

type boardIn struct {
	Where string `json:"where,omitempty" doc:"only tasks that fit a FILTER, as in list" cli:"also=filter,value=FILTER" from:"filters"`
	Text  string `json:"text,omitempty" doc:"only tasks with these WORDS in id, title, body, labels or notes" cli:"value=WORDS"`
	Mine  bool   `json:"mine,omitempty" doc:"only tasks that you hold"`
	Web   bool   `json:"web,omitempty" doc:"in a browser, as the command web does"`
	webIn
}

func boardCommands() []command {
	return []command{declare(command{
		name:  "board",
		usage: "Show the tasks in columns, one for each state, and move about in them.",
		group: "tasks",
		about: "On a terminal it is live: it shows changes as they come, and keys move, claim, open and edit tasks; ? lists them.\n" +
			"Elsewhere it prints the columns one below the other. Programs take cairn list --json.",
	}, func(ctx context.Context, c *call, in boardIn) error { return boardCommand{c}.run(ctx, in) })}
}

func (p boardCommand) run(ctx context.Context, asked boardIn) error {
	web := asked.Web || asked.Static != ""
	switch {
	case web && (asked.Where != "" || asked.Text != "" || asked.Mine):
		return usage("--web and --static show all tasks").WithHint("the page has the filters, in its address")
	case web:
		return webCommand{p.call, asked.webIn}.run(ctx)
	case asked.webIn != (webIn{}):
		return usage("--port, --readonly and --no-open go with --web").WithHint("cairn board --web, or cairn web")
	}
	if p.json {
		return usage("a board is for people").WithHint("%s lists the same tasks for programs", "cairn list --json")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	calls, err := p.boardCalls(ctx)
	if err != nil {
		return err
	}
	defer calls.close(cancel)
	query := board.Query{Text: asked.Text, Where: asked.Where, Mine: asked.Mine}
	_, in := terminal.Is(p.Stdin)
	_, out := terminal.Is(p.Stdout)
	live := in && out && p.Getenv("TERM") != "dumb" // one can move about on it
	if !live {
		query.Want = map[string]int{task.ClosedColumn: closedPrinted}
	}
	first, err := calls.Load(ctx, query)
	if err != nil {
		return err
	}
	if !live {
		p.printf("%s", screen.Painted(board.Text(first, p.width())))
		p.renderer(verbNamed("list")).Problems(first.Problems)
		return nil
	}
	p.meter.Stop() // the board has the terminal to itself
	return p.show(ctx, calls, board.New(ctx, calls, bool(p.style()), query, first))
}

// closedPrinted is how many closed tasks are printed where there is no terminal.
const closedPrinted = 10

// show gives the terminal to the board until the person quits. Whatever ends it, a signal and a panic too, the terminal
// is as it was before.
func (p boardCommand) show(ctx context.Context, calls *boardCalls, m *board.Model) error {
	stops := &terminal.Stops{}
	calls.away, calls.back = stops.Leave, stops.Back
	prog := tea.NewProgram(m,
		tea.WithContext(ctx), tea.WithInput(p.Stdin), tea.WithOutput(p.Stdout),
		tea.WithoutSignalHandler(), // who started the program has one, and ends the context
		tea.WithFilter(stops.Filter),
	)
	stops.Begin(prog.Send)
	defer stops.End()
	_, err := prog.Run()
	switch {
	case m.Failed != nil:
		return fmt.Errorf("internal error: %w", m.Failed)
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && !errors.Is(err, tea.ErrProgramKilled):
		return record.Errorf(record.IO, "the terminal: %w", err)
	case m.Interrupted:
		p.exit = ExitInterrupted
	}
	return nil
}

type boardCalls struct {
	*program
	w          *verb.Workspace
	ticks      <-chan struct{} // something may have changed
	stop       func()          // ends the ticks
	away, back func()          // before and after the terminal is another program's; nil where nothing needs to be done
	running    sync.WaitGroup  // calls that write
	warned     sync.Mutex      // of uncommitted
}

func (p boardCommand) boardCalls(ctx context.Context) (*boardCalls, error) {
	w, s, err := p.open(ctx)
	if err != nil {
		return nil, err
	}
	watcher := &watch.Watcher{}
	w.Watcher, w.Reads = watcher, verb.NewSharedReads(watcher)
	w.Progress, w.Output = nil, nil // the board says itself what runs
	b := &boardCalls{program: p.program, w: w}
	b.ticks, b.stop = watcher.Watch(s.Layout)
	return b, nil
}

// callsEnd is how long the end of the board waits for calls that write, so that a check that was interrupted leaves no
// process behind.
const callsEnd = 1500 * time.Millisecond

func (b *boardCalls) close(cancel func()) {
	cancel()
	ended := make(chan struct{})
	go func() {
		b.running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(callsEnd):
	}
	b.stop()
	b.w.Reads.Close()
}

// Wait waits for a tick.
func (b *boardCalls) Wait(ctx context.Context) {
	select {
	case <-b.ticks:
	case <-ctx.Done():
	}
}

// columnsOf are the columns of a flow, without tasks.
func columnsOf(flow task.Flow) []board.Column {
	return record.Each(flow.Columns(), func(c task.Column) board.Column {
		return board.Column{Name: c.Name, States: c.States, Closed: c.Closed}
	})
}

// Load reads the columns one after the other. They may be of different moments, if something changes meanwhile; then
// the next tick has them read again.
func (b *boardCalls) Load(ctx context.Context, q board.Query) (board.Board, error) {
	s, err := b.w.Open()
	if err != nil {
		return board.Board{}, err
	}
	out := board.Board{Name: s.Config.Prefix, States: s.Config.Flow.States, Columns: columnsOf(s.Config.Flow)}
	for i := range out.Columns {
		problems, err := b.column(ctx, &out.Columns[i], q)
		if err != nil {
			return board.Board{}, err
		}
		if i == 0 {
			out.Problems = problems
		}
	}
	waiting, err := callVerb[verb.Items[handoffs.Waiting]](ctx, b.w, "review_list", map[string]any{})
	if err != nil {
		return board.Board{}, err
	}
	out.Waiting = waiting.Total
	out.Short = shortIDs(ctx, b.w.Reads, s, out.Columns)
	out.Starts = func(r verb.Row, to record.Status) bool { return s.Config.Flow.Starts(r.Status, to) }
	return out, nil
}

// maxListed is how many tasks a page of list can have.
const maxListed = 500

func (b *boardCalls) column(ctx context.Context, c *board.Column, q board.Query) (verb.Problems, error) {
	in := map[string]any{"status": c.States, "sort": "priority"}
	if c.Closed {
		in["sort"] = "updated"
	}
	for key, value := range map[string]string{"text": q.Text, "where": q.Where} {
		if value != "" {
			in[key] = value
		}
	}
	if q.Mine {
		in["assignee"] = "me"
	}
	var problems verb.Problems
	for {
		in["limit"] = min(max(1, q.Wanted(c.Name)-len(c.Tasks)), maxListed)
		page, err := callVerb[tasks.ListOut](ctx, b.w, "list", in)
		if err != nil {
			return problems, err
		}
		if len(c.Tasks) == 0 {
			problems, c.Total = page.Problems, page.Total
		}
		c.Tasks = append(c.Tasks, page.Tasks...)
		if len(page.Tasks) == 0 || page.NextCursor == "" || len(c.Tasks) >= q.Wanted(c.Name) {
			return problems, nil
		}
		in["cursor"] = page.NextCursor
	}
}

// Show prints the task as cairn show does.
func (b *boardCalls) Show(ctx context.Context, id record.ID, _ int) (string, error) {
	out, err := callVerb[any](ctx, b.w, "get", map[string]any{"id": id})
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	printer := *b.program
	printer.out = &output{to: &text}
	printer.renderer(verbNamed("get")).Show(out)
	return text.String(), nil
}

func (b *boardCalls) Do(ctx context.Context, name string, in map[string]any, report func(string)) (verb.Task, error) {
	w := *b.w
	w.Progress = func(p verb.Progress) { report(p.Message) }
	w.Confirm = func(context.Context, []task.Ask) error { return board.ErrAsks }
	w.Approve = func(context.Context, []store.Command) (bool, error) { return false, board.ErrAsks }
	return b.do(ctx, &w, name, in)
}

func (b *boardCalls) do(ctx context.Context, w *verb.Workspace, name string, in map[string]any) (t verb.Task, err error) {
	b.running.Add(1)
	defer b.running.Done()
	warnings, err := b.committing(ctx, func(ctx context.Context) error {
		out, err := callVerb[any](ctx, w, name, in)
		switch out := out.(type) {
		case verb.Task:
			t = out
		case tasks.Undone:
			if out.Task != nil {
				t = *out.Task
			}
		}
		return err
	})
	b.warned.Lock()
	defer b.warned.Unlock()
	b.uncommitted = append(b.uncommitted, warnings...)
	return t, err
}

// Explain spells an error as the command line does.
func (b *boardCalls) Explain(err error) (text, hint string) {
	e, ok := errors.AsType[*record.Error](err)
	if !ok {
		return err.Error(), ""
	}
	text = amended(e, func(e *record.Error) { e.Op = commandNamed(e.Op) }).Error()
	if run, ok := e.Details["run"].(*verb.RunReport); ok { // the last line that each failed check printed
		for _, c := range run.Checks {
			if last := strings.TrimSpace(c.Output); c.Result == record.Fail && last != "" {
				text += ": " + last[strings.LastIndexByte(last, '\n')+1:]
			}
		}
	}
	return text, e.Hint.Spell(catalogue.CommandLine)
}

// Ask calls a verb with the person at the terminal.
func (b *boardCalls) Ask(ctx context.Context, name string, in map[string]any) board.Away {
	return &awayCall{calls: b, run: func(io.Reader, io.Writer, io.Writer) (verb.Task, error) { return b.do(ctx, b.w, name, in) }}
}

// Edit runs cairn edit, in a process of its own.
func (b *boardCalls) Edit(ctx context.Context, id record.ID) board.Away {
	return &awayCall{calls: b, run: func(in io.Reader, out, errs io.Writer) (verb.Task, error) {
		if err := b.edit(ctx, id, in, out, errs); err != nil {
			return verb.Task{}, err
		}
		return b.do(ctx, b.w, "get", map[string]any{"id": id})
	}}
}

func (b *boardCalls) edit(ctx context.Context, id record.ID, in io.Reader, out, errs io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return record.Errorf(record.IO, "cairn itself cannot be found: %w", err)
	}
	var said bytes.Buffer
	c := exec.CommandContext(ctx, self, "-C", b.w.Dir, "--actor", string(b.w.Actor()), "edit", string(id))
	c.Stdin, c.Stdout, c.Stderr = in, out, io.MultiWriter(errs, &said)
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = time.Second
	if err := c.Run(); err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	_, _ = io.WriteString(errs, "\nEnter goes back to the board. ")
	_, _ = bufio.NewReaderSize(in, 16).ReadString('\n')
	return saidBy(said.String(), id)
}

// saidBy is the error that another cairn has printed.
func saidBy(text string, id record.ID) error {
	e := record.Errorf(record.InvalidInput, "%s was not edited", id)
	for line := range strings.Lines(text) {
		line = harmless.Line(strings.TrimSpace(line))
		if msg, ok := strings.CutPrefix(line, "cairn: "); ok {
			e = record.Errorf(record.InvalidInput, "%s", msg)
		}
		if hint, ok := strings.CutPrefix(line, "hint: "); ok {
			e = e.WithHint("%s", hint)
		}
	}
	return e
}

type awayCall struct {
	calls  *boardCalls
	run    func(in io.Reader, out, errs io.Writer) (verb.Task, error)
	in     io.Reader
	out    io.Writer
	errs   io.Writer
	result verb.Task
}

func (a *awayCall) SetStdin(in io.Reader)   { a.in = in }
func (a *awayCall) SetStdout(out io.Writer) { a.out = out }
func (a *awayCall) SetStderr(out io.Writer) { a.errs = out }

func (a *awayCall) Result() verb.Task { return a.result }

func (a *awayCall) Run() (err error) {
	terminal.LetRendererEnd()
	if a.calls.away != nil {
		a.calls.away()
		defer a.calls.back()
	}
	a.result, err = a.run(a.in, a.out, a.errs)
	return err
}

// shortIDs returns a function that shortens the ids on a board as lists do. What cannot be looked up stays whole.
func shortIDs(ctx context.Context, reads *verb.SharedReads, s *store.Store, columns []board.Column) func(record.ID) string {
	var ids []string
	for _, c := range columns {
		for _, r := range c.Tasks {
			ids = append(append(ids, string(r.ID)), verb.AsTexts(r.BlockedBy)...)
		}
	}
	enough, err := reads.ShortIDs(ctx, s, ids)
	return func(id record.ID) string {
		n, known := enough[string(id)]
		if err != nil || !known {
			return string(id)
		}
		return string(id[len(id)-n:])
	}
}
