package cmd

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/check"
	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/check/report"
	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/gates"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/progress"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/rogpeppe/go-internal/diff"
)

// The exit numbers of check, beside 0 and exitFindings.
const (
	exitCannotTell  = 2 // an error kept it from judging
	exitCheckFailed = 4 // the only failures are checks that --run ran
)

type checkCommand struct {
	*call
	checkIn
	snapshot.CheckOptions
	format  report.Format // of what is printed
	outputs []checkOutput
	witness *witness
}

type checkIn struct {
	Ref     string         `json:"base,omitempty" doc:"judge the change since REF too; else since what the CI says, else since origin/HEAD" cli:"value=REF"`
	Alone   bool           `json:"no_base,omitempty" doc:"judge the tree alone"`
	OfStage bool           `json:"staged,omitempty" doc:"judge what is staged, as a change of HEAD; for a pre-commit hook"`
	Run     bool           `json:"run,omitempty" doc:"run the commands of the tasks that the change closes, and record nothing"`
	All     bool           `json:"all,omitempty" doc:"with --run: of every closed task"`
	Witness bool           `json:"witness,omitempty" doc:"with --run: sign what passed, as a witness, and keep it as evidence"`
	Key     string         `json:"key,omitempty" doc:"with --witness: the ed25519 key in FILE, a private one or the public half of one in the agent" cli:"value=FILE"`
	Trust   bool           `json:"i_trust_this_code,omitempty" doc:"with --run: run them although nobody approved this clone, or on a change from elsewhere"`
	FailOn  proof.Severity `json:"fail_on,omitempty" doc:"fail from SEVERITY on: error, warning or notice" cli:"value=SEVERITY" values:"error,warning,notice"`
	Format  string         `json:"format,omitempty" doc:"print the report as FORMAT: {values}; text by default, and json with --json" cli:"value=FORMAT" values:"text,json,github,sarif,junit,gitlab"`
	Output  []string       `json:"output,omitempty" doc:"write the report to FORMAT=FILE as well; - is standard output" cli:"value=FORMAT=FILE" from:"report-files"`
	Fix     bool           `json:"fix,omitempty" doc:"make the changes that are shown, after you agree; entries come back, and none is taken out"`
	DryRun  bool           `json:"dry_run,omitempty" doc:"show what --fix would change, and change nothing"`
	Yes     bool           `json:"yes,omitempty" doc:"with --fix: do not ask"`
}

func checkCommands() []command {
	return []command{declare(command{
		name:  "check",
		usage: "Prove from the files and from git that the record is sound and that nobody went around the gates; for CI.",
		group: "workspace",
		about: "It takes no lock, writes nothing, needs no actor and no network, and runs no command of the repository unless --run\n" +
			"says so. docs/rules.md explains each rule. It exits with 0 if nothing is as grave as --fail-on, with 1 if something\n" +
			"is, with 2 if it cannot tell (misuse, a base that is not there, a shallow clone, no workspace), and with 4 if nothing\n" +
			"but checks fail that --run ran.",
	}, func(ctx context.Context, c *call, in checkIn) error {
		c.failing = exitCannotTell
		p := checkCommand{call: c, checkIn: in}
		return p.run(ctx)
	})}
}

func (p *checkCommand) run(ctx context.Context) error {
	if err := p.options(); err != nil {
		return err
	}
	l, err := p.layout()
	if err != nil {
		return err
	}
	if trees, err := worktree.Open(l, worktree.Options{}); err == nil {
		trees.Sweep(ctx)
	}
	if p.Trusted = snapshot.InCI(p.Getenv); !p.Trusted { // a CI made the clone itself
		s, err := store.Open(l.Root, p.stateDir())
		p.Trusted = err == nil && s.Trusted()
	}
	p.witness = p.watching()
	if p.Witness {
		if p.witness, err = p.newWitness(ctx, l); err != nil {
			return err
		}
	}
	found, err := snapshot.Check(ctx, l, p.CheckOptions)
	if err == nil && p.Fix {
		found, err = p.fix(ctx, l, found)
	}
	if err == nil && p.Witness {
		err = p.witness.named(ctx, l, found.Base)
	}
	if err != nil {
		return err
	}
	r := report.Report{
		Base: found.Base, BaseName: found.BaseName, Head: found.Head, Note: found.Note, Findings: found.Findings, FailOn: p.FailOn,
		Version: Version(), Top: relative(l.Worktree, l.Root), Here: relative(p.Dir, l.Root),
	}
	if p.Run {
		if err := p.runCommands(ctx, l, found, &r); err != nil {
			return err
		}
	}
	if err := p.levels(ctx, l, found, &r); err != nil {
		return err
	}
	if p.Witness {
		if err := p.witness.sign(ctx, l, found, &r); err != nil {
			return err
		}
	}
	for _, f := range r.Findings {
		if r.Fails(f) && p.exit != exitFindings {
			p.exit = exitCheckFailed
			if f.Rule != proof.CheckFailed.ID {
				p.exit = exitFindings
			}
		}
	}
	return p.writeReports(l, r)
}

