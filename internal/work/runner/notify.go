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

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/user/userconfig"
	"github.com/cairn-tasks/cairn/internal/work/job"
)

const webhookLimit = 10 * time.Second

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

// webhookBody is what is posted to a webhook.
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

// webhook posts the final state to an address that the user's config allows. It follows no redirect, which could lead
// to another host.
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
