package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/cmd/render"
	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// exitFailure is the exit number where no code says another.
const exitFailure = 1

// ExitInterrupted is what the program exits with when a signal ended it.
const ExitInterrupted = 130

// report prints what went wrong, if anything did, and returns the exit number: on stdout as JSON where that was asked
// for, else on stderr as a message and a hint.
func (p *program) report(ctx context.Context, err error) int {
	switch {
	case err == nil:
		return p.exit
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return ExitInterrupted
	}
	e := asError(err)
	exit, soft := p.exitOf(e), p.isSoft(e)
	if soft {
		defer p.saySoft()
	}
	if p.json {
		p.printJSON(softFailure{catalogue.FailureOf(e, verb.Rights{Profile: verb.Maintainer}, catalogue.CommandLine), soft})
		return exit
	}
	typed := amended(e, func(e *record.Error) { e.Op = p.commandTyped(e.Op) })
	run, _ := e.Details["run"].(*verb.RunReport)
	p.tellError(typed.Error(), e.Hint, run)
	return exit
}

// tellError prints an error for a person: what went wrong, the runs of checks that it is about, and what to do next.
func (p *program) tellError(text string, hint record.Hint, runs ...*verb.RunReport) {
	screen.Fprintf(p.Stderr, "cairn: %s\n", text)
	for _, run := range runs {
		if run != nil {
			(&render.Renderer{Out: p.Stderr}).Show(run)
		}
	}
	if !hint.Empty() {
		screen.Fprintf(p.Stderr, "hint: %s\n", hint.Spell(catalogue.CommandLine))
	}
}

func (p *program) exitOf(e *record.Error) int {
	if p.isSoft(e) {
		return 0
	}
	return cmp.Or(p.failing, e.Code.Info().Exit)
}

// isSoft reports whether an error is one that may go away by itself, after which --soft-fail exits with 0.
func (p *program) isSoft(e *record.Error) bool { return p.soft && e.Code.Info().Retryable && !e.Final }

// soften is the exit number of an answer: 0 under --soft-fail for one after which the same call may succeed later,
// because there was nothing to be had or nothing happened in time.
func (p *program) soften(exit int) int {
	if !p.soft || exit != verb.ExitNothingFound && exit != verb.ExitTimedOut {
		return exit
	}
	p.saySoft()
	return 0
}

func (p Env) saySoft() {
	screen.Fprintf(p.Stderr, "soft-fail: the same command may succeed later; exits with 0\n")
}

// softFailure is a failure as JSON, and whether the program exits with 0 all the same.
type softFailure struct {
	catalogue.Failure
	SoftFail bool `json:"soft_fail,omitempty"`
}

// commandNamed is what the command is called of which an error names the verb, or the command itself.
func commandNamed(op string) string {
	if v, ok := catalogue.Named(op); ok {
		return v.Command()
	}
	return verb.CommandName(op)
}

// commandTyped is commandNamed, but the other name of the command if the line called it by that: add for create, show
// for get.
func (p *program) commandTyped(op string) string {
	word, _ := p.commandWord(rootFlags())
	if v, ok := catalogue.Named(op); ok && slices.Contains(v.Aliases, word) {
		return word
	}
	return commandNamed(op)
}

// named adds the name of the command to an error without one.
func named(err error, command string) error {
	e, ok := errors.AsType[*record.Error](err)
	if !ok || e.Op != "" {
		return err
	}
	return amended(e, func(e *record.Error) { e.Op = command })
}

// amended is an error with something changed. The one that is given stays as it is.
func amended(e *record.Error, change func(*record.Error)) *record.Error {
	other := *e
	change(&other)
	return &other
}

// asError is any error as one with a code.
func asError(err error) *record.Error {
	if e, ok := errors.AsType[*record.Error](err); ok {
		return e
	}
	return record.Errorf(record.IO, "%w", err)
}

func usage(format string, args ...any) *record.Error {
	return record.Errorf(record.InvalidInput, format, args...)
}

// exitCodes is the text of "cairn help exit-codes". It follows from the list of codes.
func exitCodes() string {
	codes := map[int][]string{}
	for _, info := range record.Codes {
		codes[info.Exit] = append(codes[info.Exit], string(info.Code))
	}
	var b strings.Builder
	for n, words := range []string{
		"done", "failure: ", "usage: ", "not found: ", "refused by a gate or rule: ", "held by another, or changed meanwhile: ",
		"timed out", "not allowed: ", "commands not approved: ",
	} {
		if !strings.HasSuffix(words, ": ") {
			codes[n] = nil
		}
		fmt.Fprintf(&b, "  %d  %s%s\n", n, words, strings.Join(codes[n], " "))
	}
	fmt.Fprintf(&b, "%d  interrupted\n", ExitInterrupted)
	return b.String()
}
