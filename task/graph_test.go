package task_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

func TestBlockedBy(t *testing.T) {
	find := graph(node("A-1", "backlog"), node("A-2", "in_review"), node("A-3", "done"), node("A-4", "canceled"))
	for _, tt := range []struct {
		name string
		deps []record.ID
		want []record.ID
	}{
		{"no deps", nil, nil},
		{"a closed dep", []record.ID{"A-3"}, nil},
		{"an abandoned dep is closed", []record.ID{"A-4"}, nil},
		{"an open dep", []record.ID{"A-1"}, []record.ID{"A-1"}},
		{"a dep in review is open", []record.ID{"A-2"}, []record.ID{"A-2"}},
		{"a dep that is not there counts as open", []record.ID{"A-9"}, []record.ID{"A-9"}},
		{"the open ones in their order", []record.ID{"A-2", "A-3", "A-9", "A-1"}, []record.ID{"A-2", "A-9", "A-1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			waiting := node("A-7", "backlog", tt.deps...)
			if got := flow.BlockedBy(waiting, find); !slices.Equal(got, tt.want) {
				t.Errorf("blocked by %v, want %v", got, tt.want)
			}
			if ready := len(flow.BlockedBy(waiting, find)) == 0; ready != (len(tt.want) == 0) {
				t.Errorf("ready is %v", ready)
			}
		})
	}
}

func TestReadySaysNothingAboutTheTaskItself(t *testing.T) {
	if len(flow.BlockedBy(node("A-1", "done"), alone)) > 0 {
		t.Error("a closed task without deps is ready too")
	}
}

// Whether a task A-1 may come to depend on others.
func TestValidDeps(t *testing.T) {
	for _, tt := range []struct {
		name string
		has  []task.Task
		deps []record.ID
		want record.Code
		says string
	}{
		{name: "none"},
		{name: "one that exists", has: []task.Task{node("A-2", "backlog")}, deps: []record.ID{"A-2"}},
		{name: "a closed one", has: []task.Task{node("A-2", "done")}, deps: []record.ID{"A-2"}},
		{name: "one that does not exist", deps: []record.ID{"A-2"},
			want: record.DanglingDep, says: "dependency A-2 does not exist"},
		{name: "the second of two does not exist", has: []task.Task{node("A-2", "backlog")}, deps: []record.ID{"A-2", "A-3"},
			want: record.DanglingDep, says: "A-3"},
		{name: "the task itself", has: []task.Task{node("A-1", "backlog")}, deps: []record.ID{"A-1"},
			want: record.DepCycle, says: "A-1 would wait for itself: A-1 -> A-1"},
		{name: "the task itself, before it is created", deps: []record.ID{"A-1"},
			want: record.DepCycle, says: "A-1 -> A-1"},
		{name: "a circle of two", has: []task.Task{node("A-1", "backlog"), node("A-2", "backlog", "A-1")}, deps: []record.ID{"A-2"},
			want: record.DepCycle, says: "A-1 -> A-2 -> A-1"},
		{name: "a circle of three, the shortest way around",
			has: []task.Task{node("A-1", "backlog"), node("A-2", "backlog", "A-4", "A-3"), node("A-3", "backlog", "A-1"),
				node("A-4", "backlog", "A-3")},
			deps: []record.ID{"A-2"}, want: record.DepCycle, says: "A-1 -> A-2 -> A-3 -> A-1"},
		{name: "a circle through a closed task is one too",
			has:  []task.Task{node("A-1", "backlog"), node("A-2", "done", "A-1")},
			deps: []record.ID{"A-2"}, want: record.DepCycle},
		{name: "two ways to the same task are no circle",
			has:  []task.Task{node("A-2", "backlog", "A-4"), node("A-3", "backlog", "A-4"), node("A-4", "backlog")},
			deps: []record.ID{"A-2", "A-3"}},
		{name: "a circle that is there already, elsewhere, does not matter and ends",
			has:  []task.Task{node("A-2", "backlog", "A-3"), node("A-3", "backlog", "A-2")},
			deps: []record.ID{"A-2"}},
		{name: "a task that waits for itself already, elsewhere",
			has:  []task.Task{node("A-2", "backlog", "A-2")},
			deps: []record.ID{"A-2"}},
		{name: "a missing dep further on does not matter",
			has:  []task.Task{node("A-2", "backlog", "A-9")},
			deps: []record.ID{"A-2"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := task.ValidDeps("A-1", tt.deps, graph(tt.has...))
			wantCode(t, err, tt.want)
			if err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("says %q, not %q", err, tt.says)
			}
		})
	}
}

