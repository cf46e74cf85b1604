package form

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// Row is a row by its keys. Every key that its type can have is there, so that what is absent differs from what is
// mistyped: it is "", 0, false or an empty list, and nil where it would be an object.
type Row map[string]any

// RowsOf are the rows of a result.
func RowsOf(result any) ([]Row, error) {
	items, _ := verb.RowsOf(result)
	rows := make([]Row, 0, len(items))
	for _, item := range items {
		value, err := dataOf(item)
		if err != nil {
			return nil, err
		}
		object, _ := whole(value, reflect.TypeOf(item)).(map[string]any)
		rows = append(rows, object)
	}
	return rows, nil
}

// Get is the value of a key, which may go on behind dots into objects; nil if there is none.
func (r Row) Get(path string) any {
	var value any = map[string]any(r)
	for name := range strings.SplitSeq(path, ".") {
		object, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = object[name]
	}
	return value
}

// dataOf is a value as its JSON says it: maps, lists, texts, numbers, true, false and nil.
func dataOf(v any) (any, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var out any
	err = d.Decode(&out)
	return numbers(out), err
}

// whole is a value with every key that its type can have.
func whole(v any, t reflect.Type) any {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch value := v.(type) {
	case map[string]any:
		for _, key := range verb.KeysOf(t) {
			if value[key.Name] == nil {
				value[key.Name] = absent(key.Type)
			} else {
				value[key.Name] = whole(value[key.Name], key.Type)
			}
		}
	case []any:
		if t != nil && t.Kind() == reflect.Slice {
			for i := range value {
				value[i] = whole(value[i], t.Elem())
			}
		}
	}
	return v
}

// absent stands for a value that is not there.
func absent(t reflect.Type) any {
	zero := reflect.Zero(t)
	switch kind := t.Kind(); {
	case t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return ""
	case zero.CanInt() || zero.CanUint() || zero.CanFloat():
		return 0
	case kind == reflect.Bool:
		return false
	case kind == reflect.Slice:
		return []any{}
	case kind == reflect.Struct || kind == reflect.Map || kind == reflect.Interface,
		kind == reflect.Pointer && t.Elem().Kind() == reflect.Struct:
		return nil
	default:
		return ""
	}
}

func safe(v any) any {
	return each(v, func(v any) any {
		if text, ok := v.(string); ok {
			return harmless.Text(text)
		}
		return v
	})
}

// numbers are the numbers of a value as Go has them, where they fit.
func numbers(v any) any {
	return each(v, func(v any) any {
		number, ok := v.(json.Number)
		if !ok {
			return v
		}
		if n, err := number.Int64(); err == nil {
			return int(n)
		}
		n, _ := number.Float64()
		return n
	})
}

// each changes everything within a value that is no object and no list.
func each(v any, change func(any) any) any {
	switch v := v.(type) {
	case map[string]any:
		for key := range v {
			v[key] = each(v[key], change)
		}
		return v
	case []any:
		for i := range v {
			v[i] = each(v[i], change)
		}
		return v
	}
	return change(v)
}

// Object is a JSON object whose keys keep their order.
type Object []Member

// Member is a key of an object, with its value.
type Member struct {
	Key   string
	Value any
}

// Get is the value of a key, or nil.
func (o Object) Get(key string) any {
	for _, m := range o {
		if m.Key == key {
			return m.Value
		}
	}
	return nil
}

// Ordered is a value as its JSON says it: each object is an Object, and numbers are as they are written.
func Ordered(v any) (any, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return ordered(raw), nil
}

func ordered(raw json.RawMessage) (value any) {
	d := json.NewDecoder(bytes.NewReader(raw)) // no call fails, since the JSON was made by us
	d.UseNumber()
	switch raw[0] {
	case '{':
		object := Object{}
		for _, _ = d.Token(); d.More(); {
			var value json.RawMessage
			key, _ := d.Token()
			_ = d.Decode(&value)
			object = append(object, Member{fmt.Sprint(key), ordered(value)})
		}
		return object
	case '[':
		var items []json.RawMessage
		_ = d.Decode(&items)
		list := make([]any, len(items))
		for i, item := range items {
			list[i] = ordered(item)
		}
		return list
	default:
		_ = d.Decode(&value)
		return value
	}
}

// MarshalJSON is the object with its keys in order.
func (o Object) MarshalJSON() ([]byte, error) {
	var members [][]byte
	for _, m := range o {
		key, err := json.Marshal(m.Key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.Value)
		if err != nil {
			return nil, err
		}
		members = append(members, fmt.Appendf(key, ":%s", value))
	}
	return fmt.Appendf(nil, "{%s}", bytes.Join(members, []byte(","))), nil
}
