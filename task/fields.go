package task

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Field is a key of the files of tasks: one that cairn gives a meaning, a row of Fields, or one of fields in a config.
// Codec, edits, merging, undo, filters, orders, pages, imports and exports go by the row.
type Field struct {
	Name     string
	Type     FieldType // of a value that stands in Own
	Choices  []string  // of FieldChoice, in their order
	Doc      string    // what it means; "" for none
	Required bool      // a task that is made without it is refused, and so is a file without one of cairn's own
	Example  string    // of an optional field: what a form shows where nothing was typed
	Mark     string    // of an optional field: the word before its value in a list of tasks as Markdown; "" keeps it out

	At      func(*Task) any  // where a task has the value, as a pointer; nil for one that stands in Own, as a text
	allows  func(Task) error // INVALID_INPUT for a value that no task may have; nil where any will do
	derived bool             // no edit sets it by its name alone: gates and rules go by it
}

// Fields lists the keys of a task file that cairn gives a meaning, in the order in which they stand in a new file.
var Fields = sync.OnceValue(func() []Field {
	return slices.Concat([]Field{
		{Name: "id", Required: true, At: func(t *Task) any { return &t.ID }, derived: true},
		{Name: "title", Required: true, At: func(t *Task) any { return &t.Title }, allows: func(t Task) error { return record.ValidLines("title", t.Title) }},
		{Name: "status", Required: true, At: func(t *Task) any { return &t.Status }, derived: true},
		{Name: "priority", At: func(t *Task) any { return &t.Priority }, allows: func(t Task) error { return t.Priority.valid() }},
		{Name: "mode", At: func(t *Task) any { return &t.Mode }, allows: func(t Task) error { return t.Mode.valid() }},
		{Name: "due", At: func(t *Task) any { return &t.Due }, allows: func(t Task) error { return t.Due.Valid() }},
	}, OptionalFields(), []Field{
		{Name: "labels", At: func(t *Task) any { return &t.Labels }, allows: func(t Task) error { return record.ValidLines("label", t.Labels...) }},
		{Name: "assignee", At: func(t *Task) any { return &t.Assignee }, derived: true},
		{Name: "parent", At: func(t *Task) any { return &t.Parent }},
		{Name: "deps", At: func(t *Task) any { return &t.Deps }, derived: true},
	}, linkFields(), []Field{
		{Name: "scope", At: func(t *Task) any { return &t.Scope }, allows: func(t Task) error { return ValidScope(t.Scope) }},
		{Name: "may_change", At: func(t *Task) any { return &t.MayChange }, allows: func(t Task) error { return ValidScope(t.MayChange) }},
		{Name: "repo", At: func(t *Task) any { return &t.Repo }, allows: func(t Task) error { return ValidRepo(t.Repo) }},
		{Name: "checks", At: func(t *Task) any { return &t.Checks }, allows: func(t Task) error { return ValidChecks(t.Checks) }, derived: true},
		{Name: "requires_evidence", At: func(t *Task) any { return &t.RequiresEvidence }},
		{Name: "refs", At: func(t *Task) any { return &t.Refs }, derived: true},
		{Name: "provenance", At: func(t *Task) any { return &t.Provenance }, derived: true},
	})
})

// bodyField is the text below the keys.
var bodyField = Field{Name: "body", At: func(t *Task) any { return &t.Body }, allows: func(t Task) error { return record.ValidBody(t.Body) }}

// Settable lists the fields that an edit sets by their name, but for those of the config.
func Settable() []Field {
	return slices.DeleteFunc(append(slices.Clone(Fields()), bodyField), func(f Field) bool { return f.derived })
}

// ChecksField is the key of the checks of a task.
const ChecksField = "checks"

// Mark is a digest of what a task says in a field: one of cairn's own or of the config. Of checks it is what they ask
// for, and not their results.
func Mark(t Task, name string) string {
	var says any = t.Own[name]
	if i := slices.IndexFunc(Settable(), func(f Field) bool { return f.Name == name }); i >= 0 {
		says = Settable()[i].Of(t)
	}
	if name == ChecksField || name == "timeout" {
		checks := slices.Clone(t.Checks)
		for i := range checks {
			checks[i].Result = ""
		}
		says = checks
	}
	return record.Digest(fmt.Sprintf("%#v", says))
}

// Of is what a task says in the field: as the task holds it, and a text for what stands in Own.
func (f Field) Of(t Task) any {
	if f.At == nil {
		return t.Own[f.Name]
	}
	return reflect.ValueOf(f.At(&t)).Elem().Interface()
}

