package cmd

import (
	"context"

	"github.com/cairn-tasks/cairn/verb/catalogue"
	"github.com/urfave/cli/v3"
)

func (p *program) readyCommand() *cli.Command {
	return &cli.Command{
		Name:     "ready",
		Usage:    "List what can be started now: tasks in the initial state whose deps are all closed.",
		Category: "tasks",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "label", Local: true, Usage: "only tasks with this label"},
			&cli.StringFlag{Name: "parent", Local: true, Usage: "only children of this task"},
			&cli.StringFlag{Name: "limit", Local: true, Usage: "how many to return; 50 unless told"},
			&cli.StringFlag{Name: "cursor", Local: true, Usage: "next_cursor of the page before"},
		},
		Action: p.runReady,
	}
}

// runReady is list with two filters set.
func (p *program) runReady(ctx context.Context, c *cli.Command) error {
	if err := noArguments(c); err != nil {
		return err
	}
	w, s, err := p.open(ctx, c)
	if err != nil {
		return err
	}
	list, _ := catalogue.ListerOf("task")
	in := map[string]any{"ready": true, "status": string(s.Config.Flow.Initial)}
	for _, name := range []string{"label", "parent", "limit", "cursor"} {
		if c.IsSet(name) {
			in[name] = c.String(name)
		}
	}
	if err := completeIDs(w, list, in); err != nil {
		return err
	}
	return p.call(ctx, w, list, in)
}
