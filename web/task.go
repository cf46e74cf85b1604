package web

import (
	"net/http"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/handoffs"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/work/executor"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
)

// taskPage is a task with all that is around it.
type taskPage struct {
	tasks.Context
	Short   func(string) string
	States  []record.Status
	Starts  bool // moving it to where work is done takes it
	Closed  bool
	Working record.Status
	Done    record.Status
	Jobs    []jobs.Job
	Ran     []tasks.Log // the newest runs of its checks, if one has failed

	Questions []recordPage // about it that are not ended
	InReview  bool
	Executors []string // that a job may be given to
	Usual     string   // the executor of a job that names none; "" if one has to be named
}

func (t taskPage) pageTitle() string { return string(t.ID) + " " + t.Title }

// Passed is how many of the checks passed.
func (t taskPage) Passed() int {
	return len(record.Those(t.Checks, func(c verb.Check) bool { return c.Result == record.Pass }))
}

// Unpassed are the checks that stand in the way of a close.
func (t taskPage) Unpassed() []verb.Check {
	return record.Those(t.Checks, func(c verb.Check) bool { return c.Result != record.Pass || c.Held != "" })
}

// printedShown is how much of the end of what a failed check printed is shown first, in bytes.
const printedShown = 1200

// Printed is the end of what the newest run of a check printed, without the head of its log; "" for one that is not here.
func (t taskPage) Printed(check string) string {
	for _, log := range t.Ran {
		begin := "task: " + string(t.ID) + "\ncheck: "
		if _, text, ok := strings.Cut(log.Text, begin+check+"\n"); ok {
			text, _, _ = strings.Cut(text, begin) // of the next check
			_, text, _ = strings.Cut(text, "\n\n")
			text = strings.TrimSpace(text)
			if cut := len(text) - printedShown; cut > 0 {
				text = "…" + strings.ToValidUTF8(text[cut:], "")
			}
			return text
		}
	}
	return ""
}

// IsHeldUp reports whether the page begins with why the task is not done.
func (t taskPage) IsHeldUp() bool {
	return !t.Closed && (len(t.Unpassed()) > 0 || t.OpenChildren > 0 || t.NotYet || len(t.Open())+len(t.Conflicts)+len(t.Collides) > 0 ||
		t.Blockers != nil && len(t.Blockers.Tasks) > 0)
}

// Open are the questions that nobody answered.
func (t taskPage) Open() []recordPage {
	return record.Those(t.Questions, func(q recordPage) bool { return q.Question })
}

// FirstManual is the first check that somebody has to attest.
func (t taskPage) FirstManual() int {
	return slices.IndexFunc(t.Checks, func(c verb.Check) bool { return c.Cmd == "" && c.Result != record.Pass })
}

// HasBranch reports whether there may be a diff of the work: in a work tree, or where somebody has taken the task up.
func (t taskPage) HasBranch() bool {
	return len(t.Jobs) > 0 || t.Elsewhere != nil || t.Execution != "" || t.Held != nil
}

// Holder is who holds the task, or was given it.
func (t taskPage) Holder() record.Actor { return card{Row: t.Row}.Holder() }

// Story is what was done to the task, the newest first, without the comments.
func (t taskPage) Story() []verb.Entry {
	var out []verb.Entry
	for i := len(t.Provenance) - 1; i >= 0; i-- {
		if t.Provenance[i].Did != record.Noted {
			out = append(out, t.Provenance[i])
		}
	}
	return out
}

// Commands are the lines of the checks that are commands, and Manuals of the others, as forms take them.
func (t taskPage) Commands() (out []string) {
	for _, c := range t.Checks {
		if c.Cmd != "" {
			out = append(out, c.Desc+"="+c.Cmd)
		}
	}
	return out
}

// Manuals are the descriptions of the checks that somebody attests.
func (t taskPage) Manuals() (out []string) {
	for _, c := range t.Checks {
		if c.Cmd == "" {
			out = append(out, c.Desc)
		}
	}
	return out
}

// Plain reports whether the checks say no more than a form can give back.
func (t taskPage) Plain() bool {
	for _, c := range t.Checks {
		if c.Cwd != "" || c.By != "" || c.Timeout != 0 || len(c.Guards) > 0 || strings.Contains(c.Desc, "=") {
			return false
		}
	}
	return true
}

