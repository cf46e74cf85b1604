package cmd

import (
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/check/report"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
	"github.com/urfave/cli/v3"
)

// checkOrder is what the flags of check ask for.
type checkOrder struct {
	options          store.CheckOptions
	run, all, trust  bool
	failOn           proof.Severity
	format           report.Format // of what is printed
	outputs          []checkOutput
	fix, dryRun, yes bool
}

// checkOutput is one report to write beside the one that is printed.
type checkOutput struct {
	format report.Format
	file   string // "-" for standard output
}

// checkOrder reads the flags, and refuses those that contradict one another or say nothing alone.
func (p *program) checkOrder(c *cli.Command) (checkOrder, error) {
	o := checkOrder{
		options: store.CheckOptions{Base: c.String("base"), NoBase: c.Bool("no-base"), Staged: c.Bool("staged"), Getenv: p.Getenv},
		run:     c.Bool("run"), all: c.Bool("all"), trust: c.Bool(trustFlag),
		fix: c.Bool("fix"), dryRun: c.Bool("dry-run"), yes: c.Bool("yes"),
		failOn: proof.Severity(c.String("fail-on")), format: report.Text,
	}
	switch {
	case !slices.Contains(proof.Severities, o.failOn) || o.failOn == proof.Off:
		return o, usage("there is no severity %q to fail on", o.failOn).WithHint("one of error, warning, notice")
	case c.IsSet("base") && o.options.Base == "":
		return o, usage("--base names nothing").WithHint("name a commit, or leave --base out")
	case o.options.Staged && o.run:
		return o, contradiction("staged", "run").WithHint("commands run in the working tree: cairn check --run")
	case o.options.Staged && o.fix:
		return o, contradiction("staged", "fix").WithHint("cairn changes files and stages nothing: cairn check --fix")
	case (o.all || o.trust) && !o.run:
		return o, usage("--all and --%s go with --run", trustFlag)
	case (o.dryRun || o.yes) && !o.fix:
		return o, usage("--dry-run and --yes go with --fix")
	}
	var err error
	if o.format, err = p.printed(c); err != nil {
		return o, err
	}
	for _, text := range c.StringSlice("output") {
		out, err := outputOf(text)
		if err != nil {
			return o, err
		}
		o.outputs = append(o.outputs, out)
	}
	return o, nil
}

func contradiction(a, b string) *task.Error { return usage("--%s and --%s do not go together", a, b) }

// printed is the format of what goes to standard output.
func (p *program) printed(c *cli.Command) (report.Format, error) {
	name := c.String("format")
	switch {
	case p.json && name != "" && name != string(report.JSON):
		return "", contradiction("json", "format "+name)
	case p.json:
		return report.JSON, nil
	case name == "":
		return report.Text, nil
	}
	return formatOf(name)
}

func formatOf(name string) (report.Format, error) {
	f := report.Format(name)
	if !slices.Contains(report.Formats(), f) {
		return "", usage("there is no format %q", name).WithHint("one of %s", formatNames())
	}
	return f, nil
}

// outputOf reads FORMAT=FILE.
func outputOf(text string) (checkOutput, error) {
	name, file, ok := strings.Cut(text, "=")
	if !ok || file == "" {
		return checkOutput{}, usage("--output takes FORMAT=FILE, not %q", text).WithHint("for example --output sarif=cairn.sarif")
	}
	f, err := formatOf(name)
	return checkOutput{f, file}, err
}
