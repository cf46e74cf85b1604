package verb

import (
	"cmp"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// Field is one field of a verb's input. Everything in it is read off the input's struct: its name and its type, and
// these tags:
//
//	json:"name"           the name; ",omitempty" makes the field optional, as a pointer does
//	doc:"..."             what it means; "-" keeps it out of schemas and pages; {optional} names the fields of task.Optional
//	cli:"arg"             the command line takes it as a positional argument and not as a flag
//	cli:"file"            the same, and the argument names a file in YAML or JSON that holds the value
//	cli:"several"         beside arg: the command takes more than one, and does the verb for each in turn
//	cli:"own=WHAT"        left out on the command line, it is filled in: actor with who acts, key with a new key
//	cli:"flag=NAME"       what its flag is called; without it, the field's name with dashes for underscores
//	cli:"also=NAME"       another name of its flag, such as a letter
//	cli:"value=WORD"      the word in its doc that stands for the value of its flag
//	cli:"not=NAME"        for a boolean: a second flag, which sets false; one of the two must be given
//	values:"a,b=why,c"    texts that completion offers, each with a few words about it or none
//	oneof:"a,b"           the same, and any other text is refused
//	enum:"a,b"            the same, and the verb itself refuses any other
//	from:"SOURCE"         where completion finds values; see Source
//	mcp:"quiet"           it stands on pages and on the command line, and not in the schema of the tool
//	else:"session"        left out, it is the session under which the caller works
//	names:"KIND"          the kind of record whose id the text is; the types record.ID, SessionID and RecordID say it too
//
// The tags doc and mcp of an embedded struct are added to those of each of its fields.
//
// A list of objects has one flag, whose values are the objects as JSON, unless their type has a method Flags. One
// object has the flags of its fields.
type Field struct {
	Name     string // in JSON
	Doc      string
	Required bool
	Type     Type
	Names    string  // the kind of record whose id its text is: "task", "session" and so on, or ""
	AnyKind  bool    // it can be the id of a record of any other kind too
	ListedBy string  // the verb that lists the records that it can name; "" without Names
	Quiet    bool    // left out of the schema, so that what every session of an agent reads stays small; it is taken all the same
	Else     string  // what it names if it is left out: "session" for the caller's own, or "" for nothing
	Fields   []Field // of the object or the objects, for Object and Objects
	Clears   bool    // "" or [] empties what it sets, and so does null
	Blank    bool    // "" says something else than to leave it out
	Min      int     // of a number, the least that it may be if it is given
	Max      int     // of how many items a page has, the most; 0 for any other number
	Span     bool    // a number of seconds, for which a text such as 10m can stand

	// On the command line.
	Arg    bool         // positional
	File   bool         // positional, and the name of a file that holds the value
	Many   bool         // positional, and more than one may stand there: the verb is done for each
	Own    string       // what fills it in if it is left out there: "actor", "key", or "" for nothing
	Flag   string       // the name of its flag, without dashes; "" for an argument
	Also   string       // another name of that flag; "" if there is none
	Value  string       // the word in Doc that stands for the value of that flag; "" for none
	Not    string       // the name of the flag that sets it to false; "" if there is none
	Flags  []ObjectFlag // for Objects: flags that make one object each; nil for one flag that takes JSON
	Values []Value      // that completion offers
	Strict bool         // it can have no other value than these
	Enum   bool         // the same, and the verb may be who refuses
	From   Source       // where completion finds values, in place of Values

	index []int
}

// ObjectFlag is a flag that makes one object of a list from each of its values.
type ObjectFlag struct {
	Name  string
	Doc   string // "" for that of the field
	Form  string // what a value looks like, such as DESC=COMMAND
	Parse func(value string) (map[string]any, error)
}

// Value is a text that a field can have, and a few words about it.
type Value struct{ Text, About string }

// Source is where the completion of a command line finds the values of a field: a key of the table of sources in
// cmd/complete.
type Source string

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
	Object  Type = "object"
	Objects Type = "objects"
	Pairs   Type = "pairs" // texts by name, a Values
)

// SessionID is a session's id in an input.
type SessionID string

