package proof

import (
	"errors"
	"sort"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// fileRules judge each file by itself: that it is the config, the list of signers or the task that it should be.
// Records of other kinds are judged by recordRules.
type fileRules struct{ *judge }

func (r fileRules) apply() {
	r.readable(&r.Config.File)
	r.signers()
	for i := range r.Tasks {
		r.task(&r.Tasks[i])
	}
	for i := range r.Seconds {
		f := &r.Seconds[i]
		got := r.report(TwoFiles, &f.File, nil, "is not read, since %s has the same id", f.Counts)
		if got.Task = f.Task; f.Same {
			got.fix("cairn check --fix takes one of the two away, since they hold the same")
		} else {
			got.fix("they differ: cairn check --fix merges them into one; " +
				"where it shows that they contradict each other, have both say the same first")
		}
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
	if strings.Contains(f.Task.Body, ConflictMark) {
		if got := r.conflict(&f.File); got != nil {
			got.Task = f.Name
		}
	}
	if !r.Config.Sound() {
		return
	}
	if err := r.Config.Flow.Known(f.Task.Status); err != nil {
		r.reportTask(UnknownState, f, Path{"status"}, "%s", record.MessageOf(err)).
			fix("cairn transition %s %s, or another state that is configured; or add the state to states in config.yaml",
				f.Name, r.Config.Flow.Initial)
	}
}

// readable reports why a file is not sound, and returns nil if it is.
func (j *judge) readable(f *File) *found {
	if f.Sound() {
		return nil
	}
	err := f.Unread
	rule := BadYAML
	if err == nil {
		err, rule = f.Flaw, BadField
	}
	at, ok := errors.AsType[*FormatError](err)
	if !ok { // its bytes could not be read
		got := j.report(BadYAML, f, nil, "%s", record.MessageOf(err))
		if e, ok := errors.AsType[*record.Error](err); ok && !e.Hint.Empty() {
			got.Fix = e.Hint.Spell(func(c record.Call) string { return "cairn " + c.Verb }) // init or serve, without arguments
		}
		return got
	}
	if at.Rule.ID != "" {
		rule = at.Rule
	}
	got := j.report(rule, f, nil, "%s", at.Msg)
	got.Line = at.Line
	return got
}

// fields judges the values of fields that no gate looks at.
func (r fileRules) fields(f *TaskFile) {
	t := f.Task
	for _, field := range task.Fields() {
		if err := field.Allows(t); err != nil {
			at := Path{field.Name}
			if field.Name == "checks" {
				at = append(at, sort.Search(len(t.Checks), func(i int) bool { return task.ValidChecks(t.Checks[:i+1]) != nil }))
			}
			r.reportTask(BadField, f, at, "%s", record.MessageOf(err))
		}
	}
	r.ownFields(f)
	if t.Assignee == "" {
		return
	}
	if _, err := record.ParseActor(string(t.Assignee)); err != nil {
		r.reportTask(BadField, f, Path{"assignee"}, "assignee %s", record.MessageOf(err)).
			fix("cairn update %s --assignee names an actor such as agent:claude-1, or unassigned", f.Name)
	}
}

// ConflictMark is in every body that has a merge conflict.
const ConflictMark = "<<<<<<< "

// conflict finds a merge conflict in the body, which parses as text whatever is in it. The finding is nil if there is
// none.
func (j *judge) conflict(f *File) *found {
	doc := f.document()
	if doc == nil || doc.Conflict() == 0 {
		return nil
	}
	got := j.report(ConflictMarkers, f, nil, "conflict markers in the body: a merge was not finished")
	got.Line = doc.Conflict()
	return got
}

// signers reports lines of allowed_signers that grant nothing because they are not understood.
func (r fileRules) signers() {
	f := &r.Signers
	if f.Path == "" {
		return
	}
	if !f.Sound() {
		r.report(BadField, &f.File, nil, "nobody's signature counts: %s", record.MessageOf(f.Unread))
	}
	for _, p := range f.Problems {
		r.report(BadField, &f.File, nil, "the line grants nothing: %s", p.Text).
			fix("correct the line in an editor; cairn trust signer add writes lines that count").Line = p.Line
	}
}
