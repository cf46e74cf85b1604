// Package render prints results of verbs for people. What it prints of a type stands in pages.txt: the columns of a
// list, and the text of a page. Tasks in a list, a story and the graph have code of their own, since they fit the width
// of a terminal. It knows the types of results and no command.
package render

import (
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/cmd/form"
	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/activity"
	"github.com/cairn-tasks/cairn/internal/verb/graphs"
)

// Renderer prints the result of a verb for people. Text that comes from files goes through Printf, which makes it
// harmless.
type Renderer struct {
	Out, Err io.Writer
	Width    int // how many columns a line may have; 0 is without limit
	Style    screen.Style
	Now      func() time.Time
	Getenv   func(string) string
	Kind     verb.Kind // of the verb
	Noun     string    // of the verb

	templates map[string]*template.Template // that were parsed

	// In is the workspace in whose records ids are looked for, to show the part of each that is enough; nil to show them
	// whole.
	In *verb.Workspace
}

// Printf prints as screen.Fprintf does.
func (r *Renderer) Printf(format string, args ...any) { screen.Fprintf(r.Out, format, args...) }

// Show prints a result: as the section of pages.txt about its type says, as a table if it is a list of rows that have
// columns there, and else by its keys.
func (r *Renderer) Show(result any) { r.Printf("%s", screen.Painted(r.printed(result))) }

// show prints a value, and of one that is a list all items. Nil prints nothing.
func (r *Renderer) show(value any) {
	v := reflect.Indirect(reflect.ValueOf(value))
	if !v.IsValid() {
		return
	}
	value = v.Interface()
	switch out := value.(type) {
	case verb.Row:
		r.taskTable([]verb.Row{out})
	case []verb.Row:
		r.taskTable(out)
	case []activity.Told:
		r.storyTable(out)
	case []activity.Event:
		r.historyTable(out)
	case graphs.Out:
		r.graph(out)
	default:
		switch name := sectionOf(v.Type()); {
		case v.Kind() == reflect.Slice && sections()[name].text == "":
			for _, item := range itemsOf(value) {
				r.show(item)
			}
		case v.Kind() == reflect.Slice:
			r.table(name, itemsOf(value))
		case !r.page(name, value) && !r.list(value):
			r.any(value)
		}
	}
}

// list prints a page of a list as a table, and what there is to say about the rest of it. It returns false for what is
// no list, or none of rows that have columns.
func (r *Renderer) list(out any) bool {
	row, key := verb.RowType(reflect.TypeOf(out))
	if key == "" || sections()["[]"+sectionOf(row)].text == "" {
		return false
	}
	rows, _ := verb.RowsOf(out)
	none := r.table("[]"+sectionOf(row), rows)
	rest := verb.RestOf(out)
	switch {
	case rest.NextCursor != "":
		r.nextPage(len(rows), rest.Total, rest.NextCursor)
	case rest.HasMore:
		r.Printf("%d of %d; --offset and --limit show the others\n", len(rows), rest.Total)
	case len(rows) == 0 && len(rest.Problems.Problems) == 0 && none != "":
		r.Printf("%s\n", none)
	}
	r.Problems(rest.Problems)
	return true
}

// table prints rows with the columns that a section declares. It returns what is said where there are none.
func (r *Renderer) table(name string, rows []any) (none string) {
	one := sections()[name]
	heads, _, _ := strings.Cut(one.text, "\n")
	t := screen.Table{Head: strings.Split(heads, " | ")}
	t.Grow, t.Cols = len(t.Head)-1, make([]screen.Column, len(t.Head))
	for i, head := range t.Head {
		name := strings.TrimRight(head, "+-_")
		switch t.Head[i] = name; head[len(name):] {
		case "+":
			t.Grow = i
		case "-":
			t.Cols[i].Drop = len(t.Head) - i
		case "_":
			t.Cols[i].Below = true
		}
	}
	row := r.template(name, func(text string) string {
		return strings.ReplaceAll(strings.TrimSuffix(text[len(heads)+1:], "\n"), " | ", "\x1f") // which nothing harmless has
	})
	for _, item := range rows {
		var line strings.Builder
		if err := row.Execute(&line, item); err != nil {
			r.Printf("the result cannot be shown: %v\n", err)
		}
		t.Add(strings.Split(line.String(), "\x1f")...)
	}
	t.Print(r.Out, r.Width, r.Style)
	return one.none
}

// any prints a result of any type by the keys of its JSON: a line for each key, and a table for each list of objects.
func (r *Renderer) any(out any) {
	value, err := form.Ordered(out)
	switch value := value.(type) {
	case form.Object:
		r.fields(value, "")
	case []any:
		r.items(value)
	default:
		if err != nil {
			value = fmt.Sprintf("the result cannot be shown: %v", err)
		}
		r.Printf("%s\n", PlainText(value))
	}
}

