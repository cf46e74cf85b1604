package web

import (
	"encoding/json"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// inputOf reads a form as the input of a verb. A list is its values, or the lines of one of them; labels and ids may
// have commas between them.
func inputOf(v verb.Verb, form url.Values) (args, error) {
	for name, values := range form {
		if !utf8.ValidString(name + strings.Join(values, "")) { // JSON would have other characters in its place
			return nil, verb.BadInput(record.Clip(strings.ToValidUTF8(name, "?"), 40), "is no UTF-8")
		}
	}
	in := args{}
	for _, f := range v.Fields() {
		if f.Type == verb.Pairs {
			pairs := map[string]string{}
			for name, values := range form {
				if own, ok := strings.CutPrefix(name, f.Name+"."); ok {
					pairs[own] = values[0]
				}
			}
			if len(pairs) > 0 {
				in[f.Name] = pairs
			}
			continue
		}
		if f.Type == verb.Objects {
			objects, given, err := objectsOf(f, form)
			if err != nil {
				return nil, err
			}
			if given {
				in[f.Name] = objects
			}
			continue
		}
		values, given := form[f.Name]
		if !given || form.Get("blank") == "leave" && strings.TrimSpace(strings.Join(values, "")) == "" {
			continue
		}
		if value := valueOf(f, values); value != nil {
			in[f.Name] = value
		}
	}
	return in, nil
}

func valueOf(f verb.Field, values []string) any {
	text := strings.ReplaceAll(values[len(values)-1], "\r\n", "\n")
	empty := strings.TrimSpace(text) == ""
	switch {
	case f.Type == verb.Boolean && empty, f.Type == verb.Number && empty, f.Type == verb.Decimal && empty:
		return nil
	case f.Type == verb.Boolean:
		return text != "false"
	case f.Type == verb.Number || f.Type == verb.Decimal:
		return json.Number(strings.TrimSpace(text))
	case f.Type == verb.Texts || f.Type == verb.Numbers:
		list := listOf(f, values)
		if len(list) == 0 && !f.Clears {
			return nil
		}
		if f.Type == verb.Numbers {
			return record.Each(list, func(one string) json.Number { return json.Number(one) })
		}
		return list
	case empty && !f.Clears && !f.Blank:
		return nil
	default:
		return text
	}
}

func listOf(f verb.Field, values []string) []string {
	out := []string{}
	for _, value := range values {
		value = strings.ReplaceAll(value, "\r\n", "\n")
		if f.Names != "" || strings.HasSuffix(f.Name, "labels") {
			value = strings.ReplaceAll(value, ",", "\n")
		}
		for line := range strings.SplitSeq(value, "\n") {
			if line = strings.TrimSpace(line); line != "" {
				out = append(out, line)
			}
		}
	}
	return out
}

// objectsOf reads the objects of a field by the flags that make them at the command line: of each, a line makes one.
func objectsOf(f verb.Field, form url.Values) (objects []map[string]any, given bool, err error) {
	objects = []map[string]any{}
	for _, flag := range f.Flags {
		values, has := form[flag.Name]
		given = given || has
		for _, line := range listOf(verb.Field{}, values) {
			one, err := flag.Parse(line)
			if err != nil {
				return nil, true, err
			}
			objects = append(objects, one)
		}
	}
	return objects, given, nil
}
