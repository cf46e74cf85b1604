package report

import (
	"bytes"
	"io"
	"path"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
)

// Report is what a check of one tree found.
type Report struct {
	Base     string          // the commit that the tree was compared with; "" if it was judged alone
	BaseName string          // what Base was found under, for people
	Head     string          // the commit that is checked out; "" if there is none
	Note     string          // why something was not compared, for people; or ""
	Findings []proof.Finding // in the order of package proof
	Ran      []Ran           // the commands that were run
	FailOn   proof.Severity  // the lowest severity that fails the check

	Version string // of cairn
	Top     string // the workspace, seen from the top of the repository, where a CI looks; with forward slashes
	Here    string // the workspace, seen from the working directory, where a person looks; likewise
	Color   bool   // text may hold colours
}

// Ran is one command that was run, and how it ended.
type Ran struct {
	Tasks    []record.ID // whose check it is
	Desc     string      // of the check, as the first of them says
	Passed   bool
	Summary  string // e.g. "exit 1"
	Duration time.Duration
	Output   string // the end of what it printed
}

// Format names a format that a report can be written in.
type Format string

// The formats.
const (
	Text   Format = "text"
	JSON   Format = "json"
	GitHub Format = "github"
	SARIF  Format = "sarif"
	JUnit  Format = "junit"
	GitLab Format = "gitlab"
)

var writers = []struct {
	format Format
	write  func(Report, *bytes.Buffer) error
}{
	{Text, Report.text}, {JSON, Report.json}, {GitHub, Report.github}, {SARIF, Report.sarif}, {JUnit, Report.junit}, {GitLab, Report.gitlab},
}

// Formats lists every format.
func Formats() []Format {
	var out []Format
	for _, w := range writers {
		out = append(out, w.format)
	}
	return out
}

// Write writes the report in one of Formats.
func (r Report) Write(out io.Writer, f Format) error {
	var b bytes.Buffer
	if err := writers[slices.Index(Formats(), f)].write(r, &b); err != nil {
		return err
	}
	_, err := b.WriteTo(out)
	return err
}

// Count returns how many findings each severity has, 0 included.
func (r Report) Count() map[proof.Severity]int {
	n := map[proof.Severity]int{proof.Error: 0, proof.Warning: 0, proof.Notice: 0}
	for _, f := range r.Findings {
		n[f.Severity]++
	}
	return n
}

// Fails reports whether a finding fails the check.
func (r Report) Fails(f proof.Finding) bool { return f.Severity.AtLeast(r.FailOn) }

// inRepo returns the path of a finding from the top of the repository, as a CI has it.
func (r Report) inRepo(f proof.Finding) string { return path.Join(r.Top, f.Path) }

// manual returns the address of the page that explains a rule.
func manual(rule proof.RuleID) string {
	return home + "/blob/main/docs/rules.md#" + string(rule)
}

const home = "https://github.com/cairn-tasks/cairn"
