package harmless_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/check/report/harmless"
)

func TestText(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
	}{
		{"plain text stays", "Raise the walls, größer und 高い 🧱", "Raise the walls, größer und 高い 🧱"},
		{"line breaks and tabs stay", "one\n\ttwo", "one\n\ttwo"},
		{"line breaks of two characters are line breaks", "one\r\ntwo\r\n", "one\ntwo\n"},
		{"a carriage return cannot write over the line", "harmless\rrm -rf", `harmless\rrm -rf`},
		{"a colour is not passed on", "\x1b[31mred", `\x1b[31mred`},
		{"a title of the window is not set", "\x1b]0;title\x07", `\x1b]0;title\x07`},
		{"nor with the one-byte form of an escape", "\u009b2J", `\u009b2J`},
		{"a backspace takes nothing back", "rm\b\bls", `rm\x08\x08ls`},
		{"an override of the direction of writing shows", "make \u202etset", `make \u202etset`},
		{"so does an isolate", "make \u2066test\u2069", `make \u2066test\u2069`},
		{"so does a mark", "a\u200e\u200f\u061cb", `a\u200e\u200f\u061cb`},
		{"what has no width shows", "pass\u200b\u200c\u200d\u2060\ufeff\u00adword", `pass\u200b\u200c\u200d\u2060\ufeff\u00adword`},
		{"joiners of letters that join stay", "می\u200cخواهم, क्\u200dष, ශ්\u200dරී", "می\u200cخواهم, क्\u200dष, ශ්\u200dරී"},
		{"and those of an emoji", "👨\u200d👩\u200d👧 🏳\ufe0f\u200d🌈 👩🏽\u200d💻", "👨\u200d👩\u200d👧 🏳\ufe0f\u200d🌈 👩🏽\u200d💻"},
		{"others show", "می\u200c خ\u200c\u200cا x\u200d👧 👧\u200c👧\u200d", `می\u200c خ\u200c\u200cا x\u200d👧 👧\u200c👧\u200d`},
		{"so does what is blank and no space", "a\u3164b\u115fc\uffa0d\u034fe", `a\u3164b\u115fc\uffa0d\u034fe`},
		{"tags show", "hi\U000e0041\U000e007f", `hi\U000e0041\U000e007f`},
		{"so do bytes in selectors of variants", "x\ufe0f\ufe01\U000e0101", "x\ufe0f" + `\ufe01\U000e0101`},
		{"a picture may be chosen", "I ❤\ufe0f walls, 1\ufe0f\u20e3", "I ❤\ufe0f walls, 1\ufe0f\u20e3"},
		{"though not of nothing", "\ufe0f \ufe0e", `\ufe0f \ufe0e`},
		{"a number sign that holds digits is seen", "\u0600\u0661", "\u0600\u0661"},
		{"other breaks of lines are none", "a\u2028b\u2029c\u0085d\ve\f", `a\u2028b\u2029c\u0085d\x0be\x0c`},
		{"bytes that are no text show", "a\xffb", `a\xffb`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := harmless.Text(c.in); got != c.want {
				t.Errorf("Text(%q) = %q, want %q", c.in, got, c.want)
			}
			if got, want := harmless.Hidden(c.in), strings.Contains(c.want, `\`); got != want {
				t.Errorf("Hidden(%q) = %v, want %v", c.in, got, want)
			}
		})
	}
}

// Whatever line breaks it has, the result is one line.
func TestLine(t *testing.T) {
	const in = " one\n::error::two\r\x1b[2J\v\r\nthree\tfour\t\n"
	const want = ` one\n::error::two\r\x1b[2J\x0b\nthree\tfour\t\n`
	if got := harmless.Line(in); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A quoted command looks like no other command, and is never invisible.
func TestQuote(t *testing.T) {
	for _, c := range [][2]string{
		{"echo  a\n\"b\" \\n", `"echo  a\n\"b\" \\n"`},
		{"\u202e\u200b\ufe01x\u3164\U000e0041", `"\u202e\u200b\ufe01x\u3164\U000e0041"`},
		{"##vso[x] ##[y]", `"#\x23vso[x] #\x23[y]"`},
	} {
		if got := harmless.Quote(c[0]); got != c[1] {
			t.Errorf("Quote(%q) = %s, want %s", c[0], got, c[1])
		}
	}
}

// No text is a command to a CI, and other text is unchanged.
func TestOrders(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
	}{
		{"GitHub", "::error::x", ": :error::x"},
		{"GitHub, which passes over space", "a\n \t\u00a0\u3000::set-output name=a::b", "a\n \t\u00a0\u3000: :set-output name=a::b"},
		{"GitHub's older form", "see ##[add-mask]x", "see # #[add-mask]x"},
		{"Azure Pipelines", "##vso[task.setvariable variable=a]b", "# #vso[task.setvariable variable=a]b"},
		{"however it is written", "##VSO[task.complete]", "# #VSO[task.complete]"},
		{"TeamCity", "###teamcity[blockOpened]", "## #teamcity[blockOpened]"},
		{"GitLab", "section_start:1:x\nSection_End:1:x", "section_start :1:x\nSection_End :1:x"},
		{"signs of percent", "%%x%%", "% %x%%"},
		{"Travis", "travis_fold:start:x", "travis_fold :start:x"},
		{"a heading is none", "## [link] # [x]", "## [link] # [x]"},
		{"nor is a name in a namespace", "std::vector and 50%% of a section_start:", "std::vector and 50%% of a section_start:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := harmless.Text(c.in); got != c.want {
				t.Errorf("Text(%q) = %q, want %q", c.in, got, c.want)
			}
			if got := harmless.Text(c.want); got != c.want {
				t.Errorf("Text(%q) = %q, though it is harmless", c.want, got)
			}
			if line := strings.ReplaceAll(c.in, "\n", " "); harmless.Line(line) != strings.ReplaceAll(c.want, "\n", " ") && !strings.Contains(c.in, "\n") {
				t.Errorf("Line(%q) = %q", line, harmless.Line(line))
			}
		})
	}
}

// JSON escapes what Text changes, and keeps its value.
func TestJSON(t *testing.T) {
	const in = "{\n  \"cmd\": \"größe \u009b2J \u202etset \x7f 🧱 ##[error] \u200b\U000e0041\"\n}\n"
	const want = "{\n  \"cmd\": \"größe \\u009b2J \\u202etset \\u007f 🧱 #\\u0023[error] \\u200b\\udb40\\udc41\"\n}\n"
	got := harmless.JSON(in)
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	var was, is any
	if err := json.Unmarshal([]byte(in), &was); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(got), &is); err != nil || !reflect.DeepEqual(was, is) {
		t.Errorf("%v became %v, %v", was, is, err)
	}
}

// Strings with hidden characters are named, and keep their value.
func TestMarshal(t *testing.T) {
	type check struct {
		Desc string `json:"desc"`
	}
	type object struct {
		Title  string         `json:"title"`
		Checks []check        `json:"checks"`
		Extra  map[string]any `json:"extra,omitempty"`
	}
	for _, c := range []struct {
		name string
		in   object
		want string
	}{
		{"most hold nothing", object{"a <b>\nc\té❤\ufe0f", []check{{"x"}}, nil}, `{"title":"a <b>\nc\té❤` + "\ufe0f" + `","checks":[{"desc":"x"}]}`},
		{"a title, and a check", object{"a\u200b", []check{{"x"}, {"\x1b[2J"}}, nil},
			`{"title":"a\u200b","checks":[{"desc":"x"},{"desc":"\u001b[2J"}],"hidden_characters":["title","checks[1].desc"]}`},
		{"what other tools keep there, names included", object{"a", nil, map[string]any{"b": []any{1.5, map[string]any{"\u2028": "\r"}}}},
			`{"title":"a","checks":null,"extra":{"b":[1.5,{"\u2028":"\r"}]},"hidden_characters":["extra.b[1].\\u2028"]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := harmless.Marshal(c.in)
			if err != nil || string(got) != c.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, c.want)
			}
			var back object
			if err := json.Unmarshal(got, &back); err != nil || !reflect.DeepEqual(back, c.in) {
				t.Errorf("%v came back as %v, %v", c.in, back, err)
			}
		})
	}
}

