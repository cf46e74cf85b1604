package board

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/task"
)

const (
	titleLines  = 3 // of a card
	remarkLines = 2
)

// card is a task as it stands in a column of some width.
type card struct {
	lines []string // the last is empty, and keeps it apart from the next
}

// drawn is how cards are drawn.
type drawn struct {
	paint
	ruler
	width int
	board Board
}

// card draws a task. Lines are as wide as the column.
func (d drawn) card(r verb.Row, column Column, selected bool) card {
	inner := d.width - 2 // behind the mark of the selection
	var c card
	add := func(line string) { c.lines = append(c.lines, line) }
	mark := "  "
	if selected {
		mark = d.in("▌", cyan) + " "
	}
	add(d.headOf(r, column, selected))
	for _, line := range d.words(safe(r.Title), inner, titleLines) {
		text := d.fill(line, inner)
		switch {
		case selected:
			text = d.in(text, bold)
		case column.Closed:
			text = d.in(text, faint)
		}
		add(mark + text)
	}
	for _, line := range d.remarks(r, column, inner) {
		add(mark + line)
	}
	add(strings.Repeat(" ", d.width))
	return c
}

// headOf is the first line of a card: the id and the priority at the left, who holds the task at the right.
func (d drawn) headOf(r verb.Row, column Column, selected bool) string {
	inner := d.width - 2
	id, urgency, who := safe(d.board.short(r.ID)), fmt.Sprintf("P%d", r.Urgency), holder(r)
	if column.Closed {
		who = closedHow(r, column)
	}
	room := max(0, inner-d.StringWidth(id)-d.StringWidth(urgency)-2)
	who = d.cut(who, room)
	if selected {
		return d.in("▌", cyan) + d.in(d.apart(" "+id+" "+urgency, who+" ", inner+1), reverse, bold)
	}
	left := d.in(id, bold) + " " + d.urgent(r.Urgency, urgency)
	return "  " + d.apart(left, d.whoStyle(r, column, who), inner)
}

func (d drawn) urgent(p task.Priority, text string) string {
	switch p {
	case 0:
		return d.in(text, bold, red)
	case 1:
		return d.in(text, bold)
	default:
		return d.in(text, faint)
	}
}

func (d drawn) whoStyle(r verb.Row, column Column, who string) string {
	if column.Closed {
		return d.in(who, faint)
	}
	if r.Execution == "active" {
		return d.in(who, green)
	}
	return who
}

// holder is who works on a task, or "".
func holder(r verb.Row) string {
	who := r.Assignee
	if r.Claim != nil {
		who = r.Claim.Actor
	}
	_, name, _ := strings.Cut(safe(string(who)), ":")
	if name == "" {
		return ""
	}
	return "@" + name
}

// closedHow says in which of several closed states a task is, and when it was last written.
func closedHow(r verb.Row, column Column) string {
	var said []string
	if len(column.States) > 1 {
		said = append(said, safe(string(r.Status)))
	}
	if !r.Written.IsZero() {
		said = append(said, r.Written.UTC().Format("2 Jan"))
	}
	return strings.Join(said, " ")
}

// remark is something that the fields of a card do not say, and how it is shown.
type remark struct {
	text  string
	style []string
}

// remarksOf is what a reader of a card most needs to know beyond its title, the most pressing first.
func (d drawn) remarksOf(r verb.Row, column Column) []remark {
	var out []remark
	add := func(text string, style ...string) {
		if text != "" {
			out = append(out, remark{safe(text), style})
		}
	}
	if r.Elsewhere != nil {
		add(strings.TrimSpace(string(r.Elsewhere.Status)+" elsewhere "+cmp.Or(r.Elsewhere.Branch, r.Elsewhere.Worktree)), magenta)
	}
	if !column.Closed {
		if len(r.BlockedBy) > 0 {
			add("waits for "+d.blockers(r), magenta)
		}
		if r.Execution != "" && r.Execution != "active" {
			add(strings.ReplaceAll(r.Execution, "_", " "), red)
		} else if r.Claim != nil && r.Claim.Lapsed {
			add("claim lapsed", red)
		}
		if r.Overdue {
			add("overdue since "+string(r.Due), bold, red)
		} else if r.Due != "" {
			add("due " + string(r.Due))
		}
	}
	for _, l := range r.Labels {
		add("#"+l, faint)
	}
	return out
}

// blockers are the tasks that a task waits for: the first two, and how many more.
func (d drawn) blockers(r verb.Row) string {
	total := max(len(r.BlockedBy), r.BlockedByTotal)
	shown := r.BlockedBy[:min(2, len(r.BlockedBy))]
	var ids []string
	for _, id := range shown {
		ids = append(ids, d.board.short(id))
	}
	return strings.Join(ids, ", ") + record.AndMore(total-len(shown))
}

// remarks are the last lines of a card. Remarks are kept whole as long as they fit on a line; those that do not fit on
// the lines that there are, are left out.
func (d drawn) remarks(r verb.Row, column Column, width int) []string {
	var lines []string
	line, at := "", 0
	flush := func() {
		if at > 0 {
			lines = append(lines, line+strings.Repeat(" ", max(0, width-at)))
		}
		line, at = "", 0
	}
	for _, one := range d.remarksOf(r, column) {
		text := d.cut(one.text, width)
		n := d.StringWidth(text)
		if at > 0 && at+2+n > width {
			flush()
		}
		if len(lines) == remarkLines {
			return lines
		}
		if at > 0 {
			line, at = line+"  ", at+2
		}
		line, at = line+d.in(text, one.style...), at+n
	}
	flush()
	return lines
}