// fields prints the keys of an object: first those that have a plain value, then the others with a heading each. It
// leaves out empty values.
func (r *Renderer) fields(o form.Object, indent string) {
	o = slices.DeleteFunc(slices.Clone(o), func(kv form.Member) bool { return isPlain(kv.Value) && PlainText(kv.Value) == "" })
	width := 0
	for _, kv := range o {
		if isPlain(kv.Value) {
			width = max(width, len(kv.Key))
		}
	}
	for _, kv := range o {
		if isPlain(kv.Value) {
			r.Printf("%s%-*s  %s\n", screen.Lines(indent), width, KeyText(kv.Key), screen.Lines(strings.ReplaceAll(PlainText(kv.Value), "\n", "\n      ")))
		}
	}
	for _, kv := range o {
		if isPlain(kv.Value) {
			continue
		}
		r.Printf("\n%s%s\n", screen.Lines(indent), r.Style.Bold(KeyText(kv.Key)))
		switch value := kv.Value.(type) {
		case form.Object:
			r.fields(value, indent+"  ")
		case []any:
			r.items(value)
		}
	}
}

func (r *Renderer) items(list []any) {
	var columns []string
	var objects []form.Object
	for _, item := range list {
		object, _ := item.(form.Object)
		objects = append(objects, object)
		for _, kv := range object {
			if !slices.Contains(columns, kv.Key) {
				columns = append(columns, kv.Key)
			}
		}
	}
	if slices.ContainsFunc(objects, func(o form.Object) bool { return o == nil }) {
		for _, item := range list {
			r.Printf("  %s\n", PlainText(item))
		}
		return
	}
	t := KeyTable(columns, objects)
	t.Print(r.Out, r.Width, r.Style)
}

// KeyTable is a table of objects, with a column for each of some keys.
func KeyTable[Object interface{ Get(key string) any }](keys []string, objects []Object) screen.Table {
	var t screen.Table
	for _, key := range keys {
		t.Head = append(t.Head, harmless.Line(strings.ToUpper(KeyText(key))))
	}
	for _, object := range objects {
		var cells []string
		for _, key := range keys {
			cells = append(cells, PlainText(object.Get(key)))
		}
		t.Add(cells...)
	}
	t.GrowWidest()
	return t
}

// KeyText is a key in words.
func KeyText(key string) string { return strings.ReplaceAll(key, "_", " ") }

// isPlain reports whether a value is text, a number, true, false or null, or a list of those.
func isPlain(value any) bool {
	switch value := value.(type) {
	case form.Object:
		return false
	case []any:
		return !slices.ContainsFunc(value, func(item any) bool { return !isPlain(item) })
	default:
		return true
	}
}

// PlainText is a value in words, on one line: lists have commas, and objects are KEY VALUE pairs with semicolons.
func PlainText(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		return value
	case screen.Painted:
		return string(value)
	case form.Object:
		var parts []string
		for _, kv := range value {
			parts = append(parts, KeyText(kv.Key)+" "+PlainText(kv.Value))
		}
		return strings.Join(parts, "; ")
	case map[string]any:
		return objectText(value)
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64)
	case time.Time:
		return value.Format(time.RFC3339)
	}
	switch v := reflect.ValueOf(value); {
	case v.Kind() == reflect.Pointer && v.IsNil():
		return ""
	case v.Kind() == reflect.Pointer:
		return PlainText(v.Elem().Interface())
	case v.Kind() == reflect.Slice:
		var parts []string
		for _, item := range itemsOf(value) {
			parts = append(parts, PlainText(item))
		}
		return strings.Join(parts, ", ")
	default:
		return fmt.Sprint(value)
	}
}

// objectText is an object in words, as in "label: summary; pros: …".
func objectText(object map[string]any) string {
	texts := verb.NonEmpty(strings.Join(verb.NonEmpty(PlainText(object["label"]), PlainText(object["summary"])), ": "))
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if text := PlainText(object[key]); text != "" && key != "label" && key != "summary" {
			texts = append(texts, KeyText(key)+": "+text)
		}
	}
	return strings.Join(texts, "; ")
}

// FirstLine is the first line of a text, with an ellipsis if there are more.
func FirstLine(s string) string {
	line, rest, _ := strings.Cut(s, "\n")
	if rest != "" {
		line += " …"
	}
	return line
}

// Problems prints, on standard error, the files that could not be read.
func (r *Renderer) Problems(problems verb.Problems) {
	for _, pr := range problems.Problems {
		if !strings.HasPrefix(pr.Message, pr.Path) {
			pr.Message = pr.Path + ": " + pr.Message
		}
		screen.Fprintf(r.Err, "cairn: left out: %s\n", pr.Message)
	}
	if n := problems.ProblemsTotal; n > 0 {
		screen.Fprintf(r.Err, "cairn: left out: %s, of which this page names %d\n", record.Count(n, "file"), len(problems.Problems))
	}
}
