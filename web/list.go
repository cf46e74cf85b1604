package web

import (
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/search"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/task"
)

// list is the tasks as rows.
type list struct {
	filter
	tasks.ListOut
	Cards  []card
	Shown  []string // columns
	Status string
	Orders []string
	All    []string // the columns that there are
}

var listColumns = sync.OnceValue(func() []string {
	return slices.Concat([]string{"status", "priority", "holder", "labels", "waits for", "due"}, optionalNames(), []string{"updated"})
})

func optionalNames() []string {
	return record.Each(task.OptionalFields(), func(f task.Field) string { return f.Name })
}

const rowsShown = 200

func (rd *reader) list(r *http.Request) (any, error) {
	return forgiving(filterOf(r.URL.Query()), func(f filter) (*list, error) { return rd.listOf(r, f) })
}

func (rd *reader) listOf(r *http.Request, f filter) (*list, error) {
	at, err := rd.w.Open()
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	l := &list{filter: f, Status: q.Get("status"), Orders: tasks.OrderNames(), All: listColumns()}
	in := l.args()
	in["limit"] = rowsShown
	if l.Sort != "" {
		in["sort"] = l.Sort
	}
	for _, name := range []string{"status", "cursor"} {
		if q.Get(name) != "" {
			in[name] = q.Get(name)
		}
	}
	if l.ListOut, err = ask[tasks.ListOut](r.Context(), rd, "list", in); err != nil {
		return nil, err
	}
	l.Shown = slices.DeleteFunc(slices.Clone(q["col"]), func(name string) bool { return !slices.Contains(listColumns(), name) })
	if len(l.Shown) == 0 {
		l.Shown = []string{"status", "priority", "holder", "labels", "due", "updated"}
	}
	short := rd.shortener(r.Context(), l.Tasks)
	l.Cards = record.Each(l.Tasks, func(row verb.Row) card { return cardOf(at.Config.Flow, row, short) })
	return l, nil
}

// found is what words found.
type found struct {
	Q string
	search.Out
}

func (rd *reader) search(r *http.Request) (any, error) {
	out := found{Q: strings.TrimSpace(r.URL.Query().Get("q"))}
	if out.Q == "" {
		return out, nil
	}
	var err error
	out.Out, err = ask[search.Out](r.Context(), rd, "search", args{"q": out.Q, "limit": 50})
	return out, err
}
