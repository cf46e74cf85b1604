package cmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
	"github.com/cairn-tasks/cairn/verb/activity"
	"github.com/cairn-tasks/cairn/verb/config"
	"github.com/cairn-tasks/cairn/verb/proposals"
	"github.com/cairn-tasks/cairn/verb/sessions"
	"github.com/cairn-tasks/cairn/verb/tasks"
)

// render prints what a verb returned, for people. Everything that came out of a file goes through printf, which makes it harmless.
func (p *program) render(v verb.Verb, out any) {
	st := p.style()
	switch out := out.(type) {
	case sessions.IdentityOut:
		p.renderIdentity(out)
	case tasks.ListOut:
		p.renderList(out, st)
	case verb.Task:
		if v.Kind == verb.Read {
			p.renderTask(out, st)
			return
		}
		p.renderChanged(out, st)
	case tasks.Work:
		p.renderWork(out, st)
	case activity.Waited:
		p.renderWaited(out, st)
	case verb.Row:
		p.renderRows([]verb.Row{out}, st)
	case tasks.Part:
		p.renderPart(out, st)
	case tasks.Context:
		p.renderContext(out, st)
	case proposals.PlanOut:
		p.renderRows(out.Tasks, st)
	case proposals.Proposal:
		p.printf("%s  %s\n", st.bold(out.Proposal), out.Path)
		p.renderRows(out.Tasks, st)
	case tasks.Deleted:
		p.printf("%s is in the trash: %s\n", st.bold(string(out.ID)), out.Trash)
	case tasks.LogsOut:
		p.renderLogs(out, st)
	case activity.HistoryOut:
		p.renderHistory(out, st)
	case config.Settings:
		p.renderSettings(out, st)
	case verb.Session:
		p.renderSession(out, st)
	case sessions.ListOut:
		p.renderSessions(out, st)
	default:
		p.printJSON(out)
	}
}

func (p *program) renderIdentity(id sessions.IdentityOut) {
	p.printf("%s (profile %s)\n", id.Actor, id.Profile)
	if id.Workspace == "" {
		p.printf("no workspace here; cairn init makes one\n")
		return
	}
	p.printf("workspace %s\n", id.Workspace)
}

func (p *program) renderList(l tasks.ListOut, st style) {
	p.renderRows(l.Tasks, st)
	if l.NextCursor != "" {
		p.printf("%d of %d; the next: --cursor %s\n", len(l.Tasks), l.Total, l.NextCursor)
	}
	if l.Total == 0 && len(l.Problems.Problems) == 0 {
		p.printf("no tasks\n")
	}
	p.renderProblems(l.Problems)
}

func (p *program) renderRows(rows []verb.Row, st style) {
	t := table{head: []string{"ID", "P", "STATUS", "TITLE", "WHO", ""}, grow: 3}
	for _, r := range rows {
		t.add(string(r.ID), fmt.Sprint(r.Priority), string(r.Status), r.Title, holder(r), remark(r))
	}
	t.print(p.out, p.width(), st)
}

func (p *program) renderProblems(problems verb.Problems) {
	for _, pr := range problems.Problems {
		fprintf(p.Stderr, "cairn: left out: %s\n", problemText(pr))
	}
	if n := problems.ProblemsTotal; n > 0 {
		fprintf(p.Stderr, "cairn: left out: %d files, of which this page names %d\n", n, len(problems.Problems))
	}
}

func problemText(pr store.Problem) string {
	if strings.HasPrefix(pr.Message, pr.Path) {
		return pr.Message
	}
	return pr.Path + ": " + pr.Message
}

// holder is who is at work on a task, in a word.
func holder(r verb.Row) string {
	who := string(r.Assignee)
	if r.Claim != nil {
		who = string(r.Claim.Actor)
	}
	return who
}

// remark is the one thing about a task that a reader should not miss.
func remark(r verb.Row) string {
	switch {
	case r.Elsewhere != nil:
		return strings.TrimSpace(fmt.Sprintf("%s elsewhere %s", r.Elsewhere.Status, r.Elsewhere.Branch))
	case r.Execution != "" && r.Execution != "active":
		return strings.ReplaceAll(r.Execution, "_", " ")
	case r.Claim != nil && r.Claim.Lapsed:
		return "claim lapsed"
	case r.IsBlocked:
		return "waits for " + string(r.BlockedBy[0]) + more(len(r.BlockedBy)-1)
	default:
		return ""
	}
}

