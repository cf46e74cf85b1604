package task

import (
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Optional are the keys of a task that no rule reads, one line each. A line is the whole declaration: how the value is
// read and written, what it may be, inputs, filters, orders, waits, histories, pages, imports and exports follow from
// it. The values stand in Task.Own, beside those of the fields that a config declares, which are the same thing
// declared elsewhere. Tags:
//
//	json     the key
//	type     a FieldType
//	choices  of FieldChoice, apart by commas
//	doc      what a caller gives
//	about    what the value says, for filters
//	mark     the word before the value in a list of tasks as Markdown; "" keeps it out of there
type Optional struct {
	Estimate string `json:"estimate,omitempty" type:"duration" doc:"how long it may take, such as 2h, 3d or 1w; a day is 24 hours" about:"how long it is thought to take" mark:"est"`
}

// OptionalField is one of the fields of Optional.
type OptionalField struct {
	Field
	Mark string
}

// OptionalFields lists the fields of Optional in their order.
var OptionalFields = sync.OnceValue(func() []OptionalField {
	var out []OptionalField
	for f := range reflect.TypeFor[Optional]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		field := Field{Name: name, Type: FieldType(f.Tag.Get("type")), Doc: f.Tag.Get("about")}
		if choices := f.Tag.Get("choices"); choices != "" {
			field.Choices = strings.Split(choices, ",")
		}
		out = append(out, OptionalField{field, f.Tag.Get("mark")})
	}
	return out
})

// OptionalOf has what value says of each name.
func OptionalOf(value func(name string) string) Optional {
	var out Optional
	at := reflect.ValueOf(&out).Elem()
	for i, f := range OptionalFields() {
		at.Field(i).SetString(value(f.Name))
	}
	return out
}

// Value returns the value of one field; "" for none, and for a name that no field has.
func (o Optional) Value(name string) string {
	i := slices.IndexFunc(OptionalFields(), func(f OptionalField) bool { return f.Name == name })
	if i < 0 {
		return ""
	}
	return reflect.ValueOf(o).Field(i).String()
}

// Values are those that are not empty, by name; nil for none.
func (o Optional) Values() map[string]string {
	var out map[string]string
	for i, f := range OptionalFields() {
		if text := reflect.ValueOf(o).Field(i).String(); text != "" {
			if out == nil {
				out = map[string]string{}
			}
			out[f.Name] = text
		}
	}
	return out
}

// Or has the values of others where it has none of its own.
func (o Optional) Or(others Optional) Optional {
	return OptionalOf(func(name string) string {
		if text := o.Value(name); text != "" {
			return text
		}
		return others.Value(name)
	})
}

// IsOptional reports whether a key is that of an optional field.
func IsOptional(key string) bool {
	return slices.ContainsFunc(OptionalFields(), func(f OptionalField) bool { return f.Name == key })
}

// WithoutOptional are the values of keys that are no optional fields; nil for none.
func WithoutOptional(own map[string]string) map[string]string {
	var out map[string]string
	for name, text := range own {
		if IsOptional(name) {
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		out[name] = text
	}
	return out
}

func optionalNames() []string {
	var out []string
	for _, f := range OptionalFields() {
		out = append(out, f.Name)
	}
	return out
}
