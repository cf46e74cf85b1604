package tasks_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/task"
)

// tree makes tasks by their titles; a title may name a parent and deps among those before it.
func tree(t *testing.T, w *verb.Workspace, all ...[3]string) map[string]record.ID {
	t.Helper()
	ids := map[string]record.ID{}
	for _, one := range all {
		in := verbtest.Args{"title": one[0]}
		if one[1] != "" {
			in["parent"] = ids[one[1]]
		}
		if one[2] != "" {
			in["deps"] = []record.ID{ids[one[2]]}
		}
		ids[one[0]] = record.ID(verbtest.Must(t, w, "create", in).ID)
	}
	return ids
}

func listed(t *testing.T, w *verb.Workspace, in verbtest.Args) []string {
	t.Helper()
	out, err := verbtest.Call[tasks.ListOut](t, w, "list", in)
	if err != nil {
		t.Fatalf("list %v: %v", in, err)
	}
	titles := []string{}
	for _, row := range out.Tasks {
		titles = append(titles, row.Title)
	}
	slices.Sort(titles)
	return titles
}

// A task with open children is not handed out, but for children that wait for it; and next, ready, the flags of rows,
// filters and explain say the same.
func TestOpenChildrenHoldTheParentBack(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	ids := tree(t, w, [3]string{"house"}, [3]string{"walls", "house"}, [3]string{"roof", "house", "walls"},
		[3]string{"garden"}, [3]string{"hedge", "garden", "garden"}, [3]string{"leaves", "hedge", "garden"}, [3]string{"alone"})
	want := func(when string, titles ...string) {
		t.Helper()
		slices.Sort(titles)
		for _, in := range []verbtest.Args{{"ready": true}, {"where": "ready"}} {
			if got := listed(t, w, in); !slices.Equal(got, titles) {
				t.Errorf("%s, list %v has %v, want %v", when, in, got, titles)
			}
		}
		out, _ := verbtest.Call[tasks.ListOut](t, w, "list", verbtest.Args{"explain": true, "limit": 500})
		for _, row := range out.Tasks {
			if one, _ := verbtest.Call[verb.Task](t, w, "get", verbtest.Args{"id": row.ID}); one.Ready != row.Ready || one.OpenChildren != row.OpenChildren {
				t.Errorf("%s, get %s: ready %v with %d open children; a list says %v and %d", when, row.Title, one.Ready, one.OpenChildren, row.Ready, row.OpenChildren)
			}
			ready := slices.Contains(titles, row.Title)
			if row.Ready != ready || (row.Why[0].Code == task.IsReady) != ready {
				t.Errorf("%s, %s: ready %v, why %v; want %v", when, row.Title, row.Ready, row.Why, ready)
			}
		}
	}
	want("at first", "walls", "garden", "alone") // hedge and leaves wait for the garden, which therefore does not wait for hedge
	for _, id := range []string{"walls", "roof"} {
		verbtest.Must(t, w, "transition", verbtest.Args{"id": ids[id], "to": "done"})
	}
	want("without open children", "house", "garden", "alone")
	verbtest.Must(t, w, "transition", verbtest.Args{"id": ids["garden"], "to": "done"})
	want("once the parent is done", "house", "alone", "leaves") // hedge waits for leaves
	verbtest.Must(t, w, "transition", verbtest.Args{"id": ids["leaves"], "to": "canceled"})
	want("at last", "house", "alone", "hedge")

	verbtest.Must(t, w, "transition", verbtest.Args{"id": ids["roof"], "to": "backlog"})
	for range 3 {
		work, err := verbtest.Call[tasks.Work](t, w, "next", verbtest.Args{})
		if err != nil || work.Task == nil || work.Task.ID == ids["house"] {
			t.Fatalf("next hands out %+v, %v", work.Task, err)
		}
	}
	if work, err := verbtest.Call[tasks.Work](t, w, "next", verbtest.Args{}); err != nil || work.Task != nil || work.Blocked != 1 || work.Claimed != 3 {
		t.Errorf("next: %+v, %v", work, err)
	}
	verbtest.Must(t, w, "claim", verbtest.Args{"id": ids["house"]}) // whoever names it may have it
}

