package cmd

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
)

func renderJobs(r *renderer, l jobs.Listed) {
	t := table{head: []string{"JOB", "STATE", "TASK", "EXECUTOR", "AGE", "RESULT"}, grow: 5}
	for _, one := range l.Items {
		t.add(one.Job, stateOfJob(one), string(one.Task), one.Executor, r.age(one.CreatedAt), endOf(one))
	}
	t.print(r.out, r.width(), r.style)
	switch {
	case len(l.Items) == 0:
		r.printf("no jobs\n")
	case l.HasMore:
		r.printf("%d of %d; --offset and --limit show the others\n", len(l.Items), l.Total)
	}
	for _, p := range l.Problems {
		r.printf("%s: %s\n", p.Path, p.Message)
	}
}

// stateOfJob is the state of a job and what it does, in a list.
func stateOfJob(one jobs.Job) string {
	state := string(one.State)
	if one.State == job.Running && one.Phase != "" {
		state += " " + string(one.Phase)
	}
	if one.Stalled {
		state += ", silent"
	}
	return state
}

// endOf is what a job handed over or why it is in its state, in a list.
func endOf(one jobs.Job) string {
	text, _, _ := strings.Cut(cmp.Or(one.Message, one.Summary), "\n")
	switch {
	case one.Reason == "":
		return text
	case text == "":
		return string(one.Reason)
	default:
		return string(one.Reason) + ": " + text
	}
}

// age is how long ago something was, in one unit.
func (r *renderer) age(at time.Time) string {
	switch d := r.Now().Sub(at); {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(max(d, 0).Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd", int(d.Hours()/24))
	}
}

func renderJob(r *renderer, one jobs.Job) {
	r.printf("%s  %s  %s by %s\n", r.style.bold(one.Job), stateOfJob(one), one.Task, one.Executor)
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
			r.printf("  %-9s %s; cairn job show %s %s\n", a.Name, counted(int(a.Bytes), "byte"), one.Job, a.Name)
		}
	}
	switch {
	case one.Code != "":
		r.printf("%s: it waits for a slot; cairn job poll %s --wait\n", one.Code, one.Job)
	case one.State.Live():
		r.printf("cairn job logs %s -f follows it\n", one.Job)
	case one.State == job.Succeeded:
		r.printf("cairn review show %s shows what there is to review\n", one.Task)
	case one.State == job.Stale:
		r.printf("cairn job retry %s goes on in the same work tree\n", one.Job)
	default:
		r.printf("cairn job retry %s tries again in the same work tree\n", one.Job)
	}
}

func renderPolled(r *renderer, p jobs.Polled) {
	renderJob(r, p.Job)
	if p.TimedOut {
		r.printf("nothing has changed\n")
	}
	for _, e := range p.Events {
		r.event(e)
	}
	if p.HasMore != nil && *p.HasMore {
		r.printf("%d events; --offset %d shows the next\n", *p.Total, *p.NextOffset)
	}
}

// event prints one thing that happened in a job.
func (p *program) event(e job.Event) {
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
		p.printf("%s  %s\n", e.At.UTC().Format(time.TimeOnly), what)
		return
	}
	p.printf("%s  %-18s  %s\n", e.At.UTC().Format(time.TimeOnly), what, text)
}
