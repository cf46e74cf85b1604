package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/slowtest"
)

// Lists come from an index beside the files. Whatever becomes of it, they say what the files say.
func TestSlowListsWithTheIndexAndWithout(t *testing.T) {
	slowtest.Skip(t)
	g := newGitRepo(t)
	g.mustCairn("init", "--prefix", "SHOP")
	for n := range 150 {
		g.write(g.task(fmt.Sprintf("SHOP-%03d", n)), fmt.Appendf(nil,
			"---\nid: SHOP-%03d\ntitle: Task %d\nstatus: backlog\ndeps: [SHOP-%03d]\nprovenance: []\n---\n\nWords of %d.\n", n, n, n/2, n))
	}
	asks := [][]string{
		{"list", "--json"}, {"list", "--ready", "--json"}, {"list", "--text", "WORDS 14", "--json"}, {"history", "--json"},
		{"list", "--sort", "title", "--limit", "7", "--json"}, {"get", "SHOP-007", "--mode", "context", "--json"},
	}
	same := func(when string) {
		t.Helper()
		for _, ask := range asks {
			kept, fresh := g.mustCairn(ask...), g.mustCairn(append([]string{"--fresh"}, ask...)...)
			if kept != fresh {
				t.Errorf("%s, %v says\n%s\nand with --fresh\n%s", when, ask, kept, fresh)
			}
		}
	}
	same("at first")
	if len(g.indexes()) == 0 {
		t.Fatal("there is no index")
	}
	same("with an index")

	path := g.task("SHOP-007")
	text := g.read(path)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	g.write(path, []byte(strings.Replace(text, "Task 7", "Task X", 1)))
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if out := g.mustCairn("list", "--text", "Task X"); !strings.Contains(out, "SHOP-007") {
		t.Errorf("a change by hand that has the old time is not seen: %s", out)
	}
	same("after a change by hand")

	g.run("add", ".")
	g.run("commit", "-qm", "all")
	g.run("checkout", "-qb", "other")
	g.write(g.task("SHOP-008"), []byte(strings.Replace(text, "SHOP-007", "SHOP-008", 1)))
	g.run("commit", "-qam", "eight")
	same("on a branch")
	g.run("checkout", "-q", "-")
	same("back on the first branch")

	for _, name := range g.indexes() {
		src := []byte(g.read(name))
		src[len(src)/2] ^= 1
		if err := os.WriteFile(name, src, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	same("with damaged indexes")
}

// indexes are the files of indexes in live state.
func (g *gitRepo) indexes() []string {
	g.t.Helper()
	names, err := filepath.Glob(filepath.Join(g.dir, ".git", "cairn", "*", "*-tasks"))
	if err != nil {
		g.t.Fatal(err)
	}
	return names
}

func (g *gitRepo) read(path string) string {
	g.t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		g.t.Fatal(err)
	}
	return string(src)
}

// mustCairn runs a command that must succeed, and returns what it prints.
func (g *gitRepo) mustCairn(args ...string) string {
	g.t.Helper()
	out, exit := g.cairn(args...)
	if exit != 0 {
		g.t.Fatalf("cairn %v exits with %d: %s", args, exit, out)
	}
	return out
}

// task is the path of the file of a task.
func (g *gitRepo) task(id string) string { return filepath.Join(g.dir, ".cairn", "tasks", id+".md") }
