package web

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
	"github.com/cairn-tasks/cairn/task"
)

// board is the tasks in columns, one for each open state and one for the closed ones.
type board struct {
	filter
	Columns []column
	Lanes   []lane
	Problem verb.Problems
}

type column struct {
	task.Column
	Name   string
	To     record.Status // where a task goes that is moved into it
	Total  int
	Shown  int
	Hidden int // how many more there are
}

// Empty reports whether there is no task at all.
func (b *board) Empty() bool {
	return !b.Filtered() && !slices.ContainsFunc(b.Columns, func(c column) bool { return c.Total > 0 })
}

// lane is a row of the board: in each column the cards that have the same holder, label or parent.
type lane struct {
	Name  string // "" for the board of one lane
	Title string // of the parent that Name names
	Sort  string // of what Name names: holder, label or parent
	Cells [][]card
	Total int
}

// card is a task in a column.
type card struct {
	verb.Row
	Short     string
	ParentIs  string            // its parent, short
	WaitsFor  []string          // ids, short
	IsOver    bool              // it is closed
	Job       string            // how its newest job stands, if that is news
	StartedBy record.Status     // the state into which moving it is to start it; "" for none
	Deps      map[string]string // whole ids of the short ones
}

// filter is what a page was asked to show.
type filter struct {
	Text, Where, View, By, Sort string
	Mine                        bool
	More                        string // the column of which more is shown
	Wrong                       string // why Where is no filter, and is not used
}

func filterOf(q url.Values) filter {
	return filter{
		Text: q.Get("text"), Where: q.Get("where"), View: q.Get("view"), By: q.Get("by"), Sort: q.Get("sort"),
		Mine: q.Get("mine") != "", More: q.Get("more"),
	}
}

func (f filter) args() args {
	in := args{}
	for name, value := range map[string]string{"text": f.Text, "where": f.Where, "view": f.View, "sort": f.Sort} {
		if value != "" && (name != "where" || f.Wrong == "") {
			in[name] = value
		}
	}
	if f.Mine {
		in["assignee"] = "me"
	}
	return in
}

// Filter is the filter itself, for the form that changes it.
func (f filter) Filter() filter { return f }

// NotMine is the other value of mine.
func (f filter) NotMine() string {
	if f.Mine {
		return ""
	}
	return "1"
}

// Groupings are by what a board can have lanes.
func (f filter) Groupings() []string { return []string{"", "holder", "label", "parent", "milestone"} }

// Filtered reports whether not all tasks are shown.
func (f filter) Filtered() bool { return f.Text != "" || f.Where != "" || f.Mine || f.View != "" }

const (
	cardsShown = 100 // of a column
	cardsMost  = 500
)

// args is the input of the list of a column.
func (b *board) args(c task.Column) args {
	in := b.filter.args()
	if in["status"] = c.States; in["sort"] == nil {
		in["sort"] = map[bool]string{false: "priority", true: "updated"}[c.Closed]
	}
	if in["limit"] = cardsShown; b.More == c.Name {
		in["limit"] = cardsMost
	}
	return in
}

// forgiving shows what fits a filter; where the words of that are no filter, all, and what is wrong with them.
func forgiving[Page any](f filter, show func(filter) (Page, error)) (any, error) {
	page, err := show(f)
	if f.Where != "" && record.CodeOf(err) == record.InvalidInput {
		f.Wrong = record.MessageOf(err)
		if page, again := show(f); again == nil {
			return page, nil
		}
	}
	return page, err
}

func (rd *reader) board(r *http.Request) (any, error) {
	return forgiving(filterOf(r.URL.Query()), func(f filter) (*board, error) { return rd.boardOf(r, f) })
}

func (rd *reader) boardOf(r *http.Request, f filter) (*board, error) {
	at, err := rd.w.Open()
	if err != nil {
		return nil, err
	}
	b := &board{filter: f}
	flow, columns := at.Config.Flow, at.Config.Flow.Columns()
	lists, errs := make([]tasks.ListOut, len(columns)), make([]error, len(columns))
	var all sync.WaitGroup
	for i, c := range columns {
		all.Go(func() { lists[i], errs[i] = ask[tasks.ListOut](r.Context(), rd, "list", b.args(c)) })
	}
	all.Wait()
	cells := make([][]verb.Row, len(columns))
	for i, c := range columns {
		if errs[i] != nil {
			return nil, errs[i]
		}
		out := lists[i]
		b.Problem, cells[i] = lists[0].Problems, out.Tasks
		b.Columns = append(b.Columns, column{
			Column: c, Name: c.Name, To: c.States[0], Total: out.Total, Shown: len(out.Tasks), Hidden: out.Total - len(out.Tasks),
		})
	}
	names := rd.shortener(r.Context(), cells...)
	cards, news := make([][]card, len(cells)), rd.jobNews(r.Context())
	for i, rows := range cells {
		cards[i] = record.Each(rows, func(row verb.Row) card {
			c := cardOf(flow, row, names)
			if last := news[row.ID]; !c.IsOver && (last != jobFailed || row.Held == nil && !row.IsReviewing) {
				c.Job = last
			}
			return c
		})
	}
	b.Lanes = lanesOf(b.By, cards)
	if b.By == "parent" || b.By == "milestone" {
		rd.titleLanes(r.Context(), b.Lanes)
	}
	return b, nil
}

