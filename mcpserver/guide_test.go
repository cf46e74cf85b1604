package mcpserver_test

import (
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/guide"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Each topic of the manual is a resource, as the tool has it, where the tool is offered.
func TestTopicsAreResources(t *testing.T) {
	cs := connect(t, anywhere(t.TempDir()))
	for _, topic := range guide.Topics {
		want, err := guide.Text(topic)
		if err != nil {
			t.Fatal(err)
		}
		if got := readResource(t, cs, "cairn://guide/"+topic); got != want {
			t.Errorf("%s: got %q", topic, got)
		}
	}
	if _, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "cairn://guide/none"}); err == nil {
		t.Error("a topic that does not exist is read")
	}
	found, err := cs.Complete(t.Context(), &mcp.CompleteParams{
		Ref: &mcp.CompleteReference{Type: "ref/resource", URI: "cairn://guide/{topic}"}, Argument: mcp.CompleteParamsArgument{Name: "topic", Value: "loop"},
	})
	if err != nil || len(found.Completion.Values) != 1 || found.Completion.Values[0] != "the-loop" {
		t.Errorf("completed %+v, %v", found, err)
	}
	w := anywhere(t.TempDir())
	w.Toolsets = []verb.Toolset{verb.Core}
	list, err := connect(t, w).ListResourceTemplates(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list.ResourceTemplates {
		if strings.HasPrefix(r.URITemplate, "cairn://guide") {
			t.Errorf("%s is listed, and the tool is not offered", r.URITemplate)
		}
	}
}

// The instructions speak of the ledger and of feedback only where these tools are offered.
func TestInstructionsOfTheLedger(t *testing.T) {
	for name, tt := range map[string]struct {
		toolsets []verb.Toolset
		want     []string
		not      []string
	}{
		"core":            {[]verb.Toolset{verb.Core}, nil, []string{"decision_log", "feedback", "handoff"}},
		"core and ledger": {[]verb.Toolset{verb.Core, verb.Ledger}, []string{"decision_log", "skill_list"}, []string{"feedback", "inbox"}},
		"all":             {nil, []string{"decision_log", "feedback_create", "never put secrets", "inbox"}, nil},
	} {
		w := anywhere(t.TempDir())
		w.Toolsets = tt.toolsets
		text := connect(t, w).InitializeResult().Instructions
		for _, want := range tt.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the instructions do not name %s:\n%s", name, want, text)
			}
		}
		for _, not := range tt.not {
			if strings.Contains(text, not) {
				t.Errorf("%s: the instructions name %s:\n%s", name, not, text)
			}
		}
	}
}