func child(id, parent record.ID) task.Task {
	t := node(id, "backlog")
	t.Parent = parent
	return t
}

// Whether a task A-1 may come to have a parent.
func TestValidParent(t *testing.T) {
	for _, tt := range []struct {
		name   string
		has    []task.Task
		parent record.ID
		want   record.Code
	}{
		{name: "none"},
		{name: "one that exists", has: []task.Task{node("A-2", "backlog")}, parent: "A-2"},
		{name: "one that does not exist", parent: "A-2", want: record.DanglingDep},
		{name: "the task itself", has: []task.Task{node("A-1", "backlog")}, parent: "A-1", want: record.DepCycle},
		{name: "its child", has: []task.Task{node("A-1", "backlog"), child("A-2", "A-1")}, parent: "A-2", want: record.DepCycle},
		{name: "its grandchild", has: []task.Task{child("A-2", "A-1"), child("A-3", "A-2")}, parent: "A-3", want: record.DepCycle},
		{name: "a task that depends on it", has: []task.Task{node("A-2", "backlog", "A-1")}, parent: "A-2"},
		{name: "a circle of parents that is there already ends", has: []task.Task{child("A-2", "A-3"), child("A-3", "A-2")}, parent: "A-2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wantCode(t, task.ValidParent("A-1", tt.parent, graph(tt.has...)), tt.want)
		})
	}
}

// Who leads back to itself, by the edges of each.
func TestCircles(t *testing.T) {
	for _, tt := range []struct {
		name  string
		edges map[record.ID][]record.ID
		want  [][]record.ID
	}{
		{"no tasks", nil, nil},
		{"a chain", map[record.ID][]record.ID{"A-1": {"A-2"}, "A-2": {"A-3"}, "A-3": nil}, nil},
		{"two ways to one task", map[record.ID][]record.ID{"A-1": {"A-2", "A-3"}, "A-2": {"A-4"}, "A-3": {"A-4"}, "A-4": nil}, nil},
		{"itself", map[record.ID][]record.ID{"A-1": {"A-1"}, "A-2": {"A-1"}}, [][]record.ID{{"A-1"}}},
		{"three in a circle, one before it and one behind", map[record.ID][]record.ID{
			"A-1": {"A-3"}, "A-2": {"A-4"}, "A-3": {"A-2"}, "A-4": {"A-3", "A-5"}, "A-5": nil,
		}, [][]record.ID{{"A-2", "A-3", "A-4"}}},
		{"two circles that share a task are one", map[record.ID][]record.ID{
			"A-1": {"A-2"}, "A-2": {"A-1", "A-3"}, "A-3": {"A-2"},
		}, [][]record.ID{{"A-1", "A-2", "A-3"}}},
		{"two circles, one leading to the other", map[record.ID][]record.ID{
			"A-1": {"A-2"}, "A-2": {"A-1", "A-3"}, "A-3": {"A-4"}, "A-4": {"A-3"},
		}, [][]record.ID{{"A-1", "A-2"}, {"A-3", "A-4"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ids := slices.Sorted(maps.Keys(tt.edges))
			got := task.Circles(ids, func(id record.ID) []record.ID { return tt.edges[id] })
			if !slices.EqualFunc(got, tt.want, slices.Equal) {
				t.Errorf("circles %v, want %v", got, tt.want)
			}
		})
	}
}
