package executor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/proc"
	"github.com/cairn-tasks/cairn/internal/record"
)

// Why cairn itself ends a program.
var (
	errLingers    = errors.New("it said that it is done, and stayed")
	errOverBudget = errors.New("it used more than its budget")
)

// Start runs an executor to its end, its context's end, or until it used more than its budget, and ends every process
// that it started, as far as package proc can. A program that said that it is done has 10 seconds to end by itself. One
// that is stopped gets SIGTERM, and is killed 3 seconds later.
//
// The error is nil however the program ended. It is EXECUTOR_MISSING if the program is not there, INVALID_SPEC if the
// executor cannot go on with a session, INVALID_INPUT for a run that contradicts itself, NO_SANDBOX if it is to run in a box
// that cannot be had, and IO if the system refuses what is needed. A crash of cairn leaves the program to its guard and to proc.Sweep, and files of ours in the private
// folder alone.
func (e Executor) Start(parent context.Context, run Run) (Result, error) {
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
	run, hangUp, err := run.served(parent)
	if err != nil {
		return Result{}, record.Errorf(record.IO, "cannot serve executor %s outside of its sandbox: %v", e.name, err)
	}
	defer hangUp()
	argv, set, err := e.command(run)
	if err != nil {
		return Result{}, record.Errorf(record.IO, "cannot write what executor %s is to read: %v", e.name, err)
	}
	argv[0] = program
	env := e.environ(os.Environ(), set, run)
	if run.Box != nil {
		if argv, env, err = e.boxed(run, argv, set); err != nil {
			return Result{}, err
		}
	}
	ctx, stop := context.WithCancelCause(parent)
	defer stop(nil)
	s := &stream{run: run, stop: stop, linger: e.linger, result: Result{ResumeID: run.Resume}}
	talk, input, err := e.talk(ctx, s)
	if err != nil {
		return Result{}, record.Errorf(record.IO, "cannot prepare what executor %s reads: %v", e.name, err)
	}
	out := &lines{to: talk.line, raw: run.Stdout, tooLong: func() {
		s.problem(fmt.Sprintf("a line of more than %d bytes was left out", MaxLine))
	}}
	complaint := "" // the last line of them
	complaints := &lines{raw: run.Stderr, tooLong: func() {}, to: func(line []byte) {
		if text := plain(string(line)); text != "" {
			complaint = ending(text, shownTool)
		}
	}}
	end, err := proc.Run(ctx, proc.Command{
		Args: argv, Dir: run.Dir, Env: env, Grace: e.grace, Stdin: input,
		Stdout: out, Stderr: complaints,
	})
	out.last()
	complaints.last()
	_ = input.Close()
	if conversation, ok := talk.(interface{ hangUp() }); ok {
		conversation.hangUp()
	}
	s.endLater(false)
	if err != nil {
		return Result{}, record.Errorf(record.IO, "executor %s: %v", e.name, err)
	}
	cause, stopped := context.Cause(ctx), end.Canceled || end.TimedOut
	switch {
	case !stopped:
		talk.closed(end.Exit, end.Signal)
		s.result.Signal = end.Signal
	case errors.Is(cause, errLingers):
		talk.closed(0, "")
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
	default: // the program did not tell how it ended
		how := end.Signal
		if how == "" {
			how = fmt.Sprintf("exit status %d", end.Exit)
		}
		s.problem(join("it ended without having said that it is done", how, complaint))
		s.result.Failed = end.Exit != 0
	}
	if s.result.Failed && !s.result.OverBudget && (e.hear != nil || e.dialect == acpDialect) {
		s.result.Passing = passes(join(s.err, s.result.Final))
	}
	return s.result, nil
}

// passes reports whether an error, as programs and their providers word it, is one that passes by itself.
func passes(text string) bool {
	text = strings.ToLower(text)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
	}
	if has("usage limit", "quota", "credit", "billing", "log in", "logged in") {
		return false
	}
	numbers := strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	return has("overloaded", "rate limit", "rate_limit", "too many requests", "internal server error", "bad gateway", "service unavailable",
		"timed out", "econnreset", "econnrefused", "connection reset", "connection refused", "connection error", "stream disconnected") ||
		slices.ContainsFunc(numbers, func(n string) bool { return slices.Contains([]string{"429", "502", "503", "504", "529"}, n) })
}

// prepared checks a run, and sees to it that its prompt is in a file.
func (e Executor) prepared(run Run) (Run, error) {
	switch {
	case !filepath.IsAbs(run.Dir) || !filepath.IsAbs(run.Private):
		return run, record.Errorf(record.InvalidInput, "the folders of a run are absolute paths")
	case inside(run.Private, run.Dir) || run.PromptFile != "" && inside(run.PromptFile, run.Dir):
		return run, record.Errorf(record.InvalidInput, "what is cairn's lies in the work tree %s", run.Dir)
	case run.Prompt == "":
		return run, record.Errorf(record.InvalidInput, "a run without a prompt")
	case run.Resume != "" && !e.Resumes():
		return run, record.Errorf(record.InvalidSpec, "executor %s cannot go on with an earlier session", e.name)
	case strings.HasPrefix(run.Resume, "-") || strings.HasPrefix(run.Model, "-") || strings.ContainsAny(run.Resume+run.Model, "\x00\n"):
		return run, record.Errorf(record.InvalidSpec, "model %q or session %q would be taken for something else", run.Model, run.Resume)
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

func inside(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

func (e Executor) talk(ctx context.Context, s *stream) (talk talk, input *os.File, err error) {
	switch {
	case e.dialect == acpDialect:
		return converse(ctx, s, e.model)
	case e.prompt == asMessage:
		return message(ctx, heard{s, e.hear})
	case e.hear != nil:
		talk = heard{s, e.hear}
	default:
		talk = newCommandTalk(s)
	}
	name := os.DevNull
	if e.prompt == onInput {
		name = s.run.PromptFile
	}
	input, err = os.Open(name)
	return talk, input, err
}

// plain is a text without the colours that some programs write though nobody sees them.
func plain(text string) string {
	for {
		before, after, found := strings.Cut(text, "\x1b[")
		end := strings.IndexFunc(after, func(r rune) bool { return '@' <= r && r <= '~' })
		if !found || end < 0 {
			return strings.TrimSpace(text)
		}
		text = before + after[end+1:]
	}
}
