package frontmatter

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// Each row is a file that is refused, and how. Lines are those of the file, the first --- included.
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
	{"a duplicate key through an alias", "---\nx: &a a\n*a : 1\na: 2\n---\n", `line 4, column 1: duplicate key "a", first on line 3`},
	{"a list as a key", "---\n? [a]\n: 1\n---\n", "line 2, column 3: a key must be text, not a collection"},
	{"deep nesting", "---\na: " + strings.Repeat("[", 64) + strings.Repeat("]", 64) + "\n---\n", "line 2, column 67: nested more than 64 levels deep"},
	{"very deep nesting", "---\na: " + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + "\n---\n", "line 2, column 67: nested more than 64 levels deep"},
	{"too deep for the parser", "---\na: " + strings.Repeat("[", 20_000) + "\n---\n", "line 2: not valid YAML: exceeded max depth of 10000"},
	{"an alias bomb", "---\n" + bomb() + "---\n", "line 5, column 36: aliases stand for more than 10000 values"},
	{"a cycle", "---\na: &a [*a]\n---\n", "line 2, column 8: alias *a stands inside the value it names"},
	{"an unknown alias", "---\na: *b\n---\n", "line 2: not valid YAML: unknown anchor 'b' referenced"},
	{"an unknown alias further down", "---\nx: 'or *b' # *b\na: [c, *b]\n---\n", "line 3: not valid YAML: unknown anchor 'b' referenced"},
	{"an unknown tag handle", "---\na: 1\nb: !e!x c\n---\n", "line 3: not valid YAML: found undefined tag handle"},
	{"trouble below a comment", "---\n# c\n\na: 1\nb: 2\nc: [x] y\n---\n", "line 6: not valid YAML: did not find expected key"},
	{"a NUL byte", "---\na: 1\n---\nbo\x00dy\n", "line 4, column 3: NUL byte: this is not a text file"},
	{"a control character", "---\na: 1\nb: \x07\n---\n", "line 3, column 4: character U+0007 is not allowed in YAML"},
	{"a second byte order mark", "\ufeff---\n\ufeffa: 1\n---\n", "line 2, column 1: character U+FEFF is not allowed in YAML"},
	{"invalid UTF-8", "---\na: 1\n---\nbo\xffdy\n", "line 4, column 3: invalid UTF-8"},
	{"conflict markers", "---\na: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> x\n---\n", "line 3: conflict markers: a merge was not finished; settle it in an editor"},
	{"half of the conflict markers", "---\na: 1\n=======\nb: 2\n---\n", "line 3: conflict markers: a merge was not finished; settle it in an editor"},
	{"a conflict from the first line on", "<<<<<<< HEAD\n---\na: 1\n---\n", "line 1: conflict markers: a merge was not finished; settle it in an editor"},
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

// Files that another program may not have finished writing are told from those that are wrong.
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

func bomb() string {
	const ten = "[x, x, x, x, x, x, x, x, x, x]"
	s := "a: &a " + ten + "\n"
	for _, c := range "bcd" {
		list := strings.ReplaceAll(ten, "x", "*"+string(c-1))
		s += fmt.Sprintf("%c: &%c %s\n", c, c, list)
	}
	return s
}
