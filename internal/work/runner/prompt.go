package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/jobs"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// Bounds of a prompt.
const (
	commentsTold = 20      // the newest
	commentRoom  = 2 << 10 // bytes of each
)

// followUp is what the executor is told in a round that follows another. The zero value is that of the first round.
type followUp struct {
	checks string     // the output of checks that failed in the round before
	tree   string     // how the executor left the work tree, so that it cannot be judged
	reason job.Reason // why the job ends if that stays so; "" is POLICY
	remind bool       // the executor ended without handing over
	answer string     // what came of the question that it asked
	before string     // how the work before this run ended, if it was begun already
}

// before says how the work that a job goes on with has ended; "" for a work tree in which no job has been at work.
func (r *run) before() string {
	switch was := r.earlier.Status; {
	case r.wentOn:
		return "You were interrupted: the process that ran this job was ended."
	case r.earlier.Spec.Job == "":
		return ""
	case r.sentBack() != nil:
		by := r.sentBack()
		return fmt.Sprintf("%s sent the work back: %s", by.By, strings.TrimSpace(by.Text))
	case was.State == job.Succeeded:
		return "It was handed over, and is gone on with."
	default:
		return "The attempt before this one ended: " + oneLine(strings.Join([]string{string(was.State), string(was.Reason), was.Message}, " "))
	}
}

// sentBack is why a reviewer sent the last attempt back; nil if nobody did.
func (r *run) sentBack() *verb.Rejection {
	t, err := kind.Tasks.Get(r.tree.at, r.spec.Task)
	if err != nil {
		return nil
	}
	if last := verb.LastBefore(t.Provenance, r.session.id); last != nil {
		return last.Rejected
	}
	return nil
}

// prompt is what an executor is told. One that goes on with a session of its own was given the task there.
func (r *run) prompt(ctx context.Context, more followUp, said []jobs.Word, goesOn bool) (string, error) {
	b := &page{}
	t, err := kind.Tasks.Get(r.tree.at, r.spec.Task)
	if err != nil {
		return "", err
	}
	if more.answer != "" {
		b.WriteString(more.answer)
	}
	if !goesOn {
		r.about(ctx, b, t, said)
	} else if r.owned.Job().Status.ResumeID == "" { // of the job before, which was asked for less
		b.add("# %s: %s", t.ID, t.Title)
		r.asked(b)
		b.comments(t, r.earlier.Status.CreatedAt, said)
	}
	b.again(more)
	b.said(said)
	r.handOver(b)
	return b.String(), nil
}

func (r *run) about(ctx context.Context, b *page, t task.Task, said []jobs.Word) {
	b.add("# %s: %s", t.ID, t.Title)
	b.add("Work on this one task, in this folder, which is a git work tree of its own on the branch %s. Nobody answers questions while you work: where something is not said, decide, and say so when you hand over%s. Do not switch branches, do not push, and make no other work trees.", r.tree.Branch, r.mayAsk())
	if r.box != nil {
		network := "has no network"
		if r.box.Network {
			network = "has the network"
		}
		b.add("## Sandbox\n\nYou run in a sandbox, which %s. Beside this folder and /tmp you write nothing, you see nothing of the home, and git commits on this branch alone. What is below .cairn you change by cairn's tools, if you have them, and not by hand or in a shell; git stash, and a merge or rebase that would change files there, fail. Do not try to get around this. If the task cannot be done so, say what is missing.", network)
	}
	if body := strings.TrimSpace(t.Body); body != "" {
		b.add("## The task\n\n%s", body)
	}
	if len(t.Checks) > 0 {
		b.add("## Done means\n\nAll of this holds. The commands are run in this folder after you hand over. Do not change the checks of the task, and do not weaken what they test.\n")
	}
	for _, c := range t.Checks {
		switch {
		case c.Manual():
			fmt.Fprintf(b, "- %s (somebody looks at it)\n", c.Desc)
		case c.Folder() != ".":
			fmt.Fprintf(b, "- %s: `%s` in %s\n", c.Desc, c.Cmd, c.Folder())
		default:
			fmt.Fprintf(b, "- %s: `%s`\n", c.Desc, c.Cmd)
		}
	}
	if g := r.session.Acts.Governing(ctx, r.tree.at, t); g != nil {
		b.add("## Decisions that govern this work\n")
		for _, d := range g.Items {
			fmt.Fprintf(b, "- %s, %s: %s", d.ID, d.Title, oneLine(d.Choice))
			if d.Rationale != "" {
				fmt.Fprintf(b, " Why: %s", oneLine(d.Rationale))
			}
			b.WriteString("\n")
		}
		b.list("", verb.NonEmpty(g.Rest))
	}
	r.asked(b)
	if last := verb.LastBefore(t.Provenance, r.session.id); last != nil {
		b.add("## What was done before\n\n%s %s: %s", last.Who, last.Did, strings.TrimSpace(last.Summary))
		b.list("next: ", last.Next)
		b.list("in the way: ", last.Blockers)
		if last.Rejected != nil {
			b.add("%s sent it back: %s", last.Rejected.By, strings.TrimSpace(last.Rejected.Text))
		}
	}
	b.comments(t, time.Time{}, said)
}

