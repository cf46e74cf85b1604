package main

import (
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// newTestWorkspace makes a small workspace as the program does.
func newTestWorkspace(t *testing.T, g graph) workspace {
	t.Helper()
	home := t.TempDir()
	w, err := newWorkspace(t.Context(), filepath.Join(home, "workspace"), g, isolated(home))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// What is measured is a sound workspace that holds what the page says, and it is the same in every run.
func TestWorkspacesAreSoundAndTheSame(t *testing.T) {
	for _, rich := range []bool{false, true} {
		w := newTestWorkspace(t, graph{n: 100, rich: rich, seed: 7})
		s := storetest.Open(t, w.dir)
		storetest.WantClean(t, s)
		tasks, problems, err := kind.Tasks.List(t.Context(), s)
		if err != nil || len(problems) > 0 || len(tasks) != w.n {
			t.Fatalf("rich %v: %d tasks, problems %v, %v", rich, len(tasks), problems, err)
		}
		states := map[record.Status]int{}
		for i, one := range tasks {
			states[one.Status]++
			entries := len(one.Provenance)
			if low, high := 1, 2; !rich && (entries < low || entries > high) {
				t.Errorf("plain task %d has %d entries", i, entries)
			}
			if low, high := 5, 8; rich && (entries < low || entries > high) {
				t.Errorf("rich task %d has %d entries", i, entries)
			}
			if one.ID != w.id(i) {
				t.Errorf("task %d is %s, want %s", i, one.ID, w.id(i))
			}
		}
		if want := (map[record.Status]int{"done": 40, "in_progress": 5, "backlog": 55}); !maps.Equal(states, want) {
			t.Errorf("rich %v: states %v, want %v", rich, states, want)
		}
		sessions, _, err := kind.Sessions.List(t.Context(), s)
		if err != nil || rich != (len(sessions) > 0) {
			t.Errorf("rich %v: %d sessions, %v", rich, len(sessions), err)
		}
		if out, err := w.command(t.Context(), "git", "status", "--porcelain").CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("not everything is committed: %s, %v", out, err)
		}
		again := graph{n: w.n, rich: rich, seed: w.seed, flow: w.flow}
		for i := range w.n {
			one, ses, err := again.task(i)
			if err != nil {
				t.Fatal(err)
			}
			files, err := bytesOf(one, ses)
			if err != nil {
				t.Fatal(err)
			}
			for name, content := range files {
				if read(t, w.path(name)) != string(content) {
					t.Fatalf("%s differs between two runs", name)
				}
			}
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// A claim takes a task that is ready and that nobody holds, another one each time.
func TestFreeTasksAreReady(t *testing.T) {
	w := newTestWorkspace(t, graph{n: 100, rich: true, seed: 7})
	s := storetest.Open(t, w.dir)
	seen := map[record.ID]bool{}
	for i := range 10 {
		id, err := w.free(i)
		if err != nil {
			t.Fatal(err)
		}
		one := storetest.Get(t, s, id)
		if err := w.flow.DepsGate(one, "in_progress", kind.Deps(s, w.flow)); err != nil || one.Assignee != "" || seen[id] {
			t.Errorf("%s is not free: %v, held by %q, seen before: %v", id, err, one.Assignee, seen[id])
		}
		seen[id] = true
	}
	if _, err := w.free(w.n); err == nil {
		t.Error("there are as many free tasks as tasks")
	}
}

// What is derived is removed, and nothing else.
func TestForgetIndex(t *testing.T) {
	w := workspace{dir: t.TempDir()}
	if err := w.forgetIndex(); err != nil {
		t.Error(err)
	}
	live := filepath.Join(w.dir, ".git", "cairn", "0123456789abcdef")
	for _, name := range []string{"index-3", "write.lock"} {
		storetest.WriteFile(t, filepath.Join(live, name), "x")
	}
	if err := w.forgetIndex(); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(live)
	if err != nil || len(left) != 1 || left[0].Name() != "write.lock" {
		t.Errorf("left: %v, %v", left, err)
	}
}

// Rounds run one probe after the other; one that fails or takes too long says so and is left out from then on.
func TestRoundsInterleave(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	note := func(name string) func(int) error {
		return func(int) error {
			order = append(order, name)
			return nil
		}
	}
	as := func(what string) []string { return append(os.Environ(), actVar+"="+what, "GORACE=atexit_sleep_ms=0") }
	line := func(int) []string { return []string{self, "an argument"} }
	r := runner{workspace{dir: t.TempDir()}, programs{yardstick: self}}
	figures, err := r.rounds(t.Context(), []probe{
		{name: "a", env: as("count"), timed: true, command: line, prepare: note("a")},
		{name: "b", env: as("count"), every: 2, command: line, prepare: note("b")},
		{name: "fails", env: as("fail"), command: line, prepare: note("fails")},
		{name: "hangs", env: as("hang"), command: line, prepare: note("hangs"), limit: 50 * time.Millisecond},
	}, 3, 3, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(order, " "), "a b fails hangs a b a a b"; got != want {
		t.Errorf("order %q, want %q", got, want)
	}
	a, fails, hangs := figures[0], figures[2], figures[3]
	if len(a.wall) != 3 || len(a.cpu) != 3 || len(a.inner) != 3 || a.inner[0] != 42 || a.peak != 42 {
		t.Errorf("a: %+v", a)
	}
	if !strings.Contains(fails.failed, "no such thing") || !strings.Contains(hangs.failed, "not done in 50ms") {
		t.Errorf("failed: %q, %q", fails.failed, hangs.failed)
	}
	if err := sound(figures); err == nil || !strings.Contains(err.Error(), "fails: ") {
		t.Errorf("sound: %v", err)
	}
}

// actVar makes the test binary act as a program that is measured.
const actVar = "BENCH_TEST_ACT"

func TestMain(m *testing.M) {
	switch os.Getenv(actVar) {
	case "count":
		_, _ = io.WriteString(os.Stdout, "42\n")
		os.Exit(0)
	case "fail":
		_, _ = io.WriteString(os.Stderr, "no such thing\n")
		os.Exit(1)
	case "hang":
		time.Sleep(time.Hour)
	}
	os.Exit(m.Run())
}

func TestPart(t *testing.T) {
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[i] = time.Duration(100 - i)
	}
	for _, row := range []struct {
		name string
		of   float64
		all  []time.Duration
		want time.Duration
	}{
		{"nothing", 0.5, nil, 0},
		{"one", 0.99, hundred[:1], 100},
		{"least", 0, hundred, 1},
		{"median", 0.5, hundred, 50},
		{"p99", 0.99, hundred, 99},
		{"most", 1, hundred, 100},
		{"median of three", 0.5, []time.Duration{9, 1, 5}, 5},
	} {
		if got := part(row.of, row.all); got != row.want {
			t.Errorf("%s: %d, want %d", row.name, got, row.want)
		}
	}
}

// sample is a workspace in which everything takes as long as its yardsticks allow, times a factor.
func sample(tasks int, rich bool, factor float64) measured {
	m := measured{tasks: tasks, rich: rich}
	took := func(ms float64) []time.Duration {
		return []time.Duration{time.Duration(ms * float64(time.Millisecond))}
	}
	size := float64(tasks) / 1000
	for name, ms := range map[string]float64{
		nameVersion: 3 * factor, nameShow: 3.9 * factor * factor, nameList: (3*factor + size) * 2 * factor, nameReady: 4 + size,
		nameSearch: 5 + size, nameCheck: 12 * 2 * size * factor, nameDoctor: 20 * 2 * size, nameEmpty: 1, nameCreate: 5, nameClaim: 5, nameNote: 5,
	} {
		m.figures = append(m.figures, figure{name: name, wall: took(ms), cpu: took(ms), peak: 20 << 20})
	}
	for name, ms := range map[string]float64{nameStat: size, nameRead: 2 * size, nameWrite: 1} {
		m.figures = append(m.figures, figure{name: name, wall: took(ms + 1), inner: took(ms)})
	}
	m.calls = []figure{{name: callReady, wall: took(1.4 * factor)}, {name: idleCPU, inner: took(25)}, {name: peakMCP, peak: 50 << 20}}
	return m
}

func TestLimits(t *testing.T) {
	if got := missed([]measured{sample(1_000, false, 0.99), sample(10_000, true, 0.99)}); len(got) > 0 {
		t.Errorf("missed although all is within the limits: %q", got)
	}
	got := strings.Join(missed([]measured{sample(10_000, true, 1.2)}), "\n")
	for _, want := range []string{
		"10,000 rich tasks: version / empty program is 3.60, more than 3",
		"show / version is 1.56",
		"list / (version + stat of all) is 2.40",
		"check / read of all is 14.40, more than 12",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("does not say %q:\n%s", want, got)
		}
	}
	if got := missed([]measured{sample(3_000, true, 1)}); slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "MCP") }) {
		t.Errorf("a limit at a size that has none: %q", got)
	}
}

