package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/user/notify"
	"github.com/cairn-tasks/cairn/internal/user/userconfig"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/store/kind"
)

// closeLimit is how long the end of a job may take. What ended the job does not cut it off.
const closeLimit = 2 * time.Minute

// hooksAtEnd is how much of closeLimit the user's hooks may take for the last commit. If they take longer, the files
// stay uncommitted.
var hooksAtEnd = time.Minute

// note records an error as an event, where the job goes on or ends nevertheless.
func (r *run) note(err error) {
	if err != nil {
		_ = r.owned.Event(job.Event{Type: job.EventError, Text: record.MessageOf(err)})
	}
}

// close does what is left to do when a job has ended: it gives up the session, commits, keeps the artifacts, writes the
// final state and tells others of it. A step that fails is recorded as an event, and the job ends nevertheless; but it
// is no success if the records of the task could not be committed. It returns an error if the final state cannot be
// written.
func (r *run) close(e *ended) error {
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	if r.session != nil && e.state != job.Succeeded {
		r.note(r.tree.rejoin(ctx, r.session.Acts.Actor(), true))
		// If a hook refuses the commit or does not end in time, the files are left as they are.
		soon, late := context.WithTimeout(ctx, hooksAtEnd)
		r.note(r.tree.commit(soon, r.session.Acts.Actor(), "The job ended before it was done."))
		late()
		r.account(ctx)
		r.note(r.session.giveUp(ctx, e.state == job.Canceled, r.why(e)))
	}
	if r.session != nil {
		if err := r.tree.commitRecords(ctx); err != nil && e.state == job.Succeeded {
			e = &ended{job.Failed, job.InternalError, "the record could not be committed: " + record.MessageOf(err)}
		} else {
			r.note(err)
		}
	}
	if r.tree != nil {
		r.note(r.artifacts(ctx))
	}
	head, summary := "", r.handedOver(e)
	if r.tree != nil {
		head = r.tree.head(ctx)
	}
	err := r.owned.Change(func(s *job.Status) {
		s.State, s.Phase, s.Reason, s.Message, s.Stalled, s.Process = e.state, "", e.reason, e.message, false, 0
		s.Summary, s.Head, s.FinishedAt = summary, head, r.w.Now().UTC()
	})
	if err != nil {
		return err
	}
	// The job has ended, so an error of those who are told of it changes nothing.
	if r.spec.Notify.PR && e.state == job.Succeeded && r.OpenPR != nil {
		if err := r.pullRequest(ctx); err != nil {
			r.note(fmt.Errorf("the pull request: %s", record.MessageOf(err)))
		}
	}
	if r.spec.Notify.Webhook != "" {
		if err := r.webhook(ctx, r.spec.Notify.Webhook); err != nil {
			r.note(fmt.Errorf("the webhook: %s", record.MessageOf(err)))
		}
	}
	switch e.state {
	case job.Succeeded:
		r.tellUser(ctx, "review", "cairn review show "+string(r.spec.Task), summary)
	case job.Failed, job.Expired:
		r.tellUser(ctx, "failed", "cairn job show "+r.spec.Job, e.message)
	default: // whoever canceled it knows
	}
	return nil
}

// tellUser tells the user of what waits for them by now.
func (r *run) tellUser(ctx context.Context, what, next, text string) {
	title := string(r.spec.Task)
	if t, err := kind.Tasks.Get(r.s, r.spec.Task); err == nil {
		title = t.Title
	}
	r.note(notify.Tell(ctx, r.w.ConfigDir, r.w.Version, notify.News{
		What: what, Task: r.spec.Task, Title: title, Text: text, From: string(r.owned.Job().Status.Actor), Job: r.spec.Job, Next: next,
	}))
}

// handedOver is the summary of the job: what was handed over, else what the executor said last, else how the job ended.
func (r *run) handedOver(e *ended) string {
	if e.state == job.Succeeded {
		if summary := r.session.now().Summary; summary != "" {
			return summary
		}
	}
	if text := strings.TrimSpace(r.final); text != "" {
		return verb.Tail(text, summaryRoom)
	}
	return e.message
}

func (r *run) why(e *ended) string {
	text := e.message
	if e.reason != "" {
		text = string(e.reason) + ": " + text
	}
	text = strings.ToValidUTF8(fmt.Sprintf("%s: %s", r.spec.Job, text), "\uFFFD")
	return verb.Head(record.CleanBody(text), summaryRoom-8)
}

// artifacts keeps the change against the base, what the executor said last, and how its last run ended.
func (r *run) artifacts(ctx context.Context) error {
	diff, err := r.tree.trees.Diff(ctx, r.tree.Tree)
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
	if r.exit.Runs == 0 {
		return err
	}
	end, bad := json.Marshal(r.exit)
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

// pullRequest opens the pull request of the branch, and keeps it as an artifact.
func (r *run) pullRequest(ctx context.Context) error {
	made, err := r.OpenPR(ctx, r.w, r.spec.Task)
	if err == nil {
		err = r.owned.PR(made)
	}
	if err != nil {
		return err
	}
	shown := r.owned.Event(job.Event{Type: job.EventArtifact, Text: job.PRFile})
	return errors.Join(shown, r.tree.commitRecords(ctx)) // the task names the pull request by now
}

type webhookBody struct {
	Job        string     `json:"job"`
	Task       record.ID  `json:"task"`
	Executor   string     `json:"executor"`
	State      job.State  `json:"state"`
	Reason     job.Reason `json:"reason,omitempty"`
	Message    string     `json:"message,omitempty"`
	Summary    string     `json:"summary,omitempty"`
	Branch     string     `json:"branch,omitempty"`
	Head       string     `json:"head,omitempty"`
	Attempt    int        `json:"attempt"`
	StartedAt  time.Time  `json:"started_at,omitzero"`
	FinishedAt time.Time  `json:"finished_at,omitzero"`
	PR         *job.PR    `json:"pr,omitempty"`
}

// webhook posts the final state to an address that the user's config allows.
func (r *run) webhook(ctx context.Context, address string) error {
	allowed, err := userconfig.Read(r.w.ConfigDir)
	if err == nil {
		err = allowed.AllowsWebhook(address)
	}
	if err != nil {
		return err
	}
	s := r.owned.Job().Status
	body, err := json.Marshal(webhookBody{
		r.spec.Job, r.spec.Task, r.spec.Executor, s.State, s.Reason, s.Message, s.Summary, s.Branch, s.Head, s.Attempt, s.StartedAt, s.FinishedAt, s.PR,
	})
	if err != nil {
		return err
	}
	return notify.Post(ctx, address, r.w.Version, http.Header{"Content-Type": {"application/json"}}, body)
}
