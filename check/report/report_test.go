package report_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/check/report"
	"github.com/cairn-tasks/cairn/internal/record"
)

// hostile has every character and command that means something in a format, as a file may have it and a message quote
// it.
const hostile = "a\n::error::b\r\x1b[2J 100%0A ]]> <b>&amp;</b> | `x` [y](z) {0} \u202etset \x00 ##[stop-commands]x ##vso[task.setvariable variable=a]b größe 高い 🧱"

const hostilePath = ".cairn/tasks/A 1,b::c%25\n<d>.md"

// reports are the cases that each format has a golden file for.
var reports = map[string]report.Report{
	"nothing": {
		FailOn: proof.Error, Version: "1.2.3", Note: "no base was found",
	},
	"findings": {
		FailOn: proof.Error, Version: "1.2.3", Top: "services/shop", Here: "../..",
		Base: "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d", BaseName: "origin/main",
		Head: "9c0d1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b",
		Findings: []proof.Finding{
			{Rule: proof.UnknownConfigKey.ID, Severity: proof.Warning, Path: ".cairn/config.yaml", Line: 3,
				Message: `cairn knows no key "prefx" and ignores it`, Fix: "correct the spelling, or take the line out"},
			{Rule: proof.BadYAML.ID, Severity: proof.Error, Path: hostilePath, Message: hostile, Fix: hostile},
			{Rule: proof.ClosedUnpassed.ID, Severity: proof.Error, Path: ".cairn/tasks/A-1.md", Line: 7, Task: "A-1",
				Message: `is done, and the check "tests pass" is pending`, Fix: "cairn run-checks A-1 --only 0"},
			{Rule: proof.ClosedUnpassed.ID, Severity: proof.Error, Path: ".cairn/tasks/A-1.md", Line: 11, Task: "A-1",
				Message: `is done, and the check "tests pass" is pending`, Fix: "cairn run-checks A-1 --only 0"},
			{Rule: proof.EvidenceUnhashed.ID, Severity: proof.Notice, Path: ".cairn/tasks/A-2.md", Line: 9, Task: "A-2",
				Message: `the check "tests pass" passed before entries said what they ran`},
			{Rule: proof.CheckFailed.ID, Severity: proof.Error, Path: ".cairn/tasks/A-2.md", Line: 9, Task: "A-2",
				Message: `the check "vet" fails here: exit 1`, Fix: "fix what the check tests"},
		},
		Ran: []report.Ran{
			{Tasks: []record.ID{"A-2"}, Desc: "vet", Summary: "exit 1", Duration: 1500 * time.Millisecond, Output: hostile},
			{Tasks: []record.ID{"A-2", "A-3"}, Desc: hostile, Passed: true, Summary: "passed", Duration: 20 * time.Millisecond},
		},
	},
	"many": many(12, 11, 1),
}

// many is a report with more findings of a kind than GitHub shows.
func many(errors, warnings, notices int) report.Report {
	r := report.Report{FailOn: proof.Notice, Version: "1.2.3"}
	add := func(n int, s proof.Severity) {
		for i := range n {
			r.Findings = append(r.Findings, proof.Finding{
				Rule: proof.NoEvidence.ID, Severity: s, Path: ".cairn/tasks/A-1.md", Line: i + 1, Task: "A-1", Message: fmt.Sprintf("%s %d", s, i),
			})
		}
	}
	add(notices, proof.Notice)
	add(warnings, proof.Warning)
	add(errors, proof.Error)
	return r
}

// write returns a report in every format, and its summary, by the names of the golden files.
func write(t *testing.T, r report.Report) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for _, f := range report.Formats() {
		var b bytes.Buffer
		if err := r.Write(&b, f); err != nil {
			t.Fatal(err)
		}
		out[string(f)] = b.Bytes()
	}
	var b bytes.Buffer
	if err := r.Summary(&b); err != nil {
		t.Fatal(err)
	}
	out["summary"] = b.Bytes()
	return out
}

// UPDATE=1 rewrites the golden files.
func TestGolden(t *testing.T) {
	for name, r := range reports {
		for format, got := range write(t, r) {
			t.Run(name+"/"+format, func(t *testing.T) {
				path := filepath.Join("testdata", name+"."+format)
				if os.Getenv("UPDATE") != "" {
					if err := os.WriteFile(path, got, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, want) {
					t.Errorf("writes\n%s\nand should write\n%s", got, want)
				}
			})
		}
	}
}

// Reports end up in logs and on terminals, whatever their messages contain.
func TestNothingHiddenIsWritten(t *testing.T) {
	for format, got := range write(t, reports["findings"]) {
		for _, r := range string(got) {
			if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
				t.Errorf("%s holds %U", format, r)
			}
		}
	}
}

// Some CIs obey commands anywhere in a line, and any report may be printed.
func TestNoReportGivesOrders(t *testing.T) {
	for format, got := range write(t, reports["findings"]) {
		for _, order := range []string{"##[", "##vso["} {
			if strings.Contains(string(got), order) {
				t.Errorf("%s holds %s", format, order)
			}
		}
	}
}

// Colours change no text.
func TestColorsLeaveTheTextAlone(t *testing.T) {
	r := reports["findings"]
	var plain, colored strings.Builder
	if err := r.Write(&plain, report.Text); err != nil {
		t.Fatal(err)
	}
	r.Color = true
	if err := r.Write(&colored, report.Text); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(colored.String(), "\x1b[31merror\x1b[0m") {
		t.Error("an error has no colour")
	}
	bare := strings.NewReplacer("\x1b[0m", "", "\x1b[1m", "", "\x1b[31m", "", "\x1b[33m", "").Replace(colored.String())
	if bare != plain.String() {
		t.Errorf("with colours it says\n%s", bare)
	}
}
