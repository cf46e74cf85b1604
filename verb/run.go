package verb

import (
	"context"
	"io"
	"time"

	"github.com/cairn-tasks/cairn/check"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// RunReport is what a run of checks showed.
type RunReport struct {
	Log         string     `json:"log,omitempty"` // of everything that was printed, from the workspace root
	Checks      []CheckRun `json:"checks"`
	TreeChanged []string   `json:"tree_changed,omitempty"` // files that changed during the run, five at most: its passes will not count later
}

// CheckRun is how one command ended.
type CheckRun struct {
	Check   int         `json:"check"` // index
	Desc    string      `json:"desc"`
	Result  task.Result `json:"result"`
	Summary string      `json:"summary"`          // e.g. "exit 1", "timed out after 120 s"
	Seconds float64     `json:"seconds"`          // it took
	Output  string      `json:"output,omitempty"` // the last of it, if the check failed
}

const (
	tailShown    = 2000 // bytes of a failed check's output in an answer; the log has it all
	changedShown = 5
)

// run runs commands of a task, one after the other, and keeps their log. It returns UNTRUSTED, with nothing run, in a
// clone that was not approved; BUSY while another run goes on in the worktree; and the context's error, with nothing
// recorded, if it ended.
func (w *Workspace) run(ctx context.Context, s *store.Store, t task.Task, todo []int, before store.Tree) (*task.Run, *RunReport, error) {
	if err := consent(s, t, todo); err != nil {
		return nil, nil, err
	}
	unlock, err := s.LockRuns(ctx, w.runner(t))
	if err != nil {
		return nil, nil, err
	}
	defer unlock()
	stop := w.beatWhile(ctx, s, t)
	defer stop()
	head := s.Head(ctx).Commit
	run, report := &task.Run{Commit: head, Tree: fingerprint(before)}, &RunReport{}
	var logs []func(io.Writer) error
	for n, i := range todo {
		c, started := t.Checks[i], w.Now()
		limit := s.Config.Limit(c)
		reported := w.reportWhile(n, len(todo), c.Desc, limit)
		outcome, err := check.Attempt(ctx, check.Spec{Cmd: c.Cmd, Root: s.Root, Cwd: c.Cwd, Timeout: limit})
		reported()
		if err != nil {
			return nil, nil, err
		}
		cr := reportOne(i, c, outcome)
		run.Results = append(run.Results, task.CheckResult{Check: c.Key(t.ID), Result: cr.Result})
		report.Checks = append(report.Checks, cr)
		logs = append(logs, logOf(t, c, head, started, outcome))
	}
	w.compareTrees(ctx, s, before, run, report)
	report.Log, err = s.WriteLog(t.ID, w.Now(), func(out io.Writer) error { return writeAll(out, logs) })
	return run, report, err
}

func reportOne(i int, c task.Check, o check.Outcome) CheckRun {
	cr := CheckRun{Check: i, Desc: c.Desc, Result: task.Pass, Summary: o.Summary(), Seconds: o.Duration.Round(time.Millisecond).Seconds()}
	if !o.Passed {
		cr.Result, cr.Output = task.Fail, tail(o.Output, tailShown)
	}
	return cr
}

// compareTrees takes the fingerprint away from a run during which files changed, and says which.
func (w *Workspace) compareTrees(ctx context.Context, s *store.Store, before store.Tree, run *task.Run, report *RunReport) {
	after := w.tree(ctx, s)
	if fingerprint(after) == run.Tree {
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

func logOf(t task.Task, c task.Check, commit string, started time.Time, o check.Outcome) func(io.Writer) error {
	h := check.Header{Task: string(t.ID), Check: c.Desc, Cmd: c.Cmd, Dir: c.Folder(), Commit: commit, Started: started}
	return func(out io.Writer) error { return check.WriteLog(out, h, o) }
}

// writeAll writes the logs of several commands, with an empty line between them.
func writeAll(out io.Writer, logs []func(io.Writer) error) error {
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
}

// beatWhile keeps the caller's session on the task alive while checks run. The function it returns ends that.
func (w *Workspace) beatWhile(ctx context.Context, s *store.Store, t task.Task) (stop func()) {
	hold := session.Holder(t.Header(), s.Live(t.ID), w.Now())
	if hold.Session == "" || !hold.Mine(w.Actor, s.Worktree) {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		for tick := time.NewTicker(s.Config.StaleAfter / 3); ; {
			select {
			case <-ctx.Done():
				tick.Stop()
				return
			case <-tick.C:
				_ = w.unkeyed().beat(ctx, s, hold.Session, "") // the run goes on, whoever thinks it stalled
			}
		}
	}()
	return cancel
}

// tail is the end of a text, from the start of a line if it can be.
func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	for i := range s {
		if s[i] == '\n' {
			return "…" + s[i:]
		}
	}
	return "…" + s
}
