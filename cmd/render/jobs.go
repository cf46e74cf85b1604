package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
)

func renderJob(r *Renderer, one jobs.Job) {
	r.Printf("%s  %s  %s by %s\n", r.Style.Bold(one.Job), one.Doing(), one.Task, one.Executor)
	summary := one.Summary
	if summary == one.Message {
		summary = "" // one line says both
	}
	pr := ""
	if one.PR != nil {
		pr = fmt.Sprintf("%s (%s)", one.PR.URL, one.PR.Status)
	}
	r.namedTexts([]namedText{
		{"reason", string(one.Reason)}, {"message", one.Message}, {"retry of", one.RetryOf}, {"session", one.Session}, {"actor", string(one.Actor)}, {"branch", one.Branch},
		{"worktree", one.Worktree}, {"base", strings.TrimSpace(one.Base + " " + one.BaseCommit[:min(12, len(one.BaseCommit))])}, {"took", lasted(one.DurationMS)}, {"pr", pr}, {"summary", summary},
	})
	for _, a := range one.Artifacts {
		if a.Bytes > 0 {
			r.Printf("  %-9s %s; cairn job show %s %s\n", a.Name, counted(int(a.Bytes), "byte"), one.Job, a.Name)
		}
	}
	switch {
	case one.Code != "":
		r.Printf("%s: it waits for a slot; cairn job poll %s --wait\n", one.Code, one.Job)
	case one.State.Live():
		r.Printf("cairn job logs %s -f follows it\n", one.Job)
	case one.State == job.Succeeded:
		r.Printf("cairn review show %s shows what there is to review\n", one.Task)
	case one.State == job.Stale:
		r.Printf("cairn job retry %s goes on in the same work tree\n", one.Job)
	default:
		r.Printf("cairn job retry %s tries again in the same work tree\n", one.Job)
	}
}

func renderPolled(r *Renderer, p jobs.Polled) {
	renderJob(r, p.Job)
	if p.TimedOut {
		r.Printf("nothing has changed\n")
	}
	for _, e := range p.Events {
		r.Event(e)
	}
	if p.HasMore != nil && *p.HasMore {
		r.Printf("%d events; --offset %d shows the next\n", *p.Total, *p.NextOffset)
	}
}

// Event prints one thing that happened in a job.
func (r *Renderer) Event(e job.Event) {
	what := string(e.Type)
	if e.Type == job.EventState {
		what = strings.TrimSpace(string(e.State) + " " + string(e.Phase))
	}
	text := strings.TrimSpace(e.Text)
	if e.Failed {
		text = strings.TrimSpace("failed " + text)
	}
	if e.Usage != nil {
		text = fmt.Sprintf("%d tokens in, %d out, %.2f USD", e.Usage.InputTokens, e.Usage.OutputTokens, e.Usage.Cost)
	}
	if text == "" {
		r.Printf("%s  %s\n", e.At.UTC().Format(time.TimeOnly), what)
		return
	}
	r.Printf("%s  %-18s  %s\n", e.At.UTC().Format(time.TimeOnly), what, text)
}