// The report is tables that are whole, and takes the place of the one before.
func TestReportIntoPage(t *testing.T) {
	r := report{
		machine: []string{"a machine"}, absent: []string{"beans"},
		all: []measured{sample(1_000, false, 1), sample(1_000, true, 1), sample(10_000, true, 1.5)},
		peers: []compared{{1_000, []string{"cairn", "tk"}, map[string]figure{
			"cairn list": {wall: []time.Duration{time.Millisecond}}, "tk list": {failed: "it | said <b>\nno"},
		}}},
	}
	page := filepath.Join(t.TempDir(), "page.md")
	const before, after = "# Page\n\n", "\n\n## More\n"
	storetest.WriteFile(t, page, before+figuresBegin+"\nold\n"+figuresEnd+after)
	for range 2 {
		if err := r.write(page); err != nil {
			t.Fatal(err)
		}
	}
	got := read(t, page)
	if !strings.HasPrefix(got, before) || !strings.HasSuffix(got, after) {
		t.Errorf("the page is not what it was around the figures:\n%s", got)
	}
	if strings.Contains(got, "\nold\n") || strings.Count(got, "### The MCP server") != 1 {
		t.Errorf("the figures did not take the place of those before:\n%s", got)
	}
	for _, want := range []string{"- a machine", "| version | ", "| 1,000: list | 1.00 | failed |", "`it   said  b> no`", "not measured: beans", "**", "2.5 %", "50 MB"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q:\n%s", want, got)
		}
	}
	for block := range strings.SplitSeq(got, "\n\n") {
		head, _, _ := strings.Cut(block, "\n")
		for row := range strings.Lines(block) {
			if strings.HasPrefix(head, "|") && strings.Count(row, "|") != strings.Count(head, "|") {
				t.Errorf("a row has other cells than its head:\n%s%s", head, row)
			}
		}
	}
	wellFormed(t, read(t, strings.TrimSuffix(page, ".md")+".svg"))
	if _, err := replaceFigures("no markers", ""); err == nil {
		t.Error("a page without markers was accepted")
	}
}

