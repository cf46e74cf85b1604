package report

import (
	"bytes"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/check/report/harmless"
)

// issue is a finding in the form of GitLab's Code Quality reports. All of its fields are required.
type issue struct {
	Description string   `json:"description"`
	CheckName   string   `json:"check_name"`
	Fingerprint string   `json:"fingerprint"`
	Severity    string   `json:"severity"`
	Location    location `json:"location"`
}

type location struct {
	Path  string `json:"path"`
	Lines struct {
		Begin int `json:"begin"`
	} `json:"lines"`
}

// grades are GitLab's words for severities. No finding of cairn is a blocker or critical.
var grades = map[proof.Severity]string{proof.Error: "major", proof.Warning: "minor", proof.Notice: "info"}

func (r Report) gitlab(b *bytes.Buffer) error {
	names := r.fingerprints()
	issues := make([]issue, len(r.Findings))
	for i, f := range r.Findings {
		issues[i] = issue{
			Description: described(f), CheckName: string(f.Rule), Fingerprint: names[i], Severity: grades[f.Severity],
			Location: location{Path: r.inRepo(f)},
		}
		issues[i].Location.Lines.Begin = max(f.Line, 1)
	}
	return writeJSON(b, issues)
}

// described says what is wrong and how to fix it, on one line.
func described(f proof.Finding) string {
	text := harmless.Line(f.Message)
	if f.Fix != "" {
		text += ". Fix: " + harmless.Line(f.Fix)
	}
	return text
}
