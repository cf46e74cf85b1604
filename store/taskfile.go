package store

import (
	"fmt"
	"slices"

	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/task"
	"gopkg.in/yaml.v3"
)

// taskKeys is the order in which the keys of a task file stand, and all the keys that cairn knows.
var taskKeys = []string{"id", "title", "status", "priority", "labels", "assignee", "parent", "deps", "checks", "provenance"}

// readTask reads a document as a task. The error is a *frontmatter.Error with the line.
func readTask(doc *frontmatter.Doc) (task.Task, error) {
	r := &reader{doc: doc}
	r.noMerge(doc.Root())
	t := task.Task{
		ID:         task.ID(r.required("id")),
		Title:      r.required("title"),
		Status:     task.Status(r.required("status")),
		Priority:   r.priority(),
		Labels:     r.texts("labels", doc.Get("labels")),
		Assignee:   task.Actor(r.text("assignee", doc.Get("assignee"))),
		Parent:     task.ID(r.text("parent", doc.Get("parent"))),
		Deps:       ids(r.texts("deps", doc.Get("deps"))),
		Checks:     r.checkList(),
		Provenance: r.entries(),
		Body:       task.CleanBody(string(doc.Body())),
		Rev:        revOf(doc.Bytes()),
		Extra:      extra(doc),
	}
	if _, err := task.ParseID(string(t.ID)); err != nil {
		r.fail(doc.Get("id"), "%v", err)
	}
	return t, r.err
}

func ids(texts []string) []task.ID {
	var out []task.ID
	for _, text := range texts {
		out = append(out, task.ID(text))
	}
	return out
}

func (r *reader) required(key string) string {
	n := r.doc.Get(key)
	if isNull(n) {
		at := n
		if at == nil {
			at = r.doc.Root()
		}
		r.note(at, frontmatter.Error{Msg: key + " is missing", Missing: true})
		return ""
	}
	return r.text(key, n)
}

func (r *reader) priority() task.Priority {
	n := r.doc.Get("priority")
	p, err := task.ParsePriority(r.text("priority", n))
	if err != nil {
		r.fail(n, "%v", err)
	}
	return p
}

func (r *reader) checkList() []task.Check {
	var out []task.Check
	for _, m := range r.maps("checks", r.doc.Get("checks")) {
		out = append(out, r.check(m))
	}
	return out
}

func (r *reader) check(m *yaml.Node) task.Check {
	c := task.Check{
		Desc:    r.text("desc", field(m, "desc")),
		Cmd:     r.text("cmd", field(m, "cmd")),
		Cwd:     r.text("cwd", field(m, "cwd")),
		Timeout: r.number("timeout", field(m, "timeout")),
		By:      r.text("by", field(m, "by")),
		Result:  task.Result(r.text("result", field(m, "result"))),
	}
	if c.Desc == "" {
		r.fail(m, "a check needs a desc")
	}
	if kind := r.text("type", field(m, "type")); kind == "manual" && c.Cmd != "" {
		r.fail(m, "check %q has a cmd and is of type manual", c.Desc)
	}
	if c.Result == "" {
		c.Result = task.Pending
	}
	if !slices.Contains([]task.Result{task.Pending, task.Pass, task.Fail}, c.Result) {
		r.fail(field(m, "result"), "result must be pending, pass or fail, not %q", c.Result)
	}
	return c
}

func (r *reader) entries() []task.Entry {
	var out []task.Entry
	for _, m := range r.maps("provenance", r.doc.Get("provenance")) {
		out = append(out, r.entry(m))
	}
	return out
}

func (r *reader) entry(m *yaml.Node) task.Entry {
	text := func(key string) string { return r.text(key, field(m, key)) }
	e := task.Entry{
		Who: task.Actor(text("who")), At: r.instant("at", field(m, "at")),
		From: task.Status(text("from")), To: task.Status(text("to")),
		Commit: text("commit"), Tree: text("tree"), Deps: text("deps"),
		Text: text("text"), Session: text("session"), Key: text("key"), Sig: text("sig"),
	}
	e.Checks = r.texts("checks", field(m, "checks"))
	e.Fields = r.texts("fields", field(m, "fields"))
	e.AddDeps, e.RemoveDeps = ids(r.texts("add_deps", field(m, "add_deps"))), ids(r.texts("remove_deps", field(m, "remove_deps")))
	if n := field(m, "assignee"); n != nil {
		assignee := task.Actor(r.text("assignee", n))
		e.Assignee = &assignee
	}
	for _, res := range r.maps("results", field(m, "results")) {
		e.Results = append(e.Results, task.CheckResult{
			Check:  r.text("check", field(res, "check")),
			Result: task.Result(r.text("result", field(res, "result"))),
		})
	}
	e.ReadDid(text("did"))
	return e
}

func extra(doc *frontmatter.Doc) map[string]any {
	var out map[string]any
	root := doc.Root()
	for i := 0; i+1 < len(root.Content); i += 2 {
		if k := root.Content[i].Value; !slices.Contains(taskKeys, k) {
			if out == nil {
				out = map[string]any{}
			}
			out[k] = plain(root.Content[i+1])
		}
	}
	return out
}

// wrongName says that a file is not called what its id asks for.
func wrongName(doc *frontmatter.Doc, want, got string) error {
	return &frontmatter.Error{
		Line: doc.Line(doc.Get("id")),
		Msg:  fmt.Sprintf("the file is called %s, and its id is %s", want, got),
	}
}
