package harmless_test

import (
	"testing"

	"github.com/cairn-tasks/cairn/check/report/harmless"
)

func TestText(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
	}{
		{"plain text stays", "Raise the walls, größer und 高い 🧱", "Raise the walls, größer und 高い 🧱"},
		{"line breaks and tabs stay", "one\n\ttwo", "one\n\ttwo"},
		{"a carriage return cannot write over the line", "harmless\rrm -rf", "harmlessrm -rf"},
		{"a colour is not passed on", "\x1b[31mred", "�[31mred"},
		{"a title of the window is not set", "\x1b]0;title\x07", "�]0;title�"},
		{"nor with the one-byte form of an escape", "\u009b2J", "�2J"},
		{"a backspace takes nothing back", "rm\b\bls", "rm��ls"},
		{"an override of the direction of writing shows", "make \u202etset", "make �tset"},
		{"so does an isolate", "make \u2066test\u2069", "make �test�"},
		{"bytes that are no text show", "a\xffb", "a�b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := harmless.Text(c.in); got != c.want {
				t.Errorf("Text(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

// What Text marks in text is escaped in JSON, where it keeps its meaning.
func TestJSON(t *testing.T) {
	const in = "{\n  \"cmd\": \"größe \u009b2J \u202etset \x7f 🧱 ##[error]\"\n}\n"
	const want = "{\n  \"cmd\": \"größe \\u009b2J \\u202etset \\u007f 🧱 #\\u0023[error]\"\n}\n"
	if got := harmless.JSON(in); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A line stays one, whatever breaks it.
func TestLine(t *testing.T) {
	const in = " one\n::error::two\r\x1b[2J\v three\t"
	const want = "one ::error::two\uFFFD[2J\uFFFD three"
	if got := harmless.Line(in); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Where a CI reads along nothing that a file says is an order to it, and other text stays.
func TestLog(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
	}{
		{"GitHub's older form", "see ##[add-mask]x", "see # #[add-mask]x"},
		{"Azure Pipelines", "##vso[task.setvariable variable=a]b", "# #vso[task.setvariable variable=a]b"},
		{"however it is written", "##VSO[task.complete]", "# #VSO[task.complete]"},
		{"TeamCity", "###teamcity[blockOpened]", "## #teamcity[blockOpened]"},
		{"a heading is none", "## [link] # [x]", "## [link] # [x]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := harmless.Log(c.in); got != c.want {
				t.Errorf("Log(%q) = %q, want %q", c.in, got, c.want)
			}
			if got := harmless.LogLine(c.in + "\n"); got != c.want {
				t.Errorf("LogLine(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}
