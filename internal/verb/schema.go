package verb

import "encoding/json"

// Schema is the verb's input as a JSON Schema: flat, an object at the root, without references, alternatives or lists
// of types, because some clients refuse those. Properties are sorted by name. Fields that are Quiet are left out.
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
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
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
	if f.Doc != "" {
		p["description"] = f.Doc
	}
	return p
}

func list(items map[string]any) map[string]any {
	return map[string]any{"type": "array", "items": items}
}