// Explain names everything that keeps a task back, and the task for which most wait.
func TestExplain(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	ids := tree(t, w, [3]string{"base"}, [3]string{"walls", "", "base"}, [3]string{"roof", "", "walls"}, [3]string{"house"}, [3]string{"door", "house"})
	verbtest.Must(t, w, "claim", verbtest.Args{"id": ids["base"]})
	verbtest.Must(t, w, "transition", verbtest.Args{"id": ids["door"], "to": "in_progress"})
	verbtest.Must(t, w, "transition", verbtest.Args{"id": ids["door"], "to": "in_review"})
	out, err := verbtest.Call[tasks.ListOut](t, w, "list", verbtest.Args{"explain": true})
	if err != nil || out.Unblocks == nil || out.Unblocks.ID != ids["base"] || out.Unblocks.Tasks != 2 {
		t.Fatalf("most wait for %+v, %v", out.Unblocks, err)
	}
	want := map[string][]task.Word{
		"base": {task.IsHeld}, "walls": {task.WaitsFor}, "roof": {task.WaitsFor}, "house": {task.HasChildren}, "door": {task.IsInReview},
	}
	for _, row := range out.Tasks {
		var got []task.Word
		for _, why := range row.Why {
			got = append(got, why.Code)
			if (why.Code == task.WaitsFor || why.Code == task.HasChildren) && (len(why.Tasks) != 1 || why.Tasks[0].Status == "") {
				t.Errorf("%s: %+v does not say for what", row.Title, why)
			}
		}
		if !slices.Equal(got, want[row.Title]) {
			t.Errorf("%s: %v, want %v", row.Title, got, want[row.Title])
		}
	}
}

// What is asked of tasks in words is answered as the flags of list answer it.
func TestWhere(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	base := verbtest.Must(t, w, "create", verbtest.Args{"title": "Lay the base", "labels": []string{"stone", "north"}, "priority": "urgent", "due": "2020-01-01"})
	walls := verbtest.Must(t, w, "create", verbtest.Args{"title": "Raise the walls", "deps": []string{base.ID}, "labels": []string{"brick"}, "mode": "auto", "parent": base.ID})
	done := verbtest.Must(t, w, "create", verbtest.Args{"title": "Buy the land", "priority": "3"})
	verbtest.Must(t, w, "transition", verbtest.Args{"id": done.ID, "to": "done"})
	verbtest.Must(t, w, "claim", verbtest.Args{"id": base.ID})
	tail := walls.ID[len(walls.ID)-5:]
	const b, r, l = "Lay the base", "Raise the walls", "Buy the land"
	for filter, want := range map[string][]string{
		"priority<=1": {b}, "priority=urgent": {b}, "priority>urgent": {r}, "label=stone": {b}, "label=stone,brick": {b, r}, "label!=stone": {r},
		"title~WALL": {r}, `title="lay the base"`: {b}, "status=open": {b, r}, "status=closed": {l}, "status=done,backlog": {b, r, l}, "status!=open": {l},
		"assignee=me": {b}, "holder=me": {b}, "assignee=unassigned": {r}, "not assignee": {r}, "held": {b}, "not held": {r}, "blocked": {r}, "waits_for=" + tail: nil,
		"waits-for=" + base.ID: {r}, "dep=" + base.ID: {r}, "parent=" + base.ID: {r}, "parent": {r}, "id=" + tail: {r}, "id~" + done.ID: {l},
		"mode=auto": {r}, "not mode": {b}, "due": {b}, "overdue": {b}, "due<7d": {b}, "due>today": {}, "created=today or created=yesterday": {b, r}, "age<1d": {b, r}, "idle>2d": {},
		"updated>-1h": {b, r}, "children=0": {b, r}, "children>0": {}, "ready": {}, "elsewhere or lapsed": {}, "execution=active": {}, "repo": {},
		"status=open and (label=stone or priority<=1) and due<7d and assignee=me and title~base": {b},
	} {
		if want == nil {
			want = []string{}
		}
		slices.Sort(want)
		if got := listed(t, w, verbtest.Args{"where": filter}); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", filter, got, want)
		}
	}
	for filter, code := range map[string]record.Code{
		"status=finished": record.UnknownState, "assignee=shah": record.InvalidInput, "id=PROJ": record.AmbiguousID, "parent=zzz": record.NotFound, "mode=none": record.InvalidInput,
		"execution=ended": record.InvalidInput, "priority=soon": record.InvalidInput, "estimates": record.InvalidInput,
	} {
		_, err := verbtest.Call[tasks.ListOut](t, w, "list", verbtest.Args{"where": filter})
		if record.CodeOf(err) != code || !strings.Contains(err.Error(), "column ") {
			t.Errorf("%s: %v, want %s with a column", filter, err, code)
		}
	}
}

// The pages name every key that there is.
func TestPagesNameTheKeys(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	s, err := w.Open()
	if err != nil {
		t.Fatal(err)
	}
	g, err := w.Graph(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{"docs/filters.md", "internal/verb/guide/topics/filters.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", filepath.FromSlash(page)))
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range tasks.Keys(w, s, g).Keys {
			if !strings.Contains(string(text), key.Name) {
				t.Errorf("%s does not name the key %s", page, key.Name)
			}
			if key.About == "" {
				t.Errorf("the key %s says nothing about itself", key.Name)
			}
		}
	}
}

