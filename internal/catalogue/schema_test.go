package catalogue_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// allowed is every keyword that a schema of ours uses. What some clients refuse, $ref, $defs, anyOf and its like, is
// not among them.
var allowed = []string{"type", "properties", "items", "required", "additionalProperties", "description", "enum"}

var types = []string{"object", "array", "string", "integer", "number", "boolean"}

// Every schema is flat: an object at the root, one type for each value. That nothing else is
// taken a refusal says, which costs a list of tools nothing.
func TestSchemasAreFlat(t *testing.T) {
	if len(catalogue.All) == 0 {
		t.Fatal("no verbs")
	}
	for _, v := range catalogue.All {
		t.Run(v.Name, func(t *testing.T) {
			var schema map[string]any
			if err := json.Unmarshal(v.Schema(), &schema); err != nil {
				t.Fatal(err)
			}
			if schema["type"] != "object" {
				t.Errorf("the root is %v", schema["type"])
			}
			walk(t, v.Name, schema)
		})
	}
}

// walk judges a schema and those inside it.
func walk(t *testing.T, path string, schema map[string]any) {
	t.Helper()
	for keyword := range schema {
		if !slices.Contains(allowed, keyword) {
			t.Errorf("%s uses %q", path, keyword)
		}
	}
	kind, isText := schema["type"].(string)
	if !isText || !slices.Contains(types, kind) {
		t.Errorf("%s has the type %v", path, schema["type"])
	}
	switch kind {
	case "object":
		walkObject(t, path, schema)
	case "array":
		items, ok := schema["items"].(map[string]any)
		if !ok {
			t.Fatalf("%s is a list of %v", path, schema["items"])
		}
		walk(t, path+"[]", items)
	}
}

func walkObject(t *testing.T, path string, schema map[string]any) {
	t.Helper()
	if schema["additionalProperties"] == true && schema["properties"] == nil && strings.Contains(path, ".") {
		return // texts by names that only the caller knows
	}
	properties, ok := schema["properties"].(map[string]any)
	if !ok {
		t.Fatalf("%s has no properties", path)
	}
	for name, property := range properties {
		inner, ok := property.(map[string]any)
		if !ok {
			t.Fatalf("%s.%s is %v", path, name, property)
		}
		items, _ := inner["items"].(map[string]any)
		if inner["description"] == nil && inner["enum"] == nil && items["enum"] == nil {
			t.Errorf("%s.%s has no description", path, name)
		}
		walk(t, path+"."+name, inner)
	}
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if _, ok := properties[fmt.Sprint(name)]; !ok {
			t.Errorf("%s requires %v, which is no property", path, name)
		}
	}
}

// No schema offers what is the engine's, or the server's, to say.
func TestSchemasLeaveOutWhatIsNotTheCallers(t *testing.T) {
	forbidden := regexp.MustCompile(`"(result|provenance|who)":`)
	for _, v := range catalogue.All {
		if hit := forbidden.Find(v.Schema()); hit != nil {
			t.Errorf("%s takes %s", v.Name, hit)
		}
	}
}

var nameForm = regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)

// The catalogue says of every verb what each front-end shows of it.
func TestDeclarations(t *testing.T) {
	seen := map[string]bool{}
	for _, v := range catalogue.All {
		if seen[v.Name] || !nameForm.MatchString(v.Name) {
			t.Errorf("the name %q is taken or not of the form", v.Name)
		}
		seen[v.Name] = true
		if v.Title == "" || v.Summary == "" || v.When == "" || v.Group == "" {
			t.Errorf("%s is declared as %+v", v.Name, v)
		}
		if v.Kind == verb.Read && (v.Profile != verb.Viewer || !v.Idempotent || v.Runs) {
			t.Errorf("%s reads, and a viewer may call it as often as it likes", v.Name)
		}
		planning := v.Name == "plan" || v.Name == "propose" // they refuse a planner what becomes a task
		if v.Kind != verb.Read && v.Profile <= verb.Planner && !planning {
			t.Errorf("%s writes, and %s may call it", v.Name, v.Profile)
		}
		positional := true
		for _, f := range v.Fields() {
			if f.Arg && !positional {
				t.Errorf("%s: the positional %s comes behind flags", v.Name, f.Name)
			}
			positional = positional && f.Arg
			if !nameForm.MatchString(f.Name) {
				t.Errorf("%s: the field is called %q", v.Name, f.Name)
			}
		}
		if found, ok := catalogue.Named(v.Name); !ok || found.Title != v.Title {
			t.Errorf("%s is not found by its name", v.Name)
		}
	}
	if _, ok := catalogue.Named("no_such_verb"); ok {
		t.Error("a verb that is not declared was found")
	}
}

// The core verbs are there under the names that scripts and clients know.
func TestCoreVerbs(t *testing.T) {
	for _, name := range []string{
		"identity", "list", "get", "create", "claim", "release", "update", "transition", "run_checks", "attest", "note",
		"begin", "heartbeat", "finish", "cancel", "get_session", "list_sessions",
	} {
		if _, ok := catalogue.Named(name); !ok {
			t.Errorf("%s is gone", name)
		}
	}
}
