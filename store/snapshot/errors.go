package snapshot

import (
	"context"
	"slices"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/store/layout"
)

// Errors returns the findings that are errors, and those of other rules that the caller takes for errors.
func (c Checked) Errors(also ...proof.RuleID) []proof.Finding {
	return slices.DeleteFunc(slices.Clone(c.Findings), func(f proof.Finding) bool { return !f.Severity.AtLeast(proof.Error) && !slices.Contains(also, f.Rule) })
}

// ErrorsSince returns the errors of the working tree as a change of a commit, but for those that the commit has by
// itself. The clone must be trusted: git may start the filters of its config. It returns NO_BASE if the commit has no
// workspace to compare with, and otherwise the errors of Check.
func ErrorsSince(ctx context.Context, l layout.Layout, commit string, also ...proof.RuleID) ([]proof.Finding, error) {
	found, err := Check(ctx, l, CheckOptions{Base: commit, Trusted: true})
	if err != nil {
		return nil, err
	}
	errs := found.Errors(also...)
	if len(errs) == 0 {
		return nil, nil
	}
	before, err := Check(ctx, l, CheckOptions{Commit: commit, NoBase: true})
	if err != nil {
		return nil, err
	}
	old := before.Errors(also...)
	return slices.DeleteFunc(errs, func(f proof.Finding) bool {
		return slices.ContainsFunc(old, func(o proof.Finding) bool { return o.Rule == f.Rule && o.Path == f.Path && o.Message == f.Message })
	}), nil
}
