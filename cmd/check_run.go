package cmd

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/check"
	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/check/report"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/progress"
	"github.com/cairn-tasks/cairn/store/snapshot"
)

// runCommands runs the commands of the tasks that the change closes, or with --all of all closed tasks, in the working
// tree. It adds the results to the report and records nothing. If the config is broken it runs nothing: which tasks are
// closed is unknown, and the report has the broken config already.
func (p checkCommand) runCommands(ctx context.Context, layout layout.Layout, found snapshot.Checked, options checkOptions, r *report.Report) error {
	closed := found.Closed
	switch {
	case !found.Tree.Config.Sound():
		return nil
	case options.all:
		closed = found.Done()
	case found.Base == "":
		return record.Errorf(record.NoBase, "without a base it is unknown which tasks the change closes").
			WithHint("--base REF names one; --all runs the commands of every closed task")
	}
	commands := found.Tree.Commands(closed)
	if len(commands) == 0 {
		return nil
	}
	s, err := store.Open(layout.Root, p.stateDir())
	if err != nil {
		return err
	}
	if err := p.mayRun(options, len(commands)); err != nil {
		return err
	}
	log, err := p.newRunLog(len(commands))
	if err != nil {
		return err
	}
	r.Ran = make([]report.Ran, len(commands))
	specs := specsOf(s, commands)
	if options.verbose && p.meter != nil {
		for i := range specs {
			specs[i].Output = watching{p.meter}
		}
	}
	err = check.All(ctx, specs, runtime.GOMAXPROCS(0), func(i int, o check.Outcome) {
		r.Ran[i] = ranOf(commands[i], o)
		log.ended(r.Ran[i])
		if !o.Passed {
			r.Findings = append(r.Findings, found.Failed(commands[i], o.Summary())...)
		}
	})
	p.meter.clear()
	proof.Sort(r.Findings)
	return err
}

func specsOf(s *store.Store, commands []proof.Command) []check.Spec {
	var out []check.Spec
	for _, c := range commands {
		var limit time.Duration
		for _, d := range c.Checks {
			limit = max(limit, s.Config.Limit(d.Check))
		}
		out = append(out, check.Spec{Cmd: c.Cmd, Root: s.Root, Cwd: c.Folder, Timeout: limit})
	}
	return out
}

func ranOf(c proof.Command, o check.Outcome) report.Ran {
	ran := report.Ran{Desc: c.Checks[0].Check.Desc, Passed: o.Passed, Summary: o.Summary(), Duration: o.Duration, Output: o.Output}
	for _, d := range c.Checks {
		if !slices.Contains(ran.Tasks, d.Task) {
			ran.Tasks = append(ran.Tasks, d.Task)
		}
	}
	return ran
}

// mayRun returns an error unless the commands are approved. In CI, --run in the pipeline is the approval. Elsewhere the
// clone must be trusted, as for every other run. Neither is enough where the change may come from anybody and its
// commands would have the repository's rights; only the flag trustFlag is.
func (p checkCommand) mayRun(options checkOptions, commands int) error {
	if options.trust {
		return nil
	}
	if why := foreign(p.Getenv); why != "" {
		return record.Errorf(record.Untrusted, "%s, so --run would give the repository's rights to the author of the change", why).
			WithHint("run it where a change from elsewhere has no rights (on GitHub: on pull_request)")
	}
	if options.Trusted {
		return nil
	}
	return record.Errorf(record.Untrusted, "this clone's commands were not approved on this machine, and %d would run", commands).
		WithHint("read them, then a person runs cairn trust in a terminal")
}

// trusts reports whether the commands of a clone may run: a person approved them, or this is a CI, which made the clone
// itself.
func (p checkCommand) trusts(layout layout.Layout) bool {
	if snapshot.InCI(p.Getenv) {
		return true
	}
	s, err := store.Open(layout.Root, p.stateDir())
	return err == nil && s.Trusted()
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

func (p checkCommand) newRunLog(total int) (*runLog, error) {
	secret := make([]byte, 16)
	if _, err := io.ReadFull(p.Rand, secret); err != nil {
		return nil, err
	}
	l := &runLog{program: p.program, total: total, secret: secret, began: time.Now()}
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
	l.meter.clear()
	entry := report.Entry{Ran: ran, Number: l.done, Ended: l.Now(), Token: l.token()}
	_, _ = io.WriteString(l.Stderr, entry.Log(l.fold))
	l.progress()
}

// token returns a secret for the log of one command. It changes with each, so that commands that still run and can read
// the log cannot guess the next.
func (l *runLog) token() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%x %d", l.secret, l.done))
	return hex.EncodeToString(sum[:16])
}

// progress has the meter say how many commands have run.
func (l *runLog) progress() {
	if report := l.meter.reports(); report != nil && l.done < l.total {
		report(progress.Report{
			Done: float64(l.done), Total: float64(l.total), Counts: true, Message: "running the checks of closed tasks", Took: time.Since(l.began),
		})
	}
}
