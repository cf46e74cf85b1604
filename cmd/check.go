package cmd

import (
	"context"
	"strings"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/check/report"
	"github.com/urfave/cli/v3"
)

// The exit numbers of check, beside 0.
const (
	exitCannotTell  = 2 // whatever kept it from judging
	exitCheckFailed = 4 // nothing but checks that were run
)

func (p *program) checkCommand() *cli.Command {
	return &cli.Command{
		Name:     "check",
		Usage:    "Prove from the files and from git that the record is sound and that nobody went around the gates; for CI.",
		Category: "workspace",
		Description: "It takes no lock, writes nothing, needs no actor and no network, and runs no command of the repository unless --run\n" +
			"says so. docs/rules.md explains each rule. It exits with 0 if nothing is as grave as --fail-on, with 1 if something\n" +
			"is, with 2 if it cannot tell (misuse, a base that is not there, a shallow clone, no workspace), and with 4 if nothing\n" +
			"but checks fail that --run ran.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "base", Local: true, Usage: "judge the change since `REF` too; else since what the CI says, else since origin/HEAD"},
			&cli.BoolFlag{Name: "no-base", Local: true, Usage: "judge the tree alone"},
			&cli.BoolFlag{Name: "staged", Local: true, Usage: "judge what is staged, as a change of HEAD; for a pre-commit hook"},
			&cli.BoolFlag{Name: "run", Local: true, Usage: "run the commands of the tasks that the change closes, and record nothing"},
			&cli.BoolFlag{Name: "all", Local: true, Usage: "with --run: of every closed task"},
			&cli.BoolFlag{Name: trustFlag, Local: true, Usage: "with --run: run them although nobody approved this clone, or on a change from elsewhere"},
			&cli.StringFlag{Name: "fail-on", Local: true, Value: string(proof.Error), Usage: "fail from `SEVERITY` on: error, warning or notice"},
			&cli.StringFlag{Name: "format", Local: true, Usage: "print the report as `FORMAT`: " + formatNames() + "; text unless told, and json with --json"},
			&cli.StringSliceFlag{Name: "output", Local: true, Usage: "write the report to `FORMAT=FILE` as well; - is standard output"},
			&cli.BoolFlag{Name: "fix", Local: true, Usage: "make the changes that are shown, once that is agreed to; never one about gates or history"},
			&cli.BoolFlag{Name: "dry-run", Local: true, Usage: "show what --fix would change, and change nothing"},
			&cli.BoolFlag{Name: "yes", Local: true, Usage: "with --fix: do not ask"},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			p.failing = exitCannotTell
			return p.runCheck(ctx, c)
		},
	}
}

func formatNames() string {
	var names []string
	for _, f := range report.Formats() {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

func (p *program) runCheck(ctx context.Context, c *cli.Command) error {
	if err := noArguments(c); err != nil {
		return err
	}
	order, err := p.checkOrder(c)
	if err != nil {
		return err
	}
	layout, err := p.layout(c)
	if err != nil {
		return err
	}
	order.options.Trusted = p.trusts(layout)
	found, err := layout.Check(ctx, order.options)
	if err != nil {
		return err
	}
	if order.fix {
		if found, err = p.mend(ctx, layout, found, order); err != nil {
			return err
		}
	}
	r := p.reportOf(layout, found, order)
	if order.run {
		if err := p.rerun(ctx, layout, found, order, &r); err != nil {
			return err
		}
	}
	p.exit = exitOfReport(r)
	return p.writeReports(layout, order, r)
}
