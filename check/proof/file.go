package proof

import (
	"bytes"
	"errors"
	"path"
	"sort"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// fileRules judge each file by itself: that it is the config, the list of signers or the record that it should be. What
// only records of other kinds than tasks say is judged by recordRules.
type fileRules struct{ *judge }

func (r fileRules) apply() {
	r.readable(&r.Config.File)
	r.signers()
	for _, f := range r.All() {
		r.record(f)
	}
	for _, f := range r.Tasks {
		r.task(f)
	}
	for _, f := range r.Seconds {
		got := r.report(TwoFiles, &f.File, nil, "is not read, since %s has the same id", f.Counts)
		if f.Same {
			got.fix("they hold the same; one of the two goes with: cairn check --fix")
		} else {
			got.fix("where they contradict each other, have both say the same first; then merge them into one: cairn check --fix")
		}
	}
}

// record judges what is asked of the file of any record.
func (r fileRules) record(f *File) {
	if r.readable(f); !f.Sound() {
		return
	}
	if f.Head.Ref.ID != f.Ref.ID {
		name := strings.TrimSuffix(path.Base(f.Path), path.Ext(f.Path))
		r.report(IDMismatch, f, Path{"id"}, "the file is called %s, and its id is %s", name, f.Head.Ref.ID)
	}
	if bytes.Contains(f.Src, []byte(ConflictMark)) {
		r.conflict(f)
	}
}

func (r fileRules) task(f *TaskFile) {
	if !f.Sound() {
		return
	}
	r.fields(f)
	if !r.Config.Sound() {
		return
	}
	if err := r.Config.Flow.Known(f.Task.Status); err != nil {
		r.report(UnknownState, &f.File, Path{"status"}, "%s", record.MessageOf(err)).
			fix("add the state to states in config.yaml, or move the task to one that is configured: cairn transition %s %s",
				f.ID(), r.Config.Flow.Initial)
	}
}

// readable reports why a file is not sound, if it is not.
func (j *judge) readable(f *File) {
	if f.Sound() {
		return
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
		return
	}
	if at.Rule.ID != "" {
		rule = at.Rule
	}
	j.report(rule, f, nil, "%s", at.Msg).Line = at.Line
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
			r.report(BadField, &f.File, at, "%s", record.MessageOf(err)).allowing(err)
		}
	}
	r.ownFields(f)
	if t.Assignee == "" {
		return
	}
	if _, err := record.ParseActor(string(t.Assignee)); err != nil {
		r.report(BadField, &f.File, Path{"assignee"}, "assignee %s", record.MessageOf(err)).
			fix("name an actor such as agent:claude-1, or nobody: cairn update %s --assignee unassigned", f.ID())
	}
}

// ConflictMark is in every body that has a merge conflict.
const ConflictMark = "<<<<<<< "

// conflict finds a merge conflict in the body, which parses as text whatever is in it.
func (j *judge) conflict(f *File) {
	if doc := f.document(); doc != nil && doc.Conflict() != 0 {
		j.report(ConflictMarkers, f, nil, "conflict markers in the body: a merge was not finished").Line = doc.Conflict()
	}
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