// relative is the path from one folder to another, with forward slashes; the other where they are on different drives.
func relative(from, to string) string {
	path, err := filepath.Rel(from, to)
	if err != nil {
		path = to
	}
	return filepath.ToSlash(path)
}

type checkOutput struct {
	format report.Format
	file   string // "-" for standard output
}

// options reads what the flags say together. Flags that contradict one another, or that need another flag, are an
// error.
func (p *checkCommand) options() (err error) {
	p.CheckOptions = snapshot.CheckOptions{Base: p.Ref, NoBase: p.Alone, Staged: p.OfStage, Now: p.call.Now(), Getenv: p.call.Getenv}
	p.FailOn = cmp.Or(p.FailOn, proof.Error)
	switch {
	case !slices.Contains(proof.Severities, p.FailOn) || p.FailOn == proof.Off:
		return usage("there is no severity %q to fail on", p.FailOn).WithHint("one of error, warning, notice")
	case p.Staged && p.Run:
		return contradiction("staged", "run").WithHint("commands run in the working tree: cairn check --run")
	case p.Staged && p.Fix:
		return contradiction("staged", "fix").WithHint("cairn changes files and stages nothing: cairn check --fix")
	case (p.All || p.Trust || p.Witness) && !p.Run:
		return usage("--all, --witness and --i-trust-this-code go with --run")
	case p.Key != "" && !p.Witness:
		return usage("--key goes with --witness")
	case (p.DryRun || p.Yes) && !p.Fix:
		return usage("--dry-run and --yes go with --fix")
	case p.json && p.Format != "" && p.Format != string(report.JSON):
		return contradiction("json", "format "+p.Format)
	case p.json:
		p.Format = string(report.JSON)
	}
	if p.format, err = parseFormat(cmp.Or(p.Format, string(report.Text))); err != nil {
		return err
	}
	for _, text := range p.Output {
		name, file, ok := strings.Cut(text, "=")
		if !ok || file == "" {
			return usage("--output takes FORMAT=FILE, not %q", text).WithHint("for example --output sarif=cairn.sarif")
		}
		f, err := parseFormat(name)
		if err != nil {
			return err
		}
		p.outputs = append(p.outputs, checkOutput{f, file})
	}
	return nil
}

func contradiction(a, b string) *record.Error { return usage("--%s and --%s do not go together", a, b) }

func parseFormat(name string) (report.Format, error) {
	f := report.Format(name)
	if !slices.Contains(report.Formats(), f) {
		return "", usage("there is no format %q", name).WithHint("one of %s", strings.Join(verb.AsTexts(report.Formats()), ", "))
	}
	return f, nil
}

// fix shows which of the findings can be fixed, fixes them once the person agrees, and returns what is found
// afterwards.
func (p *checkCommand) fix(ctx context.Context, l layout.Layout, found snapshot.Checked) (snapshot.Checked, error) {
	w, err := p.workspace(ctx)
	if err != nil {
		return found, err
	}
	fixes, err := store.Fixes(ctx, l, found.Findings, record.Stamp{Who: w.Actor(), At: p.call.Now()})
	if err != nil || len(fixes) == 0 {
		return found, err
	}
	var to io.Writer = p.out
	if p.format != report.Text {
		to = p.Stderr // a program reads standard output
	}
	show := func(path string, was, now []byte) {
		if !bytes.Equal(was, now) {
			screen.Fprintf(to, "%s\n", screen.Lines(diff.Diff("a/"+path, was, "b/"+path, now)))
		}
	}
	for _, f := range fixes {
		show(f.Path, f.Old, f.New)
		if f.Disputed {
			screen.Fprintf(to, "%s and %s contradict each other between the markers, so both stay.\n\n", f.Path, f.Gone)
		} else {
			show(f.Gone, f.Was, nil)
		}
	}
	fixes = slices.DeleteFunc(fixes, func(f store.Fix) bool { return f.Disputed })
	if p.DryRun || len(fixes) == 0 {
		return found, nil
	}
	if err := p.agree(ctx, p.Yes, "cairn check --fix --yes makes the changes; --dry-run only shows them"); err != nil {
		return found, err
	}
	for _, f := range fixes {
		if err := f.Apply(ctx, l); err != nil {
			return found, err
		}
	}
	return snapshot.Check(ctx, l, p.CheckOptions)
}

