package render

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/setup"
	"github.com/cairn-tasks/cairn/internal/skills"
	"github.com/cairn-tasks/cairn/internal/transfer"
	"github.com/cairn-tasks/cairn/internal/user/trust"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
	"github.com/cairn-tasks/cairn/internal/work/verb/trees"
)

// Every section about a type can be printed of the results of verbs, without values and with one of each. Nothing that
// a template names is absent then, and no text of a record speaks to the terminal.
func TestEveryPageCanBePrinted(t *testing.T) {
	types := map[string]reflect.Type{}
	for _, v := range catalogue.All {
		for _, result := range v.Results() {
			collect(types, result)
		}
	}
	more := []any{transfer.ImportOut{}, jobs.Job{}, trees.Review{}, setup.State(""), skills.State(""), []trust.Consent{}}
	for _, more := range more { // which stand in an any, or are of a command
		collect(types, reflect.TypeOf(more))
	}
	for name := range sections() {
		of, ok := types[name]
		if !ok {
			if strings.Contains(name, ".") && !strings.Contains(name, "cmd.") { // those of commands are printed in cmd
				t.Errorf("no result of a verb has the type %s", name)
			}
			continue
		}
		for _, kind := range []verb.Kind{verb.Read, verb.Write} {
			for _, full := range []bool{false, true} {
				var out, errs strings.Builder
				r := &Renderer{Out: &out, Err: &errs, Width: 80, Now: time.Now, Getenv: func(string) string { return "" }, Kind: kind, Noun: "ref"}
				value := reflect.New(of).Elem()
				if full {
					fillValue(value, 0)
				}
				r.Show(value.Interface())
				if text := out.String() + errs.String(); strings.Contains(text, "cannot be shown") || strings.Contains(text, "<no value>") ||
					strings.Contains(text, "%!") || strings.Contains(text, "\x1b") {
					t.Errorf("%s, full %v:\n%s", name, full, text)
				}
			}
		}
	}
}

// collect adds a type and all that it holds, by the names of sections.
func collect(types map[string]reflect.Type, of reflect.Type) {
	name := sectionOf(of)
	if _, known := types[name]; known {
		return
	}
	types[name] = of
	switch of.Kind() { //nolint:exhaustive // what holds no other value ends the walk
	case reflect.Pointer, reflect.Slice, reflect.Map:
		collect(types, of.Elem())
	case reflect.Struct:
		for f := range of.Fields() {
			if f.IsExported() {
				collect(types, f.Type)
			}
		}
	}
}

// fillValue gives all that a value holds a value: each text one that is hostile.
func fillValue(v reflect.Value, depth int) {
	switch v.Kind() { //nolint:exhaustive // no result has values of the other kinds
	case reflect.String:
		v.SetString("text\x1b[31m")
	case reflect.Int, reflect.Int64:
		v.SetInt(2)
	case reflect.Float64:
		v.SetFloat(1.5)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		if depth < 8 {
			v.Set(reflect.New(v.Type().Elem()))
			fillValue(v.Elem(), depth+1)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(`{"title": "text\u001b"}`))
		} else if depth < 8 {
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			fillValue(v.Index(0), depth+1)
			fillValue(v.Index(1), depth+1)
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fillValue(key, depth+1)
		fillValue(value, depth+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Interface:
		if v.NumMethod() == 0 {
			review := &trees.Review{} // what a task has as any
			fillValue(reflect.ValueOf(review).Elem(), depth+1)
			v.Set(reflect.ValueOf(review))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(1e9, 0)))
			return
		}
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fillValue(v.Field(i), depth+1)
			}
		}
	}
}
