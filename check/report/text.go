package report

import (
	"bytes"
	"fmt"
	"io"
	"path"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/check/report/harmless"
)

// text writes a finding a line, as compilers do, so that editors can jump to it, and its fix on the next. An empty line
// separates files.
func (r Report) text(out io.Writer) error {
	var b bytes.Buffer
	for i, f := range r.Findings {
		if i > 0 && r.Findings[i-1].Path != f.Path {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s %s %s: %s\n", r.paint(bold, r.location(f)+":"), r.severity(f), f.Rule, harmless.Line(f.Message))
		if f.Fix != "" {
			fmt.Fprintf(&b, "    fix: %s\n", harmless.Line(f.Fix))
		}
	}
	if len(r.Findings) > 0 {
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%s\n", r.verdict())
	_, err := out.Write(b.Bytes())
	return err
}

// location is the path and line of a finding, from the working directory.
func (r Report) location(f proof.Finding) string {
	return line(path.Join(r.Here, f.Path), f.Line)
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
		text = r.counts() + " in " + number(r.files(), "file")
	}
	if n := len(r.Ran); n > 0 {
		text += fmt.Sprintf("; %s run, %d failed", number(n, "command"), r.failed())
	}
	if r.Base != "" {
		text += fmt.Sprintf("; compared with %s (%s)", short(r.Base), harmless.Line(r.BaseName))
	}
	if r.Note != "" {
		text += "; " + harmless.Line(r.Note)
	}
	return text
}

// counts says how many findings there are of each severity.
func (r Report) counts() string {
	n := r.Count()
	return fmt.Sprintf("%s, %s, %s", number(n[proof.Error], "error"), number(n[proof.Warning], "warning"), number(n[proof.Notice], "notice"))
}

// files is how many files have findings.
func (r Report) files() int {
	seen := map[string]bool{}
	for _, f := range r.Findings {
		seen[f.Path] = true
	}
	return len(seen)
}

// failed is how many of the commands failed.
func (r Report) failed() int {
	n := 0
	for _, ran := range r.Ran {
		if !ran.Passed {
			n++
		}
	}
	return n
}

func number(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}

// shortCommit is how many digits of a commit are shown.
const shortCommit = 12

func short(commit string) string { return commit[:min(len(commit), shortCommit)] }

// Colours of a terminal.
const (
	bold   = "1"
	red    = "31"
	yellow = "33"
)

func (r Report) severity(f proof.Finding) string {
	switch f.Severity {
	case proof.Error:
		return r.paint(red, string(f.Severity))
	case proof.Warning:
		return r.paint(yellow, string(f.Severity))
	default:
		return string(f.Severity)
	}
}

func (r Report) paint(code, text string) string {
	if !r.Color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
