package format

import (
	"testing"

	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"
)

var encodings = []struct {
	value       Value
	block, flow string // as the value of a key, and inside brackets
}{
	{String("in_progress"), `in_progress`, `in_progress`},
	{String("Add idempotency keys"), `Add idempotency keys`, `Add idempotency keys`},
	{String("go test ./internal/payments"), `go test ./internal/payments`, `go test ./internal/payments`},
	{String("./run.sh --all"), `./run.sh --all`, `./run.sh --all`},
	{String("agent:claude-1"), `agent:claude-1`, `'agent:claude-1'`},
	{String("PROJ-01j8x2k7q7f3az"), `PROJ-01j8x2k7q7f3az`, `PROJ-01j8x2k7q7f3az`},
	{String("3 apples"), `3 apples`, `3 apples`},
	{String("日本語 😀"), `日本語 😀`, `日本語 😀`},
	{String("a, b [c] {d}"), `a, b [c] {d}`, `'a, b [c] {d}'`},
	{String("C#"), `C#`, `C#`},
	{String("it's"), `it's`, `it's`},
	{String("a: b"), `'a: b'`, `'a: b'`},
	{String("a #b"), `'a #b'`, `'a #b'`},
	{String("ends:"), `'ends:'`, `'ends:'`},
	{String("'quoted'"), `'''quoted'''`, `'''quoted'''`},
	{String(""), `''`, `''`},
	{String(" a "), `' a '`, `' a '`},
	{String("a\nb\tc\\"), `"a\nb\tc\\"`, `"a\nb\tc\\"`},
	{String("\x00\x7f\u0085\u2028\ufeff"), `"\u0000\u007f\u0085\u2028\ufeff"`, `"\u0000\u007f\u0085\u2028\ufeff"`},
	{String("- a"), `'- a'`, `'- a'`},
	{String("---"), `'---'`, `'---'`},
	{String("*a"), `'*a'`, `'*a'`},
	{String("="), `'='`, `'='`},
	{String("<<"), `'<<'`, `'<<'`},
	{String("~"), `'~'`, `'~'`},
	{String("No"), `'No'`, `'No'`},
	{String("y"), `'y'`, `'y'`},
	{String("null"), `'null'`, `'null'`},
	{String(".NaN"), `'.NaN'`, `'.NaN'`},
	{String("12"), `'12'`, `'12'`},
	{String("0x1F"), `'0x1F'`, `'0x1F'`},
	{String("1_000"), `'1_000'`, `'1_000'`},
	{String("1e3"), `'1e3'`, `'1e3'`},
	{String("12:30:45"), `'12:30:45'`, `'12:30:45'`},
	{String("2026-06-21"), `'2026-06-21'`, `'2026-06-21'`},
	{String("2026-06-21T10:00:00Z"), `'2026-06-21T10:00:00Z'`, `'2026-06-21T10:00:00Z'`},
	{Plain("2026-06-21T10:00:00Z"), `2026-06-21T10:00:00Z`, `2026-06-21T10:00:00Z`},
	{Plain("5m"), `5m`, `5m`},
	{Plain("a, b"), `a, b`, `'a, b'`},
	{Plain("a: b"), `'a: b'`, `'a: b'`},
	{Int(-3), `-3`, `-3`},
	{Bool(true), `true`, `true`},
	{Seq{}, `[]`, `[]`},
	{Map{}, `{}`, `{}`},
	{Seq{String("a"), Int(1)}, `[a, 1]`, `[a, 1]`},
	{Flow{Map{{"a", Seq{String("b:c")}}, {"d e", String("")}}}, `{a: ['b:c'], d e: ''}`, `{a: ['b:c'], d e: ''}`},
}

func TestEncode(t *testing.T) {
	for _, tt := range encodings {
		if got := (encoder{}).line(tt.value); got != tt.block {
			t.Errorf("%#v: got %s, want %s", tt.value, got, tt.block)
		}
		if got := (encoder{flow: true}).line(tt.value); got != tt.flow {
			t.Errorf("%#v between brackets: got %s, want %s", tt.value, got, tt.flow)
		}
	}
}

// Any text reads back as the same text, of type string, in every style and position.
func TestEncodeReadsBack(t *testing.T) {
	anyText := rapid.OneOf(rapid.String(), rapid.StringMatching(`[-+.0-9a-zA-Z_:,#'"\\ \[\]{}&*!|>%@~=<?\t\n]{0,12}`))
	rapid.Check(t, func(t *rapid.T) {
		s := anyText.Draw(t, "text")
		for _, e := range []encoder{{}, {flow: true}, {quotes: yaml.SingleQuotedStyle}, {quotes: yaml.DoubleQuotedStyle}} {
			text := e.line(String(s))
			line := "key: " + text
			if e.flow {
				line = "{key: " + text + ", other: [" + text + "]}"
			}
			var n yaml.Node
			if err := yaml.Unmarshal([]byte(line), &n); err != nil {
				t.Fatalf("%q as %s: %v", s, line, err)
			}
			if v := n.Content[0].Content[1]; v.Value != s || v.ShortTag() != "!!str" {
				t.Fatalf("%q as %s reads back as %q, %s", s, line, v.Value, v.ShortTag())
			}
		}
	})
}

// A Plain reads back as the same text, whatever its type becomes.
func TestPlainReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`[-+.0-9a-zA-Z_:,#'"\\ \[\]{}&*!|>%@~=<?\t\n]{0,12}`).Draw(t, "text")
		d, err := New(Markdown, Map{{"a", Plain(s)}, {"b", Seq{Plain(s)}}}, "")
		if err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		if got := d.Get("a").Value; got != s {
			t.Fatalf("%q reads back as %q", s, got)
		}
	})
}
