package render

import (
	"fmt"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
)

// renderArchived says where closed tasks went, and which ones stayed and why.
func renderArchived(r *Renderer, out tasks.Archived) {
	moved := "moved"
	if out.DryRun {
		moved = "would move"
	}
	since := ""
	if out.OlderThan != "" {
		since = " to which nothing was written for " + out.OlderThan
	}
	if out.Moved == 0 {
		r.Printf("no closed tasks%s are left to move\n", since)
	} else {
		r.Printf("%s %s%s\n", moved, counted(out.Moved, "closed task"), since)
	}
	for _, f := range out.Folders {
		r.Printf("%7d  %s\n", f.Tasks, f.Folder)
	}
	for _, s := range out.Stay {
		more := ""
		if n := s.Count - len(s.Tasks); n > 0 {
			more = fmt.Sprintf(" and %d more", n)
		}
		r.Printf("left alone: %s%s (%s)\n", record.JoinIDs(s.Tasks, " "), more, whyTheyStay(s.Why))
	}
	switch {
	case out.DryRun && out.Moved > 0:
		r.Printf("nothing was moved; without --dry-run they are\n")
	case out.More:
		r.Printf("there are more: cairn archive again\n")
	}
}

func whyTheyStay(why tasks.Why) string {
	switch why {
	case tasks.StaysClaimed:
		return "somebody holds it"
	case tasks.StaysElsewhere:
		return "another branch or worktree carried it further"
	case tasks.StaysInSession:
		return "a session is at work on it"
	case tasks.StaysInJob:
		return "a job is at work on it"
	case tasks.StaysTwice:
		return "it has two files, as cairn check says"
	case tasks.StaysUndated:
		return "no entry says when it was closed"
	case tasks.StaysUnread:
		return "its file cannot be read"
	case tasks.StaysLast:
		return "the folder would be empty"
	case tasks.StaysFull:
		return "all folders of its month are full"
	default:
		return string(why)
	}
}
