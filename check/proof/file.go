package proof

import (
	"errors"
	"slices"
	"sort"
	"strings"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/task"
)

// files judges each file by itself.
func (j *judge) files() {
	j.readable(&j.Config.File)
	j.signersFile()
	for i := range j.Tasks {
		j.taskFile(&j.Tasks[i])
	}
	for i := range j.Sessions {
		j.sessionFile(&j.Sessions[i])
	}
}

func (j *judge) taskFile(f *TaskFile) {
	if got := j.readable(&f.File); got != nil {
		got.Task = f.Name
		return
	}
	if f.Task.ID != f.Name {
		j.reportTask(IDMismatch, f, Path{"id"}, "the file is called %s, and its id is %s", f.Name, f.Task.ID)
	}
	j.fields(f)
	j.body(f)
	if !j.Config.Sound() {
		return
	}
	if err := j.Config.Flow.Known(f.Task.Status); err != nil {
		j.reportTask(UnknownState, f, Path{"status"}, "%s", messageOf(err)).
			mend("cairn transition %s %s, or another state that is configured; or add the state to states in config.yaml",
				f.Name, j.Config.Flow.Initial)
	}
}

func (j *judge) sessionFile(f *SessionFile) {
	if j.readable(&f.File) != nil {
		return
	}
	s := f.Session
	if s.ID != f.Name {
		j.report(IDMismatch, &f.File, Path{"id"}, "the file is called %s, and its id is %s", f.Name, s.ID)
	}
	known := []session.Status{session.Active, session.Finished, session.Canceled, session.Abandoned}
	if !slices.Contains(known, s.Status) {
		j.report(BadField, &f.File, Path{"status"}, "status must be active, finished, canceled or abandoned, not %q", s.Status)
	}
}

// readable reports why a file could not be read as what it should be, and returns nil if it could.
func (j *judge) readable(f *File) *found {
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
		return j.unopened(f, err)
	}
	if at.Rule != "" {
		rule = at.Rule
	}
	got := j.report(rule, f, nil, "%s", at.Msg)
	got.Line = at.Line
	return got
}

// unopened is the finding of a file whose bytes could not be had.
func (j *judge) unopened(f *File, err error) *found {
	got := j.report(BadYAML, f, nil, "%s", messageOf(err))
	var e *task.Error
	if errors.As(err, &e) && e.Hint != "" {
		got.Fix = e.Hint
	}
	return got
}

// fields judges what can be read and may not be said.
func (j *judge) fields(f *TaskFile) {
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
			j.reportTask(BadField, f, part.at, "%s", messageOf(err))
		}
	}
	if t.Assignee == "" {
		return
	}
	if _, err := task.ParseActor(string(t.Assignee)); err != nil {
		j.reportTask(BadField, f, Path{"assignee"}, "assignee %s", messageOf(err)).
			mend("cairn update %s --assignee names an actor such as agent:claude-1, or unassigned", f.Name)
	}
}

// body looks for a conflict in the body, which is text and is read whatever it says.
func (j *judge) body(f *TaskFile) {
	if !strings.Contains(f.Task.Body, "<<<<<<< ") {
		return
	}
	if doc := f.document(); doc != nil && doc.Conflict() > 0 {
		j.reportTask(ConflictMarkers, f, nil, "conflict markers in the body: a merge was not finished").Line = doc.Conflict()
	}
}

// firstBad is the index of the first check that may not stand behind those before it.
func firstBad(checks []task.Check) int {
	return sort.Search(len(checks), func(i int) bool { return task.ValidChecks(checks[:i+1]) != nil })
}

// messageOf is what an error says, without the operation and the id that findings have fields for.
func messageOf(err error) string {
	var e *task.Error
	if errors.As(err, &e) {
		return e.Msg
	}
	return err.Error()
}
