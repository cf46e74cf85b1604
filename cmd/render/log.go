package render

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb/activity"
)

// renderLog prints a story as git prints a log in short: a line for each thing that happened.
func renderLog(r *Renderer, l activity.LogOut) {
	var ids []string
	for _, told := range l.Story {
		if id := firstOf(told); id != "" {
			ids = append(ids, string(id))
		}
	}
	t := logTable(l.Story, r.enough(ids))
	t.Print(r.Out, r.Width, r.Style)
	r.nextPage(len(l.Story), l.Total, l.NextCursor)
	if l.Total == 0 {
		r.Printf("nothing happened\n")
	}
	if l.Note != "" {
		r.Printf("%s\n", l.Note)
	}
	r.Problems(l.Problems)
}

// logTable is a story as a table. Short says how much of an id is enough; nil for the whole.
func logTable(story []activity.Told, short map[string]int) screen.Table {
	t := screen.Table{Head: []string{"AT", "WHO", "RECORD", "WHAT"}, Grow: 3, Cols: []screen.Column{{Shorten: 3, Drop: 2}, {Shorten: 2, Drop: 1}, {Shorten: 1}, {}}}
	for _, told := range story {
		id := string(firstOf(told))
		which := screen.Cell{Text: recordTold(told)}
		which.Short = idCell(record.ID(id), short).Short + strings.TrimPrefix(which.Text, id)
		who := screen.Cell{Text: told.Who, Short: told.Who}
		if told.Commit == nil {
			_, who.Short, _ = strings.Cut(told.Who, ":")
		}
		t.AddCells(screen.Cell{Text: told.At.Format("2006-01-02 15:04"), Short: told.At.Format("01-02 15:04")}, who, which, screen.Cell{Text: whatTold(told)})
	}
	return t
}

// firstOf is the record that something happened to, or the first of them; "" for none.
func firstOf(t activity.Told) record.ID {
	switch {
	case t.Commit == nil:
		return cmp.Or(t.Task, record.ID(t.Record))
	case len(t.Commit.Changes) > 0:
		return record.ID(t.Commit.Changes[0])
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
		what := t.Entry.Words()
		if t.Entry.Text != "" {
			what += ": " + FirstLine(strings.TrimSpace(t.Entry.Text))
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
