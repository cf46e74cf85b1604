package cmdtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// shopTasks are the tasks of a shop, whose files do not depend on the time or on chance.
var shopTasks = []struct{ id, front string }{
	{"SHOP-3", "title: Take cards\nstatus: backlog\npriority: 0\nlabels: [payments]\ndue: 2026-06-30"},
	{"SHOP-4", "title: Ship it to the first ten customers, and ask each of them what was missing\nstatus: backlog\npriority: 1\ndeps: [SHOP-1, SHOP-3]"},
	{"SHOP-5", "title: 棚の在庫を数える (count what is on the shelves)\nstatus: backlog\nlabels: [stock, 日本]"},
	{"SHOP-6", "title: Sweep the yard\nstatus: backlog\npriority: 4"},
	{"SHOP-1", "title: Add idempotency keys to every call that takes money\nstatus: in_progress\npriority: 1\nlabels: [payments, api]\nassignee: 'human:bob'"},
	{"SHOP-2", "title: Print receipts\nstatus: in_progress\npriority: 2\nassignee: 'agent:claude-1'"},
	{"SHOP-7", "title: Refuse orders without an address\nstatus: in_review\npriority: 2\nlabels: [orders]\nassignee: 'human:ada'"},
	{"SHOP-8", "title: Choose a name for the shop\nstatus: done\npriority: 1"},
	{"SHOP-9", "title: Rent a room\nstatus: done\npriority: 2\nlabels: [yard]"},
	{"SHOP-10", "title: Sell umbrellas\nstatus: canceled\npriority: 3"},
}

// Shop makes a repository with a workspace of ten tasks, which are the same each time, and returns its folder.
func Shop(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, ".cairn", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("config.yaml", "format: 1\nprefix: SHOP\nstates: [backlog, in_progress, in_review, done, canceled]\ninitial: backlog\nclosed: [done, canceled]\nabandoned: [canceled]\n")
	for i, one := range shopTasks {
		day := "2026-06-1" + string(rune('0'+i))
		created, claimed, moved := "T09:00:00Z", "T10:00:00Z", "T11:00:00Z"
		if strings.Contains(one.front, "agent:") { // just before the time of the picture, so that the claim stands in it
			day, created, claimed, moved = "2026-06-20", "T08:40:00Z", "T08:50:00Z", "T08:51:00Z"
		}
		entries := []string{"who: 'human:ada', at: " + day + created + ", did: created"}
		_, holder, _ := strings.Cut(one.front, "assignee: ")
		if holder != "" {
			entries = append(entries, "who: "+holder+", at: "+day+claimed+", did: claimed, assignee: "+holder)
		}
		_, state, _ := strings.Cut(one.front, "status: ")
		state, _, _ = strings.Cut(state, "\n")
		if state != "backlog" {
			entries = append(entries, "who: 'human:ada', at: "+day+moved+", did: transitioned, from: backlog, to: "+state)
		}
		text := "---\nid: " + one.id + "\n" + one.front + "\nprovenance:\n"
		for _, e := range entries {
			text += "  - {" + e + "}\n"
		}
		write("tasks/"+one.id+".md", text+"---\n")
	}
	for _, args := range [][]string{{"init", "--quiet", "--initial-branch", "main"}, {"add", "--all"}, {"-c", "user.name=ada", "-c", "user.email=ada@shop.example", "commit", "--quiet", "--message", "begin"}} {
		c := exec.Command("git", append([]string{"-C", dir}, args...)...)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	return dir
}
