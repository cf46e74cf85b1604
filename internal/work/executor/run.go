package executor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/internal/proc"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/work/job"
)

// Why cairn itself ends a program.
var (
	errLingers    = errors.New("it said that it is done, and stayed")
	errOverBudget = errors.New("it cost more than its budget")
)

// Start runs an executor to its end, its context's end, or until it cost more than its budget, and ends every process
// that it started, as far as package proc can. A program that said that it is done has 10 seconds to end by itself. One
// that is stopped gets SIGTERM, and is killed 3 seconds later.
//
// The error is nil however the program ended. It is EXECUTOR_MISSING if the program is not there, INVALID_SPEC if the
// executor cannot go on with a session, INVALID_INPUT for a run that contradicts itself, and IO if the system refuses
// what is needed. A crash of cairn leaves the program to its guard and to proc.Sweep, and files of ours in the private
// folder alone.
func (e Executor) Start(ctx context.Context, run Run) (Result, error) {
	if err := e.Present(); err != nil {
		return Result{}, err
	}
	run, err := e.prepared(run)
	if err != nil {
		return Result{}, err
	}
	program, err := e.find()
	if err != nil {
		return Result{}, err
	}
	argv, set, err := e.command(run)
	if err != nil {
		return Result{}, record.Errorf(record.IO, "cannot write what executor %s is to read: %v", e.name, err)
	}
	argv[0] = program
	a := &attempt{run: run, row: e.row, grace: e.grace}
	return a.start(ctx, e.linger, argv, e.environ(os.Environ(), set, run))
}

// prepared checks a run, and sees to it that its prompt is in a file.
func (e Executor) prepared(run Run) (Run, error) {
	switch {
	case !filepath.IsAbs(run.Dir) || !filepath.IsAbs(run.Private):
		return run, record.Errorf(record.InvalidInput, "the folders of a run are absolute paths")
	case inside(run.Private, run.Dir) || run.PromptFile != "" && inside(run.PromptFile, run.Dir):
		return run, record.Errorf(record.InvalidInput, "what is cairn's lies in the work tree %s", run.Dir)
	case run.Prompt == "" && run.PromptFile == "":
		return run, record.Errorf(record.InvalidInput, "a run without a prompt")
	case run.Resume != "" && !e.Resumes():
		return run, record.Errorf(record.InvalidSpec, "executor %s cannot go on with an earlier session", e.name)
	case strings.HasPrefix(run.Resume, "-") || strings.HasPrefix(run.Model, "-") || strings.ContainsAny(run.Resume+run.Model, "\x00\n"):
		return run, record.Errorf(record.InvalidSpec, "model %q or session %q would be taken for something else", run.Model, run.Resume)
	}
	if run.Prompt == "" {
		text, err := os.ReadFile(run.PromptFile)
		if err != nil {
			return run, record.Errorf(record.IO, "cannot read the prompt: %v", err)
		}
		run.Prompt = string(text)
	}
	run.Prompt = strings.ReplaceAll(run.Prompt, "\x00", "\uFFFD")
	if run.PromptFile == "" {
		run.PromptFile = filepath.Join(run.Private, "prompt.md")
		if err := os.WriteFile(run.PromptFile, []byte(run.Prompt), 0o600); err != nil {
			return run, record.Errorf(record.IO, "cannot write the prompt: %v", err)
		}
	}
	return run, nil
}

