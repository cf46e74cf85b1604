package verb

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Results are the types of what a verb may return: that of its function, or those of Returns. It is nil where neither
// says more than any.
func (v Verb) Results() []reflect.Type {
	if v.out != nil {
		return []reflect.Type{reflect.TypeOf(v.out)}
	}
	var out []reflect.Type
	for _, one := range v.Returns {
		out = append(out, reflect.TypeOf(one))
	}
	return out
}

// RowsOf are the rows of a result: the items of its field with the tag result:"rows". A result without such a field is
// the one row itself, and no list. A row that leaves something out in a list says it here; see Row.Whole.
func RowsOf(result any) (rows []any, list bool) {
	f, list := rowsField(reflect.TypeOf(result))
	if !list {
		return []any{result}, false
	}
	items := reflect.ValueOf(result).FieldByIndex(f.Index)
	rows = make([]any, items.Len())
	for i := range rows {
		rows[i] = items.Index(i).Interface()
		if lean, ok := rows[i].(interface{ Whole() any }); ok {
			rows[i] = lean.Whole()
		}
	}
	return rows, true
}

// RowType is the type of the rows of a type of results, and the JSON key under which they stand; "" for a result that
// is no list.
func RowType(result reflect.Type) (row reflect.Type, key string) {
	f, list := rowsField(result)
	if !list {
		return result, ""
	}
	return f.Type.Elem(), jsonName(f)
}

func rowsField(result reflect.Type) (reflect.StructField, bool) {
	fields := jsonFields(result)
	return record.Find(fields, func(f reflect.StructField) bool { return f.Tag.Get("result") == "rows" })
}

// Key is a key of the JSON of a struct, and the type of what it holds.
type Key struct {
	Name string
	Type reflect.Type
}

var keysOfTypes sync.Map // reflect.Type to []Key

// KeysOf are the keys that the JSON of a struct can have, in their order, those of embedded structs included; nil for
// what is no struct.
func KeysOf(t reflect.Type) []Key {
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	if known, ok := keysOfTypes.Load(t); ok {
		return known.([]Key)
	}
	var out []Key
	for _, f := range jsonFields(t) {
		if name := jsonName(f); !slices.ContainsFunc(out, func(k Key) bool { return k.Name == name }) {
			out = append(out, Key{name, f.Type})
		}
	}
	keysOfTypes.Store(t, out)
	return out
}

// jsonFields are the fields of a struct that its JSON has, those of embedded structs included.
func jsonFields(t reflect.Type) []reflect.StructField {
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	var out []reflect.StructField
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case f.Anonymous && f.Tag.Get("json") == "":
			for _, inner := range jsonFields(f.Type) {
				inner.Index = append([]int{i}, inner.Index...)
				out = append(out, inner)
			}
		case f.IsExported() && jsonName(f) != "-":
			out = append(out, f)
		}
	}
	return out
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" {
		return f.Name
	}
	return name
}

// Ago is how long ago something was, in one unit.
func Ago(at, now time.Time) string { return InOneUnit(now.Sub(at)) }

// InOneUnit is how long something takes, in seconds, minutes, hours or days: nothing for what is less than nothing.
func InOneUnit(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(max(d, 0).Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd", int(d.Hours()/24))
	}
}

// Rest is what a list says beside its rows.
type Rest struct {
	Total      int
	NextCursor string // of the next page; "" for none, and for a list that counts its pages with an offset
	HasMore    bool   // of such a list
	Problems
}

// RestOf reads it off a result, by the keys of its JSON.
func RestOf(result any) Rest {
	var rest Rest
	of := reflect.ValueOf(result)
	for _, f := range jsonFields(of.Type()) {
		switch value := of.FieldByIndex(f.Index).Interface(); jsonName(f) {
		case "total":
			rest.Total, _ = value.(int)
		case "next_cursor":
			rest.NextCursor, _ = value.(string)
		case "has_more":
			rest.HasMore, _ = value.(bool)
		case "problems":
			rest.Problems.Problems, _ = value.([]problem.Problem)
		case "problems_total":
			rest.ProblemsTotal, _ = value.(int)
		}
	}
	return rest
}
