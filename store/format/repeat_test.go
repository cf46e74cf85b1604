package format

import (
	"testing"
)

func TestWithoutRepeats(t *testing.T) {
	for _, tt := range []struct {
		name, src, want string // want is "" where nothing is taken out
	}{
		{"a line that two branches added is kept once",
			"---\nid: A-1\npriority: 1\ntitle: Roof\npriority: 1\n---\nbody\n",
			"---\nid: A-1\npriority: 1\ntitle: Roof\n---\nbody\n"},
		{"so is a list, whatever its style",
			"---\nlabels:\n  - a\n  - b\nid: A-1\nlabels: [a, b]\n---\n",
			"---\nlabels:\n  - a\n  - b\nid: A-1\n---\n"},
		{"several repeats are removed",
			"---\na: 1\nb: 2\na: 1\nb: 2\na: 1\n---\n",
			"---\na: 1\nb: 2\n---\n"},
		{"line endings are kept",
			"---\r\na: 1\r\nb: 2\r\na: 1\r\n---\r\n",
			"---\r\na: 1\r\nb: 2\r\n---\r\n"},
		{"lines of the body stay", "---\na: 1\n---\na: 1\na: 1\n", ""},
		{"repeats with different values stay", "---\na: 1\nb: 2\na: 2\n---\n", ""},
		{"a text and a number are different values", "---\na: 1\nb: 2\na: '1'\n---\n", ""},
		{"a repeat with a comment stays", "---\na: 1\nb: 2\na: 1 # why\n---\n", ""},
		{"keys below the top level stay", "---\nchecks:\n  - desc: x\n    desc: x\n---\n", ""},
		{"a document that contains itself stays", "---\na: &x [*x]\nb: &x [*x]\na: &x [*x]\n---\n", ""},
		{"a document between braces stays", "---\n{a: 1, a: 1}\n---\n", ""},
		{"a file that is no document stays", "a: 1\na: 1\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.want
			if want == "" {
				want = tt.src
			}
			if got := string(WithoutRepeats([]byte(tt.src), Markdown)); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
