package cmd

import (
	"fmt"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/doctor"
)

// renderFindings shows each finding with its place, what is wrong, what a repair would change, and what to do.
func (p *program) renderFindings(findings []doctor.Finding) {
	st := p.style()
	for _, f := range findings {
		p.printf("%s  %s\n", st.severity(f.Severity), st.bold(placeOf(f)))
		p.printf("         %s\n", f.Message)
		for _, change := range f.Changes {
			p.printf("           %s\n", change)
		}
		if f.Fix != "" {
			p.printf("         fix: %s\n", f.Fix)
		}
	}
	p.printf("%s\n", verdict(findings))
}

// severity is as wide as the widest, and an error in red.
func (s style) severity(v proof.Severity) painted {
	text := fmt.Sprintf("%-7s", v)
	if v == proof.Error {
		return s.bad(text)
	}
	return painted(text)
}

// placeOf is what a finding is about: its kind, and the file if there is one.
func placeOf(f doctor.Finding) string {
	switch {
	case f.Path == "":
		return string(f.ID)
	case f.Line > 0:
		return fmt.Sprintf("%s  %s:%d", f.ID, f.Path, f.Line)
	default:
		return string(f.ID) + "  " + f.Path
	}
}

// verdict is the last line: how many findings there are, and what can be repaired.
func verdict(findings []doctor.Finding) string {
	count := map[proof.Severity]int{}
	for _, f := range findings {
		count[f.Severity]++
	}
	if count[proof.Error]+count[proof.Warning] == 0 {
		return "healthy"
	}
	text := fmt.Sprintf("errors: %d, warnings: %d", count[proof.Error], count[proof.Warning])
	if n := fixable(findings); n > 0 {
		text += fmt.Sprintf("; cairn doctor --fix repairs %d", n)
	}
	return text
}
