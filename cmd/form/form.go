// Package form gives the result of a command the form that its caller asks for: some of the keys, what a template makes
// of it, or what a jq program finds in it. All three see the result as data, by the keys of its JSON, and none of them
// knows a verb.
package form

import (
	"bufio"
	"context"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// Form is what was asked for: one of the three.
type Form struct {
	Fields   []string // keys of rows, in the order in which they were named; one may go on behind a dot, into an object
	template *rowTemplate
	query    *query
}

// New reads what a caller asked for: keys with commas between them, a template in the language of text/template, or a
// program of jq. What is "" was not asked for. It returns nil for nothing, and INVALID_INPUT for more than one and for
// what cannot be read.
func New(fields, template, jq string) (*Form, error) {
	var asked []string
	for _, one := range []struct{ flag, value string }{{"--fields", fields}, {"--format", template}, {"--jq", jq}} {
		if one.value != "" {
			asked = append(asked, one.flag)
		}
	}
	if len(asked) == 0 {
		return nil, nil
	}
	if len(asked) > 1 {
		return nil, record.Errorf(record.InvalidInput, "%s exclude each other", strings.Join(asked, " and ")).WithHint("each of them says by itself what is printed")
	}
	f := &Form{}
	var err error
	switch {
	case template != "":
		f.template, err = parseTemplate(template)
	case jq != "":
		f.query, err = compile(jq)
	default:
		f.Fields, err = splitFields(fields)
	}
	return f, err
}

// Whole reports whether the form is of the whole result and not of its rows, as that of a jq program is.
func (f *Form) Whole() bool { return f.query != nil }

// Check returns INVALID_INPUT for a form that names a key which no result of these types has, so that it is refused
// before anything is done. Without types it lets everything through.
func (f *Form) Check(ctx context.Context, results []reflect.Type) error {
	var first error
	for _, result := range results {
		row, _ := verb.RowType(result)
		err := f.checkRow(ctx, row)
		if err == nil {
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return first
}

func (f *Form) checkRow(ctx context.Context, row reflect.Type) error {
	known := verb.KeysOf(row)
	if known == nil {
		return nil
	}
	for _, field := range f.Fields {
		if err := isKnown("--fields", field, known); err != nil {
			return err
		}
	}
	if f.template != nil {
		return f.template.check(ctx, row)
	}
	return nil
}

func isKnown(flag, field string, keys []verb.Key) error {
	name, _, _ := strings.Cut(field, ".")
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.Name
	}
	if slices.Contains(names, name) {
		return nil
	}
	e := record.Errorf(record.InvalidInput, "%s: there is no key %q", flag, verb.Head(name, 40))
	if near := verb.Nearest(name, names); near != "" {
		return e.WithHint("did you mean %s? The keys are %s", near, strings.Join(names, ", "))
	}
	return e.WithHint("the keys are %s", strings.Join(names, ", "))
}

func splitFields(list string) ([]string, error) {
	var out []string
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name == "" || slices.Contains(out, name) {
			return nil, record.Errorf(record.InvalidInput, "--fields is %q, where a key is empty or stands twice", verb.Head(list, 80)).WithHint("keys with commas between them, as in --fields id,title")
		}
		out = append(out, name)
	}
	return out, nil
}

// Print writes a result in the form of a template or of a jq program. What strangers wrote is made harmless, as all
// that is printed. It ends with the context, whatever the form asks for.
func (f *Form) Print(ctx context.Context, to io.Writer, result any) error {
	out := bufio.NewWriter(to)
	var err error
	if f.query != nil {
		err = f.query.print(ctx, out, result)
	} else {
		err = f.template.print(ctx, out, result)
	}
	return errors.Join(err, out.Flush())
}

// Select is a result with the keys that were asked for alone, for JSON: of a list the rows have them, and what stands
// around the rows stays.
func (f *Form) Select(result any) (any, error) {
	rows, err := RowsOf(result)
	if err != nil {
		return nil, err
	}
	selected := make([]Object, len(rows))
	for i, row := range rows {
		for _, field := range f.Fields {
			selected[i] = append(selected[i], Member{field, row.Get(field)})
		}
	}
	_, key := verb.RowType(reflect.TypeOf(result))
	if key == "" {
		return selected[0], nil
	}
	around, err := Ordered(result)
	if object, ok := around.(Object); ok {
		for i, m := range object {
			if m.Key == key {
				object[i].Value = selected
			}
		}
	}
	return around, err
}
