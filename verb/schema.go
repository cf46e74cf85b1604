package verb

import "encoding/json"

// Schema is the verb's input as a JSON Schema: flat, an object at the root, without references, alternatives or lists of
// types, because some clients refuse those. Properties are sorted by name.
// Fields that are Quiet are left out.
func (v Verb) Schema() json.RawMessage {
	out, err := json.Marshal(object(v.Fields()))
	if err != nil {
		panic("verb: a schema of maps and texts does not marshal: " + err.Error())
	}
	return out
}

func object(fields []Field) map[string]any {
	properties := map[string]any{}
	required := []string{}
	for _, f := range shown(fields) {
		if f.Quiet {
			continue
		}
		properties[f.Name] = property(f)
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

func property(f Field) map[string]any {
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
		p = object(f.Fields)
	case Objects:
		p = list(object(f.Fields))
	}
	if f.Doc != "" {
		p["description"] = f.Doc
	}
	return p
}

func list(items map[string]any) map[string]any {
	return map[string]any{"type": "array", "items": items}
}
