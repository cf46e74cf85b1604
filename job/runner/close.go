package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/job"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/record"
	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
	"github.com/cairn-tasks/cairn/verb/sessions"
	"github.com/cairn-tasks/cairn/verb/tasks"
)

// closing is how long the end of a job may take, which is not cut off by what ended the job.
const closing = 2 * time.Minute

// hooksAtEnd is how much of that the hooks may take that see the last commit. What they do not let through in time stays uncommitted.
var hooksAtEnd = time.Minute

// close ends the session, commits what is left, keeps the artifacts, and writes the final state. What fails on the way is kept as an event: the job
// ends nevertheless. A job that could not keep what it made is not a success.
func (r *run) close(e *ended) error {
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	note := func(err error) {
		if err != nil {
			_ = r.owned.Event(job.Event{Type: job.EventError, Text: task.MessageOf(err)})
		}
	}
	if r.acts != nil && e.state != job.Succeeded {
		note(r.commitLeft(ctx))
		note(r.letDown(ctx, e))
	}
	if r.made {
		if err := r.commitRecords(ctx); err != nil && e.state == job.Succeeded {
			e = &ended{job.Failed, job.InternalError, "the record could not be committed: " + task.MessageOf(err)}
		} else {
			note(err)
		}
		note(r.artifacts(ctx))
	}
	head, summary := "", r.told(e)
	if r.at != nil {
		head = r.at.Head(ctx).Commit
	}
	err := r.owned.Change(func(s *job.Status) {
		s.State, s.Phase, s.Reason, s.Message, s.Stalled, s.Process = e.state, "", e.reason, e.message, false, 0
		s.Summary, s.Head, s.FinishedAt = summary, head, r.w.Now().UTC()
	})
	if err != nil {
		return err
	}
	r.notify(ctx)
	return nil
}

// told is the summary of the job: what was handed over, or what went wrong and what the executor said last.
func (r *run) told(e *ended) string {
	if e.state == job.Succeeded {
		if ses, err := record.Sessions.Get(r.at, r.session); err == nil && ses.Summary != "" {
			return ses.Summary
		}
	}
	if text := strings.TrimSpace(r.final); text != "" {
		return verb.Tail(text, summaryRoom)
	}
	return e.message
}

// commit commits what the executor left uncommitted, on the branch of the task, with the user's hooks. Its error is GIT if a hook refuses.
func (r *run) commit(ctx context.Context, why string) error {
	if err := r.unlock(ctx); err != nil {
		return err
	}
	_, err := r.trees.Commit(ctx, r.tree, r.message(why))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// unlock removes the locks of git that killed processes left in the work tree. No process of the job is alive when it is called.
func (r *run) unlock(ctx context.Context) error {
	removed, err := r.trees.Unlock(ctx, r.tree)
	if len(removed) > 0 {
		_ = r.owned.Event(job.Event{Type: job.EventError, Text: "removed what a killed git left: " + strings.Join(removed, ", ")})
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// commitLeft commits what is uncommitted when the job ends before that was done. A commit that a hook refuses leaves the files as they are, and so does
// one whose hooks do not end: they do not keep the job from ending.
func (r *run) commitLeft(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, hooksAtEnd)
	defer cancel()
	return r.commit(ctx, "The job ended before it was done.")
}

// commitRecords commits what cairn wrote about the task, and nothing that the checks left.
func (r *run) commitRecords(ctx context.Context) error {
	_, err := r.trees.CommitRecords(ctx, r.tree, fmt.Sprintf("%s: record what %s did", r.spec.Task, r.spec.Job))
	return err
}

// message is that of a commit of the supervisor.
func (r *run) message(why string) string {
	b := &page{}
	b.add("%s: %s", r.spec.Task, verb.Head(oneLine(r.before.Title), 80))
	b.add("What %s left uncommitted in %s.", r.acts.Actor(), r.spec.Job)
	if why != "" {
		b.add("%s", why)
	}
	return b.String()
}

// letDown ends the session of a job that did not succeed. A task that was handed over already goes back to work, held by nobody.
func (r *run) letDown(ctx context.Context, e *ended) error {
	switch r.sessionState() {
	case session.Active:
		if e.state == job.Canceled {
			_, err := sessions.Cancel(ctx, r.acts, sessions.CancelIn{Session: verb.SessionID(r.session), Reason: r.why(e)})
			return err
		}
		_, err := sessions.Finish(ctx, r.acts, sessions.FinishIn{Session: verb.SessionID(r.session), Summary: r.why(e), Status: "failed"})
		return err
	case session.Finished:
		err := tasks.BackToWork(ctx, r.acts, r.at, r.spec.Task, r.why(e))
		_, released := tasks.Release(ctx, r.acts, tasks.ReleaseIn{ID: verb.RecordID(r.spec.Task), Reason: r.why(e)})
		return errors.Join(err, released)
	default:
		return nil
	}
}

// why is the reason of an end, for entries.
func (r *run) why(e *ended) string {
	text := e.message
	if e.reason != "" {
		text = string(e.reason) + ": " + text
	}
	return verb.Head(task.CleanBody(strings.ToValidUTF8(fmt.Sprintf("%s: %s", r.spec.Job, text), "\uFFFD")), summaryRoom-8)
}

// artifacts keeps the change against the base, what the executor said, and how it ended.
func (r *run) artifacts(ctx context.Context) error {
	diff, err := r.trees.Diff(ctx, r.tree)
	if err == nil {
		err = r.artifact(job.PatchFile, diff)
	}
	page := r.final
	if r.spec.Output == job.Patch {
		page = answerOf(r.final).page()
	}
	if page != "" {
		err = errors.Join(err, r.artifact(job.OutFile, []byte(page)))
	}
	if r.end.Runs == 0 {
		return err
	}
	end, bad := json.Marshal(r.end)
	if bad == nil {
		bad = r.owned.WriteFile(job.ExitFile, append(end, '\n'))
	}
	return errors.Join(err, bad)
}

func (r *run) artifact(name string, data []byte) error {
	if err := r.owned.WriteFile(name, data); err != nil {
		return err
	}
	return r.owned.Event(job.Event{Type: job.EventArtifact, Text: name})
}
