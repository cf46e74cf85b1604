package verb

import (
	"reflect"
	"strings"

	"github.com/cairn-tasks/cairn/task"
)

// Field is one field of a verb's input.
type Field struct {
	Name     string // in JSON
	Doc      string
	Required bool
	Arg      bool // positional on the command line
	File     bool // and read from a file that it names
	Type     Type
	Names    string  // what its text names and may be a part of on the command line: "task", "session" or ""
	Fields   []Field // of the objects, for Objects
	Clears   bool    // "" or [] empties what it sets, and so does null
	Min      int     // of a number, the least that it may be if it is given

	index []int
}

// Type is the JSON type of a field.
type Type string

// The types.
const (
	Text    Type = "string"
	Number  Type = "integer"
	Decimal Type = "number"
	Boolean Type = "boolean"
	Texts   Type = "strings"
	Numbers Type = "integers"
	Objects Type = "objects"
)

// SessionID is a session's id in an input.
type SessionID string

// Count is a number in an input that is at least 1 where it is given; 0 stands for one that is left out.
type Count int

var (
	taskID    = reflect.TypeFor[task.ID]()
	sessionID = reflect.TypeFor[SessionID]()
	count     = reflect.TypeFor[Count]()
)

// fieldsOf reads the fields of an input struct, those of embedded structs included. A field is required unless it is a
// pointer or ",omitempty". A doc of "-" keeps a field out of schemas and pages.
func fieldsOf(t reflect.Type) []Field {
	var out []Field
	for _, sf := range reflect.VisibleFields(t) {
		if sf.Anonymous {
			continue // its fields follow
		}
		name, options, _ := strings.Cut(sf.Tag.Get("json"), ",")
		ft := sf.Type
		pointer := ft.Kind() == reflect.Pointer
		if pointer {
			ft = ft.Elem()
		}
		f := Field{
			Name:     name,
			Doc:      sf.Tag.Get("doc"),
			Arg:      sf.Tag.Get("cli") != "",
			File:     sf.Tag.Get("cli") == "file",
			Required: !pointer && options != "omitempty",
			Type:     typeOf(ft),
			Names:    namedBy(ft),
			index:    sf.Index,
		}
		if f.Type == Objects {
			f.Fields = fieldsOf(ft.Elem())
		}
		if ft == count {
			f.Min = 1
		}
		out = append(out, f)
	}
	return out
}

// clearing marks the fields that null empties: the optional texts and lists of what a verb writes. In the input of a verb
// that reads, a text or a list is a filter, and an empty one would say something else than null may mean.
func clearing(fields []Field) []Field {
	for i, f := range fields {
		fields[i].Clears = !f.Required && (f.Type == Text || f.Type == Texts || f.Type == Numbers || f.Type == Objects)
		clearing(f.Fields)
	}
	return fields
}

var (
	singleTypes = map[reflect.Kind]Type{reflect.String: Text, reflect.Int: Number, reflect.Float64: Decimal, reflect.Bool: Boolean}
	listTypes   = map[reflect.Kind]Type{reflect.String: Texts, reflect.Int: Numbers, reflect.Struct: Objects}
)

func typeOf(t reflect.Type) Type {
	name := singleTypes[t.Kind()]
	if t.Kind() == reflect.Slice {
		name = listTypes[t.Elem().Kind()]
	}
	if name == "" {
		panic("verb: an input has a field of type " + t.String() + ", which no schema can say")
	}
	return name
}

func namedBy(t reflect.Type) string {
	if t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	switch t {
	case taskID:
		return "task"
	case sessionID:
		return "session"
	default:
		return ""
	}
}

// shown leaves out the fields that no schema and no page shows.
func shown(fields []Field) []Field {
	var out []Field
	for _, f := range fields {
		if f.Doc != "-" {
			out = append(out, f)
		}
	}
	return out
}
