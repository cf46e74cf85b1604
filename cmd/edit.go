package cmd

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/task"
)

// edit is a task that is being edited in the user's editor. The editor gets a copy without the provenance; what it
// changed is written by the verb update, under the same rules and in one entry. Nothing is lost: a copy that cannot be
// written is kept, with the path told, and the next edit goes on with it. What another wrote meanwhile is merged in, as
// the merge driver does.
type edit struct {
	draft
	w      *verb.Workspace
	s      *store.Store
	reason string
}

type editIn struct {
	ID      record.ID `json:"id" doc:"task to change" cli:"arg" from:"open-tasks"`
	Discard bool      `json:"discard,omitempty" doc:"begin anew, without what an earlier edit left"`
	Reason  string    `json:"reason,omitempty" doc:"why; needed where update asks for one"`
}

func editCommands() []command {
	return []command{declare(command{
		name: "edit", usage: "Change a task in your editor.", group: "tasks", prints: "update",
		about: "The editor is $VISUAL, or $EDITOR, or vi. Its copy names the fields that are not set, and has no provenance; results and references have their own commands.\n" +
			"What it saved is written as cairn update would, a new status through the gates. What is refused is kept, and the next cairn edit goes on with it.",
	}, runEdit)}
}

func runEdit(ctx context.Context, c *call, in editIn) error {
	w, s, err := c.open(ctx)
	if err != nil {
		return err
	}
	d, err := newDraft(c.program, s, string(in.ID))
	if err != nil {
		return err
	}
	d.op, d.id, d.goOn = "edit", in.ID, "cairn edit "+string(in.ID)
	d.without = record.CallTo("update", "id", d.id).OnlyShown()
	e := edit{d, w, s, in.Reason}
	return verb.WithID(e.inEditor(ctx, in.Discard, e.offered, e.land), e.id)
}

func (e edit) now() ([]byte, error) {
	text, _, err := e.s.Source(kind.Tasks.Kind, string(e.id))
	if err != nil {
		return nil, err
	}
	doc, err := format.Parse([]byte(text), format.Markdown)
	if err != nil {
		return nil, err
	}
	if doc.Get("provenance") != nil {
		if doc, err = doc.Edit(kind.Tasks.Keys(), format.Remove(format.Path{"provenance"})); err != nil {
			return nil, err
		}
	}
	return doc.Bytes(), nil
}

// offered is the copy that an editor is given: in lines of comment it names the states, and what could be set and is not.
func (e edit) offered() ([]byte, error) {
	text, err := e.now()
	if err != nil {
		return nil, err
	}
	doc, err := format.Parse(text, format.Markdown)
	if err != nil {
		return nil, err
	}
	end := bytes.Index(text, doc.Front()) + len(doc.Front())
	return slices.Concat(text[:end], []byte(e.offers(doc)), text[end:]), nil
}

func (e edit) offers(doc *format.Doc) string {
	flow, says, b := e.s.Config.Flow, map[string]string{}, strings.Builder{}
	for _, f := range verbNamed("update").Fields() {
		says[strings.TrimPrefix(f.Name, "add_")] = f.Doc
	}
	for _, f := range flow.Fields {
		says[f.Name] = cmp.Or(f.Doc, strings.Join(f.Choices, ", "))
	}
	offer := func(key, says string) { fmt.Fprintln(&b, "#", key+":", strings.Join(strings.Fields(says), " ")) }
	fmt.Fprintln(&b, "# A line without its # sets what it names:")
	offer("status", strings.Join(verb.AsTexts(flow.States), ", "))
	for _, f := range slices.Concat(task.Fields(), flow.Fields) {
		if text, ok := says[f.Name]; ok && f.Name != "status" && doc.Get(f.Name) == nil {
			offer(f.Name, text)
		}
	}
	return b.String()
}

