package frontmatter

import (
	"testing"
)

func TestWithoutRepeats(t *testing.T) {
	for _, tt := range []struct {
		name, src, want string // want is "" where nothing is taken out
	}{
		{"a line that two branches added goes once",
			"---\nid: A-1\npriority: 1\ntitle: Roof\npriority: 1\n---\nbody\n",
			"---\nid: A-1\npriority: 1\ntitle: Roof\n---\nbody\n"},
		{"and a list with it, whatever its style",
			"---\nlabels:\n  - a\n  - b\nid: A-1\nlabels: [a, b]\n---\n",
			"---\nlabels:\n  - a\n  - b\nid: A-1\n---\n"},
		{"each of several goes",
			"---\na: 1\nb: 2\na: 1\nb: 2\na: 1\n---\n",
			"---\na: 1\nb: 2\n---\n"},
		{"line endings stay what they are",
			"---\r\na: 1\r\nb: 2\r\na: 1\r\n---\r\n",
			"---\r\na: 1\r\nb: 2\r\n---\r\n"},
		{"lines of the body are none of its business", "---\na: 1\n---\na: 1\na: 1\n", ""},
		{"where they differ nobody knows which one counts", "---\na: 1\nb: 2\na: 2\n---\n", ""},
		{"nor where one is text and one a number", "---\na: 1\nb: 2\na: '1'\n---\n", ""},
		{"a comment is not taken along", "---\na: 1\nb: 2\na: 1 # why\n---\n", ""},
		{"keys of a check are left to a person", "---\nchecks:\n  - desc: x\n    desc: x\n---\n", ""},
		{"what refers to itself is not walked", "---\na: &x [*x]\nb: &x [*x]\na: &x [*x]\n---\n", ""},
		{"one line of braces is left alone", "---\n{a: 1, a: 1}\n---\n", ""},
		{"what is no document stays", "a: 1\na: 1\n", ""},
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
