package format

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// refusals has files that are refused, with the error of each. Lines are counted in the file, the first --- included.
var refusals = []struct {
	name, src string
	want      string
}{
	{"nothing", "", "the file is empty"},
	{"blank lines", "\n \n", "the file is empty"},
	{"no front matter", "# Title\n", "line 1: no front matter: the first line is not ---"},
	{"four dashes", "----\na: 1\n---\n", "line 1: no front matter: the first line is not ---"},
	{"an indented fence", " ---\na: 1\n---\n", "line 1: no front matter: the first line is not ---"},
	{"not closed", "---\na: 1\n", "line 1: the front matter is not closed: no second line of ---"},
	{"not closed, the fence indented", "---\na: 1\n ---\n", "line 1: the front matter is not closed: no second line of ---"},
	{"a list", "---\n- a\n---\n", "line 2, column 1: the YAML is not a mapping of keys to values"},
	{"a word", "---\n\nhello\n---\n", "line 3, column 1: the YAML is not a mapping of keys to values"},
	{"two documents", "---\na: 1\n...\nb: 1\n---\n", "line 4: not valid YAML: did not find expected <document start>"},
	{"two documents, marked", "---\na: 1\n--- x\nb: 1\n---\n", "line 4: not valid YAML: mapping values are not allowed in this context"},
	{"two whole documents", "---\na: 1\n--- {b: 1}\n---\n", "line 3, column 1: a second YAML document; only one is read"},
	{"a duplicate key", "---\na: 1\nb: 2\na: 3\n---\n", `line 4, column 1: duplicate key "a", first on line 2`},
	{"a duplicate key in quotes", "---\na: 1\n\"a\": 3\n---\n", `line 3, column 1: duplicate key "a", first on line 2`},
	{"a duplicate key deep inside", "---\na:\n  - b: {c: 1, 'c': 2}\n---\n", `line 3, column 15: duplicate key "c", first on line 3`},
	{"a duplicate key in another form of Unicode", "---\nx:\n  caf\u00e9: 1\n  cafe\u0301: 2\n---\n", "line 4, column 3: duplicate key \"cafe\u0301\", first on line 3"},
	{"an alias as a key", "---\nx: &a a\n*a : 1\n---\n", "line 3, column 1: a key must be text, not an alias; write it out"},
	{"an alias as a key deep inside", "---\nx: &did text\nprovenance:\n  - {*did : created}\n---\n", "line 4, column 6: a key must be text, not an alias; write it out"},
	{"an anchor on a key", "---\n&text did: 1\n---\n", `line 2, column 1: the key "did" has an anchor or a tag; a key must be plain text`},
	{"an anchor on a key deep inside", "---\na:\n  - {&text did: 1}\n---\n", `line 3, column 6: the key "did" has an anchor or a tag; a key must be plain text`},
	{"an anchor on a key behind a dash", "---\na:\n  - &text did: 1\n---\n", `line 3, column 5: the key "did" has an anchor or a tag; a key must be plain text`},
	{"an anchor on a key behind a question mark", "---\n? &x did\n: 1\n---\n", `line 2, column 3: the key "did" has an anchor or a tag; a key must be plain text`},
	{"a tag on a key", "---\n!!str did: 1\n---\n", `line 2, column 1: the key "did" has an anchor or a tag; a key must be plain text`},
	{"a tag without a name on a key", "---\n! did: 1\n---\n", `line 2, column 1: the key "did" has an anchor or a tag; a key must be plain text`},
	{"a tag that hides a key", "---\n!!binary c3RhdHVz: done\n---\n", `line 2, column 1: the key "c3RhdHVz" has an anchor or a tag; a key must be plain text`},
	{"a number as a key", "---\na: {1: b}\n---\n", `line 2, column 5: the key 1 is not text to every reader of YAML; put it in quotes`},
	{"a number in another base as a key", "---\na: {0x1F: b}\n---\n", `line 2, column 5: the key 0x1F is not text to every reader of YAML; put it in quotes`},
	{"true as a key", "---\ntrue: b\n---\n", `line 2, column 1: the key true is not text to every reader of YAML; put it in quotes`},
	{"null as a key", "---\na:\n  ~: b\n---\n", `line 3, column 3: the key ~ is not text to every reader of YAML; put it in quotes`},
	{"a key between braces that ends in a colon", "---\n{a:,b: 1}\n---\n", `line 2, column 2: the key "a:" has a colon inside brackets; put it in quotes, or a space after the colon`},
	{"a key between braces without a blank", "---\n{status:done, b: 1}\n---\n", `line 2, column 2: the key "status:done" has a colon inside brackets; put it in quotes, or a space after the colon`},
	{"a key close behind a question mark", "---\na: {?did: b}\n---\n", `line 2, column 6: the key "did" directly follows a question mark, which other YAML readers take as part of it`},
	{"a character of no width in a key", "---\nstatus: a\nstatus\u200b: b\n---\n", "line 3, column 1: the key \"status\\u200b\" has U+200B, which is invisible"},
	{"a byte order mark in a key, escaped", "---\n\"\\uFEFFstatus\": b\n---\n", "line 2, column 1: the key \"\\ufeffstatus\" has U+FEFF, which is invisible"},
	{"a key in wide letters", "---\na: [{\uff44esc: b}]\n---\n", "line 2, column 6: the key \"\\uff44esc\" looks like \"desc\" but is a different key"},
	{"an anchor that goes on for others", "---\na: &b.c d\n---\n", `line 2: not valid YAML: did not find expected alphabetic or numeric character`},
	{"an anchor that ends in a colon", "---\na: [&b: c]\n---\n", `line 2, column 5: the name &b is followed by ":", which other YAML readers take as part of it`},
	{"an alias that ends in a colon", "---\na: &b c\nd: [*b: e]\n---\n", `line 3, column 5: the name *b is followed by ":", which other YAML readers take as part of it`},
	{"U+0085", "---\na: 1 # c\u0085b: 2\n---\n", `line 2, column 9: character U+0085 is a line break to some YAML readers and not to others; write it as \u0085 in double quotes`},
	{"U+2028", "---\na: \"b\u2028c\"\n---\n", `line 2, column 6: character U+2028 is a line break to some YAML readers and not to others; write it as \u2028 in double quotes`},
	{"U+2029", "---\na: |\n  b\u2029  c\n---\n", `line 3, column 4: character U+2029 is a line break to some YAML readers and not to others; write it as \u2029 in double quotes`},
	{"a carriage return alone in a comment", "---\na: 1 # c\rb: 2\n---\n", "line 2, column 9: this line ends with a lone carriage return, and others with a line feed; end all lines the same way"},
	{"a carriage return alone in quotes", "---\r\na: 'b\r  c'\r\n---\r\n", "line 2, column 6: this line ends with a lone carriage return, and others with a line feed; end all lines the same way"},
	{"a carriage return alone behind a fence", "---\ra: 1\n---\n", "line 1, column 4: this line ends with a lone carriage return, and others with a line feed; end all lines the same way"},
	{"a list as a key", "---\n? [a]\n: 1\n---\n", "line 2, column 3: a key must be text, not a collection"},
	{"deep nesting", "---\na: " + strings.Repeat("[", 64) + strings.Repeat("]", 64) + "\n---\n", "line 2, column 67: nested more than 64 levels deep"},
	{"very deep nesting", "---\na: " + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + "\n---\n", "line 2, column 67: nested more than 64 levels deep"},
	{"too deep for the parser", "---\na: " + strings.Repeat("[", 20_000) + "\n---\n", "line 2: not valid YAML: exceeded max depth of 10000"},
	{"an alias bomb", "---\n" + bomb() + "---\n", "line 5, column 36: aliases expand to more than 10000 values"},
	{"a cycle", "---\na: &a [*a]\n---\n", "line 2, column 8: alias *a is inside the value that it refers to"},
	{"an unknown alias", "---\na: *b\n---\n", "line 2: not valid YAML: unknown anchor 'b' referenced"},
	{"an unknown alias further down", "---\nx: 'or *b' # *b\na: [c, *b]\n---\n", "line 3: not valid YAML: unknown anchor 'b' referenced"},
	{"an unknown tag handle", "---\na: 1\nb: !e!x c\n---\n", "line 3: not valid YAML: found undefined tag handle"},
	{"trouble below a comment", "---\n# c\n\na: 1\nb: 2\nc: [x] y\n---\n", "line 6: not valid YAML: did not find expected key"},
	{"a NUL byte", "---\na: 1\n---\nbo\x00dy\n", "line 4, column 3: NUL byte: this is not a text file"},
	{"a NUL as an escape", "---\na: 1\nb: \"x\\0\"\n---\n", "line 3, column 4: a text with a NUL; take it out"},
	{"a NUL as an escape that cairn writes", "---\na: [{b: \"\\u0000\"}]\n---\n", "line 2, column 9: a text with a NUL; take it out"},
	{"a NUL in a key", "---\n\"a\\x00\": 1\n---\n", "line 2, column 1: a text with a NUL; take it out"},
	{"a control character", "---\na: 1\nb: \x07\n---\n", "line 3, column 4: character U+0007 is not allowed in YAML"},
	{"a second byte order mark", "\ufeff---\n\ufeffa: 1\n---\n", "line 2, column 1: character U+FEFF is not allowed in YAML"},
	{"invalid UTF-8", "---\na: 1\n---\nbo\xffdy\n", "line 4, column 3: invalid UTF-8"},
	{"conflict markers", "---\na: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> x\n---\n", "line 3: conflict markers: a merge was not finished; resolve the conflict in an editor"},
	{"half of the conflict markers", "---\na: 1\n=======\nb: 2\n---\n", "line 3: conflict markers: a merge was not finished; resolve the conflict in an editor"},
	{"a conflict from the first line on", "<<<<<<< HEAD\n---\na: 1\n---\n", "line 1: conflict markers: a merge was not finished; resolve the conflict in an editor"},
	{"a list that is not closed", "---\na: 1\nb: [\n---\n", "line 4: not valid YAML: did not find expected node content"},
	{"a quote that is not closed", "---\na: 1\nb: 'x\nc: 1\n---\n", "line 3: not valid YAML: found unexpected end of stream"},
	{"wrong indentation", "---\na: 1\n  b: 2\n---\n", "line 3: not valid YAML: mapping values are not allowed in this context"},
	{"a tab as indentation", "---\na:\n\t- b\n---\n", "line 3: not valid YAML: found character that cannot start any token"},
	{"a key in a list", "---\na:\n  - b\n  c: 1\n---\n", "line 3: not valid YAML: did not find expected '-' indicator"},
	{"too much front matter", "---\na: " + strings.Repeat("x", MaxFront) + "\n---\n", "line 1: the front matter has 1048580 bytes; at most 1048576 are read"},
	{"too much of a file", "---\na: 1\n---\n" + strings.Repeat("x", MaxFile), "the file has 4194317 bytes; at most 4194304 are read"},
}

