package cmd

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/check/report"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// reportOf is what there is to report of a tree.
func (p *program) reportOf(layout store.Layout, found store.Checked, order checkOrder) report.Report {
	return report.Report{
		Base: found.Base, BaseName: found.BaseName, Head: found.Head, Note: found.Note, Findings: found.Findings,
		FailOn: order.failOn, Version: Version(), Top: between(layout.Worktree, layout.Root), Here: between(p.Dir, layout.Root),
	}
}

// between is the way from one folder to another, with forward slashes.
func between(from, to string) string {
	way, err := filepath.Rel(from, to)
	if err != nil {
		way = to // another drive
	}
	return filepath.ToSlash(way)
}

// exitOfReport is the number that check exits with after it could judge.
func exitOfReport(r report.Report) int {
	exit := 0
	for _, f := range r.Findings {
		switch {
		case !r.Fails(f):
		case f.Rule != proof.CheckFailed:
			return exitFindings
		default:
			exit = exitCheckFailed
		}
	}
	return exit
}

// writeReports prints the report, and writes the others that were asked for. Where GitHub shows some of it, the summary of the
// job has it all.
func (p *program) writeReports(layout store.Layout, o checkOrder, r report.Report) error {
	printed := r
	printed.Color = bool(p.style())
	if err := printed.Write(p.out, o.format); err != nil {
		return err
	}
	summed := o.format == report.GitHub
	for _, out := range o.outputs {
		summed = summed || out.format == report.GitHub
		if err := p.writeReport(layout, out, r); err != nil {
			return err
		}
	}
	if summary := p.Getenv("GITHUB_STEP_SUMMARY"); summed && summary != "" {
		return appendSummary(summary, r)
	}
	return nil
}

// writeReport writes no report through a link of the work tree: whoever made the change that is judged could have made the
// link, and would say which file the report replaces.
func (p *program) writeReport(layout store.Layout, out checkOutput, r report.Report) error {
	if out.file == "-" {
		return r.Write(p.out, out.format)
	}
	if link := linkBelow(layout.Worktree, p.at(out.file)); link != "" {
		return task.Errorf(task.InvalidInput, "the %s report: %s is a link", out.format, link).
			WithHint("name a file that no link of the work tree leads to")
	}
	var b bytes.Buffer
	if err := r.Write(&b, out.format); err != nil {
		return err
	}
	if err := os.WriteFile(p.at(out.file), b.Bytes(), 0o644); err != nil {
		return task.Errorf(task.IO, "the %s report: %w", out.format, err).WithHint("name a file in a folder that is there")
	}
	return nil
}

// linkBelow is the uppermost link on the way from a folder to a file below it; "" if there is none, or the file is elsewhere.
func linkBelow(top, file string) (link string) {
	root, err := os.Stat(top)
	if err != nil {
		return ""
	}
	for at := file; ; at = filepath.Dir(at) {
		if info, err := os.Stat(at); err == nil && os.SameFile(info, root) {
			return link
		}
		if info, err := os.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			link = at
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

// appendSummary adds to the file that GitHub shows, to which each command of a step adds its part.
func appendSummary(file string, r report.Report) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return task.Errorf(task.IO, "the summary of the job: %w", err).WithHint("unset GITHUB_STEP_SUMMARY to do without")
	}
	err = r.Summary(f)
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}