// RecordID is the id of a task in an input, or that of a record of any other kind.
type RecordID string

// Count is a number in an input that is at least 1 where it is given; 0 stands for one that is left out.
type Count int

// Limit is a Count of the items of a page, at most maxLimit.
type Limit int

// Paging is part of the input of a verb that lists.
type Paging struct {
	Limit  Limit  `json:"limit,omitempty" doc:"how many to return; 50 by default, 500 at most"`
	Cursor string `json:"cursor,omitempty" doc:"next_cursor of the page before"`
}

// Seconds is how long something may take, in an input: a number of seconds, or a text such as 10m, as in the config. It
// is at least 1 where it is given.
type Seconds int

var (
	seconds   = reflect.TypeFor[Seconds]()
	taskID    = reflect.TypeFor[record.ID]()
	sessionID = reflect.TypeFor[SessionID]()
	recordID  = reflect.TypeFor[RecordID]()
	count     = reflect.TypeFor[Count]()
	pageLimit = reflect.TypeFor[Limit]()
	values    = reflect.TypeFor[Values]()
	givenType = reflect.TypeFor[Given]()
)

// fieldsOf reads the fields of an input struct, those of embedded structs included. A field is required unless it is a
// pointer or ",omitempty". A doc of "-" keeps a field out of schemas and pages.
func fieldsOf(t reflect.Type) []Field {
	var out []Field
	for _, sf := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if sf.Anonymous || name == "-" {
			continue // its fields follow; and what no caller says
		}
		ft := sf.Type
		pointer := ft.Kind() == reflect.Pointer
		if pointer {
			ft = ft.Elem()
		}
		f := Field{
			Name:     name,
			Doc:      withOptionalNames(sf.Tag.Get("doc")) + around(t, sf, "doc"),
			Required: !pointer && options != "omitempty",
			Blank:    pointer,
			Type:     typeOf(ft),
			Names:    cmp.Or(sf.Tag.Get("names"), namedBy(ft)),
			AnyKind:  ft == recordID || ft.Kind() == reflect.Slice && ft.Elem() == recordID,
			Quiet:    sf.Tag.Get("mcp")+around(t, sf, "mcp") == "quiet",
			Else:     sf.Tag.Get("else"),
			Values:   valuesOf(cmp.Or(sf.Tag.Get("values"), sf.Tag.Get("oneof"), sf.Tag.Get("enum"), sf.Tag.Get("choices"))),
			Strict:   sf.Tag.Get("oneof") != "",
			Enum:     sf.Tag.Get("oneof")+sf.Tag.Get("enum") != "",
			From:     Source(sf.Tag.Get("from")),
			index:    sf.Index,
		}
		f.onCommandLine(sf.Tag.Get("cli"))
		if f.Type == Object {
			f.Fields = fieldsOf(ft)
		}
		if f.Type == Objects {
			f.Fields = fieldsOf(ft.Elem())
			if declares, ok := reflect.Zero(ft.Elem()).Interface().(interface{ Flags() []ObjectFlag }); ok {
				f.Flags = declares.Flags()
			}
		}
		if ft == count || ft == seconds || ft == pageLimit {
			f.Min = 1
		}
		if ft == pageLimit {
			f.Max = maxLimit
		}
		f.Span = ft == seconds
		out = append(out, f)
	}
	return out
}

// around is a tag of the embedded struct that a field comes from, which counts for all of its fields; "" for a field
// that is not embedded.
func around(t reflect.Type, field reflect.StructField, tag string) string {
	if len(field.Index) < 2 {
		return ""
	}
	return t.FieldByIndex(field.Index[:len(field.Index)-1]).Tag.Get(tag)
}

// withOptionalNames names the optional fields of a task where a text says {optional}.
func withOptionalNames(doc string) string {
	if !strings.Contains(doc, "{optional}") {
		return doc
	}
	names := record.Each(task.OptionalFields(), func(f task.Field) string { return f.Name })
	return strings.ReplaceAll(doc, "{optional}", strings.Join(names, ", "))
}