// bare is a copy without lines of comment in its front matter, which no update writes.
func bare(copied []byte) []byte {
	doc, err := format.Parse(copied, format.Markdown)
	if err != nil {
		return copied
	}
	kept := slices.DeleteFunc(bytes.SplitAfter(doc.Front(), []byte("\n")), func(line []byte) bool { return bytes.HasPrefix(line, []byte("#")) })
	at := bytes.Index(copied, doc.Front())
	return slices.Concat(copied[:at], bytes.Join(kept, nil), copied[at+len(doc.Front()):])
}

const mostTries = 3 // to write while others write too

// land checks what the editor left, and writes what it changed.
func (e edit) land(ctx context.Context) error {
	base, mine, err := e.texts()
	if err != nil {
		return err
	}
	if bytes.Equal(base, mine) {
		e.forget()
		e.printf("%s  nothing changed\n", string(e.id))
		return nil
	}
	if _, err := e.read(mine); err != nil { // before a merge: the lines are those of the copy
		return err
	}
	base, mine = bare(base), bare(mine)
	for try := 1; ; try++ {
		err := e.write(ctx, base, mine)
		if record.CodeOf(err) != record.Conflict || try == mostTries {
			return err
		}
	}
}

func (e edit) read(src []byte) (task.Task, error) {
	doc, err := format.Parse(src, format.Markdown)
	if err != nil {
		return task.Task{}, usage("%v", err).WithHint("correct that line")
	}
	if n := doc.Get("provenance"); n != nil {
		return task.Task{}, usage("line %d: provenance is only appended to, by cairn itself", doc.Line(n)).WithHint("take it out; %s adds to it", record.CallTo("note", "id", e.id))
	}
	v, err := kind.Tasks.Kind.Decode(doc)
	if err != nil {
		return task.Task{}, usage("%v", err).WithHint("correct that line")
	}
	return v.(task.Task), nil
}

// write merges in what was written meanwhile, and calls update with what differs.
func (e edit) write(ctx context.Context, base, mine []byte) error {
	_, rev, err := e.s.Source(kind.Tasks.Kind, string(e.id))
	if err != nil {
		return err
	}
	now, err := e.now()
	if err != nil {
		return err
	}
	now = bare(now)
	if !bytes.Equal(base, now) {
		markers := format.Markers{Size: 7, Ours: "yours", Theirs: "written meanwhile"}
		merged, clean := kind.Merge(layout.Folder+"/tasks/"+string(e.id)+".md", base, mine, now, e.s.Config.Flow, markers)
		if !clean {
			return usage("others changed the same lines meanwhile").WithHint("%s shows how it is now", record.CallTo("get", "id", e.id).OnlyShown())
		}
		mine = merged
	}
	was, err := e.read(now)
	if err != nil {
		return err
	}
	is, err := e.read(mine)
	if err != nil {
		return err
	}
	in, err := e.difference(was, is)
	if err != nil {
		return err
	}
	if len(in) == 0 {
		e.forget()
		e.printf("%s  nothing changed that a task says\n", string(e.id))
		return nil
	}
	in["id"], in["expected_rev"] = string(e.id), string(rev)
	if e.reason != "" {
		in["reason"] = e.reason
	}
	return e.done(ctx, verbCommand{program: e.program, verb: verbNamed("update"), as: "edit"}, e.w, in)
}

