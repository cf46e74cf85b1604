package cmd

import (
	"io/fs"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// evaluates is text that makes a shell run or expand something.
var evaluates = regexp.MustCompile("(?i)\\beval\\b|invoke-expression|\\biex\\b|invokescript|\\bsource\\b|`|\\$\\(")

// No script evaluates anything: it passes the line to cairn as one argument, and uses the output as data. For
// PowerShell this is the only test.
func TestCompletionScriptsEvaluateNothing(t *testing.T) {
	hands := map[string]string{
		"cairn.bash": `command cairn completion bash --line "${COMP_LINE:0:COMP_POINT}"`,
		"cairn.zsh":  `command cairn completion zsh --line "$line"`,
		"cairn.fish": `command cairn completion fish --line (commandline --current-process --cut-at-cursor | string collect)`,
		"cairn.ps1":  `& $cairn.Path completion powershell --line $line`,
	}
	files, err := fs.ReadDir(shellScripts, "shells")
	if err != nil || len(files) != len(hands) {
		t.Fatalf("%d scripts, %v", len(files), err)
	}
	for _, f := range files {
		src, err := fs.ReadFile(shellScripts, "shells/"+f.Name())
		if err != nil {
			t.Fatal(err)
		}
		runs := 0
		for line := range strings.Lines(string(src)) {
			if strings.HasPrefix(strings.TrimSpace(line), "#") {
				continue
			}
			allowed := strings.ReplaceAll(line, `"`+"`t"+`"`, "") // a tab, in PowerShell
			if m := evaluates.FindString(allowed); m != "" {
				t.Errorf("%s has %q in %q", f.Name(), m, line)
			}
			if strings.Contains(line, hands[f.Name()]) {
				runs++
			}
		}
		if runs != 1 {
			t.Errorf("%s hands the line to cairn %d times", f.Name(), runs)
		}
		for _, pair := range []string{"()", "{}", "[]"} {
			if strings.Count(string(src), pair[:1]) != strings.Count(string(src), pair[1:]) {
				t.Errorf("%s: %s do not match", f.Name(), pair)
			}
		}
	}
}

// A line is split as shells split it, and nothing in it is expanded.
func TestReadLine(t *testing.T) {
	for _, tt := range []struct {
		line string
		want typedLine
	}{
		{"cairn ", typedLine{words: []string{"cairn", ""}}},
		{"cairn show T-", typedLine{words: []string{"cairn", "show", "T-"}}},
		{"cairn note T-1 'two words", typedLine{words: []string{"cairn", "note", "T-1", "two words"}, open: true}},
		{`cairn note T-1 "two words" x`, typedLine{words: []string{"cairn", "note", "T-1", "two words", "x"}}},
		{`cairn show a\ b`, typedLine{words: []string{"cairn", "show", "a b"}}},
		{`cairn show 'a\'`, typedLine{words: []string{"cairn", "show", `a\`}}},
		{"cairn show $HOME", typedLine{words: []string{"cairn", "show", "$HOME"}}},
		{"cairn note '' ", typedLine{words: []string{"cairn", "note", "", ""}}},
		{"cairn list > f", typedLine{words: []string{"cairn", "list", "f"}, file: true}},
		{"cairn list >f", typedLine{words: []string{"cairn", "list", "f"}, file: true}},
		{"cairn list 2>f --st", typedLine{words: []string{"cairn", "list", "--st"}}},
		{"cairn list >> f ", typedLine{words: []string{"cairn", "list", ""}}},
		{"cairn list < f -", typedLine{words: []string{"cairn", "list", "-"}}},
		{"a | b; c && cairn x", typedLine{words: []string{"cairn", "x"}}},
		{"cairn list >", typedLine{words: []string{"cairn", "list", ""}, file: true}},
		{"", typedLine{words: []string{""}}},
	} {
		if got := readLine(tt.line, '\\'); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("readLine(%q) = %+v, want %+v", tt.line, got, tt.want)
		}
	}
}

// FuzzReadLine checks that no line makes readLine panic, and that there is always a last word.
func FuzzReadLine(f *testing.F) {
	for _, seed := range []string{"", "cairn list > f", `cairn "a\`, "cairn $(x) `y` 'z", "\x00\xff|;&"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if got := readLine(line, '\\'); len(got.words) == 0 {
			t.Errorf("%q has no last word", line)
		}
	})
}
