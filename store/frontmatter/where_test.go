package frontmatter

import (
	"slices"
	"testing"
)

func TestLineOf(t *testing.T) {
	d, err := Parse([]byte("---\n# a comment\nid: A-1\nlabels:\n  - a\n\n  - b\nchecks:\n  - desc: x\n    cmd: y\nsame: &x {k: v}\nother: *x\nlone: a\nempty:\n---\nbody\n"), Markdown)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		path Path
		want int
	}{
		{"a key", Path{"id"}, 3},
		{"a key with its value below", Path{"labels"}, 4},
		{"an item of a list", Path{"labels", 1}, 7},
		{"a key in an item", Path{"checks", 0, "cmd"}, 10},
		{"a key behind an alias", Path{"other", "k"}, 11},
		{"an item of what is no list", Path{"lone", 0}, 13},
		{"a key of what is empty", Path{"empty", "k"}, 14},
		{"an item that is not there", Path{"labels", 2}, 4},
		{"a key that is not in the item", Path{"checks", 0, "result"}, 9},
		{"a key that is not there", Path{"title"}, 3},
		{"no path", nil, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := d.LineOf(tt.path); got != tt.want {
				t.Errorf("line %d, want %d", got, tt.want)
			}
		})
	}
}

func TestUnmerged(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       int
	}{
		{"nothing", "", 0},
		{"a conflict", "a\n<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n", 5},
		{"a conflict with the base between", "<<<<<<< ours\nb\n||||||| base\na\n=======\nc\n>>>>>>> theirs\n", 4},
		{"a conflict with CRLF", "<<<<<<< ours\r\nb\r\n=======\r\nc\r\n>>>>>>> theirs\r\n", 4},
		{"a conflict behind a heading", "A\n=======\n<<<<<<< ours\n=======\n>>>>>>> theirs", 6},
		{"one half", "<<<<<<< ours\nb\n=======\n", 0},
		{"indented, as a quotation", "  <<<<<<< ours\n  =======\n  >>>>>>> theirs\n", 0},
		{"the other way round", ">>>>>>> theirs\n=======\n<<<<<<< ours\n", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := Parse([]byte("---\na: 1\n---\n"+tt.body), Markdown)
			if err != nil {
				t.Fatal(err)
			}
			if got := d.Unmerged(); got != tt.want {
				t.Errorf("line %d, want %d", got, tt.want)
			}
		})
	}
}

// Callers tell these kinds of error apart.
func TestKindsOfError(t *testing.T) {
	for _, tt := range []struct {
		src  string
		want Error
	}{
		{"---\na: 1\n<<<<<<< ours\n---\n", Error{Conflict: true}},
		{"<<<<<<< ours\n---\na: 1\n---\n", Error{Conflict: true}},
		{"---\na: 1\na: 2\n---\n", Error{Duplicate: true}},
		{"---\na: [\n---\n", Error{}},
		{"---\na: 1\n", Error{Incomplete: true}},
	} {
		_, err := parse([]byte(tt.src), Markdown)
		if err == nil {
			t.Fatalf("%q is read", tt.src)
		}
		got := Error{Conflict: err.Conflict, Duplicate: err.Duplicate, Incomplete: err.Incomplete, TooLarge: err.TooLarge}
		if got != tt.want {
			t.Errorf("%q is refused with %+v, want %+v", tt.src, got, tt.want)
		}
	}
}

// Entries that say the same are the same, however they are written, and any other value is another meaning.
func TestMeanings(t *testing.T) {
	of := func(entries string) []string {
		d, err := Parse([]byte("---\nid: A-1\nlog:"+entries+"\n---\n"), Markdown)
		if err != nil {
			t.Fatal(err)
		}
		return d.Meanings("log", Values{})
	}
	plain := of("\n  - {who: 'a', did: noted, n: 7}\n  - {who: b}")
	if len(plain) != 2 || plain[0] == plain[1] {
		t.Errorf("two entries mean %q", plain)
	}
	for _, same := range []string{"\n- who: a # he\n  did: \"noted\"\n  n: 7\n- who: b", " [{who: a, did: noted, n: 7}, {who: b}]"} {
		if got := of(same); !slices.Equal(got, plain) {
			t.Errorf("%s means %q", same, got)
		}
	}
	for _, other := range []string{"\n  - {who: a, did: noted, n: '7'}\n  - {who: b}", "\n  - {who: a, did: noted}\n  - {who: b}"} {
		if got := of(other); slices.Equal(got, plain) {
			t.Errorf("%s means the same", other)
		}
	}
	for _, none := range []string{"", " text"} {
		if got := of(none); len(got) != 0 {
			t.Errorf("%q holds %q", none, got)
		}
	}
}