// difference is the input of update that makes a task say what the copy says. It refuses what no editing changes.
func (e edit) difference(was, is task.Task) (map[string]any, error) {
	switch {
	case is.ID != was.ID:
		return nil, usage("the id is %s, and ids do not change", is.ID).WithHint("write %s again", was.ID)
	case !reflect.DeepEqual(is.Refs, was.Refs):
		return nil, usage("the references were changed").WithHint("leave them; %s adds one", record.CallTo("ref_add", "id", string(e.id)))
	}
	in := map[string]any{}
	if is.Status != was.Status {
		in["to"] = string(is.Status)
	}
	for _, f := range task.Settable() {
		if !f.Differs(was, is) {
			continue
		}
		in[f.Name] = f.Of(is)
		switch value := reflect.ValueOf(f.Of(is)); {
		case value.Kind() == reflect.Slice && value.Len() == 0:
			in[f.Name] = []string{}
		case value.Kind() == reflect.String || value.Kind() == reflect.Int:
			in[f.Name] = fmt.Sprint(value)
		}
	}
	if was.Assignee != is.Assignee {
		in["assignee"] = cmp.Or(string(is.Assignee), "unassigned")
	}
	for key, ids := range map[string][]string{"add_deps": lacking(is.Deps, was.Deps), "remove_deps": lacking(was.Deps, is.Deps)} {
		if len(ids) > 0 {
			in[key] = ids
		}
	}
	if err := checksChanged(in, was.Checks, is.Checks); err != nil {
		return nil, err
	}
	fields, left, kept := map[string]any{}, maps.Clone(was.Extra), maps.Clone(is.Extra)
	for _, f := range e.s.Config.Flow.Fields {
		if was.Own[f.Name] != is.Own[f.Name] {
			fields[f.Name] = is.Own[f.Name]
			in["fields"] = fields
		}
		delete(left, f.Name)
		delete(kept, f.Name)
	}
	if len(left)+len(kept) > 0 && !reflect.DeepEqual(left, kept) { // which update cannot change
		return nil, usage("keys were changed that are neither cairn's nor fields of the config").
			WithHint("leave them, or declare them under fields; in the file itself anything can be changed")
	}
	return in, nil
}

func lacking(all, from []record.ID) []string {
	return verb.AsTexts(slices.DeleteFunc(slices.Clone(all), func(id record.ID) bool { return slices.Contains(from, id) }))
}

// checksChanged sets the checks, if they are others. Their results are not for an editor.
func checksChanged(in map[string]any, was, is []task.Check) error {
	had := record.By(was, func(c task.Check) string { return c.Desc })
	if reflect.DeepEqual(was, is) || len(was)+len(is) == 0 {
		return nil
	}
	list := []map[string]any{}
	for _, c := range is {
		old, known := had[c.Desc]
		if known && old.Result != c.Result || !known && c.Result != record.Pending && c.Result != "" {
			return usage("the result of the check %q was changed", c.Desc).
				WithHint("write it as it was; %s and %s settle checks", record.CallTo("run_checks"), record.CallTo("attest"))
		}
		one := map[string]any{"desc": c.Desc, "cmd": c.Cmd, "cwd": c.Cwd, "by": c.By, "timeout": c.Timeout}
		if c.Manual() {
			one["type"] = "manual"
		}
		maps.DeleteFunc(one, func(_ string, value any) bool { return reflect.ValueOf(value).IsZero() })
		list = append(list, one)
	}
	in["checks"] = list
	return nil
}

type addIn struct {
	Edit    bool `json:"edit,omitempty" doc:"write it in your editor, beginning with what the line says; the title may be left out" cli:"also=e"`
	Discard bool `json:"discard,omitempty" doc:"with edit: begin anew, without a task that could not be created"`
}

// addition is a task that an editor writes: its file has the keys of the verb create, and its text is the body.
type addition struct {
	draft
	v     verbCommand
	w     *verb.Workspace
	s     *store.Store
	given map[string]any // by the line
}

// inEditor has the editor write a new task. A file that is empty, or as it was, creates nothing.
func (p verbCommand) inEditor(ctx context.Context, w *verb.Workspace, in *input) error {
	s, err := w.Open()
	if err != nil {
		return err
	}
	p.as = "add"
	d, err := newDraft(p.program, s, "new")
	if err != nil {
		return err
	}
	d.op, d.goOn, d.without = p.as, "cairn add -e", record.CallTo("create", "title", "TITLE").OnlyShown()
	a, discard := addition{d, p, w, s, in.values}, in.line.Bool("discard")
	if d.waits() && !discard && len(in.values) > 0 {
		return usage("a task that was begun in an editor waits in %s", d.copy).WithHint("%s alone goes on with it, --discard drops it", d.goOn)
	}
	return named(a.inEditor(ctx, discard, a.first, a.land), p.as)
}

