package gates

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/cairn-tasks/cairn/check"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/progress"
	"github.com/cairn-tasks/cairn/store/remote"
	"github.com/cairn-tasks/cairn/task"
)

const (
	tailShown    = 2000 // bytes of a failed check's output in an answer; the log has it all
	changedShown = 5
)

// RunChecks runs commands of a task, by their indices, because the caller asks for it and not for a transition.
func RunChecks(ctx context.Context, w *verb.Workspace, s *store.Store, t task.Task, todo []int) (Run, error) {
	r := Run{of: t}
	if err := ConsentFor(ctx, w, s, t, ChecksOf(s, t, todo)); err != nil {
		return r, err
	}
	files, err := FilesOf(s, t)
	if err != nil {
		return r, err
	}
	tree, absent := treeAndAbsent(ctx, files)
	guards, err := guardsOf(ctx, s, t, files, tree, absent, nil)
	if err != nil {
		return r, err
	}
	r.Proof.Run, r.Report, err = run(ctx, w, s, t, todo, tree, guards)
	r.Proof.Guards = guards.state(w.Actor()) // the run may have changed them
	return r, err
}

// run runs commands of a task, one after the other, and keeps their log. Those that pass on files which the work has
// changed are run with these as they were too. It returns UNTRUSTED, with nothing run, unless
// Consent lets all of them run; BUSY while another run goes on in the worktree; and the context's error, with nothing
// recorded, if it ended.
func run(ctx context.Context, w *verb.Workspace, s *store.Store, t task.Task, todo []int, before store.Tree, guards *guarding) (*task.Run, *verb.RunReport, error) {
	if err := ConsentFor(ctx, w, s, t, ChecksOf(s, t, todo)); err != nil {
		return nil, nil, err
	}
	files, err := Ready(s, t)
	if err != nil {
		return nil, nil, err
	}
	box, err := BoxOf(w, s, files.Layout, files.Root)
	if err != nil {
		return nil, nil, err
	}
	unlock, err := files.Runs().Lock(ctx, fmt.Sprintf("%s by %s, process %d", t.ID, w.Actor(), os.Getpid()))
	if err != nil {
		return nil, nil, err
	}
	defer unlock()
	stop := beatWhile(ctx, w, s, t)
	defer stop()
	head := files.Head(ctx).Commit
	run, report := &task.Run{Commit: head, Tree: Fingerprint(before)}, &verb.RunReport{}
	var logs []func(io.Writer) error // of one command each
	for n, i := range todo {
		c, started := t.Checks[i], w.Now()
		limit := s.Config.Limit(c)
		reported := reportWhile(w.Progress, n, len(todo), fmt.Sprintf("check %d of %d: %s", n+1, len(todo), c.Desc), limit)
		outcome, err := outcomesOf(ctx).attempt(ctx, run.Tree, check.Spec{Cmd: c.Cmd, Root: files.Root, Cwd: c.Cwd, Timeout: limit, Output: w.Output, Box: box})
		reported()
		if err != nil {
			return nil, nil, err
		}
		cr := reportOne(i, c, outcome)
		run.Results = append(run.Results, record.CheckResult{Check: c.Key(t.ID), Result: cr.Result})
		report.Checks = append(report.Checks, cr)
		h := check.Header{Task: string(t.ID), Check: c.Desc, Cmd: c.Cmd, Dir: c.Folder(), Commit: head, Started: started}
		logs = append(logs, func(out io.Writer) error { return check.WriteLog(out, h, outcome) })
	}
	logged := func(h check.Header, o check.Outcome) {
		logs = append(logs, func(out io.Writer) error { return check.WriteLog(out, h, o) })
	}
	after := treeOf(ctx, files)
	if err := guards.ran(ctx, after); err != nil {
		return nil, nil, err
	}
	if err := guards.hold(ctx, w, s, t, run, report, logged); err != nil {
		return nil, nil, err
	}
	began := run.Tree
	if compareTrees(before, after, run, report); run.Tree == "" {
		outcomesOf(ctx).forget(began)
	}
	report.Log, err = s.Runs().Write(t.ID, w.Now(), func(out io.Writer) error {
		for i, write := range logs {
			if i > 0 {
				if _, err := io.WriteString(out, "\n"); err != nil {
					return err
				}
			}
			if err := write(out); err != nil {
				return err
			}
		}
		return nil
	})
	return run, report, err
}

