package render

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
)

func renderSession(r *Renderer, s verb.Session) {
	r.Printf("%s  %s (%s)  %s\n", r.Style.Bold(s.ID), s.Status, s.Health, s.Actor)
	r.namedTexts([]namedText{
		{"task", string(s.Task)}, {"label", s.Label}, {"goal", s.Goal}, {"role", s.Role}, {"under", s.Parent}, {"series", s.Series}, {"branch", s.Branch}, {"worktree", s.Worktree}, {"base", s.Base}, {"head", s.Head}, {"client", s.Client},
		{"model", s.Model}, {"progress", s.Progress}, {"now", nowOf(s.Now)}, {"summary", s.Summary}, {"reason", s.Reason},
	})
	r.refs(s.Refs, s.RefsTotal)
	r.thread(s.Comments)
	for _, c := range s.OpenChecks {
		r.Printf("  %-9s check %d, %s\n", c.State, c.Check, c.Desc)
	}
	r.last(s.Last)
	r.governing(s.Decisions)
	renderTree(r, s)
	leftAs(r, s)
}

// leftAs prints in which state the end of a session leaves its task, and what to type next.
func leftAs(r *Renderer, s verb.Session) {
	switch {
	case s.TaskStatus == "":
	case s.Status == session.Finished:
		r.Printf("\n%s is %s now; cairn review show %s shows the work to who reviews it\nnext: cairn next\n", s.Task, s.TaskStatus, s.Task)
	default:
		r.Printf("\n%s is %s, and nobody holds it\nnext: cairn next\n", s.Task, s.TaskStatus)
	}
}

// last prints how the last attempt at a task ended, and what it left to do.
func (r *Renderer) last(l *verb.Last) {
	if l == nil {
		return
	}
	r.Printf("\n%s\n", r.Style.Bold("The last attempt"))
	r.Printf("  %s %s %s: %s\n", l.Who, l.Did, l.At.Format(time.RFC3339), l.Summary)
	for _, next := range l.Next {
		r.Printf("  next      %s\n", next)
	}
	for _, blocker := range l.Blockers {
		r.Printf("  blocker   %s\n", blocker)
	}
	if l.Rejected != nil {
		r.Printf("  %s sent it back: %s\n", l.Rejected.By, l.Rejected.Text)
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
func renderTree(r *Renderer, s verb.Session) {
	if len(s.Children) == 0 {
		return
	}
	r.Printf("\nBelow it\n")
	tabulate(r, s.Children)
	if s.ChildrenTotal > 0 {
		r.Printf("%d of %d are shown\n", len(s.Children), s.ChildrenTotal)
	}
}

// renderSummary prints what a session produced: what it made none of is left out.
func renderSummary(r *Renderer, s sessions.SummaryOut) {
	r.Printf("%s  %s  %s  %s\n", r.Style.Bold(s.Session), s.Status, s.Actor, cmp.Or(string(s.Task), s.Label))
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
		r.Printf("  %4d  %s\n", c.n, what)
	}
	if s.More {
		r.Printf("        and more commits\n")
	}
	if nothing {
		r.Printf("  nothing yet\n")
	}
}