// With is the task with another value of the field, lists with each item once.
func (f Field) With(t Task, value any) Task {
	if f.At == nil {
		return t.withOwn(map[string]string{f.Name: value.(string)})
	}
	at := f.At(&t)
	reflect.ValueOf(at).Elem().Set(reflect.ValueOf(value))
	if f.Name == bodyField.Name {
		t.Body = record.CleanBody(t.Body)
	}
	switch list := at.(type) {
	case *[]string:
		*list = record.Unique(*list)
	case *[]record.ID:
		*list = record.Unique(*list)
	}
	return t
}

// Differs reports whether two tasks say something else in the field.
func (f Field) Differs(a, b Task) bool {
	x, y := f.Of(a), f.Of(b)
	if at := reflect.ValueOf(x); at.Kind() == reflect.Slice && at.Len()+reflect.ValueOf(y).Len() == 0 {
		return false
	}
	return !reflect.DeepEqual(x, y)
}

// Allows returns INVALID_INPUT if a task may not have what it says in the field.
func (f Field) Allows(t Task) error {
	switch {
	case f.At == nil:
		_, err := f.Parse(t.Own[f.Name])
		return err
	case f.allows == nil:
		return nil
	}
	return f.allows(t)
}

// Optional are the keys of a task that hold one value, one line each. A line is the whole declaration: how the value is
// read and written, what it may be, inputs, filters, orders, waits, histories, pages, imports and exports follow from
// it. The values stand in Task.Own, beside those of the fields that a config declares, which are the same thing
// declared elsewhere. Tags:
//
//	json     the key
//	type     a FieldType
//	choices  of FieldChoice, apart by commas
//	doc      what a caller gives
//	about    what the value says, for filters
//	example  Field.Example
//	mark     Field.Mark
type Optional struct {
	Estimate string `json:"estimate,omitempty" type:"duration" doc:"how long it may take, such as 2h, 3d or 1w; a day is 24 hours" about:"how long it is thought to take" example:"2h, 3d" mark:"est"`
	After    string `json:"after,omitempty" type:"date" doc:"a date or a time before which it is not ready" about:"from when on it is ready" example:"2026-07-01, fri, 7d" mark:"from"`
	Repeat   string `json:"repeat,omitempty" type:"rhythm" doc:"closing it makes the next one: daily, weekly, monthly, yearly, or as in 2w or 3m" about:"how often it comes again" example:"weekly, 3m" mark:"repeat"`

	Milestone string `json:"milestone,omitempty" type:"milestone" doc:"milestone that it is a part of" about:"the milestone that it is a part of" example:"MS-…" mark:"milestone" from:"milestones"`
}

// OptionalFields lists the fields of Optional in their order.
var OptionalFields = sync.OnceValue(func() []Field {
	var out []Field
	for f := range reflect.TypeFor[Optional]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		field := Field{Name: name, Type: FieldType(f.Tag.Get("type")), Doc: f.Tag.Get("about"), Example: f.Tag.Get("example"), Mark: f.Tag.Get("mark")}
		if choices := f.Tag.Get("choices"); choices != "" {
			field.Choices = strings.Split(choices, ",")
		}
		out = append(out, field)
	}
	return out
})

// OptionalOf has what value says of each name.
func OptionalOf(value func(name string) string) Optional {
	var out Optional
	at := reflect.ValueOf(&out).Elem()
	for i, f := range OptionalFields() {
		at.Field(i).SetString(value(f.Name))
	}
	return out
}

// Values are those that are not empty, by name.
func (o Optional) Values() map[string]string {
	out := map[string]string{}
	for i, f := range OptionalFields() {
		if text := reflect.ValueOf(o).Field(i).String(); text != "" {
			out[f.Name] = text
		}
	}
	return out
}

// Value returns the value of one field; "" for none, and for a name that no field has.
func (o Optional) Value(name string) string { return o.Values()[name] }

// Or has the values of others where it has none of its own.
func (o Optional) Or(others Optional) Optional {
	return OptionalOf(func(name string) string { return cmp.Or(o.Value(name), others.Value(name)) })
}

// WithoutOptional are the values of keys that are no optional fields; nil for none.
func WithoutOptional(own map[string]string) map[string]string {
	without := map[string]string{}
	for _, f := range OptionalFields() {
		without[f.Name] = ""
	}
	return withOwn(own, without)
}

