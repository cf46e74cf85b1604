package cmd

import (
	"context"
	"io"

	"github.com/cairn-tasks/cairn/check/report"
	"github.com/cairn-tasks/cairn/store"
	"github.com/rogpeppe/go-internal/diff"
)

// mend shows what can be repaired of what was found, makes the repairs once that is agreed to, and looks again.
func (p *program) mend(ctx context.Context, layout store.Layout, found store.Checked, order checkOrder) (store.Checked, error) {
	mends, err := layout.Mends(found.Findings)
	if err != nil || len(mends) == 0 {
		return found, err
	}
	var to io.Writer = p.out
	if order.format != report.Text {
		to = p.Stderr // standard output is a program's
	}
	for _, m := range mends {
		fprintf(to, "%s\n", lines(diff.Diff("a/"+m.Path, m.Old, "b/"+m.Path, m.New)))
	}
	if order.dryRun {
		return found, nil
	}
	if !order.yes {
		if err := p.agree(ctx, "cairn check --fix --yes makes the changes; --dry-run only shows them"); err != nil {
			return found, err
		}
	}
	for _, m := range mends {
		if err := layout.Mend(ctx, m); err != nil {
			return found, err
		}
	}
	return layout.Check(ctx, order.options)
}