func TestRefusals(t *testing.T) {
	for _, tt := range refusals {
		t.Run(tt.name, func(t *testing.T) {
			d, err := Parse([]byte(tt.src), Markdown)
			if d != nil {
				t.Error("a document came with the refusal")
			}
			if got := fmt.Sprint(err); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// Directives before a YAML document change how some readers read it. They are refused.
func TestDirectives(t *testing.T) {
	for src, want := range map[string]string{
		"%YAML 1.1\n---\na: yes\n":                "line 1, column 1: a YAML directive; remove the line",
		"# c\n%TAG ! tag:x,2000:\n---\na: !b c\n": "line 2, column 1: a YAML directive; remove the line",
		"%YAML 1.1\n---\n# nothing\n":             "line 1, column 1: a YAML directive; remove the line",
	} {
		if _, err := Parse([]byte(src), YAML); fmt.Sprint(err) != want {
			t.Errorf("%q: got %v, want %s", src, err, want)
		}
	}
}

// Files that another program may not have finished writing are distinguished from those that are wrong.
func TestIncomplete(t *testing.T) {
	whole := "---\nid: T-1\n---\nBody.\n"
	for i := range len(whole) {
		_, err := Parse([]byte(whole[:i]), Markdown)
		var e *Error
		if err != nil && (!errors.As(err, &e) || !e.Incomplete) {
			t.Errorf("%q: %v: not marked as incomplete", whole[:i], err)
		}
	}
	_, err := Parse([]byte("---\nid: [\n---\n"), Markdown)
	var e *Error
	if errors.As(err, &e) && e.Incomplete {
		t.Error("bad YAML is marked as incomplete")
	}
}

// The fields of an Error distinguish kinds of error.
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

func bomb() string {
	const ten = "[x, x, x, x, x, x, x, x, x, x]"
	s := "a: &a " + ten + "\n"
	for _, c := range "bcd" {
		list := strings.ReplaceAll(ten, "x", "*"+string(c-1))
		s += fmt.Sprintf("%c: &%c %s\n", c, c, list)
	}
	return s
}

// A word is ordinary ASCII if each of its bytes is, wherever it stands.
func TestOrdinaryASCII(t *testing.T) {
	for at := range 8 {
		for c := range 256 {
			for _, others := range []string{"aaaaaaaa", "        ", "~~~~~~~~"} {
				word := []byte(others)
				word[at] = byte(c)
				if got, want := ordinaryASCII(binary.LittleEndian.Uint64(word)), c >= ' ' && c < 0x7F; got != want {
					t.Errorf("%q: got %v, want %v", word, got, want)
				}
			}
		}
	}
}
