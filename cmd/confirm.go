package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/task"
)

var errNoTerminal = errors.New("there is no terminal")

// terminal opens the terminal that the program is controlled from.
func (p *program) terminal() (io.ReadWriteCloser, error) {
	if p.Terminal == nil {
		return nil, errNoTerminal
	}
	return p.Terminal()
}

// confirm asks the person in whose name something is to be done. Neither the command's input nor a flag can answer: it takes a
// terminal, on which somebody types.
func (p *program) confirm(ctx context.Context, asks []task.Ask) error {
	terminal, err := p.terminal()
	if err != nil {
		return task.Unconfirmed(asks)
	}
	ok, err := typed(ctx, terminal, asks)
	if err != nil || ok {
		return err
	}
	e := task.Errorf(task.Forbidden, "not confirmed by %s", asks[0].Who).WithHint("nothing was changed; %s is what to type", asks[0].Word)
	e.ID = string(asks[0].ID)
	return e
}

// typed shows what is asked, and reports whether the word for it was typed. It closes the terminal.
func typed(ctx context.Context, terminal io.ReadWriteCloser, asks []task.Ask) (bool, error) {
	defer func() { _ = terminal.Close() }()
	if _, err := io.WriteString(terminal, question(asks)); err != nil {
		return false, task.Errorf(task.IO, "the terminal: %w", err)
	}
	answer, err := interruptible(ctx, func() (string, error) {
		return bufio.NewReader(io.LimitReader(terminal, 1<<10)).ReadString('\n')
	})
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err != nil && !errors.Is(err, io.EOF):
		return false, task.Errorf(task.IO, "the terminal: %w", err)
	}
	said, word := strings.ToLower(strings.TrimSpace(answer)), asks[0].Word
	return said == word || said == "y" && word == "yes", nil
}

// question is what a person reads before they type. What came out of files stays on its line.
func question(asks []task.Ask) string {
	var b strings.Builder
	first := asks[0]
	fmt.Fprintf(&b, "To be done in the name of %s:\n", first.Who)
	for _, a := range asks {
		fmt.Fprintf(&b, "  %s\n", harmless.Line(a.Does))
	}
	if first.ID != "" {
		fmt.Fprintf(&b, "  task: %s  %s\n", first.ID, harmless.Line(first.Title))
	}
	if first.Text != "" {
		fmt.Fprintf(&b, "  text: %s\n", harmless.Line(first.Text))
	}
	fmt.Fprintf(&b, "Type %s to confirm: ", first.Word)
	return b.String()
}
