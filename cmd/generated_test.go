package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/activity"
)

// TestGenerated fails if a reference page differs from what the declarations say. "make docs" rewrites the pages.
func TestGenerated(t *testing.T) {
	for name, page := range map[string]string{
		"verbs.md":   verbsPage(),
		"errors.md":  errorsPage(storiesOf(t)),
		"mcp.md":     mcpPage(t),
		"rules.md":   rulesPage(),
		"runners.md": runnersPage(),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("..", "docs", name)
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			committed, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if string(committed) != page {
				t.Errorf("docs/%s is stale: run make docs", name)
			}
		})
	}
}

func TestEveryCommandHasASection(t *testing.T) {
	committed, err := os.ReadFile(filepath.Join("..", "docs", "verbs.md"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, v := range catalogue.All {
		names = append(names, v.Name)
	}
	for _, c := range otherCommands() {
		names = append(names, c.Name)
	}
	for _, name := range names {
		if !strings.Contains(string(committed), "\n### "+name+"\n") {
			t.Errorf("docs/verbs.md has no section %s", name)
		}
	}
}

// mcpPage is the page about MCP, with a table of which profile may call which verb.
func mcpPage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "docs", "mcp.md"))
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(page), generatedMark)
	_, after, ends := strings.Cut(rest, generatedEnd)
	if !begins || !ends {
		t.Fatal("docs/mcp.md has no marks for its table")
	}
	return before + generatedMark + rightsTable() + generatedEnd + after
}

// rightsTable says which profiles may call a verb, and which toolset offers it.
func rightsTable() string {
	profiles := []verb.Profile{verb.Viewer, verb.Planner, verb.PairWorker, verb.Operator, verb.Maintainer}
	head := []string{"verb", "toolset"}
	for _, p := range profiles {
		head = append(head, p.String())
	}
	rows := [][]string{head}
	for _, v := range catalogue.All {
		row := []string{fmt.Sprintf("[%s](verbs.md#%s)", v.Name, v.Name), string(v.Toolset)}
		for _, p := range profiles {
			may := ""
			if (verb.Rights{Profile: p}).Allow(v) == nil {
				may = "yes"
			}
			row = append(row, may)
		}
		rows = append(rows, row)
	}
	return markdown(rows)
}

const generatedEnd = "<!-- end of what is generated -->\n"

const errorsIntro = `# Errors

Every refusal has a code that stays what it is, a message, and a hint that says what to do next. At the command line the
code decides the exit number, and ` + "`--json`" + ` prints the error as a program wants it:

    {"error": {"code", "message", "hint", "retryable", "next_tool", "next_arguments"}}

Retryable means that the same call may succeed later without anything else being done; one that never can says so itself,
whatever the table says of its code. ` + "`next_tool`" + ` is a verb that helps and that the caller has, with arguments that can be used
as they stand. Each code is shown by a story in
[cmd/testdata/script](../cmd/testdata/script).

For commands that run again and again, such as those of a timer, every command takes ` + "`" + `--soft-fail` + "`" + `: after a retryable failure, after a
wait whose time was up, and after ` + "`" + `next` + "`" + ` that found nothing, it exits with 0, says so on standard error, and has ` + "`" + `"soft_fail": true` + "`" + ` beside
the error in JSON. Every other failure exits as it does without.

`

const waitIntro = `## How a wait ends

These codes are results, not errors. At the command line a wait exits with 0, and with 6 if the time was up.

`

func errorsPage(shown map[record.Code][]string) string {
	rows := [][]string{{"code", "exit", "retryable", "meaning", "story"}}
	for _, info := range record.Codes {
		retryable := "no"
		if info.Retryable {
			retryable = "yes"
		}
		rows = append(rows, []string{"`" + string(info.Code) + "`", fmt.Sprint(info.Exit), retryable, info.Meaning, storyLinks(info.Code, shown)})
	}
	ends := [][]string{{"code", "meaning"}}
	for _, info := range waitCodes {
		ends = append(ends, []string{"`" + string(info.Code) + "`", info.Meaning})
	}
	return generatedMark + errorsIntro + markdown(rows) + waitIntro + markdown(ends) + "## Exit numbers\n\n```\n" + exitCodes() + "```\n"
}

// waitCodes is every way in which a wait ends, and what it means.
var waitCodes = []struct {
	Code    activity.WaitCode
	Meaning string
}{
	{activity.TaskChanged, "what was watched changed during the wait, or is now as it was waited for"},
	{activity.AlreadyAtStatus, "the task was in the state already, or there was work already"},
	{activity.ChangedSinceCursor, "what is watched has changed since the answer that the cursor is from"},
	{activity.WaitTimeout, "the time is up; call again with the cursor, and nothing is missed"},
	{activity.WaitInterrupted, "the server was told to end; call again with the cursor"},
	{activity.TaskDeleted, "the task has been gone for two seconds; a checkout takes files away for less"},
	{activity.ClaimLost, "the git remote gave the task that you hold to another clone: stop working on it, and release it"},
}

func storyLinks(code record.Code, shown map[record.Code][]string) string {
	if reason, ok := unprovoked[code]; ok {
		return "none: " + reason
	}
	links := make([]string, len(shown[code]))
	for i, name := range shown[code] {
		links[i] = fmt.Sprintf("[%s](../cmd/testdata/script/%s.txtar)", name, name)
	}
	return strings.Join(links, ", ")
}
