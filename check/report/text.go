package report

import (
	"bytes"
	"fmt"
	"path"
	"slices"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/check/report/harmless"
)

// text writes a finding a line, as compilers do, so that editors can jump to it, and its fix on the next. An empty line
// separates files.
func (r Report) text(b *bytes.Buffer) error {
	for i, f := range r.Findings {
		if i > 0 && r.Findings[i-1].Path != f.Path {
			b.WriteByte('\n')
		}
		fmt.Fprintf(b, "%s %s %s: %s\n", r.paint("1", line(path.Join(r.Here, f.Path), f.Line)+":"), r.paint(colors[f.Severity], string(f.Severity)), f.Rule, harmless.Line(f.Message))
		if f.Fix != "" {
			fmt.Fprintf(b, "    fix: %s\n", harmless.Line(f.Fix))
		}
	}
	if len(r.Findings) > 0 {
		b.WriteByte('\n')
	}
	fmt.Fprintf(b, "%s\n", r.verdict())
	return nil
}

// line adds the number of a line to a path, if there is one.
func line(path string, n int) string {
	path = harmless.Line(path)
	if n == 0 {
		return path
	}
	return fmt.Sprintf("%s:%d", path, n)
}

// verdict says in one line how many findings there are, and what was compared.
func (r Report) verdict() string {
	text := "nothing found"
	if len(r.Findings) > 0 {
		n, files := r.Count(), map[string]bool{}
		for _, f := range r.Findings {
			files[f.Path] = true
		}
		text = fmt.Sprintf("%s, %s, %s in %s", number(n[proof.Error], "error"), number(n[proof.Warning], "warning"),
			number(n[proof.Notice], "notice"), number(len(files), "file"))
	}
	if n := len(r.Ran); n > 0 {
		passed := slices.DeleteFunc(slices.Clone(r.Ran), func(ran Ran) bool { return !ran.Passed })
		text += fmt.Sprintf("; %s run, %d failed", number(n, "command"), n-len(passed))
	}
	if r.Base != "" {
		text += fmt.Sprintf("; compared with %s (%s)", r.Base[:min(len(r.Base), 12)], harmless.Line(r.BaseName))
	}
	if r.Note != "" {
		text += "; " + harmless.Line(r.Note)
	}
	return text
}

func number(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}

// colors are those of a terminal.
var colors = map[proof.Severity]string{proof.Error: "31", proof.Warning: "33"}

func (r Report) paint(code, text string) string {
	if !r.Color || code == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
