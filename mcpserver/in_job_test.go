package mcpserver_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// inJob is the server that a job gives its agent, in the session that the job has opened on a task.
func inJob(t *testing.T) (cs *mcp.ClientSession, id record.ID, ses string) {
	t.Helper()
	w := newWorkspace(t)
	own := connect(t, w)
	id = does[verb.Task](t, own, "create", object{"title": "Raise the walls", "checks": []object{{"desc": "stands", "cmd": "true"}}}).ID
	w.Job, w.Executor = "job-1", "mine"
	ses = does[verb.Session](t, connect(t, w), "begin", object{"id": id, "expected_actor": "agent:claude-1", "idempotency_key": "k"}).ID
	w.Session, w.Rights = ses, verb.Rights{Profile: verb.InJob, Scope: id, Toolsets: verb.InJob.Toolsets()}
	return connect(t, w), id, ses
}

// The agent of a job is offered what its prompt has it do, in few bytes, and told of nothing else.
func TestTheAgentOfAJobIsOfferedLittle(t *testing.T) {
	cs, id, _ := inJob(t)
	list, err := cs.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"get", "create", "run_checks", "note", "heartbeat", "ask", "finish", "handoff_create"}; !slices.Equal(namesOf(list.Tools), want) {
		t.Errorf("it is offered %v", namesOf(list.Tools))
	}
	if text, err := json.Marshal(list); err != nil || len(text) > 7500 {
		t.Errorf("its tools have %d bytes, %v", len(text), err)
	}
	said := cs.InitializeResult().Instructions
	for _, tool := range namesOf(list.Tools) {
		if !strings.Contains(said, tool) {
			t.Errorf("the instructions do not name %s", tool)
		}
	}
	for _, not := range []string{"begin opens", "transition", "claim a", "attest", "cancel", "identity", "wait,"} {
		if strings.Contains(said, not) {
			t.Errorf("the instructions say %q", not)
		}
	}
	if !strings.Contains(said, string(id)) || !strings.Contains(said, "Do not close") || len(said) > 1500 {
		t.Errorf("the instructions are %s", said)
	}
	list2, err := cs.ListPrompts(t.Context(), nil)
	if err != nil || len(list2.Prompts) > 1 {
		t.Errorf("it has the prompts %v, %v", list2, err)
	}
}

// The agent of a job closes nothing: each way to is refused with what it does in place of that, and why.
func TestTheAgentOfAJobIsToldToFinish(t *testing.T) {
	cs, id, ses := inJob(t)
	for tool, args := range map[string]object{
		"transition": {"id": id, "to": "done"}, "cancel": {"reason": "x"}, "claim": {"id": id}, "review_apply": {"id": id, "action": "approve"},
	} {
		no := refused(t, cs, record.Forbidden, tool, args)
		if !strings.Contains(no.Hint, "call finish") || !strings.Contains(no.Message, "reviews its work") {
			t.Errorf("%s: %s; %s", tool, no.Message, no.Hint)
		}
	}
	for _, tool := range []string{"task_done", "task_close", "close", "done", "tasks_move"} {
		_, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: object{"id": id}})
		if err == nil || !strings.Contains(err.Error(), "call finish") {
			t.Errorf("%s: %v", tool, err)
		}
	}
	made := does[verb.Task](t, cs, "create", object{"title": "Paint them"})
	does[verb.Record](t, cs, "handoff_create", object{"to": []string{"human:shah"}, "title": "Which colour?", "about": made.ID})
	does[verb.Session](t, cs, "heartbeat", object{"progress": "half"})
	if done := does[verb.Session](t, cs, "finish", object{"summary": "they stand"}); done.ID != ses || done.Status != "finished" {
		t.Errorf("it ended %+v", done)
	}
}

// heartbeat, finish and cancel find the one session that their caller has open, or that on a task. Of several they name
// each.
func TestASessionNeedNotBeNamed(t *testing.T) {
	w := newWorkspace(t)
	cs, other := connect(t, w), connect(t, w) // which did not begin them
	begin := func(title string) (record.ID, string) {
		id := does[verb.Task](t, cs, "create", object{"title": title}).ID
		return id, does[verb.Session](t, cs, "begin", object{"id": id, "expected_actor": "agent:claude-1", "idempotency_key": title}).ID
	}
	refused(t, other, record.NotFound, "heartbeat", nil)
	first, one := begin("first")
	if got := does[verb.Session](t, other, "heartbeat", nil); got.ID != one {
		t.Errorf("it beats for %s, and not %s", got.ID, one)
	}
	second, two := begin("second")
	third := connect(t, w)
	no := refused(t, third, record.AmbiguousID, "finish", object{"summary": "done"})
	for _, want := range []string{one, two, string(first), string(second)} {
		if !strings.Contains(no.Message, want) {
			t.Errorf("%s does not name %s", no.Message, want)
		}
	}
	if got := does[verb.Session](t, third, "finish", object{"session": first, "summary": "done"}); got.ID != one {
		t.Errorf("it ended %s, and not %s", got.ID, one)
	}
	refused(t, connect(t, w), record.NotFound, "cancel", object{"session": first, "reason": "again"})
	if got := does[verb.Session](t, connect(t, w), "cancel", object{"reason": "no time"}); got.ID != two {
		t.Errorf("it ended %s, and not %s", got.ID, two)
	}
}
