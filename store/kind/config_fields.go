package kind

import (
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// fields reads the keys of the user's own.
func (r *configReader) fields() {
	n := r.get("fields")
	for _, m := range r.maps("fields", n) {
		for i := 0; i+1 < len(m.Content); i += 2 {
			switch key := m.Content[i].Value; key {
			case "name", "type", "choices", "doc", "required":
			default:
				r.fail(m.Content[i], "a field has no key %q: it has name, type, choices, doc and required", record.Clip(key, 40))
			}
		}
		one := task.Field{
			Name: r.text("name", field(m, "name")), Type: task.FieldType(r.text("type", field(m, "type"))), Doc: r.text("doc", field(m, "doc")),
			Choices: r.texts("choices", field(m, "choices")), Required: r.boolean("required", field(m, "required")),
		}
		if one.Type == "" {
			one.Type = task.FieldText
			if len(one.Choices) > 0 {
				one.Type = task.FieldChoice
			}
		}
		if err := one.Valid(); err != nil {
			r.fail(m, "%v", err)
		}
		if _, twice := r.c.Flow.Field(one.Name); twice {
			r.fail(m, "another field is called %q", one.Name)
		}
		r.c.Flow.Fields = append(r.c.Flow.Fields, one)
	}
	if len(r.c.Flow.Fields) > task.MaxFields {
		r.fail(n, "fields has %d, more than %d", len(r.c.Flow.Fields), task.MaxFields)
	}
}
