package runner

import (
	"context"
	"fmt"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/gates"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/work/executor"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
)

// work lets the executor work until it has handed over and its checks pass, for as many rounds as the job has.
func (r *run) work(ctx context.Context) error {
	more, reminded := followUp{}, false
	for failures := 0; ; {
		handed, output, err := r.round(ctx, more)
		if err != nil {
			return err
		}
		if !handed && output == "" {
			if reminded {
				return failed(job.ExecutorError, "the executor ended twice without handing over")
			}
			reminded, more = true, followUp{remind: true}
			if err := r.nextRound(ctx); err != nil {
				return err
			}
			continue
		}
		if output == "" {
			if output, err = r.check(ctx); err != nil {
				return err
			}
		}
		if output == "" {
			return or(job.InternalError, r.session.finish(ctx, r.summary()))
		}
		if failures++; failures > r.spec.Attempts {
			return failed(job.ChecksFailed, "its checks failed in %s", rounds(failures))
		}
		more = followUp{checks: output}
		if err := r.nextRound(ctx); err != nil {
			return err
		}
	}
}

func rounds(n int) string {
	if n == 1 {
		return "the only round"
	}
	return fmt.Sprintf("each of %d rounds", n)
}

// nextRound counts a round, and begins a session for it if the executor ended the last one.
func (r *run) nextRound(ctx context.Context) error {
	if err := r.owned.Change(func(s *job.Status) { s.Attempt++ }); err != nil {
		return err
	}
	if r.session.now().Status == session.Active {
		return nil
	}
	return or(job.InternalError, r.session.beginAnew(ctx))
}

// round lets the executor work once, commits what it left, and judges the change before any of it is run. handed
// reports whether the executor handed over. refused is what a hook said that refused the commit, for the executor to
// fix; "" if none did.
func (r *run) round(ctx context.Context, more followUp) (handed bool, refused string, err error) {
	result, err := r.execute(ctx, more)
	if err != nil {
		return false, "", err
	}
	r.final = result.Final
	if handed, err = r.handed(result); err != nil {
		return false, "", err
	}
	if handed && r.spec.Output == job.Patch {
		if err := answerOf(result.Final).apply(ctx, r.tree); err != nil {
			return false, "", err
		}
	}
	err = r.tree.commit(ctx, r.session.Acts.Actor(), "")
	if record.CodeOf(err) == record.Git {
		return handed, fmt.Sprintf("### The commit was refused\n\n%s\n", indented(record.MessageOf(err))), nil
	}
	if record.CodeOf(err) == record.Conflict { // the executor switched the branch, or moved the work tree
		return false, "", or(job.Policy, err)
	}
	if err != nil {
		return false, "", or(job.InternalError, err)
	}
	return handed, "", r.tree.judge(ctx, r.s)
}

// handed reports whether the executor handed its work over. Its error is why the job ends.
func (r *run) handed(result executor.Result) (bool, error) {
	ses := r.session.now()
	switch state := ses.Status; {
	case state == session.Finished:
		return true, nil
	case state == session.Failed || state == session.Canceled:
		return false, failed(job.ExecutorError, "the executor gave up: %s", oneLine(ses.Summary+" "+ses.Reason))
	case state == session.Abandoned:
		return false, failed(job.ExecutorError, "the session of the job was taken over or released")
	case result.OverBudget:
		return false, failed(job.Budget, "it cost more than $%.2f", r.spec.Budget)
	case result.Failed || !result.Done && result.Exit != 0:
		why := howItEnded(result.Exit, result.Signal)
		if text := oneLine(result.Final); text != "" {
			why += ": " + verb.Head(text, 500)
		}
		return false, failed(job.ExecutorError, "the executor ended with %s", why)
	case r.spec.Output == job.Patch || !r.agent.HandsOver():
		return result.Done, nil
	}
	return false, nil
}

// check runs the command checks of the task that have not passed on these files, in the work tree. output is what the
// executor is told of those that failed; "" if all passed.
func (r *run) check(ctx context.Context) (output string, err error) {
	if err := show(r.owned, job.Checking); err != nil {
		return "", err
	}
	t, err := kind.Tasks.Get(r.tree.at, r.spec.Task)
	if err != nil {
		return "", err
	}
	var todo []int
	for _, open := range gates.OpenChecks(ctx, r.tree.at, t) {
		if !t.Checks[open.Check].Manual() {
			todo = append(todo, open.Check)
		}
	}
	if len(todo) == 0 {
		return "", nil
	}
	out, err := verb.Do(ctx, r.session.Acts, tasks.RunChecks, tasks.RunChecksIn{ID: r.spec.Task, Only: todo})
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", or(job.InternalError, err)
	}
	var b strings.Builder
	for _, c := range out.Run.Checks {
		if c.Result != record.Pass {
			fmt.Fprintf(&b, "### %s (%s)\n\n%s\n\n", c.Desc, c.Summary, indented(c.Output))
		}
	}
	return b.String(), nil
}

// indented is a text as a code block of Markdown.
func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
}

const summaryRoom = 4 << 10 // bytes of text in an entry

// summary is what the session is finished with: the end of what the executor said last.
func (r *run) summary() string {
	text := r.final
	if r.spec.Output == job.Patch {
		text = answerOf(r.final).text("", ": ")
	}
	text = record.CleanBody(strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD")))
	if text = strings.TrimSpace(verb.Tail(text, summaryRoom-8)); text == "" {
		text = "The executor said nothing."
	}
	return text
}