func wellFormed(t *testing.T, src string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(src)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, src)
		}
	}
}

// No two names of the picture overlap, and all are inside.
func TestPictureNamesAreApart(t *testing.T) {
	for _, all := range [][]measured{
		{sample(1_000, true, 1), sample(10_000, true, 1), sample(100_000, true, 1)},
		{sample(1_000, true, 1)},
		nil,
	} {
		wellFormed(t, picture(all))
		lines := planeOf(all).curves(all)
		for i, c := range lines {
			if i > 0 && c.label-lines[i-1].label < labelGap-1 || c.label < plotTop-labelGap || c.label > plotBottom+labelGap {
				t.Errorf("%d workspaces: %s stands at %.1f, after %.1f", len(all), c.name, c.label, lines[max(0, i-1)].label)
			}
		}
		if len(all) > 0 && len(lines) != len(curves) {
			t.Errorf("%d curves of %d", len(lines), len(curves))
		}
	}
}

func TestOptions(t *testing.T) {
	o, err := parse([]string{"--sizes", "200, 5000", "--check"})
	if err != nil || !slices.Equal(o.sizes, []int{200, 5000}) || !o.check || o.seed != 1 {
		t.Errorf("%+v, %v", o, err)
	}
	if _, err := parse([]string{"--sizes", "ten"}); err == nil {
		t.Error("a size that is no number was accepted")
	}
}

// Nothing of the user's is seen by what is measured.
func TestIsolated(t *testing.T) {
	t.Setenv("CAIRN_REPO", "elsewhere")
	t.Setenv("GIT_DIR", "elsewhere")
	for _, v := range isolated("home") {
		if strings.HasSuffix(v, "=elsewhere") {
			t.Errorf("%s is passed on", v)
		}
	}
}
