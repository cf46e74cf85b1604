package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/check/report/harmless"
)

// annotated is how many annotations of a kind GitHub shows for a step. It drops the others silently.
const annotated = 10

// github writes workflow commands, the highest severity first, and says how many findings only the summary has.
func (r Report) github(b *bytes.Buffer) error {
	for _, s := range slices.Backward(proof.Severities) {
		shown, left := 0, 0
		for _, f := range r.Findings {
			switch {
			case f.Severity != s:
			case shown == annotated:
				left++
			default:
				shown++
				b.WriteString(r.annotation(f))
			}
		}
		if left > 0 {
			fmt.Fprintf(b, "and %s more, in the summary of the job\n", number(left, string(s)))
		}
	}
	return nil
}

// annotation returns the workflow command that shows a finding at its line.
func (r Report) annotation(f proof.Finding) string {
	location := "file=" + property(r.inRepo(f))
	if f.Line > 0 {
		location += fmt.Sprintf(",line=%d", f.Line)
	}
	text := harmless.Line(f.Message)
	if f.Fix != "" {
		text += "\nfix: " + harmless.Line(f.Fix)
	}
	return fmt.Sprintf("::%s %s,title=%s::%s\n", f.Severity, location, property("cairn "+string(f.Rule)), data(text))
}

// data escapes the text of a workflow command, which ends with its line.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// property escapes a property of a workflow command, which ends at a comma or two colons.
func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data(harmless.Line(s)))
}

// mostSummary is how long a summary may get, in bytes. GitHub refuses a summary of more than 1 MiB.
const mostSummary = 900 << 10

// Summary writes all findings as a table in Markdown, for the summary of a job on GitHub.
func (r Report) Summary(out io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "### cairn check\n\n%s\n\n", markdown(r.verdict()))
	if len(r.Findings) > 0 {
		b.WriteString("| severity | rule | where | what | fix |\n|---|---|---|---|---|\n")
	}
	for i, f := range r.Findings {
		row := fmt.Sprintf("| %s | [%s](%s) | %s | %s | %s |\n", f.Severity, f.Rule, manual(f.Rule),
			markdown(line(r.inRepo(f), f.Line)), markdown(harmless.Line(f.Message)), markdown(harmless.Line(f.Fix)))
		if b.Len()+len(row) > mostSummary {
			fmt.Fprintf(&b, "\nand %d more\n", len(r.Findings)-i)
			break
		}
		b.WriteString(row)
	}
	_, err := out.Write(b.Bytes())
	return err
}

// markdown escapes the characters that mean something in Markdown.
func markdown(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if strings.IndexByte("\\`*_{}[]<>()#!|~&@$", c) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}