// Given are the names of the fields that a caller gave, in an input where one that is left out means something else
// than an empty one and no pointer can say so: those of task.Optional. It is filled in, and no field of the input.
type Given map[string]bool

// FieldsOf are the fields of a struct that an input has a list of.
func FieldsOf[T any]() []Field { return fieldsOf(reflect.TypeFor[T]()) }

// CommandName is what the command of a verb, or the flag of a field, is called if it is declared without a name of its
// own.
func CommandName(name string) string { return strings.ReplaceAll(name, "_", "-") }

// onCommandLine reads the tag cli.
func (f *Field) onCommandLine(tag string) {
	f.Flag = CommandName(f.Name)
	for option := range strings.SplitSeq(tag, ",") {
		key, value, _ := strings.Cut(option, "=")
		switch key {
		case "":
		case "arg", "file":
			f.Arg, f.File, f.Flag = true, key == "file", ""
		case "several":
			f.Many = true
		case "own":
			f.Own = value
		case "flag":
			f.Flag = value
		case "also":
			f.Also = value
		case "value":
			f.Value = value
		case "not":
			f.Not = value
		default:
			panic("verb: the field " + f.Name + " has the unknown option " + key + " in its tag cli")
		}
	}
}

// valuesOf reads the tag values.
func valuesOf(tag string) []Value {
	if tag == "" {
		return nil
	}
	var out []Value
	for one := range strings.SplitSeq(tag, ",") {
		text, about, _ := strings.Cut(one, "=")
		out = append(out, Value{text, about})
	}
	return out
}

// clearing marks the fields that null empties: the optional texts and lists of what a verb writes. In the input of a
// verb that reads, a text or a list is a filter, and an empty one would say something else than null may mean.
func clearing(fields []Field) []Field {
	for i, f := range fields {
		fields[i].Clears = !f.Required && (f.Type == Text || f.Type == Texts || f.Type == Numbers || f.Type == Objects)
		clearing(f.Fields)
	}
	return fields
}

// Condition reports whether a call with the field blank would be about more than its caller means: what is read is
// everything, and what is written is not compared, found or repeated by it.
func (f Field) Condition() bool {
	guards := strings.HasPrefix(f.Name, "expected_") || f.Name == "where" || f.Name == "idempotency_key"
	return !f.Blank && (f.Type == Text || f.Type == Texts) && (!f.Clears || guards || f.Type == Text && (f.From != "" || f.Names != ""))
}

var (
	singleTypes = map[reflect.Kind]Type{reflect.String: Text, reflect.Int: Number, reflect.Float64: Decimal, reflect.Bool: Boolean, reflect.Struct: Object}
	listTypes   = map[reflect.Kind]Type{reflect.String: Texts, reflect.Int: Numbers, reflect.Struct: Objects}
)

func typeOf(t reflect.Type) Type {
	name := singleTypes[t.Kind()]
	if t == values {
		name = Pairs
	}
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
	case taskID, recordID:
		return "task"
	case sessionID:
		return "session"
	default:
		return ""
	}
}

// shown leaves out the fields that no schema and no page shows.
func shown(fields []Field) []Field {
	return record.Those(fields, func(f Field) bool { return f.Doc != "-" })
}

// Schema is the verb's input as a JSON Schema: flat, an object at the root, without references, alternatives or lists
// of types, because some clients refuse those. Properties are sorted by name. Fields that are Quiet are left out, and so is that
// no other property is taken, which a refusal says.
func (v Verb) Schema() json.RawMessage { return v.SchemaIn("") }

// SchemaIn is the schema in a workspace that declares fields of its own, which own describes: it stands where the verb
// takes values of them, though the field is Quiet. An empty own is no such workspace.
func (v Verb) SchemaIn(own string) json.RawMessage {
	out, err := json.Marshal(object(v.Fields(), own))
	if err != nil {
		panic("verb: a schema of maps and texts does not marshal: " + err.Error())
	}
	return out
}

// ownArgument is the argument of every verb that takes values of fields of the user's own.
const ownArgument = "fields"

