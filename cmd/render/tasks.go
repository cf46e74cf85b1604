package render

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/handoffs"
	"github.com/cairn-tasks/cairn/internal/verb/status"
	"github.com/cairn-tasks/cairn/task"
	"github.com/mattn/go-runewidth"
)

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
	short, err := r.In.Reads.ShortIDs(context.Background(), s, ids)
	if err != nil {
		return nil // they are shown whole
	}
	return short
}

func (r *Renderer) taskTable(rows []verb.Row) {
	t := tableOfTasks(rows, r.shortIDs(rows))
	t.Print(r.Out, r.Width, r.Style)
}

// tableOfTasks is tasks as a table. Short says how much of an id is enough; nil for the whole.
func tableOfTasks(rows []verb.Row, short map[string]int) screen.Table {
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
	c := screen.Cell{Text: PlainText(row.BlockedBy)}
	if more := row.BlockedByTotal - len(row.BlockedBy); more > 0 {
		c.Text += record.AndMore(more)
	}
	if !terminal {
		return c
	}
	parts := record.Each(row.BlockedBy, part)
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
	case row.Elsewhere != nil && row.Elsewhere.Status != row.Status:
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
	return strings.Join(record.Each(why, func(one verb.Reason) string { return reasonText(one, shown) }), "; ")
}

func reasonText(why verb.Reason, shown func(record.ID) string) string {
	var ids []string
	for _, t := range why.Tasks {
		id := shown(t.ID)
		switch {
		case t.Status != "":
			id += " (" + string(t.Status) + ")"
		case t.Unreadable != "":
			id += " (" + t.Unreadable + " cannot be read)"
		}
		ids = append(ids, id)
	}
	list := strings.Join(ids, ", ")
	if why.Total > len(ids) {
		list += record.AndMore(why.Total - len(ids))
	}
	switch why.Code {
	case task.WaitsFor:
		return "waits for " + list
	case task.HasChildren:
		return "its children are open: " + list
	case task.IsElsewhere:
		return strings.TrimSpace(fmt.Sprintf("%s elsewhere %s", why.Status, why.Branch))
	case task.IsLapsed:
		return "the claim of " + string(why.Actor) + " lapsed"
	case task.IsHeld:
		return "held by " + string(why.Actor)
	case task.IsAssigned:
		return "assigned to " + string(why.Actor)
	case task.AwaitsAnswer:
		return "waits for the answer to a question of " + string(why.Actor)
	case task.IsInReview, task.OtherState:
		return "no work begins in " + string(why.Status)
	case task.IsEarly:
		return "not before " + string(why.After)
	case task.IsColliding:
		return "collides with " + verb.CollisionsText(why.Collisions)
	default:
		return string(why.Code)
	}
}

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
	case r.Waits != nil:
		return "waits for an answer"
	case len(r.Conflicts) > 0:
		return "conflicts with " + r.Conflicts[0] + record.AndMore(len(r.Conflicts)-1)
	case r.OnBranch != "":
		return "on " + r.OnBranch
	case r.Elsewhere != nil:
		return r.Elsewhere.Text(r.Status)
	case r.Lost != nil || r.Claim != nil && r.Claim.Lost:
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
	case r.Assigned:
		return "assigned"
	case r.NotYet:
		return "not before " + r.After
	case len(r.Collides) > 0:
		return "collides with " + string(r.Collides[0].ID) + record.AndMore(len(r.Collides)-1)
	case r.Evidence != nil:
		return r.Evidence.String()
	default:
		return ""
	}
}

func idsOf[T any](all []T, id func(T) record.ID) []record.ID {
	out := make([]record.ID, len(all))
	for i, one := range all {
		out[i] = id(one)
	}
	return out
}

