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

// numbers are the numbers of a value as Go has them, where they fit.
func numbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return int(n)
		}
		n, _ := v.Float64()
		return n
	case map[string]any:
		for key := range v {
			v[key] = numbers(v[key])
		}
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	}
	return v
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
	if t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return ""
	}
	if zero := reflect.Zero(t); zero.CanInt() || zero.CanUint() || zero.CanFloat() {
		return 0
	}
	switch t.Kind() {
	case reflect.Bool:
		return false
	case reflect.Slice:
		return []any{}
	case reflect.Struct, reflect.Map, reflect.Interface:
		return nil
	case reflect.Pointer:
		if t.Elem().Kind() == reflect.Struct {
			return nil
		}
		return ""
	default:
		return ""
	}
}

// safe makes every text of a value harmless.
func safe(v any) any {
	switch v := v.(type) {
	case string:
		return harmless.Text(v)
	case map[string]any:
		for key := range v {
			v[key] = safe(v[key])
		}
	case []any:
		for i := range v {
			v[i] = safe(v[i])
		}
	}
	return v
}

// object is a JSON object whose keys keep their order.
type object []member

type member struct {
	key   string
	value any
}

// objectOf is a struct as the object that its JSON is.
func objectOf(v any) (object, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	var out object
	for d.More() {
		key, err := d.Token()
		var value json.RawMessage
		if err == nil {
			err = d.Decode(&value)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, member{fmt.Sprint(key), value})
	}
	return out, nil
}

// MarshalJSON is the object with its keys in order.
func (o object) MarshalJSON() ([]byte, error) {
	b := bytes.NewBufferString("{")
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(m.key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(b, "%s:%s", key, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