// Members that are known are compared by what they say: an instant, a text. Any other instant or text is another, and so is any
// other type or value of a member that nobody knows.
func TestMeaningsByValue(t *testing.T) {
	of := func(entry string) string {
		t.Helper()
		d := mustParse(t, "---\nx: &x done\nlog:\n  - "+entry+"\n---\n")
		return d.Meanings("log", Values{Texts: []string{"did", "sum", "results"}, Times: []string{"at"}})[0]
	}
	plain := of("{at: 2026-06-01T08:00:00Z, did: done, sum: 012, n: {a: 1, b: [2]}, results: [{check: 3e4, result: pass}]}")
	for _, same := range []string{
		"{at: '2026-06-01T08:00:00Z', did: done, sum: 012, n: {a: 1, b: [2]}, results: [{check: 3e4, result: pass}]}",
		"{at: 2026-06-01T08:00:00.000Z, did: 'done', sum: '012', n: {a: 1, b: [2]}, results: [{check: '3e4', result: pass}]}",
		"{at: !!timestamp 2026-06-01T10:00:00+02:00, did: !!str done, sum: !!str 012, n: {a: 1, b: [2]}, results: [{check: 3e4, result: pass}]}",
		"{at: !!str 2026-06-01T08:00:00+00:00, did: *x , sum: 012, n: {a: 1, b: [2]}, results: [{check: 3e4, result: pass}]}",
		"results: [{result: \"pass\", check: \"3e4\"}]\n    n:\n      b:\n        - 2\n      a: 1\n    did: >-\n      done\n    sum: 012\n    at: 2026-06-01T08:00:00Z",
	} {
		if got := of(same); got != plain {
			t.Errorf("%s\nmeans %s\nand not %s", same, got, plain)
		}
	}
	for _, other := range []string{
		"{at: 2026-06-01T08:00:01Z, did: done, sum: 012, n: {a: 1, b: [2]}, results: [{check: 3e4, result: pass}]}",
		"{at: 2026-06-01T08:00:00.001Z, did: done, sum: 012, n: {a: 1, b: [2]}, results: [{check: 3e4, result: pass}]}",
		"{at: 2026-06-01, did: done, sum: 012, n: {a: 1, b: [2]}, results: [{check: 3e4, result: pass}]}",
		"{at: 2026-06-01T08:00:00Z, did: Done, sum: 012, n: {a: 1, b: [2]}, results: [{check: 3e4, result: pass}]}",
		"{at: 2026-06-01T08:00:00Z, did: done, sum: 12, n: {a: 1, b: [2]}, results: [{check: 3e4, result: pass}]}",
		"{at: 2026-06-01T08:00:00Z, did: done, sum: 012, n: {a: '1', b: [2]}, results: [{check: 3e4, result: pass}]}",
		"{at: 2026-06-01T08:00:00Z, did: done, sum: 012, n: {a: 1, b: [2], c: 3}, results: [{check: 3e4, result: pass}]}",
		"{at: 2026-06-01T08:00:00Z, did: done, sum: 012, n: {a: 1, b: [2]}, results: [{check: 3e4, result: fail}]}",
		"{at: 2026-06-01T08:00:00Z, did: done, sum: 012, n: {a: 1, b: [2]}, results: [{check: 3e4}, {result: pass}]}",
		"{at: 2026-06-01T08:00:00Z, did: done, sum: 012, n: {a: 1, b: [2]}}",
	} {
		if of(other) == plain {
			t.Errorf("%s means the same", other)
		}
	}
}
