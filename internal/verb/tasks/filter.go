package tasks

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/where"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// Filter is a ListIn that was checked.
type Filter struct {
	Assignee record.Actor // that the filter names, with me resolved

	in       ListIn
	states   []string // with the words for open and closed taken apart; nil for all
	closed   func(record.Status) bool
	openOnly bool // closed tasks are left out and counted, since nothing asks for them
	where    where.Filter[Item]
	before   time.Time // zero for any
	priority task.Priority
	mode     string   // "" for neither
	words    []string // of Text
}

// NewFilter checks the filters of a list.
func NewFilter(w *verb.Workspace, s *store.Store, in ListIn) (Filter, error) {
	if in.Sort != "" && orders(s.Config.Flow)[in.Sort] == nil {
		return Filter{}, verb.BadInput("sort", "is %q", in.Sort).WithHint("%s, or a field that the config declares", strings.Join(OrderNames(), ", "))
	}
	f := Filter{in: in, words: strings.Fields(in.Text), closed: s.Config.Flow.IsClosed}
	if err := f.readStates(s.Config.Flow); err != nil {
		return f, err
	}
	if in.DueBefore != "" {
		due, err := verb.Due("due_before", in.DueBefore, w.Now())
		if err != nil {
			return f, err
		}
		f.before, _ = due.From()
	}
	var err error
	if f.priority, err = verb.Priority(in.Priority); err != nil {
		return f, err
	}
	if in.Mode != anyMode {
		m, err := task.ParseMode(in.Mode)
		if err != nil {
			return f, verb.BadInput("mode", "is %q", in.Mode).WithHint("auto, pair, or any for the tasks that say neither")
		}
		f.mode = string(m)
	}
	if in.Assignee != nil {
		f.Assignee, err = w.ActorNamed(*in.Assignee)
	}
	return f, err
}

func (f *Filter) readStates(flow task.Flow) (err error) {
	in := f.in
	switch {
	case in.All && in.Closed:
		return verb.BadInput("", "all and closed exclude each other").WithHint("all has both open and closed tasks")
	case len(in.Status) > 0 && (in.All || in.Closed):
		return verb.BadInput("", "status is given, and all or closed is too").WithHint("leave out one of the two; status takes open and closed beside the names of states")
	case in.Closed:
		f.states, err = statesNamed(flow, []string{closedWord})
	default:
		f.states, err = statesNamed(flow, in.Status)
	}
	return err
}

// statesNamed lists the states that words name, or words with commas between; nil for no words. Or UNKNOWN_STATE.
func statesNamed(flow task.Flow, words []string) ([]string, error) {
	var out []string
	for _, some := range words {
		for word := range strings.SplitSeq(some, ",") {
			word = strings.TrimSpace(word)
			err := flow.Known(record.Status(word))
			if err != nil && word != openWord && word != closedWord {
				return nil, err
			}
			if err == nil {
				out = append(out, word)
				continue
			}
			for _, s := range flow.States {
				if flow.IsClosed(s) == (word == closedWord) {
					out = append(out, string(s))
				}
			}
		}
	}
	return out, nil
}

// onlyOpen reports whether closed tasks are to be left out: no state is named, and no id is looked for.
func (f Filter) onlyOpen(g *verb.Graph) bool {
	if f.in.All || f.states != nil || f.where.Names(stateKeys...) {
		return false
	}
	return !slices.ContainsFunc(f.words, func(word string) bool { return partOfID(g, word) })
}

// partOfID reports whether a word may be meant as an id: it has a digit, and occurs in the id of a task.
func partOfID(g *verb.Graph, word string) bool {
	if len(word) < 3 || !strings.ContainsAny(word, "0123456789") {
		return false
	}
	word = strings.ToLower(word)
	return slices.ContainsFunc(g.Rows(), func(r *kind.Row) bool { return strings.Contains(strings.ToLower(r.ID), word) })
}

// among returns the tasks of a graph that fit, and how many more would if closed ones were asked for.
func (f Filter) among(ctx context.Context, g *verb.Graph, view verb.View) (fit []*kind.Row, hidden int, err error) {
	var found []bool // of each row; nil if no words are looked for
	if len(f.words) > 0 {
		if found, err = g.Search(ctx, f.words); err != nil {
			return nil, 0, err
		}
	}
	for i, r := range g.Rows() {
		if !f.Fits(r) || found != nil && !found[i] || !f.fitsNow(g, view, i) {
			continue
		}
		if f.openOnly && f.closed(r.Status) {
			hidden++
			continue
		}
		fit = append(fit, r)
	}
	return fit, hidden, nil
}

// amongOthers is among for the tasks that only other branches have. None of them is ready.
func (f Filter) amongOthers(o verb.OtherTasks, view verb.View) (fit []*kind.Row, hidden int) {
	for _, r := range o.Rows() {
		if !f.Fits(r) || !f.fitsNow(o.Graph, view, o.Set().Number(r.ID)) || len(f.words) > 0 && !o.Says(r, f.words) {
			continue
		}
		if f.openOnly && f.closed(r.Status) {
			hidden++
			continue
		}
		fit = append(fit, r)
	}
	return fit, hidden
}

// Fits reports whether what the file of a task says fits, but for its words.
func (f Filter) Fits(r *kind.Row) bool {
	in := f.in
	by, due := task.Due(r.Fact(kind.DueFact)).By() // the time of the task is up before that of the filter begins
	return (f.states == nil || slices.Contains(f.states, string(r.Status))) && (f.before.IsZero() || due && !by.After(f.before)) &&
		(in.Assignee == nil || r.Assignee == f.Assignee) &&
		(in.Label == "" || record.HasLabel(r.Labels, in.Label)) &&
		(in.Mode == "" || r.Fact(kind.ModeFact) == f.mode) &&
		(in.Repo == "" || r.Fact(kind.RepoFact) == in.Repo) &&
		(in.Priority == "" || r.Priority == f.priority) &&
		(in.Parent == "" || r.Parent == in.Parent)
}

// fitsNow reports whether what is derived of the task of the nth row fits.
func (f Filter) fitsNow(g *verb.Graph, view verb.View, n int) bool {
	r := g.Rows()[n]
	if f.in.Ready != nil && view.Stand(g, n).Is(task.IsReady) != *f.in.Ready {
		return false
	}
	if !f.where.Fits(Item{r, n, g, view}) {
		return false
	}
	return f.in.Execution == "" || view.Execution(g, r) == f.in.Execution
}