const jobFailed = "job failed"

// jobNews says of tasks how their newest jobs stand, of those that are at work or did not succeed.
func (rd *reader) jobNews(ctx context.Context) map[record.ID]string {
	all, _ := ask[jobs.Listed](ctx, rd, "job_list", args{"limit": 100}) // a board without jobs is one still
	out := map[record.ID]string{}
	for _, one := range all.Items { // the newest first
		if _, known := out[one.Task]; known {
			continue
		}
		switch {
		case one.State.Live():
			out[one.Task] = "job " + strings.ToLower(string(one.State))
		case one.State == job.Failed || one.State == job.Stale || one.State == job.Expired:
			out[one.Task] = jobFailed
		default:
			out[one.Task] = ""
		}
	}
	return out
}

func cardOf(flow task.Flow, row verb.Row, short func(string) string) card {
	c := card{Row: row, Short: short(string(row.ID)), Deps: map[string]string{}, IsOver: flow.IsClosed(row.Status)}
	if row.Parent != "" {
		c.ParentIs = short(string(row.Parent))
	}
	for _, id := range row.BlockedBy {
		one := short(string(id))
		c.WaitsFor, c.Deps[one] = append(c.WaitsFor, one), string(id)
	}
	if flow.Starts(row.Status, flow.Working) {
		c.StartedBy = flow.Working
	}
	return c
}

// Holder is who holds the task, or was given it.
func (c card) Holder() record.Actor {
	if c.Held != nil {
		return c.Held.Actor
	}
	return c.Assignee
}

// Second reports whether the card says more than its title.
func (c card) Second() bool {
	return len(c.WaitsFor)+len(c.Labels)+c.OpenChildren+len(c.Conflicts)+len(c.Collides) > 0 || c.Due != "" || c.ParentIs != "" || c.Optional != task.Optional{}
}

// lanesOf puts cards into lanes, by what they have in common. A card with several labels stands in the lane of each.
func lanesOf(by string, cells [][]card) []lane {
	keys := func(c card) []string {
		switch by {
		case "holder":
			return []string{string(c.Holder())}
		case "label":
			return c.Labels
		case "parent":
			return []string{string(c.Parent)}
		case "milestone":
			return []string{c.Milestone}
		}
		return nil
	}
	found := map[string]*lane{}
	for i, cards := range cells {
		for _, c := range cards {
			in := keys(c)
			if len(in) == 0 {
				in = []string{""}
			}
			for _, key := range in {
				if found[key] == nil {
					found[key] = &lane{Name: key, Sort: by, Cells: make([][]card, len(cells))}
				}
				found[key].Cells[i] = append(found[key].Cells[i], c)
				found[key].Total++
			}
		}
	}
	if len(found) == 0 {
		return []lane{{Cells: make([][]card, len(cells))}}
	}
	var out []lane
	for _, l := range found {
		out = append(out, *l)
	}
	slices.SortFunc(out, func(a, b lane) int {
		if (a.Name == "") != (b.Name == "") { // what has none comes last
			return map[bool]int{true: 1, false: -1}[a.Name == ""]
		}
		return cmp.Compare(a.Name, b.Name)
	})
	return out
}

// titled is how many lanes at most are named by a title that is looked up.
const titled = 200

// titleLanes names lanes of parents and of milestones by their titles, and puts them in the order of these.
func (rd *reader) titleLanes(ctx context.Context, lanes []lane) {
	for i, l := range lanes[:min(len(lanes), titled)] {
		got, _ := ask[any](ctx, rd, "get", args{"id": l.Name})
		switch one := got.(type) {
		case verb.Task:
			lanes[i].Title = one.Title
		case verb.Record:
			lanes[i].Title = one.Title
		}
	}
	slices.SortStableFunc(lanes, func(a, b lane) int {
		if (a.Name == "") != (b.Name == "") { // what has none stays last
			return map[bool]int{true: 1, false: -1}[a.Name == ""]
		}
		return cmp.Compare(a.Title, b.Title)
	})
}

// shortener shortens the ids of rows as lists do.
func (rd *reader) shortener(ctx context.Context, rows ...[]verb.Row) func(string) string {
	var ids []string
	for _, some := range rows {
		for _, r := range some {
			ids = append(append(append(ids, string(r.ID)), verb.AsTexts(r.BlockedBy)...), verb.AsTexts(r.Deps)...)
			if r.Parent != "" {
				ids = append(ids, string(r.Parent))
			}
		}
	}
	return rd.shortenerOf(ctx, ids)
}

// shortenerOf shortens ids. What cannot be looked up stays whole.
func (rd *reader) shortenerOf(ctx context.Context, ids []string) func(string) string {
	enough := map[string]int{}
	if at, err := rd.w.Open(); err == nil {
		enough, _ = rd.w.Reads.ShortIDs(ctx, at, ids)
	}
	return func(id string) string {
		if n, known := enough[id]; known {
			return id[len(id)-n:]
		}
		return id
	}
}
