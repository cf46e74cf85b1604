package ledger

import (
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
)

// What a formatter does to a body leaves its normal form as it is.
func TestFormattersLeaveTheProse(t *testing.T) {
	for name, row := range map[string][2]string{
		"wrapped":             {"one two three\nfour", "one\ntwo  three four  "},
		"breaks":              {"one  \ntwo", "one\\\ntwo"},
		"bullets":             {"* a\n* b\n  c\n\n      code", "- a\n\n- b c\n\n      code"},
		"wider bullets":       {"*   a\n\n    ```go\n    x  y\n    ```\n*   b", "- a\n\n  ```go\n  x  y\n  ```\n\n- b"},
		"nested":              {"* a\n    * b\n        * c", "- a\n  - b\n    - c"},
		"numbers":             {"1. a\n1. b\n1. c", "1. a\n2. b\n3. c"},
		"headings":            {"Locks\n=====\n\nText\n\nMore\n-----", "# Locks\n\nText\n\n## More ##"},
		"rules":               {"a\n\n* * *\n\nb", "a\n\n---\n\nb"},
		"fences":              {"~~~ sh\nls  -l\n~~~", "```sh\nls  -l\n```"},
		"tables":              {"a|b\n-|:-:\n1|2 \\| 3", "| a   |    b     |\n| --- | :------: |\n| 1   |  2 \\| 3  |"},
		"quotations":          {"> one\n> two\nthree", "> one two three"},
		"emphasis":            {"an *old* and a __new__ snake_case", "an _old_ and a **new** snake\\_case"},
		"ends of lines":       {"one\r\n\r\ntwo\r\n", "one\n\ntwo"},
		"code over two lines": {"see `a\nb` there", "see\n`a b` there"},
		"empty lines":         {"## A\ntext\n\n\n\nmore", "## A\n\ntext\n\nmore\n"},
	} {
		if a, b := Prose(row[0]), Prose(row[1]); a != b {
			t.Errorf("%s:\n%s\n\nand\n\n%s", name, a, b)
		} else if again := Prose(a); again != a {
			t.Errorf("%s is not its own normal form:\n%s\n\nbut\n\n%s", name, a, again)
		}
	}
}

// What says something else has another normal form.
func TestOtherWordsAreOtherProse(t *testing.T) {
	for name, row := range map[string][2]string{
		"a word":                 {"We do lock.", "We do not lock."},
		"words put together":     {"now here", "nowhere"},
		"order of a list":        {"- a\n- b", "- b\n- a"},
		"depth of a list":        {"- a\n- b", "- a\n  - b"},
		"first number":           {"1. a", "2. a"},
		"numbers for bullets":    {"1. a", "- a"},
		"blanks in code":         {"```\na  b\n```", "```\na b\n```"},
		"blanks behind code":     {"```\na \n```", "```\na\n```"},
		"lines of code":          {"```\na\n\nb\n```", "```\na\nb\n```"},
		"lines of indented code": {"    a\n    b", "    a\n      b"},
		"code in an item":        {"- a\n\n      b  c", "- a\n\n      b c"},
		"fence within a fence":   {"````\n```\na\n```\n````", "```\n```\na\n```\n```"},
		"code for text":          {"text", "```\ntext\n```"},
		"code between ticks":     {"`a  b`", "`a b`"},
		"stars and lines":        {"`_a_`", "`*a*`"},
		"a name with a line":     {"_private", "*private"},
		"a hidden part":          {"not now", "<!-- not --> now"},
		"a hidden line":          {"not\n\nnow", "<!--\nnot\n-->\n\nnow"},
		"preformatted":           {"<pre>\na  b\n</pre>", "<pre>\na b\n</pre>"},
		"a cell":                 {"|a|b|\n|-|-|\n|1|2|", "|a|b|\n|-|-|\n|2|1|"},
		"an empty cell":          {"|a|b|\n|-|-|\n||2|", "|a|b|\n|-|-|\n|2||"},
		"side of a column":       {"|a|\n|-|", "|a|\n|-:|"},
		"a quotation":            {"> we do", "we do"},
		"a heading":              {"# we do", "we do"},
		"level of a heading":     {"# we do", "## we do"},
		"a box":                  {"- [ ] a", "- [x] a"},
		"struck out":             {"not now", "~~not~~ now"},
		"emphasis":               {"*not* now", "not now"},
		"paragraphs":             {"a\n\nb", "a b"},
		"a hard blank":           {"a\u00a0b", "a b"},
		"a reference":            {"[a]: x\ny", "[a]: x y"},
	} {
		if a, b := Prose(row[0]), Prose(row[1]); a == b {
			t.Errorf("%s makes no difference:\n%s", name, a)
		}
	}
}

// A body as cairn and people write it is its own normal form.
func TestPlainBodiesAreTheirProse(t *testing.T) {
	for _, body := range []string{
		"", "It is simple.", "## Context\n\nTwo writers.\n\n## Rationale\n\n- one\n- two\n  - three\n\nSo be it.", "1. a\n2. b",
	} {
		if got := Prose(body); got != body {
			t.Errorf("%q becomes %q", body, got)
		}
	}
}

func FuzzProse(f *testing.F) {
	for _, body := range []string{"# a\n- b\n\n> c\n```\nd\n```\n", "|a|b|\n|-|-|\n1|2", "1) a\n   * `b_c` _d_\n\n<!-- e -->", "[a]: b\n=\n\tc"} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		prose := Prose(body)
		if got := Prose("\n" + body + "\n\n"); got != prose {
			t.Errorf("%q becomes %q, and between empty lines %q", body, prose, got)
		}
		if says := strings.Trim(record.CleanBody(body), " \t\n"); (says == "") != (prose == "") {
			t.Errorf("%q becomes %q", body, prose)
		}
	})
}
