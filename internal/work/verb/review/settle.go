package review

import (
	"context"
	"fmt"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
	"github.com/cairn-tasks/cairn/internal/work/verb/trees"
	"github.com/cairn-tasks/cairn/task"
)

// settleWork sends a task back whose branch conflicts with its base, and starts a job that puts the one on the other,
// with what the base has got in the files in conflict.
func settleWork(ctx context.Context, p trees.Place, in ApplyIn, onto string) (ApplyOut, error) {
	files, err := p.Trees.TryMerge(ctx, p.Tree, onto)
	if err != nil {
		return ApplyOut{}, err
	}
	theirs, err := p.Trees.Since(ctx, p.Tree, onto, files)
	if err != nil {
		return ApplyOut{}, err
	}
	why := fmt.Sprintf("it conflicts with %s in %s", onto, strings.Join(files, ", "))
	out, err := p.W.ChangeIn(ctx, p.S, in.ID, func(wc verb.WriteContext) (task.Task, *record.Entry, error) {
		return wc.Store.Config.Flow.Reject(wc.Task, p.W.Stamp(why))
	})
	if err != nil {
		return ApplyOut{}, err
	}
	next, err := verb.Do(ctx, p.Caller, jobs.Start, jobs.StartIn{
		ID: in.ID, Executor: in.Executor, Base: p.Tree.Base, Settles: onto, Context: settleText(p.Tree.Branch, onto, files, theirs),
	})
	return ApplyOut{Task: out, Job: next.Job}, err
}

// settleText tells the executor of a job what conflicts, and what the other side did.
func settleText(branch, onto string, files, theirs []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The work on %s is done, and conflicts with what %s has got since. Settle that:\n\n", branch, onto)
	fmt.Fprintf(&b, "- git rebase %s, here, stops where the two conflict: in %s.\n", onto, strings.Join(files, ", "))
	fmt.Fprintf(&b, "- git show COMMIT shows what the other side did, and cairn show ID what its task asked for.\n")
	b.WriteString("- What both sides wanted must hold afterwards. Take nothing of the other side away.\n")
	b.WriteString("- git add the files, and GIT_EDITOR=true git rebase --continue, until the rebase is at its end.\n")
	b.WriteString("- Then run the checks, and hand over.\n")
	if len(theirs) > 0 {
		fmt.Fprintf(&b, "\nCommits of %s that changed these files:\n\n", onto)
	}
	for _, line := range theirs {
		b.WriteString("    " + line + "\n")
	}
	return b.String()
}