// statusLists prints a heading with its lines for each list of a status that is not empty: the id of each task, what is
// most worth knowing of it, and its title.
func (r *Renderer) statusLists(s status.Out) string {
	who := func(t status.Task) screen.Cell { return r.whoSince(t, s.Actor) }
	others := slices.DeleteFunc(slices.Clone(s.Review), func(t status.Task) bool { return t.Mine })
	for _, list := range []struct {
		heading string
		tasks   []status.Task
		total   int
		what    func(status.Task) screen.Cell
	}{
		{"Running", s.Running, s.Totals.Running, who},
		{"Jobs", nil, s.Totals.Jobs, nil},
		{"Waiting for you", nil, 0, nil},
		{"Stalled", s.Stalled, s.Totals.Stalled, who},
		{"Waiting for review", others, len(others), who},
		{"Assigned", s.Assigned, s.Totals.Assigned, who},
		{"Overdue", s.Overdue, s.Totals.Overdue, func(t status.Task) screen.Cell { return screen.Cell{Text: string(t.Due)} }},
		{"Ready", s.Ready, s.Totals.Ready, func(t status.Task) screen.Cell {
			return screen.Cell{Text: fmt.Sprintf("p%d", t.Priority)}
		}},
		{"Closed this week", s.Closed, s.Totals.Closed, func(t status.Task) screen.Cell {
			return screen.Cell{Text: string(t.Status) + r.since(t.Since) + evidenceMark(t.Evidence)}
		}},
	} {
		t := screen.Table{Head: make([]string, 3), Grow: 2, Cols: []screen.Column{{Shorten: 1}, {Shorten: 2}, {}}, Indent: "  "}
		short := r.enough(verb.AsTexts(idsOf(list.tasks, func(t status.Task) record.ID { return t.ID })))
		for _, one := range list.tasks {
			title := strings.Join(verb.NonEmpty(one.Title, one.Doing), ": ")
			t.AddCells(idCell(one.ID, short), list.what(one), screen.Cell{Text: title})
		}
		if list.heading == "Jobs" {
			for _, j := range s.Jobs {
				state := strings.ToLower(string(j.State))
				if j.Stalled {
					state += ", silent"
				}
				what := strings.Join(verb.NonEmpty(string(j.Task), j.Executor, j.Used), "  ")
				t.Add(j.Job, state, what)
			}
		}
		if list.heading == "Waiting for you" {
			r.waiting(s.Waiting, s.Totals.Waiting)
			continue
		}
		r.heading(list.heading, len(t.Rows), list.total)
		t.Print(r.Out, r.Width, r.Style)
	}
	return ""
}

// evidenceMark is how much is known of a close, behind something else.
func evidenceMark(e *verb.Evidence) string {
	if e == nil {
		return ""
	}
	return ", " + e.String()
}

// waiting prints what waits for whoever leads: what it is, the command that leads on, and what it is about.
func (r *Renderer) waiting(list []handoffs.Waiting, total int) string {
	t := screen.Table{Head: make([]string, 3), Grow: 2, Cols: []screen.Column{{Drop: 1}, {Shorten: 1}, {}}, Indent: "  "}
	short := r.enough(record.Each(list, func(one handoffs.Waiting) string { return one.Record }))
	for _, one := range list {
		about := strings.Join(verb.NonEmpty(one.Title, one.Why), ": ")
		brief := strings.Replace(one.Next, one.Record, idCell(record.ID(one.Record), short).Short, 1)
		t.AddCells(screen.Cell{Text: one.What}, screen.Cell{Text: one.Next, Short: brief}, screen.Cell{Text: about})
	}
	r.heading("Waiting for you", len(t.Rows), total)
	t.Print(r.Out, r.Width, r.Style)
	return ""
}

// whoSince is who holds a task, and for how long. The short form has no more of a name than tells it from others.
func (r *Renderer) whoSince(t status.Task, me record.Actor) screen.Cell {
	ago := r.since(t.Since)
	short := ago
	switch {
	case t.Lost:
		ago += ", claim lost"
	case t.Unsynced:
		ago += ", unsynced"
	case t.Clone != "":
		ago += ", another clone"
	}
	if t.Actor == me {
		return screen.Cell{Text: "you" + ago}
	}
	_, name, _ := strings.Cut(string(t.Actor), ":")
	return screen.Cell{Text: string(t.Actor) + ago, Short: runewidth.Truncate(name, shortName, "…") + short}
}

const shortName = 16 // columns

// since is how long ago something was, behind a comma: 40s, 5m, 3h, 2d.
func (r *Renderer) since(at *time.Time) string {
	switch {
	case at == nil:
		return ""
	case r.Now().Sub(*at) < time.Minute:
		return ", just now"
	default:
		return ", " + verb.Ago(*at, r.Now())
	}
}
