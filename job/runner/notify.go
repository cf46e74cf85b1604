package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/cairn-tasks/cairn/job"
	"github.com/cairn-tasks/cairn/store/userconfig"
	"github.com/cairn-tasks/cairn/task"
)

const webhookLimit = 10 * time.Second

// notify opens the pull request and calls the webhook that the spec asks for. The job has ended: what fails here is an event and nothing more.
func (r *run) notify(ctx context.Context) {
	note := func(what string, err error) {
		if err != nil {
			_ = r.owned.Event(job.Event{Type: job.EventError, Text: what + ": " + task.MessageOf(err)})
		}
	}
	ended := r.owned.Job().Status
	if r.spec.Notify.PR && ended.State == job.Succeeded && r.OpenPR != nil {
		note("the pull request", r.openPR(ctx))
	}
	if r.spec.Notify.Webhook != "" {
		note("the webhook", r.callWebhook(ctx, r.spec.Notify.Webhook))
	}
}

// openPR opens the pull request of the branch, and shows it.
func (r *run) openPR(ctx context.Context) error {
	made, err := r.OpenPR(ctx, r.w, r.spec.Task)
	if err != nil {
		return err
	}
	if err := r.owned.PR(made); err != nil {
		return err
	}
	shown := r.owned.Event(job.Event{Type: job.EventArtifact, Text: job.PRFile})
	return errors.Join(shown, r.commitRecords(ctx)) // the task refers to it
}

// hook is what a webhook is told.
type hook struct {
	Job        string     `json:"job"`
	Task       task.ID    `json:"task"`
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

// callWebhook posts the final state to an address that the user allows. It follows no redirection, which could lead to another host.
func (r *run) callWebhook(ctx context.Context, address string) error {
	allowed, err := userconfig.Read(r.w.ConfigDir)
	if err == nil {
		err = allowed.AllowsWebhook(address)
	}
	if err != nil {
		return err
	}
	s := r.owned.Job().Status
	body, err := json.Marshal(hook{
		r.spec.Job, r.spec.Task, r.spec.Executor, s.State, s.Reason, s.Message, s.Summary, s.Branch, s.Head, s.Attempt, s.StartedAt, s.FinishedAt, s.PR,
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, webhookLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "cairn/"+r.w.Version)
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(req)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 64<<10))
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("%s answered %s", req.URL.Host, answer.Status)
	}
	return nil
}
