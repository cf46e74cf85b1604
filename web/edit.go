package web

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/task"
)

// was begins the names of the hidden fields of a form that say what its other fields had when it was drawn: a digest, so
// that the writer knows which of them somebody changed.
const was = "was."

// Fields are what the form of a task has, by the names of the inputs of update.
func (t taskPage) Fields() map[string]string {
	out := map[string]string{
		"title": t.Title, "body": t.Body, "priority": strconv.Itoa(int(t.Urgency)), "assignee": string(t.Assignee), "labels": strings.Join(t.Labels, ", "),
		"due": string(t.Due), "parent": string(t.Parent), "check": strings.Join(t.Commands(), "\n"), "manual": strings.Join(t.Manuals(), "\n"),
	}
	for _, f := range task.OptionalFields() {
		out[f.Name] = t.Value(f.Name)
	}
	return out
}

// Was are the hidden fields of the form.
func (t taskPage) Was() map[string]string {
	out := map[string]string{}
	for name, value := range t.Fields() {
		out[was+name] = digestOf(value)
	}
	return out
}

// digestOf is the same for texts that differ in the ends of lines, or in blanks around them, alone: browsers change those.
func digestOf(value string) string {
	return record.Digest(strings.TrimSpace(strings.ReplaceAll(value, "\r\n", "\n")))
}

// unite leaves out of an edit, and of its form, the fields that nobody changed, and lets the edit be about the task as it
// is now if since it was drawn nobody else changed the others. It reports whether there is anything to write.
func (wr *writer) unite(ctx context.Context, in args, form url.Values) bool {
	changed, same := []string{}, []string{}
	for name := range form {
		field, drawn := strings.CutPrefix(name, was)
		switch {
		case !drawn || !form.Has(field):
		case digestOf(form.Get(field)) != form.Get(name):
			changed = append(changed, field)
		default:
			same = append(same, field)
		}
	}
	if len(same) == 0 {
		return true
	}
	ofChecks := func(field string) bool { return field == "check" || field == "manual" } // which are written together
	together := slices.ContainsFunc(changed, ofChecks)
	if !together {
		delete(in, "checks")
	}
	for _, field := range same {
		if !together || !ofChecks(field) {
			delete(in, field)
			form.Del(field)
		}
	}
	if now, err := ask[verb.Task](ctx, wr.reads, "get", args{"id": form.Get("id")}); err == nil && form.Get("expected_rev") != string(now.Rev) {
		fields := taskPage{Context: tasks.Context{Task: now}}.Fields()
		if !slices.ContainsFunc(changed, func(field string) bool { return digestOf(fields[field]) != form.Get(was+field) }) {
			in["expected_rev"] = string(now.Rev)
		}
	}
	return len(changed) > 0
}