func more(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

// renderChanged is what a write says: the task as it is now, on one line, and what was run.
func (p *program) renderChanged(t verb.Task, st style) {
	if t.Run != nil {
		writeRun(p.out, t.Run, st)
	}
	who := holder(t.Row)
	if who != "" {
		who = "  (" + who + ")"
	}
	p.printf("%s  %s  %s%s\n", st.bold(string(t.ID)), t.Status, t.Title, who)
}

// renderWork says what next found.
func (p *program) renderWork(w tasks.Work, st style) {
	if w.Task != nil {
		p.renderChanged(*w.Task, st)
		return
	}
	p.printf("nothing to be had: tasks that wait for others: %d, taken: %d\n", w.Blocked, w.Claimed)
}

// writeRun shows how each check ended, and the last of what a failed one printed.
func writeRun(out io.Writer, run *verb.RunReport, st style) {
	if len(run.Checks) == 0 {
		fprintf(out, "no command to run among these checks\n")
	}
	for _, c := range run.Checks {
		word := st.good("pass")
		if c.Result != task.Pass {
			word = st.bad("FAIL")
		}
		fprintf(out, "%s  %s (%s, %.1f s)\n", word, c.Desc, c.Summary, c.Seconds)
		if text := strings.Trim(c.Output, "\n"); text != "" {
			fprintf(out, "%s\n", indent(text))
		}
	}
	if len(run.TreeChanged) > 0 {
		fprintf(out, "files changed meanwhile, so these results will not count later: %s\n", strings.Join(run.TreeChanged, ", "))
	}
	if run.Log != "" {
		fprintf(out, "log   %s\n", run.Log)
	}
}

// indent sets lines off from what is around them.
func indent(text string) lines {
	return lines("      " + strings.ReplaceAll(text, "\n", "\n      "))
}

func (p *program) renderSessions(s sessions.ListOut, st style) {
	t := table{head: []string{"SESSION", "HEALTH", "TASK", "ACTOR", "WHAT"}, grow: 4}
	for _, ses := range s.Sessions {
		what := ses.Summary + ses.Reason
		if what == "" {
			what = ses.Progress
		}
		t.add(ses.ID, string(ses.Health), string(ses.Task), string(ses.Actor), what)
	}
	t.print(p.out, p.width(), st)
	if s.NextCursor != "" {
		p.printf("%d of %d; the next: --cursor %s\n", len(s.Sessions), s.Total, s.NextCursor)
	}
	if len(s.Sessions) == 0 && s.NextCursor == "" {
		p.printf("no sessions\n")
	}
	p.renderProblems(s.Problems)
}

func (p *program) renderSession(s verb.Session, st style) {
	p.printf("%s  %s (%s)  %s\n", st.bold(s.ID), s.Status, s.Health, s.Actor)
	for _, f := range []struct{ name, text string }{
		{"task", string(s.Task)}, {"branch", s.Branch}, {"worktree", s.Worktree}, {"head", s.Head}, {"client", s.Client},
		{"model", s.Model}, {"progress", s.Progress}, {"summary", s.Summary}, {"reason", s.Reason},
	} {
		if f.text != "" {
			p.printf("  %-9s %s\n", f.name, f.text)
		}
	}
	for _, c := range s.OpenChecks {
		p.printf("  %-9s check %d, %s\n", c.State, c.Check, c.Desc)
	}
}

// width is how wide a line may be: the terminal's width, or without limit where there is none.
func (p *program) width() int {
	width, ok := isTerminal(p.Stdout)
	if !ok {
		return 0
	}
	return width
}

func (p *program) renderSettings(s config.Settings, st style) {
	t := table{head: []string{"SETTING", "VALUE", "WHAT IT IS"}, grow: 2}
	for _, one := range s.Settings {
		t.add(one.Key, fmt.Sprint(one.Value), one.Doc)
	}
	t.print(p.out, p.width(), st)
}
