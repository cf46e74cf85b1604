package complete

import (
	"reflect"
	"testing"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store/kind"
)

// A line is split as shells split it, and nothing in it is expanded.
func TestReadLine(t *testing.T) {
	for _, tt := range []struct {
		line string
		want TypedLine
	}{
		{"cairn ", TypedLine{Words: []string{"cairn", ""}}},
		{"cairn show T-", TypedLine{Words: []string{"cairn", "show", "T-"}}},
		{"cairn note T-1 'two words", TypedLine{Words: []string{"cairn", "note", "T-1", "two words"}, Open: true}},
		{`cairn note T-1 "two words" x`, TypedLine{Words: []string{"cairn", "note", "T-1", "two words", "x"}}},
		{`cairn show a\ b`, TypedLine{Words: []string{"cairn", "show", "a b"}}},
		{`cairn show 'a\'`, TypedLine{Words: []string{"cairn", "show", `a\`}}},
		{"cairn show $HOME", TypedLine{Words: []string{"cairn", "show", "$HOME"}}},
		{"cairn note '' ", TypedLine{Words: []string{"cairn", "note", "", ""}}},
		{"cairn list > f", TypedLine{Words: []string{"cairn", "list", "f"}, File: true}},
		{"cairn list >f", TypedLine{Words: []string{"cairn", "list", "f"}, File: true}},
		{"cairn list 2>f --st", TypedLine{Words: []string{"cairn", "list", "--st"}}},
		{"cairn list >> f ", TypedLine{Words: []string{"cairn", "list", ""}}},
		{"cairn list < f -", TypedLine{Words: []string{"cairn", "list", "-"}}},
		{"a | b; c && cairn x", TypedLine{Words: []string{"cairn", "x"}}},
		{"cairn list >", TypedLine{Words: []string{"cairn", "list", ""}, File: true}},
		{"", TypedLine{Words: []string{""}}},
	} {
		if got := ReadLine(tt.line, '\\'); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("ReadLine(%q) = %+v, want %+v", tt.line, got, tt.want)
		}
	}
}

// FuzzReadLine checks that no line makes ReadLine panic, and that there is always a last word.
func FuzzReadLine(f *testing.F) {
	for _, seed := range []string{"", "cairn list > f", `cairn "a\`, "cairn $(x) `y` 'z", "\x00\xff|;&"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if got := ReadLine(line, '\\'); len(got.Words) == 0 {
			t.Errorf("%q has no last word", line)
		}
	})
}

func TestDeclaredValuesAreCompleted(t *testing.T) {
	tone := verb.Field{Values: []verb.Value{{Text: "plain", About: "for most"}, {Text: "formal"}}}
	got := (&completer{}).field(tone)
	if len(got) != 2 || got[0] != (Candidate{"plain", "for most"}) || got[1] != (Candidate{"formal", ""}) {
		t.Errorf("got %v", got)
	}
	for _, v := range catalogue.All {
		for _, f := range v.Fields() {
			if _, known := sources()[f.From]; f.From != "" && !known {
				t.Errorf("%s.%s: nothing completes %s", v.Name, f.Name, f.From)
			}
			if _, known := kind.Named(f.Names); f.Names != "" && !known {
				t.Errorf("%s.%s: nothing completes the id of a %s", v.Name, f.Name, f.Names)
			}
			if _, known := catalogue.Named(f.ListedBy); f.Names != "" && !known {
				t.Errorf("%s.%s: no verb lists what it names", v.Name, f.Name)
			}
		}
	}
}