func (rd *reader) task(r *http.Request) (any, error) {
	id := r.PathValue("id")
	include := []string{"blockers", "dependents", "children", "comments", "sessions", "logs", "decisions"}
	got, err := ask[any](r.Context(), rd, "get", args{"id": id, "include": include})
	if record.CodeOf(err) == record.NotFound { // only another branch has it
		got, err = ask[any](r.Context(), rd, "get", args{"id": id})
	}
	if err != nil {
		return nil, err
	}
	out := taskPage{}
	switch t := got.(type) {
	case tasks.Context:
		out.Context = t
	case verb.Task:
		out.Context = tasks.Context{Task: t}
	default:
		return nil, record.Errorf(record.NotFound, "%s is no task", id)
	}
	at, err := rd.w.Open()
	if err != nil {
		return nil, err
	}
	flow := at.Config.Flow
	out.States, out.Working, out.Done, out.Closed = flow.States, flow.Working, flow.Done(), flow.IsClosed(out.Status)
	out.Starts = flow.Starts(out.Status, flow.Working) && (out.Status != flow.Working || out.Held == nil)
	if slices.ContainsFunc(out.Checks, func(c verb.Check) bool { return c.Result == record.Fail }) {
		if logs, err := ask[tasks.LogsOut](r.Context(), rd, "logs", args{"id": out.ID, "limit": 20}); err == nil {
			out.Ran = logs.Logs
		}
	}
	out.Short = rd.shortener(r.Context(), []verb.Row{out.Row})
	if of, err := ask[jobs.Listed](r.Context(), rd, "job_list", args{"task": out.ID}); err == nil {
		out.Jobs = of.Items
	}
	if table, err := executor.Load(rd.w.ConfigDir); err == nil { // else the start of a job says what is wrong
		out.Executors, out.Usual = table.Names(), at.Config.Executor
	}
	out.InReview = flow.Review != "" && (out.Status == flow.Review || out.Elsewhere != nil && out.Elsewhere.Status == flow.Review)
	out.Questions, err = rd.questions(r, string(out.ID))
	return out, err
}

// questions are the handoffs about a record that are not ended, the oldest first.
func (rd *reader) questions(r *http.Request, about string) (out []recordPage, err error) {
	in := args{"about": about, "direction": "any", "status": []string{"open", "claimed", "responded"}}
	found, err := ask[verb.Items[handoffs.Row]](r.Context(), rd, "handoff_query", in)
	for _, row := range slices.Backward(found.Items) {
		if got, err := ask[any](r.Context(), rd, "get", args{"id": row.ID}); err == nil { // else only another branch has it
			if one, ok := got.(verb.Record); ok {
				out = append(out, recordOf(one))
			}
		}
	}
	return out, err
}

// recordPage is a record that is no task.
type recordPage struct {
	verb.Record
	Options  []string            // of a handoff, to choose from
	Question bool                // it waits for an answer
	Response *handoffs.Response  // to it
	Said     map[string][]string // the other keys of its file, as texts
}

// TakesOver reports whether it asks somebody to go on with something, and nobody does.
func (p recordPage) TakesOver() bool {
	return p.Kind == "handoff" && p.Status == "open" && slices.Contains(p.Said["type"], "handoff")
}

// RecordBody is the text of the record.
func (p recordPage) RecordBody() string { return p.Body }

func (p recordPage) pageTitle() string { return p.ID + " " + p.Title }

// elsewhere is the page of what a path names by another.
type elsewhere string

func (rd *reader) record(r *http.Request) (any, error) {
	got, err := ask[any](r.Context(), rd, "get", args{"id": r.PathValue("id"), "include": []string{"comments"}})
	if err != nil {
		return nil, err
	}
	switch one := got.(type) {
	case verb.Record:
		return recordOf(one), nil
	case tasks.Context, verb.Task:
		return elsewhere("/task/" + r.PathValue("id")), nil
	case verb.Session:
		return recordPage{Record: verb.Record{RecordRow: verb.RecordRow{Kind: "session", ID: one.ID, Title: one.Goal, Status: record.Status(one.Status)},
			Body: one.Summary, Comments: one.Comments}, Said: map[string][]string{"actor": {string(one.Actor)}, "task": {string(one.Task)}}}, nil
	default:
		return nil, record.Errorf(record.NotFound, "%s has no page", r.PathValue("id"))
	}
}
