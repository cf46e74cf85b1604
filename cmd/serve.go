package cmd

import (
	"context"

	"github.com/cairn-tasks/cairn/mcpserver"
	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
	"github.com/urfave/cli/v3"
)

func (p *program) serveCommand() *cli.Command {
	return &cli.Command{
		Name:     "serve",
		Usage:    "Serve the verbs to a coding agent, as an MCP server on stdin and stdout.",
		Category: "workspace",
		Description: "Who acts is fixed here: --actor agent:NAME (or CAIRN_ACTOR) is required. It serves until the end of input, and starts\n" +
			"outside a workspace too, so that one entry in a client's configuration works in every project.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "client", Local: true, Usage: "name of the program that connects"},
			&cli.StringFlag{Name: "profile", Local: true, Value: verb.Operator.String(), Usage: "what the actor may do: viewer, planner, pair_worker, operator or maintainer; operator unless told"},
		},
		Action: p.runServe,
	}
}

func (p *program) runServe(ctx context.Context, c *cli.Command) error {
	if err := noArguments(c); err != nil {
		return err
	}
	if c.Root().String("actor") == "" && p.Getenv("CAIRN_ACTOR") == "" {
		return usage("needs --actor").WithHint("cairn serve --actor agent:NAME; whoever connects acts under that name")
	}
	profile, err := verb.ParseProfile(c.String("profile"))
	if err != nil {
		return err
	}
	w, err := p.workspace(ctx, c)
	if err != nil {
		return err
	}
	w.Profile, w.Client = profile, c.String("client")
	if err := mcpserver.New(*w).Serve(ctx, p.Stdin, p.Stdout, p.Stderr); err != nil && ctx.Err() == nil {
		return task.Errorf(task.IO, "the connection: %w", err)
	}
	return nil
}