func reportOne(i int, c task.Check, o check.Outcome) verb.CheckRun {
	cr := verb.CheckRun{Check: i, Desc: c.Desc, Result: record.Pass, Summary: o.Summary(), Seconds: o.Duration.Round(time.Millisecond).Seconds()}
	if !o.Passed {
		cr.Result, cr.Output = record.Fail, verb.Tail(o.Output, tailShown)
	}
	return cr
}

// compareTrees takes the fingerprint away from a run during which files changed, and says which.
func compareTrees(before, after store.Tree, run *task.Run, report *verb.RunReport) {
	if Fingerprint(after) == run.Tree {
		return
	}
	run.Tree = ""
	if before == nil || after == nil {
		return
	}
	report.TreeChanged = before.Changed(after)
	if len(report.TreeChanged) > changedShown {
		report.TreeChanged = report.TreeChanged[:changedShown]
	}
}

// beatWhile keeps the caller's session on the task alive while checks run. The function it returns ends that.
func beatWhile(ctx context.Context, w *verb.Workspace, s *store.Store, t task.Task) (stop func()) {
	hold := session.Holder(t.Header(), s.Known(t.ID.Ref()), w.Now())
	if hold.Session == "" || !hold.Mine(w.Actor(), s.Worktree) {
		return func() {}
	}
	ctx, cancel := context.WithCancel(remote.Alone(ctx))
	go func() {
		for tick := time.NewTicker(s.Config.StaleAfter / 3); ; {
			select {
			case <-ctx.Done():
				tick.Stop()
				return
			case <-tick.C:
				_ = w.WithoutKey().Beat(ctx, s, session.Heartbeat{Session: hold.Session}) // the run goes on if it fails
			}
		}
	}()
	return cancel
}

// progressEvery is how often a check that runs says so.
const progressEvery = 3 * time.Second

// reportWhile says in a message that the command with index n, of so many, runs, and says it again now and then until
// the function that it returns was called. A check under way counts by its share of the time limit.
func reportWhile(report func(verb.Progress), n, of int, message string, limit time.Duration) (stop func()) {
	if report == nil {
		return func() {}
	}
	report(verb.Progress{Done: float64(n), Total: float64(of), Message: message})
	began, tick := time.Now(), time.NewTicker(progressEvery)
	stopped, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for {
			select {
			case <-stopped:
				return
			case <-tick.C:
				took := time.Since(began)
				share := min(took.Seconds()/limit.Seconds(), 1)
				report(verb.Progress{Done: float64(n) + share, Total: float64(of), Message: message, Took: took})
			}
		}
	}()
	return func() {
		tick.Stop()
		close(stopped)
		<-gone
	}
}

// noLimit is the time limit of a set-up command that has none.
const noLimit = 24 * time.Hour

// SetUp runs the set-up command of a work tree (worktree_setup), as the config there has it; without one it does
// nothing. It returns UNTRUSTED, with nothing run, unless Consent lets it run. If the command fails, the error has the
// given code and message, and the end of what it printed; its hint is the caller's to add.
func SetUp(ctx context.Context, w *verb.Workspace, s *store.Store, code record.Code, message string) (failed *record.Error, err error) {
	line := s.Config.WorktreeSetup
	if line == "" {
		return nil, nil
	}
	if err := Consent(ctx, w, s, s.SetUpCommand()); err != nil {
		return nil, err
	}
	reported := reportWhile(progress.Of(ctx), 0, 1, "setting up the work tree", cmp.Or(s.Config.SetupTimeout, noLimit))
	got, err := check.Attempt(ctx, check.Spec{Cmd: line, Root: s.Root, Timeout: cmp.Or(s.Config.SetupTimeout, noLimit)})
	reported()
	if err != nil || got.Passed {
		return nil, err
	}
	failed = record.Errorf(code, "%s: %s", message, got.Summary()).WithHint("it ends with: %s", verb.Tail(got.Output, 300))
	failed.Details = map[string]any{"output": verb.Tail(got.Output, 2000)}
	return failed, nil
}
