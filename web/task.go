package web

import (
	"net/http"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/handoffs"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
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
}

func (t taskPage) pageTitle() string { return string(t.ID) + " " + t.Title }

// Passed is how many of the checks passed.
func (t taskPage) Passed() int {
	return len(record.Those(t.Checks, func(c verb.Check) bool { return c.Result == record.Pass }))
}

// FirstManual is the first check that somebody has to attest.
func (t taskPage) FirstManual() int {
	return slices.IndexFunc(t.Checks, func(c verb.Check) bool { return c.Cmd == "" && c.Result != record.Pass })
}

// HasBranch reports whether there may be a branch of the task's own: a job or a pair was at work in its work tree.
func (t taskPage) HasBranch() bool { return len(t.Jobs) > 0 || t.Elsewhere != nil || t.Execution != "" }

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
	out.Short = rd.shortener(r.Context(), []verb.Row{out.Row})
	if of, err := ask[jobs.Listed](r.Context(), rd, "job_list", args{"task": out.ID}); err == nil {
		out.Jobs = of.Items
	}
	return out, nil
}

// diffPage is what the branch of a task changes.
type diffPage struct {
	tasks.Part
	Title string
	Files []diffFile
}

type diffFile struct {
	Name  string
	Lines []diffLine
}

type diffLine struct {
	Sort string // add, del, hunk or same
	Text string
	At   string // where it stands, for a comment: file and line
}

func (d diffPage) pageTitle() string { return "Diff of " + string(d.ID) }

func (rd *reader) diff(r *http.Request) (any, error) {
	id := r.PathValue("id")
	part, err := ask[tasks.Part](r.Context(), rd, "get", args{"id": id, "part": "diff"})
	if err != nil {
		return nil, err
	}
	out := diffPage{Part: part, Files: filesOf(part.Text)}
	if t, err := ask[verb.Task](r.Context(), rd, "get", args{"id": id}); err == nil {
		out.Title = t.Title
	}
	return out, nil
}

const diffShown = 20000 // lines

// filesOf reads a diff of git as its files.
func filesOf(text string) []diffFile {
	var out []diffFile
	n, lines := 0, 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if lines++; lines > diffShown {
			break
		}
		if rest, ok := strings.CutPrefix(line, "diff --git "); ok {
			name := rest
			if at := strings.LastIndex(rest, " b/"); at >= 0 {
				name = rest[at+3:]
			}
			out = append(out, diffFile{Name: name})
			n = 0
			continue
		}
		if len(out) == 0 {
			continue
		}
		f := &out[len(out)-1]
		one := diffLine{Sort: "same", Text: line}
		switch {
		case strings.HasPrefix(line, "@@"):
			one.Sort, n = "hunk", hunkStart(line)
		case n == 0: // the head of a file
			continue
		case strings.HasPrefix(line, "+"):
			one.Sort, one.At = "add", at(f.Name, n)
			n++
		case strings.HasPrefix(line, "-"):
			one.Sort, one.At = "del", at(f.Name, n)
		default:
			one.At = at(f.Name, n)
			n++
		}
		f.Lines = append(f.Lines, one)
	}
	return out
}

func at(file string, line int) string { return file + ":" + itoa(line) }

// recordPage is a record that is no task.
type recordPage struct {
	verb.Record
	Options  []string            // of a handoff, to choose from
	Question bool                // it waits for an answer
	Response *handoffs.Response  // to it
	Said     map[string][]string // the other keys of its file, as texts
}

// RecordBody is the text of the record.
func (p recordPage) RecordBody() string { return p.Body }

func (p recordPage) pageTitle() string { return p.ID + " " + p.Title }

func (rd *reader) record(r *http.Request) (any, error) {
	got, err := ask[any](r.Context(), rd, "get", args{"id": r.PathValue("id"), "include": []string{"comments"}})
	if err != nil {
		return nil, err
	}
	switch one := got.(type) {
	case verb.Record:
		return recordOf(one), nil
	case verb.Session:
		return recordPage{Record: verb.Record{RecordRow: verb.RecordRow{Kind: "session", ID: one.ID, Title: one.Goal, Status: record.Status(one.Status)},
			Body: one.Summary, Comments: one.Comments}, Said: map[string][]string{"actor": {string(one.Actor)}, "task": {string(one.Task)}}}, nil
	default:
		return nil, record.Errorf(record.NotFound, "%s has no page", r.PathValue("id"))
	}
}
