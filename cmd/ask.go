package cmd

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/internal/proc"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/task"
	"golang.org/x/term"
)

// Two kinds of question are put to a person. What is done in the person's name is confirmed on the controlling
// terminal, where neither standard input nor a flag can answer (confirm). Changes that were shown are agreed to on
// standard input, and a flag such as --yes can stand for the answer (agree).

var errNoTerminal = errors.New("there is no terminal")

// terminal opens the controlling terminal.
func (p *program) terminal() (io.ReadWriteCloser, error) {
	if p.Terminal == nil {
		return nil, errNoTerminal
	}
	return p.Terminal()
}

// confirm has a person at the terminal confirm what is to be done in their name. It returns an error unless they do.
func (p *program) confirm(ctx context.Context, asks []task.Ask) error {
	ok, err := p.put(ctx, wordTyped(asks))
	if err != nil || ok {
		return err
	}
	e := record.Errorf(record.Forbidden, "not confirmed by %s", asks[0].Who).WithHint("nothing was changed; %s is what to type", asks[0].Word)
	e.ID = string(asks[0].ID)
	return e
}

// posed is a question that is put to a person at the controlling terminal.
type posed struct {
	asks   []task.Ask
	prompt string
	agrees func(answer string) bool
}

// wordTyped asks for the word that confirms what is to be done.
func wordTyped(asks []task.Ask) posed {
	word := asks[0].Word
	return posed{asks, "Type " + word + " to confirm: ", func(answer string) bool { return answer == word || answer == "y" && word == "yes" }}
}

// yesOrNo asks a question that a letter answers.
func yesOrNo(asks []task.Ask, prompt string) posed {
	return posed{asks, prompt + " [y/n] ", func(answer string) bool { return answer == "y" || answer == "yes" }}
}

// personHere returns FORBIDDEN in a job and in the shell of a coding agent, whoever the caller says that they are: a
// program can open a terminal of its own, so that one who types there need not be a person. does says what only a
// person may do.
func (p *program) personHere(does string) error {
	agent, variable := shellAgent(p.Getenv)
	switch {
	case p.Getenv(proc.JobVariable) != "":
		return record.Errorf(record.Forbidden, "a job cannot %s", does).WithHint("a person does it, outside of the job")
	case agent != "":
		return record.Errorf(record.Forbidden, "this is the shell of %s (%s is set), and no agent can %s", agent, variable, does).
			WithHint("a person types the command in a terminal of their own")
	}
	return nil
}

// put opens the controlling terminal and puts a question there. It returns FORBIDDEN where there is none, and where no
// person is.
func (p *program) put(ctx context.Context, q posed) (bool, error) {
	p.meter.clear()
	if err := p.personHere("confirm what a person has to"); err != nil {
		return false, verb.WithID(err, q.asks[0].ID)
	}
	terminal, err := p.terminal()
	if err != nil {
		return false, task.Unconfirmed(q.asks)
	}
	return q.on(ctx, terminal)
}

// on shows the question, and reports whether the person agreed. It closes the terminal.
func (q posed) on(ctx context.Context, terminal io.ReadWriteCloser) (bool, error) {
	defer func() { _ = terminal.Close() }()
	if _, err := io.WriteString(terminal, question(q.asks)+q.prompt); err != nil {
		return false, record.Errorf(record.IO, "the terminal: %w", err)
	}
	answer, err := readAnswer(ctx, io.LimitReader(terminal, 1<<10))
	return err == nil && q.agrees(answer), err
}

// question is what a person reads before they type. Text that comes from files stays on its line.
func question(asks []task.Ask) string {
	var b strings.Builder
	first := asks[0]
	fmt.Fprintf(&b, "To be done in the name of %s:\n", first.Who)
	for _, a := range asks {
		fmt.Fprintf(&b, "  %s\n", harmless.Line(a.Does))
	}
	if first.ID != "" {
		fmt.Fprintf(&b, "  %s: %s  %s\n", cmp.Or(first.Kind, record.TaskKind), first.ID, harmless.Line(first.Title))
	}
	if first.Text != "" {
		fmt.Fprintf(&b, "  text: %s\n", harmless.Line(first.Text))
	}
	return b.String()
}

// agree asks whether the changes that were shown are to be made, and returns an error unless they are. The hint says
// how the changes are made without a terminal.
func (p *program) agree(ctx context.Context, hint string) error {
	if _, ok := isTerminal(p.Stdin); !ok || p.json {
		return usage("there is no terminal to ask on").WithHint("%s", hint)
	}
	p.printf("Make these changes? [y/N] ")
	answer, err := readAnswer(ctx, p.Stdin)
	if err == nil && answer != "y" && answer != "yes" {
		return usage("not agreed to").WithHint("nothing was changed")
	}
	return err
}

// readAnswer reads a line in lower case, without the white space around it. The end of input is an empty answer.
func readAnswer(ctx context.Context, in io.Reader) (string, error) {
	answer, err := interruptible(ctx, func() (string, error) { return bufio.NewReader(in).ReadString('\n') })
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil && !errors.Is(err, io.EOF):
		return "", record.Errorf(record.IO, "the terminal: %w", err)
	}
	return strings.ToLower(strings.TrimSpace(answer)), nil
}

// interruptible waits until read is done or ctx ends, so that Ctrl-C ends a question. After that the read goes on in
// the background until the process ends.
func interruptible[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	answers := make(chan answer, 1)
	go func() {
		value, err := read()
		answers <- answer{value, err}
	}()
	select {
	case a := <-answers:
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// isTerminal reports whether a stream is a terminal, and how many columns it has.
func isTerminal(stream any) (width int, ok bool) {
	f, isFile := stream.(*os.File)
	if !isFile || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		width = 80
	}
	return width, true
}
