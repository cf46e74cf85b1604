package check

import (
	"context"
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/internal/proc"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sandbox"
)

// Spec is one command to run.
type Spec struct {
	Cmd     string        // handed to sh -c
	Root    string        // the workspace's folder, absolute
	Cwd     string        // the folder as declared, relative to Root; "" and "." are Root itself
	Timeout time.Duration // the time limit, more than 0
	Env     []string      // "NAME=value" each; nil is the environment of this process. what bends checks is removed from either: see ownEnv
	Box     *sandbox.Box  // in which it runs; nil for none
	Output  io.Writer     // gets what the command prints as well, while it prints it; nil for nobody. What it cannot take is lost
}

// Run runs a command to its end, its time limit or the end of ctx, whichever comes first. When it returns, the
// processes that the command started have ended, as far as package proc guarantees. However the command ended, the
// error is nil and the Outcome says how.
//
// It returns INVALID_INPUT if the spec has no command, no time limit or no usable folder, NO_SHELL if there is no sh on
// PATH, NO_SANDBOX if it is to run in a box that cannot be had, and IO if the system refuses to start or watch a process.
func Run(ctx context.Context, s Spec) (Outcome, error) {
	if strings.TrimSpace(s.Cmd) == "" {
		return Outcome{}, record.Errorf(record.InvalidInput, "the check has no command")
	}
	if s.Timeout <= 0 {
		return Outcome{}, record.Errorf(record.InvalidInput, "the check has no time limit")
	}
	dir, err := Dir(s.Root, s.Cwd)
	if err != nil {
		return Outcome{}, err
	}
	var out proc.Output
	var to io.Writer = &out
	if s.Output != nil {
		to = tee{&out, s.Output}
	}
	command := proc.Command{Line: s.Cmd, Dir: dir, Env: ownEnv(s.Env), Timeout: s.Timeout, Output: to}
	if s.Box != nil {
		command.Line = ""
		if command.Args, command.Env, err = s.Box.Command(s.Cmd, dir, command.Env); err != nil {
			return Outcome{}, err
		}
	}
	end, err := proc.Run(ctx, command)
	switch {
	case errors.Is(err, proc.ErrNoShell):
		return Outcome{}, record.Errorf(record.NoShell, "there is no sh to run checks with: %w", err).
			WithHint("install a POSIX shell (on Windows: Git for Windows) and put the folder of sh on PATH")
	case err != nil:
		return Outcome{}, record.Errorf(record.IO, "cannot run the check: %w", err)
	}
	return Outcome{
		Passed: end.Passed(), Exit: end.Exit, Signal: end.Signal, TimedOut: end.TimedOut, Canceled: end.Canceled,
		Duration: end.Duration, Output: out.String(), TotalBytes: out.Total(),
	}, nil
}

// tee writes to the output that is kept, and to one who watches, whose errors do not matter to the command.
type tee struct {
	kept    *proc.Output
	watches io.Writer
}

func (t tee) Write(p []byte) (int, error) {
	_, _ = t.watches.Write(p)
	return t.kept.Write(p)
}

// bending are variables with which whoever starts a check would have its runner prove less, and what their values say
// where they do. Others, such as GOFLAGS=-mod=mod or MAKEFLAGS=-j4, are kept.
var bending = sync.OnceValue(func() map[string]*regexp.Regexp {
	always := regexp.MustCompile("")
	return map[string]*regexp.Regexp{
		"PYTEST_ADDOPTS": always, "PYTEST_PLUGINS": always, "PYTHONOPTIMIZE": always,
		"BASH_ENV": always, "ENV": always, "MAKEFILES": always, "PERL5OPT": always,
		"MAKEFLAGS":    regexp.MustCompile(`^[^- =]*[ntqi]|(?:^|\s)-[a-zA-Z]*[ntqi]|--(?:just-print|dry-run|recon|touch|question|ignore-errors|eval)`),
		"GNUMAKEFLAGS": always,
		"GOFLAGS":      regexp.MustCompile(`-(?:run|skip|exec|toolexec|overlay|list|n|c|short)\b`),
		"NODE_OPTIONS": regexp.MustCompile(`(?:^|\s)(?:-r|--(?:require|import|loader|experimental-loader|test\S*))\b`),
		"RUBYOPT":      regexp.MustCompile(`-[rI]`),
	}
})

// ownEnv returns the environment without git's own variables, and without what would bend the checks.
func ownEnv(env []string) []string {
	if env == nil {
		env = os.Environ()
	}
	kept := make([]string, 0, len(env))
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		bends, known := bending()[name]
		if !strings.HasPrefix(v, "GIT_") && (!known || !bends.MatchString(value)) {
			kept = append(kept, v)
		}
	}
	return kept
}

// Attempt is Run, but a check that cannot be started in its folder is an Outcome that failed, with the reason as its
// output, so that other checks go on. It returns the error of ctx if ctx ended.
func Attempt(ctx context.Context, s Spec) (Outcome, error) {
	o, err := Run(ctx, s)
	var refused *record.Error
	switch {
	case errors.As(err, &refused) && refused.Code == record.InvalidInput:
		return Outcome{Exit: -1, Output: refused.Msg}, nil
	case err == nil && o.Canceled:
		err = ctx.Err()
	}
	return o, err
}

// All attempts every command, at most width of them at a time, and calls ended once for each as it ends, never twice at
// the same time. At the first error it stops the commands that still run and returns the error.
func All(ctx context.Context, specs []Spec, width int, ended func(i int, o Outcome)) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan int)
	var calling sync.Mutex
	var running sync.WaitGroup
	for range min(width, len(specs)) {
		running.Go(func() {
			for i := range next {
				o, err := Attempt(ctx, specs[i])
				if err != nil {
					stop(err)
					return
				}
				calling.Lock()
				ended(i, o)
				calling.Unlock()
			}
		})
	}
	feed(ctx, next, len(specs))
	running.Wait()
	return context.Cause(ctx)
}

// feed sends the numbers below n until ctx ends.
func feed(ctx context.Context, next chan<- int, n int) {
	defer close(next)
	for i := range n {
		select {
		case next <- i:
		case <-ctx.Done():
			return
		}
	}
}
