package cmd

import (
	"fmt"
	"strings"

	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/work/verb/review"
	"github.com/cairn-tasks/cairn/internal/work/verb/trees"
)

// renderReviewed prints what an action of a review made, and the task in one line.
func renderReviewed(r *renderer, out review.ApplyOut) {
	renderChanged(r, out.Task)
	if out.MergedCommit != "" {
		r.printf("merged into %s as %s\n", out.MergedInto, out.MergedCommit)
	}
	if out.Worktree != "" && out.MergedCommit == "" {
		r.printf("written in %s\n", out.Worktree)
	}
	if out.Job != "" {
		r.printf("%s was started; cairn job logs %s -f follows it\n", out.Job, out.Job)
	}
	if out.PR != nil {
		r.printf("pull request %d  %s  %s\n", out.PR.Number, out.PR.Status, out.PR.URL)
	}
}

// renderSynced prints the pull requests, a line each.
func renderSynced(r *renderer, out review.SyncOut) {
	if len(out.Items) == 0 {
		r.printf("no open task has a pull request\n")
	}
	for _, one := range out.Items {
		was := ""
		if one.Was != "" {
			was = " (was " + one.Was + ")"
		}
		r.printf("%s  %d  %s%s  %s\n", r.style.bold(string(one.Task)), one.Number, one.Status, was, one.URL)
		if one.Next != "" {
			r.printf("  %s\n", one.Next)
		}
	}
}

// review prints what there is to review of a task.
func (r *renderer) review(v *trees.Review) {
	if v == nil {
		return
	}
	r.printf("\nReview\n")
	r.namedTexts([]namedText{
		{"branch", v.Branch}, {"into", v.Base}, {"commit", v.Head}, {"worktree", v.Worktree}, {"moved", v.Moved},
		{"uncommitted", map[bool]string{true: "the work tree has changes that the branch has not"}[v.Uncommitted]},
		{"approved", approvalText(v)}, {"rejected", rejectionText(v)}, {"job", jobText(v.Job)},
	})
	if v.Job != nil && len(v.Job.Artifacts) > 0 {
		r.printf("            cairn job show %s shows what it did\n", v.Job.Job)
	}
	if v.Branch != "" {
		r.printf("  %s, %s added, %d deleted, in %s\n", counted(max(v.FilesTotal, len(v.Files)), "file"), counted(v.Added, "line"), v.Deleted, counted(v.Commits, "commit"))
	}
	for _, f := range v.Files {
		how := fmt.Sprintf("+%d -%d", f.Added, f.Deleted)
		if f.Binary {
			how = "binary"
		}
		r.printf("    %s  %s\n", f.Path, how)
	}
	for _, c := range v.Checks {
		r.printf("  check %d  %s  %s\n", c.Check, c.State, c.Desc)
	}
	r.governing(v.Decisions)
	r.thread(v.Comments)
}

// reviewOf is the part of a task that says what there is to review; nil for none.
func reviewOf(c tasks.Context) *trees.Review {
	review, _ := c.Review.(*trees.Review)
	return review
}

// reviewCalls prints what can be typed about a task in review, below all that there is to read.
func (r *renderer) reviewCalls(c tasks.Context) {
	if review := reviewOf(c); review == nil || review.Branch == "" || !c.IsReviewing {
		return
	}
	r.printf("\nNext\n")
	for _, one := range []namedText{
		{"see the change", "cairn review show %s --diff"}, {"send it back", "cairn review reject %s 'the reason'"}, {"merge and close", "cairn review merge %s"},
	} {
		r.printf("  %-15s  %s\n", one.name, fmt.Sprintf(one.text, c.ID))
	}
}

func approvalText(v *trees.Review) string {
	if v.Approval == nil {
		return ""
	}
	text := "by " + string(v.Approval.By)
	if v.Approval.Stale {
		text += ", for other files than those of the branch now"
	}
	if v.Approval.Text != "" {
		text += ": " + v.Approval.Text
	}
	return text
}

func rejectionText(v *trees.Review) string {
	if v.Rejected == nil {
		return ""
	}
	return "by " + string(v.Rejected.By) + ": " + v.Rejected.Text
}

func jobText(j *trees.LastOf) string {
	if j == nil {
		return ""
	}
	return strings.TrimSpace(strings.Join([]string{j.Job, string(j.State), string(j.Reason)}, " "))
}