func object(fields []Field, own string) map[string]any {
	properties := map[string]any{}
	required := []string{}
	for _, f := range shown(fields) {
		declared := f.Type == Pairs && f.Name == ownArgument && own != ""
		if f.Quiet && !declared {
			continue
		}
		if declared {
			f.Doc += ": " + own
		}
		properties[f.Name] = property(f, own)
		if f.Required {
			required = append(required, f.Name)
		}
	}
	schema := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}

func property(f Field, own string) map[string]any {
	p := map[string]any{"type": f.Type}
	switch f.Type {
	case Text, Number, Decimal, Boolean:
	case Texts:
		p = list(map[string]any{"type": Text})
	case Numbers:
		p = list(map[string]any{"type": Number})
	case Pairs:
		p = map[string]any{"type": Object, "additionalProperties": true}
	case Object:
		p = object(f.Fields, own)
	case Objects:
		p = list(object(f.Fields, own))
	}
	if f.Enum {
		one := p
		if f.Type == Texts {
			one = p["items"].(map[string]any)
		}
		one["enum"] = record.Each(f.Values, func(v Value) string { return v.Text })
		if f.Doc, _, _ = strings.Cut(f.Doc, ":"); strings.HasPrefix(f.Doc, f.Values[0].Text) { // it lists the values
			f.Doc = ""
		}
	}
	if f.Doc != "" {
		p["description"] = f.Doc
	}
	return p
}

func list(items map[string]any) map[string]any {
	return map[string]any{"type": "array", "items": items}
}

// Values are texts by name in an input: fields of the user's own. In JSON a value may be a text, a number, true or
// false; null is "". On the command line each is NAME=VALUE.
type Values map[string]string

// OwnFields reads values of fields, optional and of the config: me is who acts, a date may be so far from now, and of the
// id of a milestone a part is enough. Its errors are those of Due, of store.Store.Resolve and of task.OwnFields.Read.
func (w *Workspace) OwnFields(s *store.Store, given Values) (map[string]string, error) {
	in := make(map[string]string, len(given))
	for name, value := range given {
		switch one, _ := s.Config.Flow.Fields.Find(name); {
		case one.Type == task.FieldActor && IsMe(value):
			value = string(w.Actor())
		case one.Type == task.FieldDate:
			at, err := Due(name, value, w.Now())
			if err != nil {
				return nil, err
			}
			value = string(at)
		case one.Type == task.FieldMilestone && value != "":
			id, err := s.Resolve(kind.Milestones.Kind, value)
			if err != nil {
				return nil, err
			}
			value = id
		}
		in[name] = value
	}
	return s.Config.Flow.Fields.Read(in)
}

// LinksGiven are the links in an input, by the name of their kind. It returns NOT_FOUND for an id that no record has,
// unless the task has the link already.
func LinksGiven(s *store.Store, given map[string][]RecordID, has func(record.ID) bool) (map[string][]record.ID, error) {
	out := map[string][]record.ID{}
	for _, k := range task.LinkKinds {
		ids, ok := given[k.Name]
		if !ok {
			continue
		}
		out[k.Name] = []record.ID{}
		for _, one := range ids {
			id := record.ID(one)
			if _, _, err := kind.Find(s, string(id)); record.CodeOf(err) == record.NotFound && !has(id) {
				return nil, WithID(err, id)
			}
			out[k.Name] = append(out[k.Name], id)
		}
	}
	return out, nil
}

// ownFields are the fields of the user's own that a task has, as JSON has them; nil for none.
func ownFields(flow task.Flow, value func(name string) string) map[string]any {
	var out map[string]any
	for _, one := range flow.Fields {
		if text := value(one.Name); text != "" {
			if out == nil {
				out = map[string]any{}
			}
			out[one.Name] = one.Value(text)
		}
	}
	return out
}

// withoutOwn leaves out of the keys that cairn does not know those that are shown as fields.
func withoutOwn(extra, shown map[string]any) map[string]any {
	var out map[string]any
	for name, value := range extra {
		if _, ok := shown[name]; ok {
			continue
		}
		if out == nil {
			out = map[string]any{}
		}
		out[name] = value
	}
	return out
}
