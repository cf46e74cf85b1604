package frontmatter

import "testing"

// Small files in shapes that people write. Each row sets status to done and shows the whole result.
var shapes = []struct{ name, src, want string }{
	{"plain", "status: a\n", "status: done\n"},
	{"an empty value", "status:\nx: 1\n", "status: done\nx: 1\n"},
	{"an empty value with a comment", "status: # c\nx: 1\n", "status: done # c\nx: 1\n"},
	{"an empty value with a tab and a comment", "status:\t# c\n", "status: done\t# c\n"},
	{"an empty value with blanks", "status:   \nx: 1\n", "status: done   \nx: 1\n"},
	{"null", "status: ~ # c\n", "status: done # c\n"},
	{"a space before the colon", "status : a\n", "status : done\n"},
	{"a tag", "status: !!str a # c\n", "status: done # c\n"},
	{"a tag and nothing", "status: !!null # c\nx: 1\n", "status: done # c\nx: 1\n"},
	{"an anchor that nobody uses", "status: &s a\n", "status: done\n"},
	{"an anchor and a tag on a line of their own", "status: &s !!map # c\n  a: b\nx: 1\n", "status: done # c\nx: 1\n"},
	{"the value on the next line", "status:\n  a\nx: 1\n", "status: done\nx: 1\n"},
	{"the value on the next line, behind a comment", "status: # c\n  a\nx: 1\n", "status: done # c\nx: 1\n"},
	{"the value below a comment line", "status:\n  # c\n  a # d\n", "status: done # d\n  # c\n"},
	{"quoted over two lines", "status: 'a\n  b' # c\n", "status: 'done' # c\n"},
	{"double quoted with escapes", "status: \"a \\\" # \\\\\" # c\n", "status: \"done\" # c\n"},
	{"single quoted with a quote", "status: 'it''s # a' # c\n", "status: 'done' # c\n"},
	{"plain with a hash and a colon", "status: a#b:c # d\n", "status: done # d\n"},
	{"plain over lines with comments behind", "status: a\n  b # c\n# d\nx: 1\n", "status: done # c\n# d\nx: 1\n"},
	{"a literal with an indicator", "status: |2-\n   a\n\n  b\n# c\nx: 1\n", "status: done\n# c\nx: 1\n"},
	{"a literal with a hash at its end", "status: |\n  a\n  # b\nx: 1\n", "status: done\nx: 1\n"},
	{"an empty literal", "status: |\nx: 1\n", "status: done\nx: 1\n"},
	{"a literal that keeps blank lines", "status: |+\n  a\n\n\nx: 1\n", "status: done\nx: 1\n"},
	{"a literal that does not", "status: |\n  a\n\n\nx: 1\n", "status: done\n\n\nx: 1\n"},
	{"a list with comments", "status: # a\n  - b # c\n  # d\n  - e\nx: 1\n", "status: done # a\n  # c\n  # d\nx: 1\n"},
	{"a mapping", "status:\n  a: b\n  c:\n    - d\n# e\n", "status: done\n# e\n"},
	{"a list between brackets over lines", "status: [a,\n  b] # c\n", "status: done # c\n"},
	{"brackets inside quotes", "status: [\"]\", ']', a]\n", "status: done\n"},
	{"a bracket in a comment", "status: [a, # ]\n  b]\n", "status: done # ]\n"},
	{"pairs without braces", "status: [a: b, c: d]\n", "status: done\n"},
	{"braces close to the text", "{\"status\":\"a\",\"x\":1}\n", "{\"status\":\"done\",\"x\":1}\n"},
	{"a key between braces without a value", "{status: , x: 1}\n", "{status: done, x: 1}\n"},
	{"a key with a question mark", "? status\n: a\n", "? status\n: done\n"},
	{"a key in quotes", "'status': a\n", "'status': done\n"},
	{"an alias", "x: &x a\nstatus: *x # c\n", "x: &x a\nstatus: done # c\n"},
	{"line breaks of Unicode above, escaped", "x: \"a\\N\\L\\P\\u0085\\u2028 b\"\nstatus: a\n", "x: \"a\\N\\L\\P\\u0085\\u2028 b\"\nstatus: done\n"},
	{"characters before it on the line", "{日本: 😀, status: a}\n", "{日本: 😀, status: done}\n"},
	{"missing, between others", "id: a\n\nlabels: [x]\n", "id: a\nstatus: done\n\nlabels: [x]\n"},
	{"missing, behind a literal", "id: |+\n  a\n\nlabels: [x]\n", "id: |+\n  a\n\nstatus: done\nlabels: [x]\n"},
	{"missing, behind an empty value", "id: # c\nlabels: [x]\n", "id: # c\nstatus: done\nlabels: [x]\n"},
	{"missing, nothing before it", "labels: [x]\n", "labels: [x]\nstatus: done\n"},
	{"missing, in an order that is not the canonical one", "labels: [x]\nid: a\n", "labels: [x]\nid: a\nstatus: done\n"},
	{"missing, nothing at all", "", "status: done\n"},
	{"missing, only a comment", "# c\n", "# c\nstatus: done\n"},
	{"missing, empty braces", "{}\n", "{status: done}\n"},
}

func TestShapes(t *testing.T) {
	for _, tt := range shapes {
		for variant, change := range variants {
			t.Run(tt.name+"/"+variant, func(t *testing.T) {
				got := mustEdit(t, mustParse(t, change("---\n"+tt.src+"---\n")), Set(Path{"status"}, String("done")))
				if want := change("---\n" + tt.want + "---\n"); got != want {
					t.Errorf("got  %q\nwant %q", got, want)
				}
			})
		}
	}
}

// A YAML file may end without a line break, and goes on doing so.
func TestShapesAsYAML(t *testing.T) {
	for _, tt := range shapes {
		if tt.src == "" {
			continue // an empty file is refused
		}
		for variant, change := range variants {
			t.Run(tt.name+"/"+variant, func(t *testing.T) {
				d, err := Parse([]byte(change(tt.src)), YAML)
				if err != nil {
					t.Fatal(err)
				}
				got := mustEdit(t, d, Set(Path{"status"}, String("done")))
				if want := change(tt.want); got != want {
					t.Errorf("got  %q\nwant %q", got, want)
				}
			})
		}
	}
}