// Of very many strings with hidden characters only the first are named.
func TestMarshalNamesTwenty(t *testing.T) {
	got, err := harmless.Marshal(map[string]any{"labels": strings.Split(strings.Repeat("\u200b,", 99), ",")})
	if err != nil {
		t.Fatal(err)
	}
	var out struct {
		Hidden []string `json:"hidden_characters"`
	}
	if err := json.Unmarshal(got, &out); err != nil || len(out.Hidden) != 20 || out.Hidden[19] != "labels[19]" {
		t.Errorf("%v, %v", out, err)
	}
}

func FuzzText(f *testing.F) {
	f.Add("a\r\n::error::\u202e\U000e0041##vso[x]\xff")
	f.Fuzz(func(t *testing.T, s string) {
		text, line := harmless.Text(s), harmless.Line(s)
		if harmless.Hidden(text) || harmless.Hidden(line) || strings.ContainsAny(line, "\n\t\r") {
			t.Errorf("%q is shown as %q and %q", s, text, line)
		}
		if again := harmless.Text(text); again != text {
			t.Errorf("%q is shown as %q, and that as %q", s, text, again)
		}
		encoded, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var was, is string
		if json.Unmarshal(encoded, &was) != nil || json.Unmarshal([]byte(harmless.JSON(string(encoded))), &is) != nil || was != is {
			t.Errorf("%q became %q", was, is)
		}
	})
}
