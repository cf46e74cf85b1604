package cmd

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"
	"github.com/cairn-tasks/cairn/cmd/board"
	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/urfave/cli/v3"
)

// boardCommand is cairn board. What it shows and does is of package board; here is what needs the process and its
// terminal.
type boardCommand struct{ *program }

func (p boardCommand) command() *cli.Command {
	return &cli.Command{
		Name:     "board",
		Usage:    "Show the tasks in columns, one for each state, and move about in them.",
		Category: "tasks",
		Description: "On a terminal it is live: it shows changes as they come, and keys move, claim, open and edit tasks; ? lists them.\n" +
			"Elsewhere it prints the columns one below the other. Programs take cairn list --json.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "where", Aliases: []string{"filter"}, Local: true, Usage: "only tasks that fit a `FILTER`, as in list"},
			&cli.StringFlag{Name: "text", Local: true, Usage: "only tasks with these `WORDS` in id, title, body, labels or notes"},
			&cli.BoolFlag{Name: "mine", Local: true, Usage: "only tasks that you hold"},
		},
		Action: p.run,
	}
}

func (p boardCommand) run(ctx context.Context, c *cli.Command) error {
	if err := noArguments(c); err != nil {
		return err
	}
	if p.json {
		return usage("a board is for people").WithHint("%s lists the same tasks for programs", "cairn list --json")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	calls, err := p.boardCalls(ctx, c)
	if err != nil {
		return err
	}
	defer calls.close(cancel)
	query := board.Query{Text: c.String("text"), Where: c.String("where"), Mine: c.Bool("mine")}
	if !p.live() {
		return p.printBoard(ctx, calls, query)
	}
	first, err := calls.Load(ctx, query)
	if err != nil {
		return err
	}
	p.meter.stop() // the board has the terminal to itself
	return p.show(ctx, calls, board.New(ctx, calls, bool(p.style()), query, first))
}

// live reports whether there is a terminal to move about on, at both ends.
func (p boardCommand) live() bool {
	_, in := isTerminal(p.Stdin)
	_, out := isTerminal(p.Stdout)
	return in && out && p.Getenv("TERM") != "dumb"
}

// closedPrinted is how many closed tasks are printed where there is no terminal.
const closedPrinted = 10

func (p boardCommand) printBoard(ctx context.Context, calls *boardCalls, query board.Query) error {
	query.Want = map[string]int{closedColumn: closedPrinted}
	b, err := calls.Load(ctx, query)
	if err != nil {
		return err
	}
	p.printf("%s", screen.Painted(board.Text(b, p.width())))
	p.renderer(calls.list).Problems(b.Problems)
	return nil
}

// show gives the terminal to the board until the person quits. Whatever ends it, a signal and a panic too, the terminal
// is as it was before.
func (p boardCommand) show(ctx context.Context, calls *boardCalls, m *board.Model) error {
	stops := &stops{}
	calls.away, calls.back = stops.leave, stops.back
	prog := tea.NewProgram(m,
		tea.WithContext(ctx), tea.WithInput(p.Stdin), tea.WithOutput(p.Stdout),
		tea.WithoutSignalHandler(), // who started the program has one, and ends the context
		tea.WithFilter(stops.filter),
	)
	stops.begin(prog.Send)
	defer stops.end()
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