// writeReports prints the report, and writes the others that were asked for. If one of them is for GitHub, which shows
// only the first findings, the summary of the job gets the whole report.
func (p *checkCommand) writeReports(l layout.Layout, r report.Report) error {
	printed := r
	printed.Color = bool(p.style())
	if err := printed.Write(p.out, p.format); err != nil {
		return err
	}
	onGitHub := p.format == report.GitHub
	for _, out := range p.outputs {
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
func (p *checkCommand) writeReport(l layout.Layout, out checkOutput, r report.Report) error {
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
	return errors.Join(r.Summary(f), f.Close())
}

// runCommands runs the commands of the tasks that the change closes, or with --all of all closed tasks, in the working
// tree. It adds the results to the report and records nothing. If the config is broken it runs nothing: which tasks are
// closed is unknown, and the report has the broken config already.
func (p *checkCommand) runCommands(ctx context.Context, l layout.Layout, found snapshot.Checked, r *report.Report) error {
	closed := found.Closed
	switch {
	case !found.Tree.Config.Sound():
		return nil
	case p.All:
		closed = found.Done()
	case found.Base == "":
		return record.Errorf(record.NoBase, "without a base it is unknown which tasks the change closes").
			WithHint("--base REF names one; --all runs the commands of every closed task")
	}
	commands := found.Tree.Commands(closed)
	if len(commands) == 0 {
		return nil
	}
	s, err := store.Open(l.Root, p.stateDir())
	if err != nil {
		return err
	}
	if s, err = p.mayRun(ctx, s, commands); err != nil {
		return err
	}
	box, err := gates.BoxOf(&verb.Workspace{ConfigDir: p.configDir()}, s, s.Layout, s.Root)
	if err != nil {
		return err
	}
	log, err := newRunLog(p.program, len(commands))
	if err != nil {
		return err
	}
	r.Ran = make([]report.Ran, len(commands))
	specs := make([]check.Spec, len(commands))
	for i, c := range commands {
		specs[i] = check.Spec{Cmd: c.Cmd, Root: s.Root, Cwd: c.Folder, Output: p.watched(), Box: box}
		r.Ran[i].Desc = c.Checks[0].Check.Desc
		for _, d := range c.Checks {
			specs[i].Timeout = max(specs[i].Timeout, s.Config.Limit(d.Check))
			if !slices.Contains(r.Ran[i].Tasks, d.Task) {
				r.Ran[i].Tasks = append(r.Ran[i].Tasks, d.Task)
			}
		}
	}
	err = check.All(ctx, specs, runtime.GOMAXPROCS(0), func(i int, o check.Outcome) {
		ran := &r.Ran[i]
		ran.Passed, ran.Summary, ran.Duration, ran.Output = o.Passed, o.Summary(), o.Duration, o.Output
		log.ended(*ran)
		p.witness.saw(commands[i].Checks, o.Passed)
		if !o.Passed {
			r.Findings = append(r.Findings, found.Failed(commands[i], o.Summary())...)
		}
	})
	p.meter.Clear()
	if err == nil && !p.All {
		err = p.heldByBase(ctx, s, found, r)
	}
	proof.Sort(r.Findings)
	return err
}

// heldByBase runs the commands of the tasks that the change closes with the files on which they stand as the base has
// them, where the change altered these. A record that says that they were held is not believed here.
func (p *checkCommand) heldByBase(ctx context.Context, s *store.Store, found snapshot.Checked, r *report.Report) error {
	w := &verb.Workspace{Now: func() time.Time { return p.Now }, ConfigDir: p.configDir()} // nobody acts
	for _, id := range found.Closed {
		t, err := kind.Tasks.Get(s, id)
		if err != nil {
			continue // the report says why it cannot be read
		}
		failed, held, err := gates.HoldsSince(ctx, w, s, t, found.Base)
		if err != nil {
			return err
		}
		p.witness.sawHeld(id, held)
		for _, one := range failed {
			c := t.Checks[one.Check]
			command := proof.Command{Cmd: c.Cmd, Folder: c.Folder(), Checks: []proof.Declared{{Task: id, Index: one.Check, Check: c}}}
			summary := fmt.Sprintf("%s, with %s as in the base", one.Outcome.Summary(), strings.Join(one.Files, ", "))
			r.Findings = append(r.Findings, found.Failed(command, summary)...)
			p.witness.saw(command.Checks, false)
		}
		never, err := p.redByBase(ctx, w, s, found, t)
		if err != nil {
			return err
		}
		r.Findings = append(r.Findings, never...)
	}
	return nil
}

// mayRun returns the store in which the commands may run. It returns an error unless they are approved: by a flag, by the
// pipeline of a CI, or each as for every other run.
func (p *checkCommand) mayRun(ctx context.Context, s *store.Store, commands []proof.Command) (*store.Store, error) {
	if p.Trust {
		return s.InPipeline(), nil
	}
	if approved, err := p.pipeline("--run"); err != nil {
		return nil, err
	} else if approved {
		return s.InPipeline(), nil
	}
	w, err := p.workspace(ctx)
	if err != nil {
		return nil, err
	}
	var all []store.Command
	for _, c := range commands {
		for _, d := range c.Checks {
			all = append(all, s.CommandsOf(string(d.Task), d.Check)...)
		}
	}
	return s, gates.Consent(ctx, w, s, all)
}

// pipeline reports whether the pipeline of a CI says a command, which is the consent to what it runs. It returns UNTRUSTED
// where the change may come from anybody and its commands would have the repository's rights: there only the flag
// --i-trust-this-code of check is enough.
func (p *program) pipeline(command string) (bool, error) {
	if why := foreign(p.Getenv); why != "" {
		return false, record.Errorf(record.Untrusted, "%s, so %s would give the repository's rights to the author of the change", why, command).
			WithHint("run it where a change from elsewhere has no rights (on GitHub: on pull_request)")
	}
	return snapshot.InCI(p.Getenv), nil
}

// foreign says why, in this CI job, the change may come from anybody while its commands have the repository's rights;
// or "".
func foreign(getenv func(string) string) string {
	event := getenv("GITHUB_EVENT_NAME")
	if slices.Contains([]string{"pull_request_target", "workflow_run", "issue_comment"}, event) {
		return "on " + event + " GitHub gives a job the repository's secrets"
	}
	if from := getenv("CI_MERGE_REQUEST_SOURCE_PROJECT_ID"); from != "" && from != getenv("CI_PROJECT_ID") {
		return "this pipeline of GitLab runs a fork's merge request in the project itself"
	}
	return ""
}

// runLog prints each command's result and output on standard error when it ends, folded if the CI supports that. On a
// terminal the meter shows how many have run.
type runLog struct {
	*program
	fold        report.Fold
	secret      []byte
	total, done int
	began       time.Time
}

func newRunLog(p *program, total int) (*runLog, error) {
	secret := make([]byte, 16)
	if _, err := io.ReadFull(p.Rand, secret); err != nil {
		return nil, err
	}
	l := &runLog{program: p, total: total, secret: secret, began: time.Now()}
	switch {
	case p.Getenv("GITHUB_ACTIONS") == "true":
		l.fold = report.GitHubFold
	case p.Getenv("GITLAB_CI") == "true":
		l.fold = report.GitLabFold
	}
	l.progress()
	return l, nil
}

func (l *runLog) ended(ran report.Ran) {
	l.done++
	l.meter.Clear()
	// The token is a secret that changes with each command, so that those that still run and can read the log cannot
	// guess the next.
	sum := sha256.Sum256(fmt.Appendf(nil, "%x %d", l.secret, l.done))
	entry := report.Entry{Ran: ran, Number: l.done, Ended: l.Now(), Token: hex.EncodeToString(sum[:16])}
	_, _ = io.WriteString(l.Stderr, entry.Log(l.fold))
	l.progress()
}

func (l *runLog) progress() {
	if l.meter == nil || l.done == l.total {
		return
	}
	l.meter.Report(progress.Report{
		Done: float64(l.done), Total: float64(l.total), Counts: true, Message: "running the checks of closed tasks", Took: time.Since(l.began),
	})
}
