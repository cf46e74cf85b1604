package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/activity"
)

// storyTable prints what happened as git prints a log in short: a line for each act.
func (r *Renderer) storyTable(story []activity.Told) {
	t := r.tableOfStory(story, r.enough(verb.AsTexts(idsOf(story, firstOf))))
	t.Print(r.Out, r.Width, r.Style)
}

// historyTable prints entries as storyTable does.
func (r *Renderer) historyTable(events []activity.Event) {
	story := make([]activity.Told, len(events))
	for i, e := range events {
		story[i] = activity.Told{At: e.At, Who: string(e.Who), Task: e.Task, Record: e.Record, Title: e.Title, Deleted: e.Deleted, Entry: &e.Entry}
	}
	r.storyTable(story)
	if len(events) == 0 {
		r.Printf("nothing was done\n")
	}
}

// act is what somebody did at once: the steps on one record, the oldest first, or the same step on several records.
type act struct {
	activity.Told
	steps []activity.Told
	ids   []record.ID
}

// actsOf puts together what one actor did to one record in one second, and what they did alike to several.
func (r *Renderer) actsOf(story []activity.Told) (acts []act) {
	newestFirst := len(story) > 0 && !story[0].At.Before(story[len(story)-1].At)
	for _, one := range story {
		id := firstOf(one)
		if n := len(acts) - 1; n >= 0 && one.Commit == nil && acts[n].Commit == nil && one.Who == acts[n].Who && one.At.Equal(acts[n].At) {
			last := &acts[n]
			switch {
			case len(last.ids) == 1 && last.ids[0] == id && newestFirst:
				last.steps = slices.Insert(last.steps, 0, one)
				continue
			case len(last.ids) == 1 && last.ids[0] == id:
				last.steps = append(last.steps, one)
				continue
			case len(last.steps) == 1 && r.line(last.steps[0]) == r.line(one):
				last.ids = append(last.ids, id)
				continue
			}
		}
		acts = append(acts, act{one, []activity.Told{one}, []record.ID{id}})
	}
	return acts
}

const titleShown = 24 // columns of a title where there is little room

// tableOfStory is what happened as a table. Short says how much of an id is enough; nil for the whole.
func (r *Renderer) tableOfStory(story []activity.Told, short map[string]int) screen.Table {
	t := screen.Table{
		Head: []string{"AT", "WHO", "RECORD", "TITLE", "WHAT"}, Grow: 4,
		Cols: []screen.Column{{Shorten: 4, Drop: 3}, {Shorten: 3, Drop: 2}, {Shorten: 2}, {Sometimes: true, Shorten: 1, Drop: 1}, {Wrap: true}},
	}
	of := record.Unique(slices.DeleteFunc(idsOf(story, firstOf), func(id record.ID) bool { return id == "" }))
	for _, a := range r.actsOf(story) {
		more, who, title := len(a.ids)-1, screen.Cell{Text: a.Who, Short: a.Who}, a.Title
		if a.Commit == nil {
			_, who.Short, _ = strings.Cut(a.Who, ":")
		} else {
			more = max(a.Commit.ChangesTotal, len(a.Commit.Changes), 1) - 1
		}
		others := ""
		if more > 0 {
			others = fmt.Sprintf(" and %d more", more)
		}
		if len(of) < 2 || more > 0 {
			title = ""
		}
		at := r.local(a.At)
		t.AddCells(
			screen.Cell{Text: at.Format("2006-01-02 15:04"), Short: at.Format("01-02 15:04")}, who,
			screen.Cell{Text: string(a.ids[0]) + others, Short: shortRecord(a.ids[0], short) + others},
			screen.Cell{Text: title, Short: record.Clip(title, titleShown)}, screen.Cell{Text: r.stepsOf(a)},
		)
	}
	return t
}

// shortRecord is the part of an id that is enough. What is no id, such as config, stays whole.
func shortRecord(id record.ID, short map[string]int) string {
	if _, err := record.ParseID(string(id)); err != nil {
		return string(id)
	}
	return idCell(id, short).Short
}

// stepsOf is what was done, with the commit that brought all of it said once.
func (r *Renderer) stepsOf(a act) string {
	var all []string
	for i, one := range a.steps {
		if i+1 < len(a.steps) && one.In == a.steps[i+1].In {
			one.In = ""
		}
		all = append(all, string(r.line(one)))
	}
	return strings.Join(all, "; ")
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
