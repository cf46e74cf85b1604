package cmd

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/cairn-tasks/cairn/internal/verb/activity"
	"github.com/cairn-tasks/cairn/task"
)

// renderLog prints a story as git prints a log in short: a line for each thing that happened.
func renderLog(r *renderer, l activity.LogOut) {
	var ids []string
	for _, told := range l.Story {
		if id := firstOf(told); id != "" {
			ids = append(ids, string(id))
		}
	}
	t := logTable(l.Story, r.enough(ids))
	t.print(r.out, r.width(), r.style)
	r.nextPage(len(l.Story), l.Total, l.NextCursor)
	if l.Total == 0 {
		r.printf("nothing happened\n")
	}
	if l.Note != "" {
		r.printf("%s\n", l.Note)
	}
	r.problems(l.Problems)
}

// logTable is a story as a table. Short says how much of an id is enough; nil for the whole.
func logTable(story []activity.Told, short map[string]int) table {
	t := table{head: []string{"AT", "WHO", "RECORD", "WHAT"}, grow: 3, cols: []column{{shorten: 3, drop: 2}, {shorten: 2, drop: 1}, {shorten: 1}, {}}}
	for _, told := range story {
		id := string(firstOf(told))
		which := cell{text: recordTold(told)}
		which.short = idCell(task.ID(id), short).short + strings.TrimPrefix(which.text, id)
		who := cell{text: told.Who, short: told.Who}
		if told.Commit == nil {
			_, who.short, _ = strings.Cut(told.Who, ":")
		}
		t.addCells(cell{text: told.At.Format("2006-01-02 15:04"), short: told.At.Format("01-02 15:04")}, who, which, cell{text: whatTold(told)})
	}
	return t
}

// firstOf is the record that something happened to, or the first of them; "" for none.
func firstOf(t activity.Told) task.ID {
	switch {
	case t.Commit == nil:
		return cmp.Or(t.Task, task.ID(t.Record))
	case len(t.Commit.Changes) > 0:
		return task.ID(t.Commit.Changes[0])
	default:
		return ""
	}
}

// recordTold names what it happened to.
func recordTold(t activity.Told) string {
	if t.Commit == nil {
		return cmp.Or(string(t.Task), t.Record)
	}
	if len(t.Commit.Changes) == 0 {
		return ""
	}
	if n := max(t.Commit.ChangesTotal, len(t.Commit.Changes)); n > 1 {
		return fmt.Sprintf("%s and %d more", t.Commit.Changes[0], n-1)
	}
	return t.Commit.Changes[0]
}

// whatTold says what happened in one line.
func whatTold(t activity.Told) string {
	if t.Commit == nil {
		what := entryText(*t.Entry)
		if t.Entry.Text != "" {
			what += ": " + firstLine(strings.TrimSpace(t.Entry.Text))
		}
		if t.In != "" {
			what += " (" + shortHash(t.In) + ")"
		}
		if t.Deleted {
			what += " (deleted since)"
		}
		return what
	}
	how := "commit "
	if t.Commit.Merge {
		how = "merge "
	}
	what := how + shortHash(t.Commit.Hash) + " " + t.Commit.Subject
	if len(t.Commit.ByHand) > 0 {
		what += " [changed by hand, without an entry: " + strings.Join(t.Commit.ByHand, ", ") + "]"
	}
	return what
}

func shortHash(hash string) string { return hash[:min(len(hash), 7)] }
