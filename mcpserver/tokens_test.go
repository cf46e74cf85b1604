package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// loopTokens is the most that the answers of one loop may cost a model: begin, get, three notes, four runs of checks of
// which one fails, and finish. A token is taken for four bytes of the text of an answer, as in every count of this
// repository; clients show a model the text or the structure, which say the same, and not both.
const loopTokens = 1800

func TestALoopCostsFewTokens(t *testing.T) {
	w := newWorkspace(t)
	cs := connect(t, w)
	id := does[verb.Task](t, cs, "create", object{
		"title": "Raise the walls", "body": "They stand on the ground that was laid last week, and are two storeys high.\n\nThe windows come later.",
		"labels": []string{"house"}, "scope": []string{"walls/**"},
		"checks": []object{{"desc": "builds", "cmd": "true"}, {"desc": "stands", "cmd": "test -f wall || { echo no wall; exit 1; }"}, {"desc": "looks straight", "type": "manual"}},
	}).ID
	total := 0
	cost := func(tool string, args object) {
		t.Helper()
		answer, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil || answer.IsError {
			t.Fatalf("%s: %v, %v", tool, answer, err)
		}
		text := answer.Content[0].(*mcp.TextContent).Text
		total += len(text)
		t.Logf("%-10s %4d tokens: %s", tool, len(text)/4, text)
	}
	cost("begin", object{"id": id, "expected_actor": "agent:claude-1", "idempotency_key": "k"})
	cost("get", object{"id": id})
	for n := range 3 {
		cost("run_checks", object{"id": id})
		cost("note", object{"id": id, "text": fmt.Sprintf("course %d is laid, and the mortar dries for a day before the next", n)})
	}
	writeFile(t, w.Dir+"/wall", "stone\n")
	cost("run_checks", object{"id": id})
	cost("finish", object{"summary": "the walls stand"})
	if total/4 > loopTokens {
		t.Errorf("a loop costs %d tokens, more than %d", total/4, loopTokens)
	}
}

// What a write has to say is what its caller cannot know; with full it answers as at the command line.
func TestWritesAnswerShortly(t *testing.T) {
	cs := connect(t, newWorkspace(t))
	made, _ := call(t, cs, "create", object{"title": "First"})
	if len(made) != 3 || made["id"] == nil || made["status"] != "backlog" || made["rev"] == nil {
		t.Errorf("create answers %v", made)
	}
	whole, _ := call(t, cs, "note", object{"id": made["id"], "text": `the word "full" in a text`, "full": true})
	if whole["provenance"] == nil || whole["title"] != "First" {
		t.Errorf("asked for the whole, note answers %v", whole)
	}
	for range 7 {
		call(t, cs, "note", object{"id": made["id"], "text": `"full"`})
	}
	read := does[verb.Task](t, cs, "get", object{"id": made["id"]})
	if len(read.Provenance) != 5 || read.ProvenanceTotal != 9 {
		t.Errorf("get shows %d entries of %d", len(read.Provenance), read.ProvenanceTotal)
	}
	if text, err := json.Marshal(whole); err != nil || len(text) < 400 {
		t.Errorf("the whole has %d bytes, %v", len(text), err)
	}
}

// Names that callers guess lead to ours.
func TestGuessedArgumentsAreNamed(t *testing.T) {
	cs := connect(t, newWorkspace(t))
	for _, tt := range []struct{ tool, guess, want string }{
		{"create", "paths", "scope"}, {"create", "subject", "title"}, {"create", "text", "body"}, {"list", "query", "text"}, {"finish", "text", "summary"},
	} {
		no := refused(t, cs, record.InvalidInput, tt.tool, object{tt.guess: "x"})
		if want := fmt.Sprintf("did you mean %q?", tt.want); !strings.Contains(no.Hint, want) {
			t.Errorf("%s of %s: %s", tt.guess, tt.tool, no.Hint)
		}
	}
}
