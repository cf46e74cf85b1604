package cmd

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/sessions"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/task"
)

func renderSessions(r *renderer, s sessions.ListOut) {
	t := table{head: []string{"SESSION", "HEALTH", "TASK", "ACTOR", "WHAT"}, grow: 4}
	for _, ses := range s.Sessions {
		t.add(ses.ID, healthOf(ses.Status, ses.Health), cmp.Or(string(ses.Task), ses.Label), string(ses.Actor), whatOf(ses.Task, ses.Label, ses.Told()))
	}
	t.print(r.out, r.width(), r.style)
	r.nextPage(len(s.Sessions), s.Total, s.NextCursor)
	if len(s.Sessions) == 0 && s.NextCursor == "" {
		r.printf("no sessions\n")
	}
	r.problems(s.Problems)
}

// healthOf is how a session is doing, in a list: of one that failed that it did.
func healthOf(status session.Status, health session.Health) string {
	if status == session.Failed {
		return string(status)
	}
	return string(health)
}

// whatOf is what a list tells of a session: what it says of itself, or the label, where that does not stand in place of its task.
func whatOf(about task.ID, label, told string) string {
	if told == "" && about != "" {
		return label
	}
	return told
}

func renderSession(r *renderer, s verb.Session) {
	r.printf("%s  %s (%s)  %s\n", r.style.bold(s.ID), s.Status, s.Health, s.Actor)
	r.namedTexts([]namedText{
		{"task", string(s.Task)}, {"label", s.Label}, {"goal", s.Goal}, {"role", s.Role}, {"under", s.Parent}, {"series", s.Series}, {"branch", s.Branch}, {"worktree", s.Worktree}, {"base", s.Base}, {"head", s.Head}, {"client", s.Client},
		{"model", s.Model}, {"progress", s.Progress}, {"now", nowOf(s.Now)}, {"summary", s.Summary}, {"reason", s.Reason},
	})
	r.refs(s.Refs, s.RefsTotal)
	r.thread(s.Comments)
	for _, c := range s.OpenChecks {
		r.printf("  %-9s check %d, %s\n", c.State, c.Check, c.Desc)
	}
	r.last(s.Last)
	r.governing(s.Decisions)
	renderTree(r, s)
	r.leftAs(s)
}

// leftAs prints in which state the end of a session leaves its task, and what to type next.
func (r *renderer) leftAs(s verb.Session) {
	switch {
	case s.TaskStatus == "":
	case s.Status == session.Finished:
		r.printf("\n%s is %s now; cairn review show %s shows the work to who reviews it\nnext: cairn next\n", s.Task, s.TaskStatus, s.Task)
	default:
		r.printf("\n%s is %s, and nobody holds it\nnext: cairn next\n", s.Task, s.TaskStatus)
	}
}

// last prints how the last attempt at a task ended, and what it left to do.
func (r *renderer) last(l *verb.Last) {
	if l == nil {
		return
	}
	r.printf("\n%s\n", r.style.bold("The last attempt"))
	r.printf("  %s %s %s: %s\n", l.Who, l.Did, l.At.Format(time.RFC3339), l.Summary)
	for _, next := range l.Next {
		r.printf("  next      %s\n", next)
	}
	for _, blocker := range l.Blockers {
		r.printf("  blocker   %s\n", blocker)
	}
	if l.Rejected != nil {
		r.printf("  %s sent it back: %s\n", l.Rejected.By, l.Rejected.Text)
	}
}

// nowOf is what a session reported beside its progress, on one line.
func nowOf(now *verb.SessionNow) string {
	if now == nil {
		return ""
	}
	var said []string
	for _, name := range slices.Sorted(maps.Keys(now.Counts)) {
		said = append(said, fmt.Sprintf("%s %d", name, now.Counts[name]))
	}
	if at := strings.TrimSpace(now.Branch + " " + now.Head); at != "" {
		said = append(said, "at "+at)
	}
	if now.Dirty != nil && *now.Dirty {
		said = append(said, "with changes that are not committed")
	}
	return strings.Join(said, ", ")
}

// renderTree prints the sessions below one, each indented below its own parent.
func renderTree(r *renderer, s verb.Session) {
	if len(s.Children) == 0 {
		return
	}
	r.printf("\nBelow it\n")
	t := table{head: []string{"SESSION", "HEALTH", "TASK", "ACTOR", "WHAT"}, grow: 4}
	for _, c := range s.Children {
		indent := strings.Repeat("  ", min(c.Depth-1, deepest))
		t.add(indent+c.ID, healthOf(c.Status, c.Health), cmp.Or(string(c.Task), c.Label), string(c.Actor), whatOf(c.Task, c.Label, c.Told))
	}
	t.print(r.out, r.width(), r.style)
	if s.ChildrenTotal > 0 {
		r.printf("%d of %d are shown\n", len(s.Children), s.ChildrenTotal)
	}
}

// renderSummary prints what a session produced: what it made none of is left out.
func renderSummary(r *renderer, s sessions.SummaryOut) {
	r.printf("%s  %s  %s  %s\n", r.style.bold(s.Session), s.Status, s.Actor, cmp.Or(string(s.Task), s.Label))
	nothing := true
	for _, c := range []struct {
		n              int
		one, otherwise string
	}{
		{s.TasksCreated, "task created", "tasks created"}, {s.TasksClosed, "task closed", "tasks closed"}, {s.Notes, "note", "notes"},
		{s.Decisions, "decision", "decisions"}, {s.Knowledge, "note of knowledge", "notes of knowledge"}, {s.Handoffs, "handoff", "handoffs"},
		{s.Refs, "reference", "references"}, {s.Sessions, "session below it", "sessions below it"}, {s.Commits, "commit", "commits"},
	} {
		what := c.otherwise
		switch c.n {
		case 0:
			continue
		case 1:
			what = c.one
		}
		nothing = false
		r.printf("  %4d  %s\n", c.n, what)
	}
	if s.More {
		r.printf("        and more commits\n")
	}
	if nothing {
		r.printf("  nothing yet\n")
	}
}