// inside reports whether a path is a folder or lies in it.
func inside(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// attempt is one run of a program.
type attempt struct {
	row
	run    Run
	grace  time.Duration
	stream *stream
	talk   talk
	input  *os.File // what the program reads
	errors lastLine // what it complains
	hangUp func()   // ends the conversation; nil if there is none

	mu    sync.Mutex
	timer *time.Timer
}

func (a *attempt) start(parent context.Context, linger time.Duration, argv, env []string) (Result, error) {
	ctx, stop := context.WithCancelCause(parent)
	defer stop(nil)
	a.stream = &stream{event: a.run.Event, linger: linger, again: a.goesOn, result: Result{ResumeID: a.run.Resume}}
	a.stream.over = func(d time.Duration) { a.endIn(d, func() { stop(errLingers) }) }
	a.stream.spent = func(u job.Usage) {
		if a.run.Budget > 0 && u.Cost > a.run.Budget {
			stop(errOverBudget)
		}
	}
	if err := a.open(ctx); err != nil {
		return Result{}, record.Errorf(record.IO, "cannot prepare what executor %s reads: %v", a.name, err)
	}
	a.errors.raw = a.run.Stderr
	out := &lines{to: a.talk.line, raw: a.run.Stdout, tooLong: func() {
		a.stream.problem(fmt.Sprintf("a line of more than %d bytes was left out", MaxLine))
	}}
	end, err := proc.Run(ctx, proc.Command{
		Args: argv, Dir: a.run.Dir, Env: env, Grace: a.grace, Stdin: a.input,
		Stdout: out, Stderr: &a.errors, Started: a.run.Started,
	})
	out.last()
	a.close()
	if err != nil {
		return Result{}, record.Errorf(record.IO, "executor %s: %v", a.name, err)
	}
	return a.result(ctx, parent, end), nil
}

// open makes what the program reads, and what understands it.
func (a *attempt) open(ctx context.Context) (err error) {
	switch {
	case a.dialect == acpDialect:
		return a.converse(ctx)
	case a.hear != nil:
		a.talk = heard{a.stream, a.hear}
	default:
		a.talk = newCommandTalk(a.stream, a.run.Output)
	}
	name := os.DevNull
	if a.prompt == onInput {
		name = a.run.PromptFile
	}
	a.input, err = os.Open(name)
	return err
}

func (a *attempt) close() {
	_ = a.input.Close()
	if a.hangUp != nil {
		a.hangUp()
	}
	a.goesOn()
}

// endIn ends the program after a while, unless it goes on. Only the first call counts, so that a program that goes on
// reporting does not go on for ever.
func (a *attempt) endIn(d time.Duration, end func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.timer == nil {
		a.timer = time.AfterFunc(d, end)
	}
}

func (a *attempt) goesOn() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.timer != nil {
		a.timer.Stop()
		a.timer = nil
	}
}

// result says how a run ended, and tells of it where the program did not.
func (a *attempt) result(ctx, parent context.Context, end proc.End) Result {
	s, cause := a.stream, context.Cause(ctx)
	stopped := end.Canceled || end.TimedOut
	switch {
	case !stopped:
		a.talk.closed(end.Exit, end.Signal)
		s.result.Signal = end.Signal
	case errors.Is(cause, errLingers):
		a.talk.closed(0, "")
	}
	s.result.Exit = end.Exit
	switch {
	case stopped && errors.Is(cause, errOverBudget):
		s.result.OverBudget = true
	case s.result.Done:
	case stopped && parent.Err() != nil:
		s.result.TimedOut = errors.Is(parent.Err(), context.DeadlineExceeded)
		s.result.Canceled = !s.result.TimedOut
	case s.err != "" && end.Exit > 0:
		s.done(true, "")
	default:
		s.problem(join("it ended without having said that it is done", howItEnded(end), a.errors.String()))
		s.result.Failed = end.Exit != 0
	}
	return s.result
}

// lastLine is a writer that keeps the last line with a text in it, and hands on all, whoever takes it.
type lastLine struct {
	mu   sync.Mutex
	raw  io.Writer
	tail []byte
}

func (l *lastLine) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.raw != nil {
		_, _ = l.raw.Write(p)
	}
	l.tail = append(l.tail, p[max(0, len(p)-shownTool):]...)
	l.tail = l.tail[max(0, len(l.tail)-shownTool):]
	return len(p), nil
}

func (l *lastLine) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := strings.TrimSpace(plain(string(l.tail)))
	return ending(strings.TrimSpace(all[strings.LastIndexByte(all, '\n')+1:]), shownTool)
}

// plain is a text without the colours that some programs write though nobody sees them.
func plain(text string) string {
	for {
		before, after, found := strings.Cut(text, "\x1b[")
		end := strings.IndexFunc(after, func(r rune) bool { return '@' <= r && r <= '~' })
		if !found || end < 0 {
			return text
		}
		text = before + after[end+1:]
	}
}

func howItEnded(end proc.End) string {
	if end.Signal != "" {
		return end.Signal
	}
	return fmt.Sprintf("exit status %d", end.Exit)
}
