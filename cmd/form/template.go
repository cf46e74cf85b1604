package form

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"text/template"
	"text/template/parse"
	"time"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// rowTemplate is a template that is executed once for each row.
type rowTemplate struct{ *template.Template }

// tickName is a function that the templates of a caller call without knowing it: in every loop and in every template.
const tickName = "_tick"

// functions are what a template can call besides what text/template has.
func functions(ctx context.Context) template.FuncMap {
	return template.FuncMap{
		tickName: func() (string, error) { return "", ctx.Err() },
		"json": func(v any) (string, error) {
			raw, err := json.Marshal(v)
			return harmless.JSON(string(raw)), err
		},
		"join": func(between string, list []any) string {
			texts := make([]string, len(list))
			for i, one := range list {
				texts[i] = fmt.Sprint(one)
			}
			return strings.Join(texts, between)
		},
	}
}

func parseTemplate(text string) (*rowTemplate, error) {
	t, err := template.New("--format").Option("missingkey=error").Funcs(functions(context.Background())).Parse(unescaped(text))
	if err != nil {
		return nil, badTemplate(err)
	}
	for _, one := range t.Templates() {
		EachNode(one.Root, func(node parse.Node) {
			if loop, ok := node.(*parse.RangeNode); ok {
				beginsWithTick(loop.List)
			}
		})
		beginsWithTick(one.Root)
	}
	return &rowTemplate{t}, nil
}

func badTemplate(err error) *record.Error {
	return record.Errorf(record.InvalidInput, "%s", strings.TrimPrefix(err.Error(), "template: ")).
		WithHint("keys of the result stand in braces, as in --format '{{.id}}\\t{{.title}}'; what is absent has no keys of its own: {{with .claim}}{{.actor}}{{end}}")
}

// unescaped is a template in which \t and \n outside of braces are what they stand for, since a shell does not replace
// them.
func unescaped(text string) string {
	parts := strings.Split(text, "{{")
	for i, part := range parts {
		inside, plain, closed := strings.Cut(part, "}}")
		if i == 0 || closed {
			if i == 0 {
				inside, plain = "", part
			} else {
				inside += "}}"
			}
			parts[i] = inside + strings.NewReplacer(`\t`, "\t", `\n`, "\n").Replace(plain)
		}
	}
	return strings.Join(parts, "{{")
}

// EachNode calls a function with each node of a template, also with those within others.
func EachNode(list *parse.ListNode, visit func(parse.Node)) {
	if list == nil {
		return
	}
	for _, node := range list.Nodes {
		visit(node)
		var branch parse.BranchNode
		switch node := node.(type) {
		case *parse.RangeNode:
			branch = node.BranchNode
		case *parse.IfNode:
			branch = node.BranchNode
		case *parse.WithNode:
			branch = node.BranchNode
		}
		EachNode(branch.List, visit)
		EachNode(branch.ElseList, visit)
	}
}

// beginsWithTick has a list of nodes call the tick first, so that no loop goes on when nobody waits for it.
func beginsWithTick(list *parse.ListNode) {
	call := template.Must(template.New("").Funcs(functions(context.Background())).Parse("{{" + tickName + "}}"))
	list.Nodes = append([]parse.Node{call.Root.Nodes[0]}, list.Nodes...)
}

// tried is how long a template may take on a row that is tried.
const tried = 100 * time.Millisecond

// check returns INVALID_INPUT for a key that rows of a type do not have. It tries the template on a row without values;
// what else it would do wrong shows with the first row.
func (t *rowTemplate) check(ctx context.Context, row reflect.Type) error {
	ctx, stop := context.WithTimeout(ctx, tried)
	defer stop()
	t.Funcs(functions(ctx))
	err := t.Execute(&lineWriter{ctx: ctx, to: bufio.NewWriter(io.Discard)}, whole(map[string]any{}, row))
	if err == nil {
		return nil
	}
	_, rest, unknown := strings.Cut(err.Error(), `map has no entry for key "`)
	name, _, _ := strings.Cut(rest, `"`)
	if !unknown {
		return nil
	}
	return isKnown("--format", name, verb.KeysOf(row))
}

// print writes what the template makes of each row on lines of its own. A row of which it makes nothing has none.
func (t *rowTemplate) print(ctx context.Context, out *bufio.Writer, result any) error {
	rows, err := RowsOf(result)
	if err != nil {
		return err
	}
	t.Funcs(functions(ctx))
	for _, row := range rows {
		to := &lineWriter{ctx: ctx, to: out}
		if err := t.Execute(to, safe(map[string]any(row))); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if to.err != nil {
				return to.err
			}
			return badTemplate(err)
		}
		if to.last != 0 && to.last != '\n' {
			_, err := out.WriteString("\n")
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// lineWriter writes as long as somebody waits, and remembers what it wrote last.
type lineWriter struct {
	ctx  context.Context //nolint:containedctx // of the one row that is written
	to   *bufio.Writer
	last byte
	err  error
}

func (w *lineWriter) Write(b []byte) (int, error) {
	if w.err = w.ctx.Err(); w.err != nil || len(b) == 0 {
		return 0, w.err
	}
	w.last = b[len(b)-1]
	var n int
	n, w.err = w.to.Write(b)
	return n, w.err
}
