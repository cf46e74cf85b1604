package jsonschema_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func read(t *testing.T, text string) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

const at = "mem:///schema.json"

func compile(t *testing.T, text string) (*jsonschema.Schema, error) {
	t.Helper()
	c := jsonschema.NewCompiler()
	if err := c.AddResource(at, read(t, text)); err != nil {
		t.Fatal(err)
	}
	return c.Compile(at)
}

func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		schema    string
		good, bad []string
	}{
		{`true`, []string{`1`, `null`}, nil},
		{`false`, nil, []string{`1`, `null`}},
		{`{"type": "integer"}`, []string{`1`, `-7`, `2.0`, `9007199254740993`}, []string{`1.5`, `"1"`, `null`, `true`}},
		{`{"type": ["string", "null"]}`, []string{`"a"`, `null`}, []string{`1`, `[]`}},
		{`{"const": 0.1}`, []string{`0.1`, `1e-1`}, []string{`0.2`, `"0.1"`}},
		{`{"enum": ["a", 1, null]}`, []string{`"a"`, `1`, `null`}, []string{`"b"`, `2`}},
		{`{"minimum": 1, "exclusiveMaximum": 3}`, []string{`1`, `2.5`, `"not a number"`}, []string{`0`, `3`}},
		{`{"minLength": 2, "maxLength": 3, "pattern": "^ä"}`, []string{`"äb"`, `"äbc"`}, []string{`"ä"`, `"äbcd"`, `"ab"`}},
		{`{"items": {"type": "string"}, "maxItems": 2, "uniqueItems": true}`, []string{`[]`, `["a", "b"]`}, []string{`[1]`, `["a", "b", "c"]`, `["a", "a"]`}},
		{
			`{"type": "object", "properties": {"id": {"type": "string"}, "n": {"type": "integer"}}, "required": ["id"], "additionalProperties": false}`,
			[]string{`{"id": "x"}`, `{"id": "x", "n": 1}`},
			[]string{`{}`, `{"id": 1}`, `{"id": "x", "n": "1"}`, `{"id": "x", "other": 1}`, `[]`},
		},
		{`{"anyOf": [{"type": "string"}, {"minimum": 5}]}`, []string{`"a"`, `6`}, []string{`4`}},
		{`{"oneOf": [{"minimum": 1}, {"minimum": 5}]}`, []string{`2`}, []string{`6`, `0`}},
		{`{"not": {"type": "null"}}`, []string{`1`}, []string{`null`}},
		{`{"if": {"required": ["a"]}, "then": {"required": ["b"]}}`, []string{`{}`, `{"a": 1, "b": 1}`}, []string{`{"a": 1}`}},
		{`{"$ref": "#/$defs/name", "$defs": {"name": {"type": "string"}}}`, []string{`"a"`}, []string{`1`}},
		{`{"properties": {"sub": {"$ref": "#"}}, "required": ["v"]}`, []string{`{"v": 1, "sub": {"v": 2}}`}, []string{`{"v": 1, "sub": {}}`}},
		{
			`{"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"n": {"type": "number"}}, "items": [{"$ref": "#/definitions/n"}], "additionalItems": false}`,
			[]string{`[1]`}, []string{`["1"]`, `[1, 2]`},
		},
	} {
		schema, err := compile(t, tt.schema)
		if err != nil {
			t.Errorf("%s: %v", tt.schema, err)
			continue
		}
		for _, value := range tt.good {
			if err := schema.Validate(read(t, value)); err != nil {
				t.Errorf("%s refuses %s: %v", tt.schema, value, err)
			}
		}
		for _, value := range tt.bad {
			err := schema.Validate(read(t, value))
			if e := (*jsonschema.ValidationError)(nil); !errors.As(err, &e) || e.ErrorKind == "" || len(e.Causes) > 0 {
				t.Errorf("%s and %s: got %v", tt.schema, value, err)
			}
		}
	}
}

// What cannot be held against a schema is an error of compiling it, and never of a value.
func TestNoSchema(t *testing.T) {
	for _, schema := range []string{
		`1`, `[]`, `{"type": 1}`, `{"properties": []}`, `{"pattern": "("}`, `{"$ref": "#/$defs/none"}`, `{"$ref": "https://example.org/none.json"}`,
		`{"$schema": "http://json-schema.org/draft-04/schema#"}`,
	} {
		if _, err := compile(t, schema); err == nil {
			t.Errorf("%s compiles", schema)
		}
	}
	if _, err := jsonschema.NewCompiler().Compile(at); err == nil {
		t.Error("a schema compiles that was not added")
	}
}

func TestUnmarshalJSON(t *testing.T) {
	for _, text := range []string{``, `{`, `{} {}`, `1 2`, `nul`} {
		if v, err := jsonschema.UnmarshalJSON(strings.NewReader(text)); err == nil {
			t.Errorf("%q is read as %v", text, v)
		}
	}
}

// Schemas that were added can refer to one another, and a place is taken once.
func TestSeveralSchemas(t *testing.T) {
	c := jsonschema.NewCompiler()
	for at, schema := range map[string]string{
		"mem:///a.json": `{"items": {"$ref": "b.json#/$defs/name"}}`, "mem:///b.json": `{"$defs": {"name": {"type": "string"}}}`,
	} {
		if err := c.AddResource(at, read(t, schema)); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.AddResource("mem:///a.json", true); err == nil {
		t.Error("a second schema has the place of the first")
	}
	schema, err := c.Compile("mem:///a.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(read(t, `["a", 1]`)); err == nil || schema.Validate(read(t, `["a"]`)) != nil {
		t.Errorf("got %v", err)
	}
}

func TestConcurrentValidation(t *testing.T) {
	schema, err := compile(t, `{"properties": {"a": {"$ref": "#"}}, "additionalProperties": false}`)
	if err != nil {
		t.Fatal(err)
	}
	value := read(t, `{"a": {"a": {"b": 1}}}`)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if schema.Validate(value) == nil {
				t.Error("it is valid")
			}
		})
	}
	all.Wait()
}
