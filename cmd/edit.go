package cmd

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/task"
	"github.com/urfave/cli/v3"
)

// editCommand opens a task in the user's editor. The editor gets a copy without the provenance; what it changed is
// written by the verb update, under the same rules and in one entry. Nothing is lost: a copy that cannot be written is
// kept, with the path told, and --continue goes on with it. What another wrote meanwhile is merged in, as the merge
// driver does.
type editCommand struct{ *program }

func (p editCommand) command() *cli.Command {
	return &cli.Command{
		Name: "edit", Usage: "Change a task in your editor.", ArgsUsage: "ID", Category: "tasks", Action: p.run,
		Description: "The editor is $VISUAL, or $EDITOR, or vi. Its copy has no provenance; status, results and references are changed by their own commands.\n" +
			"What it saved is checked and written as cairn update would; a wrong copy is kept, and --continue opens it again.",
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "continue", Local: true, Usage: "go on with the copy that was kept"},
			&cli.StringFlag{Name: "reason", Aliases: []string{"m"}, Local: true, Usage: "why; needed where update asks for one"},
		}, formFlags()...),
	}
}

// edition is a task that is being edited.
type edition struct {
	draft
	w      *verb.Workspace
	s      *store.Store
	reason string
}

func (p editCommand) run(ctx context.Context, c *cli.Command) error {
	if c.Args().Len() != 1 {
		return usage("needs the id of a task").WithHint("cairn edit ID")
	}
	update, _ := catalogue.Named("update")
	if err := p.checkForm(ctx, update); err != nil {
		return err
	}
	w, s, err := p.open(ctx, c)
	if err != nil {
		return err
	}
	id, err := s.Resolve(kind.Tasks.Kind, c.Args().First())
	if err != nil {
		return err
	}
	d, err := p.newDraft(s, id)
	if err != nil {
		return err
	}
	d.op, d.id, d.anew, d.goOn = "edit", record.ID(id), "cairn edit "+id, "cairn edit "+id+" --continue"
	d.without = record.CallTo("update", "id", d.id).OnlyShown()
	e := edition{d, w, s, c.String("reason")}
	return verb.WithID(e.edit(ctx, c.Bool("continue"), e.now, e.land), e.id)
}

// now is the file of the task as it is, without the provenance.
func (e edition) now() ([]byte, error) {
	text, _, err := e.s.Source(kind.Tasks.Kind, string(e.id))
	if err != nil {
		return nil, err
	}
	doc, err := format.Parse([]byte(text), format.Markdown)
	if err != nil {
		return nil, err
	}
	if doc.Get("provenance") == nil {
		return doc.Bytes(), nil
	}
	doc, err = doc.Edit(kind.Tasks.Keys, format.Remove(format.Path{"provenance"}))
	if err != nil {
		return nil, err
	}
	return doc.Bytes(), nil
}

const mostTries = 3 // to write while others write too

// land checks what the editor left, and writes what it changed.
func (e edition) land(ctx context.Context) error {
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
	for try := 1; ; try++ {
		err := e.write(ctx, base, mine)
		if record.CodeOf(err) != record.Conflict || try == mostTries {
			return err
		}
	}
}

// read reads a copy as a task.
func (e edition) read(src []byte) (task.Task, error) {
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
func (e edition) write(ctx context.Context, base, mine []byte) error {
	_, rev, err := e.s.Source(kind.Tasks.Kind, string(e.id))
	if err != nil {
		return err
	}
	now, err := e.now()
	if err != nil {
		return err
	}
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
	update, _ := catalogue.Named("update")
	if len(in) == 0 {
		e.forget()
		e.printf("%s  nothing changed that a task says\n", string(e.id))
		return nil
	}
	in["id"], in["expected_rev"] = string(e.id), string(rev)
	if e.reason != "" {
		in["reason"] = e.reason
	}
	line := newInput(e.program, nil, update)
	line.values = in
	v := verbCommand{program: e.program, verb: update, as: "edit"}
	out, err := v.callOnce(ctx, e.w, line)
	if err != nil {
		return err
	}
	e.forget()
	return e.result(ctx, update, nil, out)
}

// difference is the input of update that makes a task say what the copy says. It refuses what no editing changes.
func (e edition) difference(was, is task.Task) (map[string]any, error) {
	id := record.CallTo("transition", "id", e.id)
	switch {
	case is.ID != was.ID:
		return nil, usage("the id is %s, and ids do not change", is.ID).WithHint("write %s again", was.ID)
	case is.Status != was.Status:
		return nil, usage("the status is %s, and it is moved through the gates", is.Status).WithHint("write %s again; %s moves the task", was.Status, id)
	case !reflect.DeepEqual(is.Refs, was.Refs):
		return nil, usage("the references were changed").WithHint("leave them; %s adds one", record.CallTo("ref_add", "id", string(e.id)))
	}
	in := map[string]any{}
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
	return in, e.ownFields(in, was, is)
}

// ownFields sets the fields of the user's own that differ, and refuses a change of keys that cairn does not know, which
// update cannot make.
func (e edition) ownFields(in map[string]any, was, is task.Task) error {
	fields := map[string]any{}
	left := [2]map[string]any{maps.Clone(was.Extra), maps.Clone(is.Extra)}
	for _, f := range e.s.Config.Flow.Fields {
		if was.Own[f.Name] != is.Own[f.Name] {
			fields[f.Name] = is.Own[f.Name]
		}
		delete(left[0], f.Name)
		delete(left[1], f.Name)
	}
	if len(fields) > 0 {
		in["fields"] = fields
	}
	if len(left[0])+len(left[1]) > 0 && !reflect.DeepEqual(left[0], left[1]) {
		return usage("keys were changed that are neither cairn's nor fields of the config").
			WithHint("leave them, or declare them under fields; in the file itself anything can be changed")
	}
	return nil
}

// lacking are the ids of one list that another does not have.
func lacking(all, from []record.ID) []string {
	var out []string
	for _, id := range all {
		if !slices.Contains(from, id) {
			out = append(out, string(id))
		}
	}
	return out
}

// checksChanged sets the checks, if they are others. Their results are not for an editor.
func checksChanged(in map[string]any, was, is []task.Check) error {
	had := map[string]task.Check{}
	for _, c := range was {
		had[c.Desc] = c
	}
	list := []map[string]any{}
	for _, c := range is {
		old, known := had[c.Desc]
		if known && old.Result != c.Result || !known && c.Result != record.Pending && c.Result != "" {
			return usage("the result of the check %q was changed", c.Desc).
				WithHint("write it as it was; %s and %s settle checks", record.CallTo("run_checks"), record.CallTo("attest"))
		}
		one := map[string]any{"desc": c.Desc}
		if c.Manual() {
			one["type"] = "manual"
		}
		for key, value := range map[string]string{"cmd": c.Cmd, "cwd": c.Cwd, "by": c.By} {
			if value != "" {
				one[key] = value
			}
		}
		if c.Timeout > 0 {
			one["timeout"] = c.Timeout
		}
		list = append(list, one)
	}
	if !reflect.DeepEqual(was, is) && (len(was) > 0 || len(is) > 0) {
		in["checks"] = list
	}
	return nil
}