// asked says what the job was asked for beside the task.
func (r *run) asked(b *page) {
	if s := r.spec.Scope; len(s.ReadPaths) > 0 {
		b.add("## Read first\n\n- %s", strings.Join(s.ReadPaths, "\n- "))
	}
	if s := r.spec.Scope; len(s.Paths) > 0 {
		b.add("## Paths\n\nChange files here only; a change elsewhere ends the job as failed:\n\n- %s", strings.Join(s.Paths, "\n- "))
	}
	if r.spec.Context != "" {
		b.add("## From %s, who asked for this\n\n%s", r.spec.By, strings.TrimSpace(r.spec.Context))
	}
}

// comments are the newest on the task, from a time on, without what is told as said to the job.
func (b *page) comments(t task.Task, since time.Time, said []jobs.Word) {
	all := slices.DeleteFunc(verb.Comments(t.Provenance), func(c verb.Comment) bool {
		return c.At.Before(since) || slices.ContainsFunc(said, func(w jobs.Word) bool {
			return w.By == c.Who && w.Text == c.Text && w.At.Equal(c.At)
		})
	})
	if len(all) > 0 {
		b.add("## Comments\n")
		for _, c := range all[max(0, len(all)-commentsTold):] {
			fmt.Fprintf(b, "- %s: %s\n", c.Who, oneLine(verb.Head(c.Text, commentRoom)))
		}
	}
}

// page is a text of paragraphs. Its methods add one part each, or nothing if there is nothing to say.
type page struct{ strings.Builder }

func (b *page) add(format string, args ...any) {
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	fmt.Fprintf(b, format+"\n", args...)
}

func (b *page) list(before string, lines []string) {
	for _, line := range lines {
		fmt.Fprintf(b, "- %s%s\n", before, line)
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func (b *page) again(more followUp) {
	if more.before != "" {
		b.add("## You go on\n\n%s\nWhat was done until then lies in this work tree and on its branch, and some of it may be half done. Look at git status and git log before you change anything, and go on from there.", more.before)
	}
	if more.remind {
		b.add("## You have not handed over\n\nYour last run ended without handing over. Look at what is done, finish what is missing, and hand over.")
	}
	if more.tree != "" {
		b.add("## The work tree\n\nYour work cannot be looked at yet: %s.\nBring that in order, and hand over again.", more.tree)
	}
	if more.checks != "" {
		b.add("## Checks that failed\n\nYou handed over, and these checks failed. Your changes are committed on the branch. Fix them, and hand over again.\n\n%s", more.checks)
	}
}

func (r *run) handOver(b *page) {
	switch {
	case r.spec.Output == job.Patch:
		b.add("## Hand over\n\nChange no file. Answer with three sections:\n\nDIFF: one unified diff in a fenced block that begins with ```diff, with paths from the top of the repository (a/ and b/), which git apply takes at the commit that is checked out here.\nTEST_PLAN: how to see that it works.\nNOTES: what the reviewer should know.")
	case r.agent.HandsOver():
		b.add("## Hand over\n\nYou act as %s in cairn, whose tools the MCP server cairn gives you. Your session is %s. When the work is done call `finish` with this session and a summary for the reviewer: what you did, and what you decided. If it cannot be done, call `finish` with status failed, and say why. Without that call the work counts as not handed over. Commit what you like; what is not committed is committed for you.", r.session.Acts.Actor(), r.session.id)
	default:
		b.add("## Hand over\n\nYour last message is the summary for the reviewer: what you did, and what you decided. " + howToAsk + " What is not committed is committed for you.")
	}
}
