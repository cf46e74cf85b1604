package jsonc_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/setup/jsonc"
)

const entry = `{"command": "cairn", "args": ["serve", "-x"]}`

// Adding a member changes nothing else, and taking it out again gives every byte back, whatever the text looks like.
func TestSetAndRemove(t *testing.T) {
	for name, c := range map[string]struct{ before, after string }{
		"empty": {"{}\n", "{\n  \"servers\": {\n    \"cairn\": {\n      \"command\": \"cairn\",\n      \"args\": [\"serve\", \"-x\"]\n    }\n  }\n}\n"},
		"another server": {
			"{\n\t\"servers\": {\n\t\t\"other\": {\"command\": \"x\"}\n\t}\n}\n",
			"{\n\t\"servers\": {\n\t\t\"other\": {\"command\": \"x\"},\n\t\t\"cairn\": {\n\t\t\t\"command\": \"cairn\",\n\t\t\t\"args\": [\"serve\", \"-x\"]\n\t\t}\n\t}\n}\n",
		},
		"comments and a trailing comma": {
			"// mine\n{\n    /* all */\n    \"servers\": {\n        \"other\": 1, // keep\n        // last\n    }, // end\n}",
			"// mine\n{\n    /* all */\n    \"servers\": {\n        \"other\": 1, // keep\n        // last\n        \"cairn\": {\n            \"command\": \"cairn\",\n            \"args\": [\"serve\", \"-x\"]\n        },\n    }, // end\n}",
		},
		"a comment behind the last": {
			"{\n  \"servers\": {\n    \"other\": 1 // keep, this\n  }\n}\n",
			"{\n  \"servers\": {\n    \"other\": 1, // keep, this\n    \"cairn\": {\n      \"command\": \"cairn\",\n      \"args\": [\"serve\", \"-x\"]\n    }\n  }\n}\n",
		},
		"one line": {`{"a": 1, "servers": {"b": 2}}`, `{"a": 1, "servers": {"b": 2, "cairn": {"command": "cairn", "args": ["serve", "-x"]}}}`},
		"carriage returns": {
			"{\r\n  \"servers\": {\r\n    \"b\": 2\r\n  }\r\n}\r\n",
			"{\r\n  \"servers\": {\r\n    \"b\": 2,\r\n    \"cairn\": {\r\n      \"command\": \"cairn\",\r\n      \"args\": [\"serve\", \"-x\"]\r\n    }\r\n  }\r\n}\r\n",
		},
		"odd numbers and order": {"{\n  \"z\": 1e400,\n  \"a\": 0.10,\n  \"servers\": {\n    \"b\": 2\n  }\n}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := jsonc.Parse([]byte(c.before))
			if err != nil {
				t.Fatal(err)
			}
			after, made, err := d.Set(entry, "servers", "cairn")
			if err != nil {
				t.Fatal(err)
			}
			if c.after != "" && string(after) != c.after {
				t.Errorf("got\n%q, want\n%q", after, c.after)
			}
			if d, err = jsonc.Parse(after); err != nil {
				t.Fatal(err)
			}
			back, err := d.Remove("servers", "cairn")
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range made {
				if d, err = jsonc.Parse(back); err == nil {
					back, err = d.Remove(path...)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if string(back) != c.before {
				t.Errorf("back is\n%q, not\n%q", back, c.before)
			}
		})
	}
}

func TestAppendAndRemoveAt(t *testing.T) {
	for name, before := range map[string]string{
		"none":      "{\n  \"a\": 1\n}\n",
		"one":       "{\n  \"hooks\": {\n    \"Start\": [\n      {\n        \"x\": [1, 2]\n      } // mine\n    ]\n  }\n}\n",
		"one line":  "{\"hooks\": {\"Start\": [{\"x\": 1}]}}",
		"of others": "{\n  \"hooks\": {\n    \"End\": []\n  }\n}\n",
	} {
		t.Run(name, func(t *testing.T) {
			d, err := jsonc.Parse([]byte(before))
			if err != nil {
				t.Fatal(err)
			}
			after, made, err := d.Append(`{"hooks": [{"command": "cairn"}]}`, "hooks", "Start")
			if err != nil {
				t.Fatal(err)
			}
			if d, err = jsonc.Parse(after); err != nil {
				t.Fatal(err)
			}
			list, _, err := d.Get("hooks", "Start")
			if err != nil {
				t.Fatal(err)
			}
			back, err := d.RemoveAt(len(list.([]any))-1, "hooks", "Start")
			for i := len(made) - 1; i >= 0 && err == nil; i-- {
				if d, err = jsonc.Parse(back); err == nil {
					back, err = d.Remove(made[i]...)
				}
			}
			if err != nil || string(back) != before {
				t.Errorf("got %q, %v; after %q", back, err, after)
			}
		})
	}
}

// A text that is not what it should be is refused with the place, and nothing is guessed.
func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		line int
	}{
		"a missing brace":        {"{\n  \"servers\": {\n", 3},
		"a list":                 {"[]", 1},
		"servers is a list":      {"{\n  \"servers\": []\n}", 2},
		"servers is there twice": {"{\n  \"servers\": {},\n  \"servers\": {}\n}", 3},
		"cairn is there":         {"{\"servers\": {\n\"cairn\": 1}}", 2},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := jsonc.Parse([]byte(c.text))
			if err == nil {
				_, _, err = d.Set(entry, "servers", "cairn")
			}
			var at *jsonc.Error
			if !errors.As(err, &at) || at.Line != c.line {
				t.Errorf("got %v, want line %d", err, c.line)
			}
		})
	}
}

// Whatever is read, an edit either is refused or changes that alone; nothing panics.
func FuzzSet(f *testing.F) {
	for _, seed := range []string{"{}", "{\"servers\": {\"a\": 1,},}", "{ // x\n}", "{\"servers\":{}}", "{/*,*/\"a\":[1,/*,*/]}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		d, err := jsonc.Parse([]byte(src))
		if err != nil {
			return
		}
		after, _, err := d.Set(entry, "servers", "cairn")
		if err != nil {
			return
		}
		again, err := jsonc.Parse(after)
		if err != nil {
			t.Fatalf("%q became %q: %v", src, after, err)
		}
		got, ok, err := again.Get("servers", "cairn", "command")
		if !ok || err != nil || got != "cairn" {
			t.Fatalf("%q became %q: %v, %v", src, after, got, err)
		}
		if back, err := again.Remove("servers", "cairn"); err != nil || strings.Contains(string(back), "\"serve\"") != strings.Contains(src, "\"serve\"") {
			t.Fatalf("%q went back to %q (%v)", src, back, err)
		}
	})
}