// notOfTask are what the line can say and no file of a task does.
var notOfTask = []string{"idempotency_key"}

// first is what the editor is given: what the line says, and places for what is mostly said besides.
func (a addition) first() ([]byte, error) {
	given := maps.Clone(a.given)
	body, _ := given["body"].(string)
	for _, key := range append([]string{"body"}, notOfTask...) {
		delete(given, key)
	}
	var b bytes.Buffer
	write := func(keys ...string) (err error) {
		for _, key := range keys {
			err = cmp.Or(err, writeKey(&b, key, given[key]))
			delete(given, key)
		}
		return err
	}
	b.WriteString("---\n# The title is what is to be done, in a line. Without it, or saved as it is, no task is created.\n")
	if err := write("title", "priority", "labels", "deps", "parent", "due", "checks"); err != nil {
		return nil, err
	}
	b.WriteString("# A check is {desc: tests pass, cmd: make test}, or {desc: read by a person, type: manual}.\n")
	if err := write(slices.Sorted(maps.Keys(given))...); err != nil {
		return nil, err
	}
	b.WriteString("# Other keys are those of cairn help create, and the fields of your own.\n---\n\n")
	if body != "" {
		b.WriteString(strings.TrimRight(body, "\n") + "\n")
	}
	return b.Bytes(), nil
}

// writeKey writes a line of front matter; without a value there is only the key.
func writeKey(b *bytes.Buffer, key string, value any) error {
	if value == nil {
		b.WriteString(key + ":\n")
		return nil
	}
	var n format.Node
	if err := n.Encode(value); err != nil {
		return usage("%s: %v", key, err)
	}
	if n.Kind != format.ScalarNode {
		n.Style = format.FlowStyle
	}
	line, err := format.Marshal(map[string]*format.Node{key: &n})
	b.Write(line)
	return err
}

// land creates what the editor left, by the verb.
func (a addition) land(ctx context.Context) error {
	base, mine, err := a.texts()
	if err != nil {
		return err
	}
	var values map[string]any
	if !bytes.Equal(base, mine) && len(bytes.TrimSpace(mine)) > 0 {
		if values, err = a.read(mine); err != nil {
			return err
		}
	}
	if len(values) == 0 {
		return a.nothing()
	}
	for _, key := range notOfTask {
		if value, ok := a.given[key]; ok {
			values[key] = value
		}
	}
	return a.done(ctx, a.v, a.w, values)
}

func (a addition) nothing() error {
	a.forget()
	if a.json {
		return usage("nothing was written, so no task was created").WithHint("%s", a.without)
	}
	a.printf("no task was created\n")
	return nil
}

// read is what the editor wrote, as the input of create. A key without a value is left out.
func (a addition) read(src []byte) (map[string]any, error) {
	doc, err := format.Parse(src, format.Markdown)
	if err != nil {
		return nil, usage("%v", err).WithHint("correct that line")
	}
	values, own := kind.Plain(doc), map[string]any{}
	maps.DeleteFunc(values, func(_ string, value any) bool { return value == nil })
	for _, f := range a.s.Config.Flow.Fields {
		if value, ok := values[f.Name]; ok {
			own[f.Name] = value
			delete(values, f.Name)
		}
	}
	if _, ok := values["fields"]; !ok && len(own) > 0 {
		values["fields"] = own
	}
	for key, value := range values { // a list of texts is one
		if list, ok := value.([]any); ok && !slices.ContainsFunc(list, func(v any) bool { _, text := v.(string); return !text }) {
			texts := make([]string, len(list))
			for i := range list {
				texts[i] = list[i].(string)
			}
			values[key] = texts
		}
	}
	if body := strings.Trim(string(doc.Body()), "\r\n"); strings.TrimSpace(body) != "" {
		values["body"] = body
	}
	return values, nil
}
