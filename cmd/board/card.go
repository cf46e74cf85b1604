package board

import (
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

type pen struct {
	paint
	ruler
	width int
	board Board

	compact bool // a card is one line
}

// card is a task as it stands in a column, in lines as wide as that. The last is empty, and keeps it apart from the
// next.
func (d pen) card(r verb.Row, column Column, selected bool) []string {
	if d.compact {
		return []string{d.line(r, column, selected)}
	}
	inner := d.width - 2 // behind the mark of the selection
	mark := "  "
	if selected {
		mark = d.in("▌", cyan) + " "
	}
	lines := []string{d.headOf(r, column, selected)}
	for _, line := range d.words(safe(r.Title), inner, titleLines) {
		text := d.fill(line, inner)
		switch {
		case selected:
			text = d.in(text, bold)
		case column.Closed:
			text = d.in(text, faint)
		}
		lines = append(lines, mark+text)
	}
	for _, line := range d.remarks(r, column, inner) {
		lines = append(lines, mark+line)
	}
	return append(lines, strings.Repeat(" ", d.width))
}

// line is a card in one line: the id, the title, and who holds the task.
func (d pen) line(r verb.Row, column Column, selected bool) string {
	inner, who := d.width-2, holder(r)
	if column.Closed {
		who = ""
	}
	who = d.cut(who, inner/3)
	text := safe(d.board.short(r.ID)) + " " + safe(r.Title)
	text = d.apart(d.cut(text, max(0, inner-d.StringWidth(who)-1)), who, inner)
	switch {
	case selected:
		return d.in("▌", cyan) + d.in(" "+text, reverse, bold)
	case column.Closed:
		text = d.in(text, faint)
	case r.Urgency == 0:
		text = d.in(text, bold, red)
	}
	return "  " + text
}

// headOf is the first line of a card: the id and the priority at the left, who holds the task at the right.
func (d pen) headOf(r verb.Row, column Column, selected bool) string {
	inner := d.width - 2
	id, urgency, who := safe(d.board.short(r.ID)), fmt.Sprintf("P%d", r.Urgency), holder(r)
	if column.Closed {
		who = closedHow(r, column)
	}
	who = d.cut(who, max(0, inner-d.StringWidth(id)-d.StringWidth(urgency)-2))
	if selected {
		return d.in("▌", cyan) + d.in(d.apart(" "+id+" "+urgency, who+" ", inner+1), reverse, bold)
	}
	switch r.Urgency {
	case 0:
		urgency = d.in(urgency, bold, red)
	case 1:
		urgency = d.in(urgency, bold)
	default:
		urgency = d.in(urgency, faint)
	}
	if column.Closed {
		who = d.in(who, faint)
	} else if r.Execution == "active" {
		who = d.in(who, green)
	}
	return "  " + d.apart(d.in(id, bold)+" "+urgency, who, inner)
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
	if r.Evidence != nil {
		said = append(said, fmt.Sprintf("%d/%d", r.Evidence.Level, task.LevelSigned), r.Evidence.Name)
	}
	return strings.Join(said, " ")
}

// remark is something that the fields of a card do not say, and how it is shown.
type remark struct {
	text  string
	style []string
}

// remarksOf is what a reader of a card most needs to know beyond its title, the most pressing first.
func (d pen) remarksOf(r verb.Row, column Column) []remark {
	var out []remark
	add := func(text string, style ...string) {
		if text != "" {
			out = append(out, remark{safe(text), style})
		}
	}
	if r.Waits != nil {
		add("waits for an answer", red)
	}
	if r.OnBranch != "" {
		add("on "+r.OnBranch, magenta)
	}
	if r.Elsewhere != nil {
		add(r.Elsewhere.Text(r.Status), magenta)
	}
	if n := len(r.Conflicts); n > 0 {
		add("conflicts with "+d.board.short(record.ID(r.Conflicts[0]))+record.AndMore(n-1), red)
	}
	if n := len(r.Collides); n > 0 {
		add("collides with "+d.board.short(r.Collides[0].ID)+record.AndMore(n-1), magenta)
	}
	if !column.Closed {
		if len(r.BlockedBy) > 0 {
			shown := r.BlockedBy[:min(2, len(r.BlockedBy))]
			ids := record.Each(shown, d.board.short)
			more := record.AndMore(max(len(r.BlockedBy), r.BlockedByTotal) - len(shown))
			add("waits for "+strings.Join(ids, ", ")+more, magenta)
		}
		if r.NotYet {
			add("not before "+r.After, magenta)
		}
		if r.Execution != "" && r.Execution != "active" {
			add(strings.ReplaceAll(r.Execution, "_", " "), red)
		} else if r.Claim != nil && r.Claim.Lapsed {
			add("claim lapsed", red)
		} else if r.Assigned {
			add("assigned", faint)
		}
		if r.Failed > 0 {
			add(fmt.Sprintf("✗ %d failed", r.Failed), red)
		}
		if r.Checked > 0 && r.Passed > 0 {
			add(fmt.Sprintf("%d/%d checks", r.Passed, r.Checked), faint)
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

// remarks are the last lines of a card. Remarks are kept whole as long as they fit on a line; those that do not fit on
// the lines that there are, are left out.
func (d pen) remarks(r verb.Row, column Column, width int) []string {
	var lines []string
	room := 0 // on the last line
	for _, one := range d.remarksOf(r, column) {
		text := d.cut(one.text, width)
		n, gap := d.StringWidth(text), "  "
		if len(lines) == 0 || n+len(gap) > room {
			if len(lines) == remarkLines {
				break
			}
			lines, room, gap = append(lines, ""), width, ""
		}
		lines[len(lines)-1] += gap + d.in(text, one.style...)
		room -= len(gap) + n
	}
	for i, line := range lines {
		lines[i] = line + strings.Repeat(" ", max(0, width-d.StringWidth(line)))
	}
	return lines
}
