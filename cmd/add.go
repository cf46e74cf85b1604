package cmd

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/urfave/cli/v3"
)

// addFlags are those of create that are for an editor.
func addFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "edit", Aliases: []string{"e"}, Local: true, Usage: "write it in your editor, beginning with what the line says; the title may be left out"},
		&cli.BoolFlag{Name: "continue", Local: true, Usage: "go on with a task that your editor wrote and that could not be created"},
	}
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
	d, err := p.newDraft(s, "new")
	if err != nil {
		return err
	}
	d.op, d.anew, d.goOn, d.without = p.as, "cairn add -e", "cairn add --continue", record.CallTo("create", "title", "TITLE").OnlyShown()
	a := addition{d, p, w, s, in.values}
	return named(a.edit(ctx, in.line.Bool("continue"), a.first, a.land), p.as)
}

// notOfTask are what the line can say and no file of a task does.
var notOfTask = []string{"idempotency_key"}

// first is what the editor is given: what the line says, and places for what is mostly said besides.
func (a addition) first() ([]byte, error) {
	given := maps.Clone(a.given)
	body, _ := given["body"].(string)
	delete(given, "body")
	for _, key := range notOfTask {
		delete(given, key)
	}
	var b bytes.Buffer
	b.WriteString("---\n# The title is what is to be done, in a line. Without it, or saved as it is, no task is created.\n")
	for _, key := range []string{"title", "priority", "labels", "deps", "parent", "due", "checks"} {
		if err := writeKey(&b, key, given[key]); err != nil {
			return nil, err
		}
		delete(given, key)
	}
	b.WriteString("# A check is {desc: tests pass, cmd: make test}, or {desc: read by a person, type: manual}.\n")
	for _, key := range slices.Sorted(maps.Keys(given)) {
		if err := writeKey(&b, key, given[key]); err != nil {
			return nil, err
		}
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
	if bytes.Equal(base, mine) || len(bytes.TrimSpace(mine)) == 0 {
		return a.nothing()
	}
	values, err := a.read(mine)
	if err != nil {
		return err
	}
	if len(values) == 0 {
		return a.nothing()
	}
	for _, key := range notOfTask {
		if value, ok := a.given[key]; ok {
			values[key] = value
		}
	}
	in := newInput(a.program, nil, a.v.verb)
	in.values = values
	err = in.completeIDs(ctx, a.w)
	var out any
	if err == nil {
		out, err = a.v.callOnce(ctx, a.w, in)
	}
	if err != nil {
		return err
	}
	a.forget()
	return a.result(ctx, a.v.verb, nil, out)
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
	for key, value := range values {
		if list, ok := value.([]any); ok {
			values[key] = textsOf(list)
		}
	}
	if body := strings.Trim(string(doc.Body()), "\r\n"); strings.TrimSpace(body) != "" {
		values["body"] = body
	}
	return values, nil
}

// textsOf is a list of texts as one; any other is left as it is.
func textsOf(list []any) any {
	out := make([]string, len(list))
	for i, one := range list {
		text, ok := one.(string)
		if !ok {
			return list
		}
		out[i] = text
	}
	return out
}