// A word for closed and open states is the workspace's own where a state is called so.
func TestStatesCalledOpen(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	config := "prefix: PROJ\nstates: [open, doing, shut]\ninitial: open\nworking: doing\nclosed: [shut]\n"
	if err := os.WriteFile(filepath.Join(w.Dir, ".cairn", "config.yaml"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	ids := tree(t, w, [3]string{"a"}, [3]string{"b"}, [3]string{"c"})
	verbtest.Must(t, w, "transition", verbtest.Args{"id": ids["b"], "to": "doing"})
	verbtest.Must(t, w, "transition", verbtest.Args{"id": ids["c"], "to": "shut"})
	for _, tt := range []struct {
		in   verbtest.Args
		want []string
	}{
		{verbtest.Args{}, []string{"a", "b"}}, {verbtest.Args{"status": []string{"open"}}, []string{"a"}}, {verbtest.Args{"where": "status=open"}, []string{"a"}},
		{verbtest.Args{"status": []string{"closed"}}, []string{"c"}}, {verbtest.Args{"where": "status=closed"}, []string{"c"}}, {verbtest.Args{"closed": true}, []string{"c"}},
	} {
		if got := listed(t, w, tt.in); !slices.Equal(got, tt.want) {
			t.Errorf("%v: %v, want %v", tt.in, got, tt.want)
		}
	}
}

// A row says ready of what next would hand out, and of nothing that is held, in review or closed.
func TestReadyRowsCanBeStarted(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	ids := tree(t, w, [3]string{"free"}, [3]string{"held"}, [3]string{"left behind"}, [3]string{"reviewed"}, [3]string{"closed"}, [3]string{"waits", "", "free"})
	verbtest.Must(t, w, "claim", verbtest.Args{"id": ids["held"]})
	for title, to := range map[string]string{"left behind": "in_progress", "reviewed": "in_review", "closed": "done"} {
		verbtest.Must(t, w, "transition", verbtest.Args{"id": ids[title], "to": to})
	}
	out, err := verbtest.Call[tasks.ListOut](t, w, "list", verbtest.Args{"all": true})
	if err != nil || len(out.Tasks) != len(ids) {
		t.Fatalf("%d tasks, %v", len(out.Tasks), err)
	}
	for _, row := range out.Tasks {
		one, err := verbtest.Call[verb.Task](t, w, "get", verbtest.Args{"id": row.ID})
		if err != nil {
			t.Fatal(err)
		}
		if want := row.Title == "free" || row.Title == "left behind"; row.Ready != want || one.Ready != want {
			t.Errorf("%s: ready is %v in a list and %v of get", row.Title, row.Ready, one.Ready)
		}
	}
}

// rowMost is the most bytes that one row of those below may have.
const rowMost = 300

// An agent's list of 50 costs less than half of what it did before rows left anything out, and no row is long. before
// is what the list of these rows had then: 50 tasks of a shop at work, as JSON.
func TestRowsAreShort(t *testing.T) {
	for _, tt := range []struct {
		name   string
		before int
		create func(n int) verbtest.Args
	}{
		{"of every priority, half with a label", 15306, func(n int) verbtest.Args {
			in := verbtest.Args{"title": fmt.Sprintf("Round discounts of cart %d to the nearest cent", n), "priority": fmt.Sprint(n % 4)}
			if n%2 == 0 {
				in["labels"] = []string{"payments"}
			}
			return in
		}},
		{"with long titles, and a label each", 16166, func(n int) verbtest.Args {
			return verbtest.Args{"title": fmt.Sprintf("Round discounts of cart %2d to the nearest cent at checkout", n), "labels": []string{"payments"}}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := verbtest.NewWorkspace(t)
			w.Bounded = true
			var last record.ID
			for n := range 50 {
				in := tt.create(n)
				if n%5 == 4 {
					in["deps"] = []record.ID{last}
				}
				if n%10 == 3 {
					in["assignee"] = "me"
				}
				last = record.ID(verbtest.Must(t, w, "create", in).ID)
			}
			rowsAreShort(t, w, tt.before)
		})
	}
}

func rowsAreShort(t *testing.T, w *verb.Workspace, before int) {
	t.Helper()
	out, err := verbtest.Call[tasks.ListOut](t, w, "list", verbtest.Args{})
	if err != nil || len(out.Tasks) != 50 {
		t.Fatalf("%d tasks, %v", len(out.Tasks), err)
	}
	raw, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range out.Tasks {
		one, err := json.Marshal(row)
		if err != nil || len(one) > rowMost {
			t.Errorf("%v: %d bytes: %s", err, len(one), one)
		}
		for _, absent := range []string{"false", "[]", "null", `""`, `"priority":2`} {
			if strings.Contains(string(one), absent) {
				t.Errorf("it says what is not so: %s", one)
			}
		}
	}
	t.Logf("50 rows: %d bytes, %.1f %%", len(raw), 100*float64(len(raw))/float64(before))
	if len(raw)*2 >= before {
		t.Errorf("50 rows have %d bytes, and had %d before", len(raw), before)
	}
}
