// Package week_test plays a week of two people and an agent, and a month of two people and two agents, each person in a
// clone of their own. After each day both share what they did, and are asked the same questions in every way that there
// is: the answers have to agree.
package week_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/cmd"
	"github.com/cairn-tasks/cairn/cmd/cmdtest"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes this test binary act as cairn when the week runs it.
func TestMain(m *testing.M) {
	cmdtest.Main(m, func(p cmdtest.Process) int { return cmd.Main(context.Background(), cmd.Env(p)) })
}

// TestSlowWeek plays week.txtar. Beside the commands of stories it has
//
//	person DIR [NAME]   go on as the person of a clone, who has that name in git
//	evening DIR...      both share what they did, and are asked how things stand
func TestSlowWeek(t *testing.T) {
	slowtest.Skip(t)
	cmdtest.Stories(t, []string{"week.txtar"},
		cmdtest.Command{Usage: "person DIR [NAME]", Least: 1, Most: 2, Run: person},
		cmdtest.Command{Usage: "evening DIR...", Least: 1, Most: 9, Run: evening},
	)
}

func person(ts *testscript.TestScript, args []string) {
	dir := filepath.Join(ts.Getenv("WORK"), args[0])
	ts.Setenv("XDG_STATE_HOME", filepath.Join(ts.Getenv("WORK"), "state", args[0]))
	ts.Setenv("SEED", args[0])
	ts.Check(ts.Chdir(dir))
	if len(args) > 1 {
		ts.Check(ts.Exec("git", "config", "user.name", args[1]))
		ts.Check(ts.Exec("git", "config", "user.email", args[0]+"@example.org"))
	}
}

// evening has everybody sync, twice, since the first of them has not seen what the others sent; and asks everybody.
func evening(ts *testscript.TestScript, people []string) {
	for range 2 {
		for _, one := range people {
			person(ts, []string{one})
			share(ts)
		}
	}
	var first standing
	for i, one := range people {
		person(ts, []string{one})
		ts.Check(ts.Exec("git", "fetch", "-q")) // the branches of others too
		got := ask(ts)
		if i == 0 {
			first = got
		}
		if fmt.Sprint(got) != fmt.Sprint(first) {
			ts.Fatalf("%s is told\n%v\nand %s\n%v", people[0], first, one, got)
		}
	}
}

// share has a person sync, and settle first what both have said differently.
func share(ts *testscript.TestScript) {
	for range 9 {
		err := ts.Exec("cairn", "sync")
		_, which, disputed := strings.Cut(ts.ReadFile("stderr"), "say different things, and nothing was merged: ")
		if err == nil || !disputed {
			ts.Check(err)
			return
		}
		which, _, _ = strings.Cut(which, "\n")
		for _, id := range strings.Split(which, ", ") {
			ts.Check(ts.Exec("cairn", "resolve", id, "--theirs"))
		}
	}
	ts.Fatalf("what both say differently is never settled")
}

// standing is what everybody must be told alike: each task with its state, its holder and its labels, and what is ready.
type standing struct {
	tasks []string
	ready []string
}

// ask asks one person in every way how things stand, and fails where two ways say different things.
func ask(ts *testscript.TestScript) standing {
	listed := answer(ts, "list", "--all", "--limit", "500")
	var s standing
	for _, row := range rows(listed, "tasks") {
		s.tasks = append(s.tasks, fmt.Sprint(row["id"], " ", row["status"], " ", row["assignee"], " ", row["labels"]))
	}
	for _, row := range rows(answer(ts, "list", "--ready"), "tasks") {
		s.ready = append(s.ready, fmt.Sprint(row["id"]))
	}
	slices.Sort(s.ready)
	status, brief, graph := answer(ts, "status"), answer(ts, "brief"), answer(ts, "graph")
	inGraph := slices.DeleteFunc(rows(graph, "nodes"), func(node map[string]any) bool { return node["ready"] != true })
	same(ts, "ready", len(s.ready), map[string]any{
		"ready": answer(ts, "ready")["total"], "list --where ready": total(ts, "ready"), "status": in(status, "totals", "ready"), "brief": brief["ready"],
		"graph": len(inGraph), "prime": in(answer(ts, "prime"), "totals", "ready"), "list over MCP": overMCP(ts, `{"ready": true}`),
	})
	same(ts, "running", total(ts, "running"), map[string]any{"status": in(status, "totals", "running"), "over MCP": overMCP(ts, `{"where": "running"}`)})
	same(ts, "assigned", total(ts, "assigned"), map[string]any{"status": in(status, "totals", "assigned"), "brief": brief["assigned"]})
	same(ts, "blocked", total(ts, "blocked"), map[string]any{"status": status["blocked"], "brief": brief["blocked"]})
	same(ts, "held", total(ts, "held"), map[string]any{"brief": brief["held"]})
	same(ts, "in review", total(ts, "in_review"), map[string]any{"status": in(status, "totals", "review")})
	ts.Check(ts.Exec("git", "branch", "--no-merged"))
	oneBranch := ts.ReadFile("stdout") == ""
	for _, row := range rows(answer(ts, "list", "--where", "elsewhere"), "tasks") {
		if oneBranch && row["on_branch"] == nil {
			ts.Fatalf("%v is elsewhere, and there is one branch", row)
		}
	}
	ts.Check(ts.Exec("cairn", "check", "--no-base"))
	healthy(ts)
	ts.Check(ts.Exec("git", "status", "--porcelain"))
	if left := ts.ReadFile("stdout"); left != "" {
		ts.Fatalf("git would commit\n%s", left)
	}
	return s
}

// healthy fails if doctor finds anything but that a claim was lost, which stays until the loser is told, or has expired.
func healthy(ts *testscript.TestScript) {
	if ts.Exec("cairn", "doctor", "--json") == nil {
		return
	}
	var out map[string]any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &out))
	for _, finding := range rows(out, "findings") {
		if finding["id"] != "claim-lost" && finding["id"] != "claim-expired" && finding["severity"] != "notice" {
			ts.Fatalf("doctor finds %v", finding)
		}
	}
}

// same fails unless every way to ask says the same number.
func same(ts *testscript.TestScript, what string, want any, said map[string]any) {
	for how, got := range said {
		if fmt.Sprint(got) != fmt.Sprint(want) {
			ts.Fatalf("%s: %v, and %s says %v", what, want, how, got)
		}
	}
}

func answer(ts *testscript.TestScript, args ...string) (out map[string]any) {
	ts.Check(ts.Exec("cairn", append(args, "--json")...))
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &out))
	return out
}

func total(ts *testscript.TestScript, where string) any {
	return here(answer(ts, "list", "--where", where))
}

// here is how many tasks a list has but for those that only other branches have, which the other ways do not count.
func here(list map[string]any) any {
	all, _ := list["total"].(float64)
	others, _ := list["on_branches"].(float64)
	return all - others
}

func overMCP(ts *testscript.TestScript, input string) any {
	var said struct {
		Result struct {
			StructuredContent map[string]any `json:"structuredContent"`
		} `json:"result"`
	}
	ts.Check(json.NewDecoder(strings.NewReader(cmdtest.Agent(ts, "list", input))).Decode(&said))
	return here(said.Result.StructuredContent)
}

func in(v map[string]any, keys ...string) any {
	for _, key := range keys[:len(keys)-1] {
		v, _ = v[key].(map[string]any)
	}
	return v[keys[len(keys)-1]]
}

func rows(v map[string]any, key string) (out []map[string]any) {
	all, _ := v[key].([]any)
	for _, one := range all {
		if row, ok := one.(map[string]any); ok {
			out = append(out, row)
		}
	}
	return out
}
