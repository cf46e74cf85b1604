package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/jobs"
	"github.com/cairn-tasks/cairn/store/kind"
)

// closeLimit is how long the end of a job may take. What ended the job does not cut it off.
const closeLimit = 2 * time.Minute

// hooksAtEnd is how much of closeLimit the user's hooks may take for the last commit. If they take longer, the files
// stay uncommitted.
var hooksAtEnd = time.Minute

// closing is what is left to do when a job has ended: it gives up the session, commits, keeps the artifacts and writes
// the final state.
type closing struct {
	owned   *jobs.Owned
	spec    job.Spec
	now     func() time.Time
	tree    *workTree   // nil if it was not made
	session *jobSession // nil if the executor got no name as an actor
	exit    exit        // of the last run of the executor
	final   string      // what the executor said last
	notify  notifier
}

// close does all of that. A step that fails is recorded as an event, and the job ends nevertheless; but it is no
// success if the records of the task could not be committed. It returns an error if the final state cannot be written.
func (c closing) close(e *ended) error {
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	note := func(err error) {
		if err != nil {
			_ = c.owned.Event(job.Event{Type: job.EventError, Text: record.MessageOf(err)})
		}
	}
	if c.session != nil && e.state != job.Succeeded {
		note(c.commitLeft(ctx))
		note(c.session.giveUp(ctx, e.state == job.Canceled, c.why(e)))
	}
	if c.tree != nil {
		if err := c.tree.commitRecords(ctx); err != nil && e.state == job.Succeeded {
			e = &ended{job.Failed, job.InternalError, "the record could not be committed: " + record.MessageOf(err)}
		} else {
			note(err)
		}
		note(c.artifacts(ctx))
	}
	head, summary := "", c.summary(e)
	if c.tree != nil && c.tree.at != nil {
		head = c.tree.at.Head(ctx).Commit
	}
	err := c.owned.Change(func(s *job.Status) {
		s.State, s.Phase, s.Reason, s.Message, s.Stalled, s.Process = e.state, "", e.reason, e.message, false, 0
		s.Summary, s.Head, s.FinishedAt = summary, head, c.now().UTC()
	})
	if err != nil {
		return err
	}
	c.notify.notify(ctx)
	return nil
}

// summary is the summary of the job: what was handed over, else what the executor said last, else how the job ended.
func (c closing) summary(e *ended) string {
	if e.state == job.Succeeded {
		if ses, err := kind.Sessions.Get(c.tree.at, c.session.id); err == nil && ses.Summary != "" {
			return ses.Summary
		}
	}
	if text := strings.TrimSpace(c.final); text != "" {
		return verb.Tail(text, summaryRoom)
	}
	return e.message
}

// commitLeft commits what is still uncommitted. If a hook refuses the commit or does not end in time, the files are
// left as they are.
func (c closing) commitLeft(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, hooksAtEnd)
	defer cancel()
	return c.tree.commit(ctx, c.session.acts.Actor(), "The job ended before it was done.")
}

// why says in an entry how the job ended.
func (c closing) why(e *ended) string {
	text := e.message
	if e.reason != "" {
		text = string(e.reason) + ": " + text
	}
	return verb.Head(record.CleanBody(strings.ToValidUTF8(fmt.Sprintf("%s: %s", c.spec.Job, text), "\uFFFD")), summaryRoom-8)
}

// artifacts keeps the change against the base, what the executor said last, and how its last run ended.
func (c closing) artifacts(ctx context.Context) error {
	diff, err := c.tree.trees.Diff(ctx, c.tree.Tree)
	if err == nil {
		err = c.artifact(job.PatchFile, diff)
	}
	page := c.final
	if c.spec.Output == job.Patch {
		page = answerOf(c.final).page()
	}
	if page != "" {
		err = errors.Join(err, c.artifact(job.OutFile, []byte(page)))
	}
	if c.exit.Runs == 0 {
		return err
	}
	end, bad := json.Marshal(c.exit)
	if bad == nil {
		bad = c.owned.WriteFile(job.ExitFile, append(end, '\n'))
	}
	return errors.Join(err, bad)
}

func (c closing) artifact(name string, data []byte) error {
	if err := c.owned.WriteFile(name, data); err != nil {
		return err
	}
	return c.owned.Event(job.Event{Type: job.EventArtifact, Text: name})
}
