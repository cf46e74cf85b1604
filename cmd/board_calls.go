package cmd

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/cmd/board"
	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/watch"
	"github.com/cairn-tasks/cairn/task"
	"github.com/urfave/cli/v3"
)

// boardCalls are the verbs behind a board.
type boardCalls struct {
	*program
	w          *verb.Workspace
	list       verb.Verb
	ticks      <-chan struct{} // something may have changed
	stop       func()          // ends the ticks
	away, back func()          // before and after the terminal is another program's; nil where nothing needs to be done
	running    sync.WaitGroup  // calls that write
}

func (p boardCommand) boardCalls(ctx context.Context, c *cli.Command) (*boardCalls, error) {
	w, s, err := p.open(ctx, c)
	if err != nil {
		return nil, err
	}
	watcher := &watch.Watcher{}
	w.Watcher, w.Reads = watcher, verb.NewSharedReads(watcher)
	w.Progress, w.Output = nil, nil // the board says itself what runs
	list, _ := catalogue.ListerOf(record.TaskKind)
	b := &boardCalls{program: p.program, w: w, list: list}
	b.ticks, b.stop = watcher.Watch(s.Layout)
	return b, nil
}

// callsEnd is how long the end of the board waits for calls that write, so that a check that was interrupted leaves no
// process behind.
const callsEnd = 1500 * time.Millisecond

// close ends all calls.
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

// closedColumn is the column of all closed states.
const closedColumn = "closed"

// columnsOf are the columns of a flow: each open state, and all closed ones together. One closed state alone names its
// column.
func columnsOf(flow task.Flow) []board.Column {
	var out []board.Column
	for _, state := range flow.States {
		if !flow.IsClosed(state) {
			out = append(out, board.Column{Name: string(state), States: []record.Status{state}})
		}
	}
	closed := slices.Clone(flow.Closed)
	if done := flow.Done(); done != "" { // where a task goes that is moved into the column
		closed = append([]record.Status{done}, slices.DeleteFunc(closed, func(s record.Status) bool { return s == done })...)
	}
	if len(closed) > 0 {
		out = append(out, board.Column{Name: closedColumn, States: closed, Closed: true})
	}
	return out
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
	out.Short = shortIDs(s, out.Columns)
	return out, nil
}

// maxListed is how many tasks a page of list can have.
const maxListed = 500

// column reads as much of a column as is wanted.
func (b *boardCalls) column(ctx context.Context, c *board.Column, q board.Query) (verb.Problems, error) {
	var states []string
	for _, s := range c.States {
		states = append(states, string(s))
	}
	in := map[string]any{"status": states, "sort": "priority"}
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
		out, err := b.call(ctx, b.w, b.list, in)
		if err != nil {
			return problems, err
		}
		page := out.(tasks.ListOut)
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

func (b *boardCalls) call(ctx context.Context, w *verb.Workspace, v verb.Verb, in map[string]any) (any, error) {
	raw, err := json.Marshal(in)
	if err != nil {
		return nil, usage("the input does not make JSON: %v", err)
	}
	return v.Call(ctx, w, raw)
}

// Show prints the task as cairn show does.
func (b *boardCalls) Show(ctx context.Context, id record.ID, _ int) (string, error) {
	get, _ := catalogue.Named("get")
	out, err := b.call(ctx, b.w, get, map[string]any{"id": string(id)})
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	printer := *b.program
	printer.out = &output{to: &text}
	printer.renderer(get).Show(out)
	return text.String(), nil
}

// Do calls a verb of a task.
func (b *boardCalls) Do(ctx context.Context, name string, in map[string]any, report func(string)) (verb.Task, error) {
	w := *b.w
	w.Progress = func(p verb.Progress) { report(p.Message) }
	w.Confirm = func(context.Context, []task.Ask) error { return board.ErrAsks }
	return b.do(ctx, &w, name, in)
}

func (b *boardCalls) do(ctx context.Context, w *verb.Workspace, name string, in map[string]any) (verb.Task, error) {
	b.running.Add(1)
	defer b.running.Done()
	v, ok := catalogue.Named(name)
	if !ok {
		return verb.Task{}, usage("there is no verb %q", name)
	}
	out, err := b.call(ctx, w, v, in)
	t, _ := out.(verb.Task)
	return t, err
}

// Explain spells an error as the command line does.
func (b *boardCalls) Explain(err error) (text, hint string) {
	var e *record.Error
	if !errors.As(err, &e) {
		return err.Error(), ""
	}
	said := *e
	said.Op = commandNamed(e.Op)
	text = said.Error()
	if run, ok := e.Details["run"].(*verb.RunReport); ok {
		text += failedChecks(run)
	}
	return text, e.Hint.Spell(catalogue.CommandLine)
}

// failedChecks is the last line that each failed check printed.
func failedChecks(run *verb.RunReport) string {
	var text strings.Builder
	for _, c := range run.Checks {
		if last := strings.TrimSpace(c.Output); c.Result == record.Fail && last != "" {
			text.WriteString(": " + last[strings.LastIndexByte(last, '\n')+1:])
		}
	}
	return text.String()
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
		get, _ := catalogue.Named("get")
		got, err := b.call(ctx, b.w, get, map[string]any{"id": string(id)})
		t, _ := got.(verb.Task)
		return t, err
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

// letRendererEnd is to be called before anything else is done with the terminal. Bubbletea 2.1 does not wait for the
// goroutine that draws to stop its ticker. If the goroutine did that only once the terminal was taken back, it would
// stop the ticker of its successor, and nothing would be drawn ever again.
func letRendererEnd() { time.Sleep(50 * time.Millisecond) }

// awayCall is a call that has the terminal.
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
	letRendererEnd()
	if a.calls.away != nil {
		a.calls.away()
		defer a.calls.back()
	}
	a.result, err = a.run(a.in, a.out, a.errs)
	return err
}

// shortIDs returns a function that shortens the ids on a board as lists do. What cannot be looked up stays whole.
func shortIDs(s *store.Store, columns []board.Column) func(record.ID) string {
	var ids []string
	for _, c := range columns {
		for _, r := range c.Tasks {
			ids = append(append(ids, string(r.ID)), verb.AsTexts(r.BlockedBy)...)
		}
	}
	enough, err := verb.ShortIDs(s, ids)
	return func(id record.ID) string {
		n, known := enough[string(id)]
		if err != nil || !known {
			return string(id)
		}
		return string(id[len(id)-n:])
	}
}
