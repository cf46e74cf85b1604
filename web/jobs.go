package web

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/decisions"
	"github.com/cairn-tasks/cairn/internal/verb/handoffs"
	"github.com/cairn-tasks/cairn/internal/verb/knowledge"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
)

func (rd *reader) jobs(r *http.Request) (any, error) {
	in := args{"limit": 100}
	if state := r.URL.Query().Get("state"); state != "" {
		in["state"] = state
	}
	out, err := ask[jobs.Listed](r.Context(), rd, "job_list", in)
	return jobsPage{out, rd.titles(r.Context())}, err
}

// jobsPage is a list of jobs, with the titles of tasks.
type jobsPage struct {
	jobs.Listed
	Title func(record.ID) string
}

// titles finds the titles of tasks. What cannot be looked up has none.
func (rd *reader) titles(ctx context.Context) func(record.ID) string {
	var g *verb.Graph
	if at, err := rd.w.Open(); err == nil {
		g, _ = rd.w.Graph(ctx, at)
	}
	return func(id record.ID) string {
		if g == nil || g.Row(id) == nil {
			return ""
		}
		return g.Row(id).Title
	}
}

// jobPage is a job, and one of the files that it left if that was asked for.
type jobPage struct {
	jobs.Polled
	File, FileText string
	Title          string // of its task
	Last           string // what it printed last, of one that failed
}

func (j jobPage) pageTitle() string { return j.Job.Job }

// IsLive reports whether it is at work, or waits for its turn.
func (j jobPage) IsLive() bool { return j.State.Live() }

// Succeeded reports whether it handed its work over.
func (j jobPage) Succeeded() bool { return j.State == job.Succeeded }

// SumsUp reports whether its summary says more than its message.
func (j jobPage) SumsUp() bool { return j.Summary != "" && !strings.HasSuffix(j.Summary, j.Message) }

// Says is the text of an event, but for why the job ended, which stands above.
func (j jobPage) Says(e job.Event) string {
	if e.State != "" && j.Message != "" && strings.HasSuffix(e.Text, j.Message) {
		return ""
	}
	return e.Text
}

// lastShown is how many of the last lines that a failed job printed its page shows.
const lastShown = 20

// Took is how long it has worked.
func (j jobPage) Took() string {
	return (time.Duration(j.DurationMS) * time.Millisecond).Round(time.Second).String()
}

// eventsShown is how many of the newest events of a job a page has.
const eventsShown = 300

func (rd *reader) job(r *http.Request) (any, error) {
	in := args{"job": r.PathValue("id"), "events": true, "limit": eventsShown}
	out, err := ask[jobs.Polled](r.Context(), rd, "job_poll", in)
	if err == nil && out.Total != nil && *out.Total > eventsShown {
		in["offset"] = *out.Total - eventsShown
		out, err = ask[jobs.Polled](r.Context(), rd, "job_poll", in)
	}
	page := jobPage{Polled: out, File: r.URL.Query().Get("file"), Title: rd.titles(r.Context())(out.Task)}
	if err == nil && page.File == "" && page.State == job.Failed {
		text, _ := rd.left(out.Job.Job, "logs.txt") // it may have printed nothing
		lines := strings.Split(strings.TrimSpace(text), "\n")
		page.Last = strings.Join(lines[max(0, len(lines)-lastShown):], "\n")
	}
	if err == nil && page.File != "" {
		page.FileText, err = rd.left(out.Job.Job, page.File)
	}
	return page, err
}

// left is a file that a job left.
func (rd *reader) left(id, name string) (string, error) {
	at := slices.IndexFunc(job.Artifacts, func(a job.Artifact) bool { return a.Name == name })
	if at < 0 {
		return "", record.Errorf(record.NotFound, "jobs leave no file %q", name)
	}
	s, err := rd.w.Open()
	if err != nil {
		return "", err
	}
	one, err := work.Jobs(s).Get(id)
	if err != nil {
		return "", err
	}
	text, _, err := jobs.ArtifactText(s, one, job.Artifacts[at])
	return text, err
}

// ledger is what the team decided, knows and asks.
type ledger struct {
	Text      string
	Decisions verb.Items[decisions.Row]
	Knowledge knowledge.SearchOut
	Handoffs  verb.Items[handoffs.Row]
}

func (rd *reader) ledger(r *http.Request) (any, error) {
	out, q := &ledger{Text: r.URL.Query().Get("text")}, args{}
	words := args{"top_k": 50}
	if out.Text != "" {
		q["text"], words["q"] = out.Text, out.Text
	}
	var err error
	if out.Decisions, err = ask[verb.Items[decisions.Row]](r.Context(), rd, "decision_query", q); err != nil {
		return nil, err
	}
	if out.Knowledge, err = ask[knowledge.SearchOut](r.Context(), rd, "knowledge_search", words); err != nil && record.CodeOf(err) != record.NotFound {
		return nil, err
	}
	out.Handoffs, err = ask[verb.Items[handoffs.Row]](r.Context(), rd, "handoff_query", args{"direction": "any"})
	return out, err
}
