package graphs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/graphs"
)

// workspace writes tasks, each as the lines of its front matter behind the id, into a workspace.
func workspace(t testing.TB, tasks map[string]string) *verb.Workspace {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(".cairn/config.yaml", "prefix: T\n")
	for id, lines := range tasks {
		if !strings.Contains(lines, "status:") {
			lines += "\nstatus: backlog"
		}
		write(".cairn/tasks/"+id+".md", "---\nid: "+id+"\ntitle: Task "+id+"\n"+lines+"\n---\n")
	}
	return &verb.Workspace{Dir: dir, StateDir: t.TempDir(), Actor: verb.As("human:kim"), Rights: verb.Rights{Profile: verb.Viewer}, Now: time.Now}
}

func graph(t testing.TB, w *verb.Workspace, in graphs.In) graphs.Out {
	t.Helper()
	out, err := verb.Do(t.Context(), w, graphs.Graph, in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// house has a chain T-1 <- T-2 <- T-3, T-4 beside it, a closed task, and a task that waits for what is not there.
var house = map[string]string{
	"T-1": "priority: 1", "T-2": "deps: [T-1]\nparent: T-9", "T-3": "deps: [T-2, T-4]\nparent: T-9", "T-4": "deps: [T-1]",
	"T-5": "status: done", "T-6": "deps: [T-5, T-77]", "T-9": "",
}

func ids(nodes []graphs.Node) string {
	var out []string
	for _, n := range nodes {
		out = append(out, string(n.ID))
	}
	return strings.Join(out, " ")
}

func TestGraph(t *testing.T) {
	w := workspace(t, house)
	got := graph(t, w, graphs.In{})
	if ids(got.Nodes) != "T-1 T-2 T-3 T-4 T-6 T-77 T-9" || got.Total != 6 || got.Truncated {
		t.Errorf("nodes %s of %d", ids(got.Nodes), got.Total)
	}
	if want := []record.ID{"T-1", "T-2", "T-3"}; !reflect.DeepEqual(got.CriticalPath, want) {
		t.Errorf("critical path %v", got.CriticalPath)
	}
	want := []graphs.Unblocks{{ID: "T-1", Title: "Task T-1", Waiting: 3, Ready: 2}, {ID: "T-2", Title: "Task T-2", Waiting: 1}, {ID: "T-4", Title: "Task T-4", Waiting: 1}}
	if !reflect.DeepEqual(got.Unblocks, want) {
		t.Errorf("unblocks %+v", got.Unblocks)
	}
	for _, n := range got.Nodes {
		if n.Ready != (n.ID == "T-1") || n.Missing != (n.ID == "T-77") {
			t.Errorf("got %+v", n)
		}
	}
	for _, c := range []struct {
		in   graphs.In
		want string
	}{
		{graphs.In{All: true}, "T-1 T-2 T-3 T-4 T-5 T-6 T-77 T-9"},
		{graphs.In{ID: "T-4"}, "T-1 T-4"},
		{graphs.In{ID: "T-9"}, "T-1 T-2 T-3 T-4 T-9"},
		{graphs.In{ID: "T-9", Depth: 1}, "T-2 T-3 T-9"},
		{graphs.In{ID: "T-1", Up: true}, "T-1 T-2 T-3 T-4 T-9"},
		{graphs.In{ID: "T-5", Up: true}, "T-5"},
		{graphs.In{ID: "T-5", Up: true, All: true}, "T-5 T-6 T-77"},
		{graphs.In{Limit: 2}, "T-6 T-77 T-9"},
		{graphs.In{Where: "priority=1 or parent=T-9"}, "T-1 T-2 T-3"},
	} {
		if got := graph(t, w, c.in); ids(got.Nodes) != c.want || got.Truncated != (c.in.Limit > 0) {
			t.Errorf("%+v: %s, want %s", c.in, ids(got.Nodes), c.want)
		}
	}
}

// A graph that is broken is shown all the same.
func TestBrokenGraph(t *testing.T) {
	w := workspace(t, map[string]string{
		"T-1": "deps: [T-2]", "T-2": "deps: [T-3]", "T-3": "deps: [T-1]", "T-4": "deps: [T-4]", "T-5": "deps: [T-1]",
		"T-6": "parent: T-7", "T-7": "parent: T-6", "T-8": "status: [",
	})
	got := graph(t, w, graphs.In{})
	if ids(got.Nodes) != "T-1 T-2 T-3 T-4 T-5 T-6 T-7" || len(got.Problems.Problems) != 1 {
		t.Errorf("nodes %s, problems %v", ids(got.Nodes), got.Problems)
	}
	if want := [][]record.ID{{"T-1", "T-2", "T-3"}, {"T-4"}}; !reflect.DeepEqual(got.Cycles, want) {
		t.Errorf("cycles %v", got.Cycles)
	}
	if len(got.Unblocks) != 3 || got.Unblocks[0].Waiting != 3 {
		t.Errorf("unblocks %+v", got.Unblocks)
	}
	for _, in := range []graphs.In{{Mermaid: true}, {ID: "T-6", Mermaid: true}, {ID: "T-2", Up: true, Mermaid: true}} {
		if got := graph(t, w, in); got.Picture == "" || len(got.Nodes) > 0 {
			t.Errorf("%+v: %+v", in, got)
		}
	}
}

func TestRefusedGraph(t *testing.T) {
	w := workspace(t, house)
	for _, c := range []struct {
		in   graphs.In
		want record.Code
	}{
		{graphs.In{ID: "T-55"}, record.NotFound}, {graphs.In{Up: true}, record.InvalidInput}, {graphs.In{Where: "nonsense=1"}, record.InvalidInput},
		{graphs.In{Limit: 100000}, record.InvalidInput},
	} {
		if _, err := verb.Do(t.Context(), w, graphs.Graph, c.in); record.CodeOf(err) != c.want {
			t.Errorf("%+v: %v", c.in, err)
		}
	}
}

// An agent gets the nearest tasks, and is told that there are more.
func TestBoundedGraph(t *testing.T) {
	tasks := map[string]string{}
	for i := range 300 {
		tasks[fmt.Sprintf("T-%d", i)] = ""
	}
	w := workspace(t, tasks)
	w.Bounded = true
	if got := graph(t, w, graphs.In{}); len(got.Nodes) != 200 || got.Total != 300 || !got.Truncated {
		t.Errorf("%d of %d, %v", len(got.Nodes), got.Total, got.Truncated)
	}
	if got := graph(t, w, graphs.In{Limit: 250}); len(got.Nodes) != 250 {
		t.Errorf("got %d", len(got.Nodes))
	}
	for who, want := range map[record.Actor]int{"human:kim": 300, "agent:kim": 200} { // in a shell
		w.Bounded, w.Actor = false, verb.As(who)
		if got := graph(t, w, graphs.In{}); len(got.Nodes) != want || got.Truncated != (want < 300) {
			t.Errorf("%s: %d of %d, %v", who, len(got.Nodes), got.Total, got.Truncated)
		}
		if got := graph(t, w, graphs.In{Mermaid: true}).Picture; strings.Contains(got, "%% 200 of 300 tasks, 100 more") != (want < 300) {
			t.Errorf("%s: the picture is %.200s", who, got)
		}
	}
}

// What strangers write into a title stays a title.
func TestTitlesInPictures(t *testing.T) {
	evil := `x"] ; click n0 href "javascript:alert(1)" & <b>&amp;</b> ` + "`md` #quot; %% \\\\\" end ; subgraph {} |a|"
	w := workspace(t, map[string]string{"T-1": "", "T-2": "deps: [T-1]\nparent: T-3", "T-3": ""})
	path := filepath.Join(w.Dir, ".cairn/tasks/T-1.md")
	text := "---\nid: T-1\ntitle: '" + strings.ReplaceAll(evil, "'", "''") + "'\nstatus: backlog\n---\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	mermaid := graph(t, w, graphs.In{Mermaid: true}).Picture
	line := regexp.MustCompile(`^(flowchart LR|  +n\d+\["[^"\x60<>&\\\[\]{}|]*"\](:::\w+)?|  +subgraph gn\d+ \["[^"\x60<>&\\\[\]{}|]*"\]|  +end|  n\d+ (-->|==>) n\d+|  classDef .*)$`)
	for l := range strings.Lines(mermaid) {
		if !line.MatchString(strings.TrimSuffix(l, "\n")) {
			t.Errorf("not Mermaid: %q", l)
		}
	}
}

// A chain as long as 10,000 tasks, and as wide: what is counted is right.
func TestLargeGraph(t *testing.T) {
	const n = 3000
	tasks := map[string]string{"T-0": ""}
	for i := 1; i < n; i++ {
		tasks[fmt.Sprintf("T-%d", i)] = fmt.Sprintf("deps: [T-%d]", i-1)
	}
	got := graph(t, workspace(t, tasks), graphs.In{})
	if len(got.CriticalPath) != n || got.CriticalPath[0] != "T-0" || got.Unblocks[0] != (graphs.Unblocks{ID: "T-0", Title: "Task T-0", Waiting: n - 1, Ready: 1}) {
		t.Errorf("%d in the chain, %+v", len(got.CriticalPath), got.Unblocks[0])
	}
}