const (
	maxCommand = 16_384 // bytes of a command
	maxTimeout = 86_400 // seconds; a day
)

// The most that a write may give a task of each. Files with more are still read.
const (
	MaxChecks = 500
	MaxDeps   = 1000
)

// ValidFields returns INVALID_INPUT for fields that a task may not have. It looks at the fields of these names alone,
// and at all of them without names.
func ValidFields(t Task, names ...string) error {
	for _, f := range append(slices.Clone(Fields()), bodyField) {
		if len(names) == 0 || slices.Contains(names, f.Name) {
			if err := f.Allows(t); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p Priority) valid() error {
	if p < 0 || p > 4 {
		return record.Errorf(record.InvalidInput, "priority %d is not 0 to 4", p)
	}
	return nil
}

// ValidCounts returns INVALID_INPUT if a write gives a task more checks, labels, deps or globs than it may have. A file
// that has more already may keep them, and be given fewer.
func ValidCounts(before, after Task) error {
	return cmp.Or(
		record.ValidCount("checks", len(before.Checks), len(after.Checks), MaxChecks, "let one command run many of them, or divide the task"),
		record.ValidLabelCount(before.Labels, after.Labels),
		record.ValidCount("deps", len(before.Deps), len(after.Deps), MaxDeps, "let a task in between wait for some of them"),
		record.ValidCount("globs in scope", len(before.Scope), len(after.Scope), MaxScope, "name the folder that they lie in"),
	)
}

// ValidChecks returns INVALID_INPUT for a list that may not be declared.
func ValidChecks(checks []Check) error {
	seen := map[string]bool{}
	for i, c := range checks {
		var e *record.Error
		if err := validCheck(c); errors.As(err, &e) {
			return record.Errorf(record.InvalidInput, "checks[%d]: %s", i, e.Msg).WithHint("%s", e.Hint)
		}
		if seen[c.Desc] {
			return record.Errorf(record.InvalidInput, "checks[%d]: another check is called %q", i, c.Desc).WithHint("give each check a desc of its own")
		}
		seen[c.Desc] = true
	}
	return nil
}

func validCheck(c Check) error {
	if err := record.ValidLine("desc", c.Desc); err != nil {
		return err
	}
	if c.Cmd != "" && record.Blank(c.Cmd) {
		return record.Errorf(record.InvalidInput, "cmd is blank").WithHint("leave it out for a manual check")
	}
	if len(c.Cmd) > maxCommand || strings.ContainsRune(c.Cmd, 0) || !utf8.ValidString(c.Cmd) {
		return record.Errorf(record.InvalidInput, "cmd is not text of at most %d bytes", maxCommand)
	}
	if c.Timeout < 0 || c.Timeout > maxTimeout {
		return record.Errorf(record.InvalidInput, "timeout %d is not between 1 and %d seconds", c.Timeout, maxTimeout)
	}
	if c.Cwd != "" && (path.IsAbs(c.Cwd) || strings.Contains(c.Cwd, `\`) || !pathStays(c.Cwd)) {
		return record.Errorf(record.InvalidInput, "cwd %q leaves the workspace", record.Clip(c.Cwd, 100)).
			WithHint("cwd is relative to the folder that holds .cairn, with forward slashes")
	}
	if err := ValidScope(c.Guards); err != nil {
		return err
	}
	if c.Manual() && len(c.Guards) > 0 {
		return record.Errorf(record.InvalidInput, "guards are of a check with a command, and %q has none", record.Clip(c.Desc, 60)).
			WithHint("leave them out, or give it a cmd")
	}
	if c.Expect != "" && (c.Expect != ExpectPass || c.Manual()) {
		return record.Errorf(record.InvalidInput, "expect is pass, of a check with a command, and not %q", record.Clip(c.Expect, 60)).
			WithHint("leave it out for a check that fails until the work is done")
	}
	return validBy(c)
}

func validBy(c Check) error {
	if c.By == "" || c.By == ByHuman || c.By == ByAnyone || c.By == BySigned {
		return nil
	}
	if _, err := record.ParseActor(strings.TrimPrefix(c.By, BySigned+" ")); err != nil {
		return record.Errorf(record.InvalidInput, "by %q is not signed, human, anyone, an actor, or signed and an actor", record.Clip(c.By, 100))
	}
	return nil
}

func pathStays(p string) bool {
	clean := path.Clean(p)
	return clean != ".." && !strings.HasPrefix(clean, "../")
}
