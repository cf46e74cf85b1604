package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/proposals"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
)

func renderList(r *Renderer, l tasks.ListOut) {
	r.rows(l.Tasks)
	r.nextPage(len(l.Tasks), l.Total, l.NextCursor)
	switch {
	case l.Total == 0 && l.Hidden > 0:
		r.Printf("no open tasks; closed: %d, which --all shows\n", l.Hidden)
	case l.Total == 0 && len(l.Problems.Problems) == 0:
		r.Printf("no tasks\n")
	}
	if u := l.Unblocks; u != nil {
		r.Printf("\nmost wait for %s (%s): %d, directly or through others\n", u.ID, u.Title, u.Tasks)
	}
	r.remote(l.Remote)
	r.Problems(l.Problems)
}

// remote prints how old what is said of other clones is, and why that is not newer.
func (r *Renderer) remote(known *verb.RemoteKnown) {
	switch {
	case known == nil:
	case known.Said != "":
		r.Printf("the git remote gave no answer: %s\n", known.Said)
	case known.At == nil:
		r.Printf("the git remote was not asked yet what other clones hold: cairn remote sync\n")
	default:
		r.Printf("claims of other clones: as of %s ago\n", time.Duration(known.Age)*time.Second)
	}
}

// rows prints tasks as a table.
func (r *Renderer) rows(rows []verb.Row) {
	t := taskTable(rows, r.shortIDs(rows))
	t.Print(r.Out, r.Width, r.Style)
}

// shortIDs says how much of the end of each id that rows show is enough to name it; nil off a terminal, where ids are
// whole.
func (r *Renderer) shortIDs(rows []verb.Row) map[string]int {
	var ids []string
	for _, row := range rows {
		ids = append(append(ids, string(row.ID)), verb.AsTexts(row.BlockedBy)...)
		for _, why := range row.Why {
			for _, t := range why.Tasks {
				ids = append(ids, string(t.ID))
			}
		}
	}
	return r.enough(ids)
}

// enough says how much of the end of each id names it; nil off a terminal.
func (r *Renderer) enough(ids []string) map[string]int {
	if r.In == nil || r.Width == 0 {
		return nil
	}
	s, err := r.In.Open()
	if err != nil {
		return nil
	}
	short, err := verb.ShortIDs(s, ids)
	if err != nil {
		return nil // they are shown whole
	}
	return short
}

// taskTable is tasks as a table. Short says how much of an id is enough; nil for the whole.
func taskTable(rows []verb.Row, short map[string]int) screen.Table {
	part := func(id record.ID) string { return idCell(id, short).Short }
	t := screen.Table{
		Head: []string{"ID", "P", "STATUS", "TITLE", "WHO", "WAITS FOR", "NOTE"}, Grow: 3,
		Cols: []screen.Column{
			{Shorten: 4}, {Drop: 4}, {}, {}, {Sometimes: true, Shorten: 3, Drop: 2}, {Sometimes: true, Shorten: 2, Drop: 1}, {Sometimes: true, Shorten: 1, Drop: 3},
		},
	}
	explained := slices.ContainsFunc(rows, func(row verb.Row) bool { return len(row.Why) > 0 })
	if explained {
		t.Head = append(t.Head[:4], "WHY")
		t.Cols = append(t.Cols[:4], screen.Column{Shorten: 1, Below: true})
	}
	for _, row := range rows {
		cells := []screen.Cell{idCell(row.ID, short), {Text: fmt.Sprint(row.Urgency)}, {Text: string(row.Status)}, {Text: row.Title}}
		if explained {
			t.AddCells(append(cells, screen.Cell{Text: whyText(row.Why, func(id record.ID) string { return string(id) }), Short: whyText(row.Why, part)})...)
			continue
		}
		t.AddCells(append(cells, whoCell(row), waitsCell(row, short != nil, part), noteCell(row))...)
	}
	return t
}

// idCell is an id, of which a part may be enough. Short says how much; nil for the whole.
func idCell(id record.ID, short map[string]int) screen.Cell {
	c := screen.Cell{Text: string(id), Short: string(id), Bright: short[string(id)]}
	c.Short = c.Text[len(c.Text)-min(len(c.Text), cmp.Or(c.Bright, len(c.Text))):]
	return c
}

// whoCell is who works on a task. The short form leaves out what kind of actor it is.
func whoCell(row verb.Row) screen.Cell {
	who := holder(row)
	_, name, _ := strings.Cut(who, ":")
	return screen.Cell{Text: who, Short: name}
}

// waitsCell is what a task waits for: on a terminal the parts of ids that are enough, and where there is little room
// the first of them.
func waitsCell(row verb.Row, terminal bool, part func(record.ID) string) screen.Cell {
	if len(row.BlockedBy) == 0 {
		return screen.Cell{}
	}
	c := screen.Cell{Text: joined(row.BlockedBy)}
	if more := row.BlockedByTotal - len(row.BlockedBy); more > 0 {
		c.Text += record.AndMore(more)
	}
	if !terminal {
		return c
	}
	parts := make([]string, len(row.BlockedBy))
	for i, id := range row.BlockedBy {
		parts[i] = part(id)
	}
	c.Text = strings.Join(parts, ", ")
	if c.Short = parts[0]; len(parts) > 1 {
		c.Short += fmt.Sprintf(" +%d", len(parts)-1)
	}
	return c
}

