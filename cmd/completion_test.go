package cmd

import (
	"io/fs"
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
