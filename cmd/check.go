package cmd

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/check/report"
	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/rogpeppe/go-internal/diff"
	"github.com/urfave/cli/v3"
)

// The exit numbers of check, beside 0 and exitFindings.
const (
	exitCannotTell  = 2 // an error kept it from judging
	exitCheckFailed = 4 // the only failures are checks that --run ran
)

// trustFlag is the flag that approves the commands of a clone for one run of check.
const trustFlag = "i-trust-this-code"

// checkCommand is cairn check.
type checkCommand struct{ *program }

func (p checkCommand) command() *cli.Command {
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
			&cli.StringFlag{Name: "format", Local: true, Usage: "print the report as `FORMAT`: " + formatNames() + "; text by default, and json with --json"},
			&cli.StringSliceFlag{Name: "output", Local: true, Usage: "write the report to `FORMAT=FILE` as well; - is standard output"},
			&cli.BoolFlag{Name: "fix", Local: true, Usage: "make the changes that are shown, after you agree; never one about gates or history"},
			&cli.BoolFlag{Name: "dry-run", Local: true, Usage: "show what --fix would change, and change nothing"},
			&cli.BoolFlag{Name: "yes", Local: true, Usage: "with --fix: do not ask"},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			p.failing = exitCannotTell
			return p.run(ctx, c)
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

func (p checkCommand) run(ctx context.Context, c *cli.Command) error {
	if err := noArguments(c); err != nil {
		return err
	}
	options, err := p.options(c)
	if err != nil {
		return err
	}
	l, err := p.layout(c)
	if err != nil {
		return err
	}
	options.Trusted = p.trusts(l)
	found, err := snapshot.Check(ctx, l, options.CheckOptions)
	if err != nil {
		return err
	}
	if options.fix {
		if found, err = p.fix(ctx, l, found, options); err != nil {
			return err
		}
	}
	r := report.Report{
		Base: found.Base, BaseName: found.BaseName, Head: found.Head, Note: found.Note, Findings: found.Findings, FailOn: options.failOn,
		Version: Version(), Top: relative(l.Worktree, l.Root), Here: relative(p.Dir, l.Root),
	}
	if options.run {
		if err := p.runCommands(ctx, l, found, options, &r); err != nil {
			return err
		}
	}
	p.exit = exitOfReport(r)
	return p.writeReports(l, options, r)
}

// relative is the path from one folder to another, with forward slashes.
func relative(from, to string) string {
	path, err := filepath.Rel(from, to)
	if err != nil {
		path = to // on another drive
	}
	return filepath.ToSlash(path)
}

// exitOfReport is the number that check exits with after it could judge.
func exitOfReport(r report.Report) int {
	exit := 0
	for _, f := range r.Findings {
		switch {
		case !r.Fails(f):
		case f.Rule != proof.CheckFailed:
			return exitFindings
		default:
			exit = exitCheckFailed
		}
	}
	return exit
}

// checkOptions are what the flags of check say.
type checkOptions struct {
	snapshot.CheckOptions
	run, all, trust  bool
	verbose          bool // show what commands print while they run
	failOn           proof.Severity
	format           report.Format // of what is printed
	outputs          []checkOutput
	fix, dryRun, yes bool
}

// checkOutput is a report to write beside the one that is printed.
type checkOutput struct {
	format report.Format
	file   string // "-" for standard output
}

// options reads the flags. Flags that contradict one another, or that need another flag, are an error.
func (p checkCommand) options(c *cli.Command) (checkOptions, error) {
	o := checkOptions{
		CheckOptions: snapshot.CheckOptions{Base: c.String("base"), NoBase: c.Bool("no-base"), Staged: c.Bool("staged"), Getenv: p.Getenv},
		run:          c.Bool("run"), all: c.Bool("all"), trust: c.Bool(trustFlag), verbose: c.Bool("verbose"),
		fix: c.Bool("fix"), dryRun: c.Bool("dry-run"), yes: c.Bool("yes"),
		failOn: proof.Severity(c.String("fail-on")), format: report.Text,
	}
	switch {
	case !slices.Contains(proof.Severities, o.failOn) || o.failOn == proof.Off:
		return o, usage("there is no severity %q to fail on", o.failOn).WithHint("one of error, warning, notice")
	case c.IsSet("base") && o.Base == "":
		return o, usage("--base names nothing").WithHint("name a commit, or leave --base out")
	case o.Staged && o.run:
		return o, contradiction("staged", "run").WithHint("commands run in the working tree: cairn check --run")
	case o.Staged && o.fix:
		return o, contradiction("staged", "fix").WithHint("cairn changes files and stages nothing: cairn check --fix")
	case (o.all || o.trust) && !o.run:
		return o, usage("--all and --%s go with --run", trustFlag)
	case (o.dryRun || o.yes) && !o.fix:
		return o, usage("--dry-run and --yes go with --fix")
	}
	var err error
	if o.format, err = p.printedFormat(c); err != nil {
		return o, err
	}
	for _, text := range c.StringSlice("output") {
		out, err := parseOutput(text)
		if err != nil {
			return o, err
		}
		o.outputs = append(o.outputs, out)
	}
	return o, nil
}

func contradiction(a, b string) *record.Error { return usage("--%s and --%s do not go together", a, b) }

// printedFormat is the format of what goes to standard output.
func (p checkCommand) printedFormat(c *cli.Command) (report.Format, error) {
	name := c.String("format")
	switch {
	case p.json && name != "" && name != string(report.JSON):
		return "", contradiction("json", "format "+name)
	case p.json:
		return report.JSON, nil
	case name == "":
		return report.Text, nil
	}
	return parseFormat(name)
}

func parseFormat(name string) (report.Format, error) {
	f := report.Format(name)
	if !slices.Contains(report.Formats(), f) {
		return "", usage("there is no format %q", name).WithHint("one of %s", formatNames())
	}
	return f, nil
}

// parseOutput reads FORMAT=FILE.
func parseOutput(text string) (checkOutput, error) {
	name, file, ok := strings.Cut(text, "=")
	if !ok || file == "" {
		return checkOutput{}, usage("--output takes FORMAT=FILE, not %q", text).WithHint("for example --output sarif=cairn.sarif")
	}
	f, err := parseFormat(name)
	return checkOutput{f, file}, err
}

// fix shows which of the findings can be fixed, fixes them once the person agrees, and returns what is found
// afterwards.
func (p checkCommand) fix(ctx context.Context, l layout.Layout, found snapshot.Checked, options checkOptions) (snapshot.Checked, error) {
	fixes, err := store.Fixes(l, found.Findings)
	if err != nil || len(fixes) == 0 {
		return found, err
	}
	var to io.Writer = p.out
	if options.format != report.Text {
		to = p.Stderr // a program reads standard output
	}
	for _, f := range fixes {
		screen.Fprintf(to, "%s\n", screen.Lines(diff.Diff("a/"+f.Path, f.Old, "b/"+f.Path, f.New)))
	}
	if options.dryRun {
		return found, nil
	}
	if !options.yes {
		if err := p.agree(ctx, "cairn check --fix --yes makes the changes; --dry-run only shows them"); err != nil {
			return found, err
		}
	}
	for _, f := range fixes {
		if err := f.Apply(ctx, l); err != nil {
			return found, err
		}
	}
	return snapshot.Check(ctx, l, options.CheckOptions)
}

// writeReports prints the report, and writes the others that were asked for. If one of them is for GitHub, which shows
// only the first findings, the summary of the job gets the whole report.
func (p checkCommand) writeReports(l layout.Layout, o checkOptions, r report.Report) error {
	printed := r
	printed.Color = bool(p.style())
	if err := printed.Write(p.out, o.format); err != nil {
		return err
	}
	onGitHub := o.format == report.GitHub
	for _, out := range o.outputs {
		onGitHub = onGitHub || out.format == report.GitHub
		if err := p.writeReport(l, out, r); err != nil {
			return err
		}
	}
	if summary := p.Getenv("GITHUB_STEP_SUMMARY"); onGitHub && summary != "" {
		return appendSummary(summary, r)
	}
	return nil
}

// writeReport writes a report to a file, but not through a link of the work tree: the change that is judged could have
// made the link, and would choose the file that the report replaces.
func (p checkCommand) writeReport(l layout.Layout, out checkOutput, r report.Report) error {
	if out.file == "-" {
		return r.Write(p.out, out.format)
	}
	if link := linkBelow(l.Worktree, p.abs(out.file)); link != "" {
		return record.Errorf(record.InvalidInput, "the %s report: %s is a link", out.format, link).
			WithHint("name a file that no link of the work tree leads to")
	}
	var b bytes.Buffer
	if err := r.Write(&b, out.format); err != nil {
		return err
	}
	if err := os.WriteFile(p.abs(out.file), b.Bytes(), 0o644); err != nil {
		return record.Errorf(record.IO, "the %s report: %w", out.format, err).WithHint("name a file in a folder that is there")
	}
	return nil
}

// linkBelow is the uppermost link on the path from a folder to a file below it. It is "" if there is none, or if the
// file is not below the folder.
func linkBelow(top, file string) (link string) {
	root, err := os.Stat(top)
	if err != nil {
		return ""
	}
	for at := file; ; at = filepath.Dir(at) {
		if info, err := os.Stat(at); err == nil && os.SameFile(info, root) {
			return link
		}
		if info, err := os.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			link = at
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

// appendSummary adds the report to the summary of the job that GitHub shows, to which each command of a step can add.
func appendSummary(file string, r report.Report) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return record.Errorf(record.IO, "the summary of the job: %w", err).WithHint("unset GITHUB_STEP_SUMMARY to do without")
	}
	err = r.Summary(f)
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}
