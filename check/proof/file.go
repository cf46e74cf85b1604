package proof

import (
	"errors"
	"slices"
	"sort"
	"strings"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/task"
)

// fileRules judge each file by itself: that it is the config, the task or the session that it should be.
type fileRules struct{ *judge }

func (r fileRules) apply() {
	r.readable(&r.Config.File)
	r.signers()
	for i := range r.Tasks {
		r.task(&r.Tasks[i])
	}
	for i := range r.Sessions {
		r.session(&r.Sessions[i])
	}
}

func (r fileRules) task(f *TaskFile) {
	if got := r.readable(&f.File); got != nil {
		got.Task = f.Name
		return
	}
	if f.Task.ID != f.Name {
		r.reportTask(IDMismatch, f, Path{"id"}, "the file is called %s, and its id is %s", f.Name, f.Task.ID)
	}
	r.fields(f)
	r.body(f)
	if !r.Config.Sound() {
		return
	}
	if err := r.Config.Flow.Known(f.Task.Status); err != nil {
		r.reportTask(UnknownState, f, Path{"status"}, "%s", messageOf(err)).
			fix("cairn transition %s %s, or another state that is configured; or add the state to states in config.yaml",
				f.Name, r.Config.Flow.Initial)
	}
}

func (r fileRules) session(f *SessionFile) {
	if r.readable(&f.File) != nil {
		return
	}
	s := f.Session
	if s.ID != f.Name {
		r.report(IDMismatch, &f.File, Path{"id"}, "the file is called %s, and its id is %s", f.Name, s.ID)
	}
	known := []session.Status{session.Active, session.Finished, session.Canceled, session.Abandoned}
	if !slices.Contains(known, s.Status) {
		r.report(BadField, &f.File, Path{"status"}, "status must be active, finished, canceled or abandoned, not %q", s.Status)
	}
}

// readable reports why a file is not sound, and returns nil if it is.
func (r fileRules) readable(f *File) *found {
	if f.Sound() {
		return nil
	}
	err := f.Unread
	rule := BadYAML
	if err == nil {
		err, rule = f.Flaw, BadField
	}
	var at *FormatError
	if !errors.As(err, &at) {
		return r.unopened(f, err)
	}
	if at.Rule != "" {
		rule = at.Rule
	}
	got := r.report(rule, f, nil, "%s", at.Msg)
	got.Line = at.Line
	return got
}

// unopened reports a file whose bytes could not be read.
func (r fileRules) unopened(f *File, err error) *found {
	got := r.report(BadYAML, f, nil, "%s", messageOf(err))
	var e *task.Error
	if errors.As(err, &e) && e.Hint != "" {
		got.Fix = e.Hint
	}
	return got
}

// fields judges the values of fields that no gate looks at.
func (r fileRules) fields(f *TaskFile) {
	t := f.Task
	for _, part := range []struct {
		at   Path
		only task.Task
	}{
		{Path{"title"}, task.Task{Title: t.Title}},
		{Path{"labels"}, task.Task{Title: "-", Labels: t.Labels}},
		{Path{"checks", firstBad(t.Checks)}, task.Task{Title: "-", Checks: t.Checks}},
	} {
		if err := task.ValidFields(part.only); err != nil {
			r.reportTask(BadField, f, part.at, "%s", messageOf(err))
		}
	}
	if t.Assignee == "" {
		return
	}
	if _, err := task.ParseActor(string(t.Assignee)); err != nil {
		r.reportTask(BadField, f, Path{"assignee"}, "assignee %s", messageOf(err)).
			fix("cairn update %s --assignee names an actor such as agent:claude-1, or unassigned", f.Name)
	}
}

// body finds a merge conflict in the body, which parses as text whatever is in it.
func (r fileRules) body(f *TaskFile) {
	if !strings.Contains(f.Task.Body, "<<<<<<< ") {
		return
	}
	if doc := f.document(); doc != nil && doc.Conflict() > 0 {
		r.reportTask(ConflictMarkers, f, nil, "conflict markers in the body: a merge was not finished").Line = doc.Conflict()
	}
}

// firstBad returns the index of the first check that is not valid after those before it.
func firstBad(checks []task.Check) int {
	return sort.Search(len(checks), func(i int) bool { return task.ValidChecks(checks[:i+1]) != nil })
}

// messageOf returns the message of an error without the operation and the id, which a finding has fields for.
func messageOf(err error) string {
	var e *task.Error
	if errors.As(err, &e) {
		return e.Msg
	}
	return err.Error()
}

// signers reports lines of allowed_signers that grant nothing because they are not understood.
func (r fileRules) signers() {
	f := &r.Signers
	if f.Path == "" {
		return
	}
	if !f.Sound() {
		r.report(BadField, &f.File, nil, "nobody's signature counts: %s", messageOf(f.Unread))
	}
	for _, p := range f.Problems {
		r.report(BadField, &f.File, nil, "the line grants nothing: %s", p.Text).
			fix("fix the line in an editor; cairn trust signer add writes lines that count").Line = p.Line
	}
}