// noteCell is what a reader of the list most needs to know about a task, and when it is due. The short form says one of
// the two.
func noteCell(row verb.Row) screen.Cell {
	how, due := standing(row), dueText(row)
	c := screen.Cell{Text: how, Short: how}
	switch {
	case row.Overdue:
		c.Short = "overdue"
	case how == "":
		c.Short = due
	case row.Elsewhere != nil:
		c.Short = string(row.Elsewhere.Status) + " elsewhere"
	case row.OpenChildren > 0:
		c.Short = fmt.Sprintf("children: %d", row.OpenChildren)
	}
	if c.Text = how; due != "" {
		c.Text = strings.TrimPrefix(how+", "+due, ", ")
	}
	return c
}

// whyText says why a task is ready, or what keeps it back.
func whyText(why []verb.Reason, shown func(record.ID) string) string {
	texts := make([]string, len(why))
	for i, one := range why {
		texts[i] = reasonText(one, shown)
	}
	return strings.Join(texts, "; ")
}

func reasonText(why verb.Reason, shown func(record.ID) string) string {
	var ids []string
	for _, t := range why.Tasks {
		id := shown(t.ID)
		if t.Status != "" {
			id += " (" + string(t.Status) + ")"
		}
		ids = append(ids, id)
	}
	list := strings.Join(ids, ", ")
	if why.Total > len(ids) {
		list += record.AndMore(why.Total - len(ids))
	}
	switch why.Code {
	case verb.WaitsFor:
		return "waits for " + list
	case verb.HasOpenChildren:
		return "its children are open: " + list
	case verb.IsElsewhere:
		return strings.TrimSpace(fmt.Sprintf("%s elsewhere %s", why.Status, why.Branch))
	case verb.ClaimLapsed:
		return "the claim of " + string(why.Actor) + " lapsed"
	case verb.IsHeld:
		return "held by " + string(why.Actor)
	case verb.OtherState:
		return "no work begins in " + string(why.Status)
	case verb.IsClosed, verb.ReadyNow:
	}
	return string(why.Code)
}

// holder is the actor who works on a task, or "".
func holder(r verb.Row) string {
	who := string(r.Assignee)
	if r.Claim != nil {
		who = string(r.Claim.Actor)
	}
	return who
}

func dueText(r verb.Row) string {
	switch {
	case r.Overdue:
		return "overdue since " + string(r.Due)
	case r.Due != "":
		return "due " + string(r.Due)
	default:
		return ""
	}
}

// standing is how a task stands where its state does not say it, or "".
func standing(r verb.Row) string {
	switch {
	case r.Elsewhere != nil:
		return strings.TrimSpace(fmt.Sprintf("%s elsewhere %s", r.Elsewhere.Status, r.Elsewhere.Branch))
	case r.Claim != nil && r.Claim.Lost:
		return "claim lost"
	case r.Execution != "" && r.Execution != "active":
		return strings.ReplaceAll(r.Execution, "_", " ")
	case r.Claim != nil && r.Claim.Lapsed:
		return "claim lapsed"
	case r.Claim != nil && r.Claim.Unsynced:
		return "unsynced"
	case r.Claim != nil && r.Claim.Clone != "":
		return "clone " + r.Claim.Clone
	case r.OpenChildren > 0:
		return fmt.Sprintf("open children: %d", r.OpenChildren)
	default:
		return ""
	}
}

// renderWork prints the task that was found, or why there is none.
func renderWork(r *Renderer, w tasks.Work) {
	if w.Task != nil {
		renderChanged(r, *w.Task)
		return
	}
	r.Printf("nothing to be had: tasks that wait for others: %d, taken: %d\n", w.Blocked, w.Claimed)
}

func joined(ids []record.ID) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = string(id)
	}
	return strings.Join(texts, ", ")
}

// FirstLine is the first line of a text, with an ellipsis if there are more.
func FirstLine(s string) string {
	line, rest, _ := strings.Cut(s, "\n")
	if rest != "" {
		line += " …"
	}
	return line
}

func renderPlan(r *Renderer, p proposals.PlanOut) { r.rows(p.Tasks) }

func renderProposal(r *Renderer, p proposals.Proposal) {
	r.Printf("%s  %s\n", r.Style.Bold(p.Proposal), p.Path)
	r.rows(p.Tasks)
}

func renderDeleted(r *Renderer, d tasks.Deleted) {
	r.Printf("%s is in the trash: %s\n", r.Style.Bold(string(d.ID)), d.Trash)
}

// renderUndone prints what was taken back, or what would be and the command that does it.
func renderUndone(r *Renderer, u tasks.Undone) {
	switch {
	case u.Replayed && u.Takes == "":
		r.Printf("%s  was taken back before\n", r.Style.Bold(string(u.ID)))
	case u.Done:
		r.Printf("%s  taken back: %s; %s\n", r.Style.Bold(string(u.ID)), u.Takes, u.By)
	default:
		r.Printf("%s  your last write: %s\nTo take it back, %s. Nothing was changed yet: cairn undo %s --yes does it.\n", r.Style.Bold(string(u.ID)), u.Takes, u.By, string(u.ID))
	}
}

// indent indents each line of a text.
func indent(text string) screen.Lines {
	return screen.Lines("      " + strings.ReplaceAll(text, "\n", "\n      "))
}
