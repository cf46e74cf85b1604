package mcpserver_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/identity"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/mcpserver"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestInitialize(t *testing.T) {
	got := connect(t, anywhere(t.TempDir())).InitializeResult()
	if got.ServerInfo.Name != "cairn" || got.ServerInfo.Version != "1.2.3" {
		t.Errorf("the server is %+v", got.ServerInfo)
	}
	if got.Capabilities.Tools == nil {
		t.Error("the server has no tools")
	}
	if n := utf8.RuneCountInString(got.Instructions); n == 0 || n >= 2000 { // of every toolset; those of the usual ones are shorter
		t.Errorf("the instructions have %d characters", n)
	}
}

// The instructions name no tool that an agent is not shown.
func TestInstructionsNameTheLoop(t *testing.T) {
	instructions := connect(t, anywhere(t.TempDir())).InitializeResult().Instructions
	for _, name := range []string{"identity", "next", "list", "get", "begin", "heartbeat", "note", "run_checks", "finish", "cancel", "transition", "wait", "cairn://guide"} {
		if !strings.Contains(instructions, name) {
			t.Errorf("the instructions do not mention %s", name)
		}
	}
}

// blocked makes a task that waits for another, and returns both ids.
func blocked(t *testing.T, cs *mcp.ClientSession) (waits, first record.ID) {
	t.Helper()
	first = does[verb.Task](t, cs, "create", object{"title": "First"}).ID
	waits = does[verb.Task](t, cs, "create", object{
		"title": "Second", "deps": []record.ID{first}, "checks": []object{{"desc": "fails", "cmd": "echo broken; exit 1"}},
	}).ID
	return waits, first
}

// A refusal is a result that the model sees: what happened, what to do, and the call that helps, which can be made as
// it stands.
func TestRefusals(t *testing.T) {
	cs := connect(t, newWorkspace(t))
	waits, first := blocked(t, cs)
	does[verb.Task](t, cs, "create", object{"title": "Third"})

	for _, tt := range []struct {
		name      string
		tool      string
		args      object
		code      record.Code
		says      string
		next      string
		retryable bool
	}{
		{name: "a task that waits", tool: "transition", args: object{"id": waits, "to": "in_progress"},
			code: record.DepsOpen, says: "waits for " + string(first), next: "get"},
		{name: "a task that is not there", tool: "get", args: object{"id": "PROJ-404"},
			code: record.NotFound, says: "PROJ-404", next: "list"},
		{name: "an id that is none", tool: "get", args: object{"id": "../PROJ-1"},
			code: record.InvalidInput, says: "is not a task id", next: "list"},
		{name: "a state that nobody configured", tool: "transition", args: object{"id": first, "to": "closed"},
			code: record.UnknownState, says: `there is no state "closed"`},
		{name: "another revision than expected", tool: "update", args: object{"id": first, "title": "1st", "expected_rev": "0123456789abcdef"},
			code: record.Conflict, says: "has revision", next: "get"},
		{name: "an actor that is not the caller", tool: "begin",
			args: object{"id": first, "expected_actor": "agent:other", "idempotency_key": "k"},
			code: record.IdentityMismatch, says: "agent:claude-1", next: "identity"},
		{name: "a check that is run and not attested", tool: "attest", args: object{"id": waits, "check": "fails", "pass": true},
			code: record.InvalidInput, says: "passes or fails by running it", next: "run_checks"},
		{name: "a session that is not there", tool: "get_session", args: object{"session": "ses-404"},
			code: record.NotFound, says: "ses-404", next: "list_sessions"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			failure := refused(t, cs, tt.code, tt.tool, tt.args)
			if !strings.Contains(failure.Message, tt.says) || !strings.HasPrefix(failure.Message, tt.tool) {
				t.Errorf("says %q, want %s and %q", failure.Message, tt.tool, tt.says)
			}
			if failure.Hint == "" {
				t.Error("gives no hint")
			}
			if failure.Retryable != tt.retryable {
				t.Errorf("retryable is %v", failure.Retryable)
			}
			if failure.NextTool != tt.next {
				t.Fatalf("next tool is %q, want %q", failure.NextTool, tt.next)
			}
			if tt.next != "" {
				if answer, isError := call(t, cs, failure.NextTool, failure.NextArguments); isError {
					t.Errorf("the next call fails: %v", answer)
				}
			}
		})
	}
}

// The end of an id is enough to read a task, and to begin it; a write names the task that was probably meant.
func TestTheEndOfAnID(t *testing.T) {
	cs := connect(t, newWorkspace(t))
	_, first := blocked(t, cs)
	end := strings.ToUpper(string(first[len(first)-4:]))
	if got := does[verb.Task](t, cs, "get", object{"id": end}); got.ID != first {
		t.Errorf("%s is %s, want %s", end, got.ID, first)
	}
	if answer, isError := call(t, cs, "note", object{"id": end, "text": "x"}); !isError || !strings.Contains(fmt.Sprint(answer), "did you mean "+string(first)) {
		t.Errorf("a note answers %v", answer)
	}
	if _, isError := call(t, cs, "begin", object{"id": end, "expected_actor": "agent:claude-1", "idempotency_key": "k"}); isError {
		t.Error("it cannot be begun")
	}
}

// A close that the checks refuse brings the output, so that the model can fix what is broken without another call.
func TestRefusedCloseShowsTheOutput(t *testing.T) {
	cs := connect(t, newWorkspace(t))
	waits, first := blocked(t, cs)
	does[verb.Task](t, cs, "transition", object{"id": first, "to": "done"})

	failure := refused(t, cs, record.ChecksFailed, "transition", object{"id": waits, "to": "done"})
	details, err := json.Marshal(failure.Details)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(details), "broken") || !strings.Contains(string(details), "exit 1") {
		t.Errorf("details are %s", details)
	}
}

// Inputs are strict, and the refusal names the argument that was probably meant.
func TestInputsThatAreRefused(t *testing.T) {
	cs := connect(t, newWorkspace(t))
	for _, tt := range []struct {
		name, tool string
		args       object
		says, hint string
	}{
		{"an unknown argument", "create", object{"title": "Pay", "bodytext": "x"}, `unknown argument "bodytext"`, `did you mean "body"?`},
		{"an unknown argument of a check", "create", object{"title": "Pay", "checks": []object{{"description": "t", "cmd": "true"}}},
			`unknown argument "checks[0].description"`, `did you mean "checks[0].desc"?`},
		{"an argument of a tool that takes none", "settings_get", object{"actor": "human:shah"}, `unknown argument "actor"`, "takes no arguments"},
		{"a missing argument", "note", object{"id": "PROJ-1"}, "text is missing", "text:"},
		{"a list where text belongs", "create", object{"title": []string{"Pay"}}, "title must be text", ""},
		{"a result that a caller writes", "create", object{"title": "Pay", "checks": []object{{"desc": "t", "cmd": "true", "result": "pass"}}},
			"checks[0].result cannot be written", "run_checks"},
		{"a command that claims to be manual", "create", object{"title": "Pay", "checks": []object{{"desc": "t", "cmd": "true", "type": "manual"}}},
			"checks[0] has a cmd and is of type manual", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			failure := refused(t, cs, record.InvalidInput, tt.tool, tt.args)
			if !strings.Contains(failure.Message, tt.says) || !strings.Contains(failure.Hint, tt.hint) {
				t.Errorf("says %q, hint %q", failure.Message, failure.Hint)
			}
		})
	}
	if rows := does[tasks.ListOut](t, cs, "list", nil).Tasks; len(rows) != 0 {
		t.Errorf("a refused input made %v", rows)
	}
}

// Models send numbers as text and lone values for lists; what they mean is plain.
func TestInputsThatAreUnderstood(t *testing.T) {
	cs := connect(t, newWorkspace(t))
	made := does[verb.Task](t, cs, "create", object{"title": "Pay", "labels": "payments", "priority": 1,
		"checks": object{"desc": "t", "cmd": "true", "timeout": "30"}})
	if !reflect.DeepEqual(made.Labels, []string{"payments"}) || *made.Priority != 1 || made.Checks[0].Timeout != 30 {
		t.Errorf("understood as %+v", made)
	}
	if rows := does[tasks.ListOut](t, cs, "list", object{"ready": "true", "limit": "1"}).Tasks; len(rows) != 1 {
		t.Errorf("listed %v", rows)
	}
}

// Some clients send null for a tool that takes no arguments.
func TestArgumentsThatAreNull(t *testing.T) {
	cs := connect(t, anywhere(t.TempDir()))
	result, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "identity", Arguments: json.RawMessage("null")})
	if err != nil || result.IsError {
		t.Errorf("identity with null for arguments: %+v, %v", result, err)
	}
}

// A server that was started outside a workspace runs, says so to every tool, and answers who acts.
func TestOutsideAWorkspace(t *testing.T) {
	isolate(t)
	w := anywhere(t.TempDir())
	w.Profile = verb.Maintainer
	cs := connect(t, w)
	me := does[identity.Out](t, cs, "identity", nil)
	if me.Actor != "agent:claude-1" || me.Client != "a-client" || me.Version != "1.2.3" || me.Workspace != "" {
		t.Errorf("identity is %+v", me)
	}
	for name, args := range smallestCalls {
		if strings.HasPrefix(name, "project_") { // they lead to a workspace, or make one
			continue
		}
		failure := refused(t, cs, record.NoWorkspace, name, args)
		if !strings.Contains(failure.Hint, "cairn init") {
			t.Errorf("%s: the hint is %q", name, failure.Hint)
		}
	}
	for _, v := range catalogue.All {
		if _, tried := smallestCalls[v.Name]; !tried && v.Name != "identity" && v.Name != "guide" {
			t.Errorf("%s is new: add a call of it to the table", v.Name)
		}
	}
}

// smallestCalls is a well-formed call of every tool that needs a workspace.
var smallestCalls = map[string]object{
	"review_list":   nil,
	"list":          {},
	"get":           {"id": "PROJ-1"},
	"create":        {"title": "Pay"},
	"claim":         {"id": "PROJ-1"},
	"status":        {},
	"log":           {},
	"stats":         {},
	"graph":         {},
	"guards":        {"id": "PROJ-1"},
	"verify":        {"id": "PROJ-1"},
	"evidence_list": {},
	"restore":       {"id": "PROJ-1"},
	"take":          {"id": "PROJ-1"},
	"revert":        {"commit": "HEAD"},
	"undo":          {"id": "PROJ-1"},
	"start":         {"id": "PROJ-1"},
	"release":       {"id": "PROJ-1"},
	"update":        {"id": "PROJ-1", "title": "Pay"},
	"transition":    {"id": "PROJ-1", "to": "done"},
	"run_checks":    {"id": "PROJ-1"},
	"next":          {},
	"wait":          {"id": "PROJ-1"},
	"plan":          {"tasks": []object{{"title": "Pay"}}},
	"propose":       {"tasks": []object{{"title": "Pay"}}, "summary": "x"},
	"import":        {"source": "jira", "items": []object{{"ref": "J-1", "title": "Pay"}}},
	"archive":       {},
	"delete":        {"id": "PROJ-1"},
	"logs":          {"id": "PROJ-1"},
	"history":       {},
	"settings_get":  {},
	"settings_set":  {"key": "claim_ttl", "value": "1h"},
	"attest":        {"id": "PROJ-1", "check": "0", "pass": true},
	"note":          {"id": "PROJ-1", "text": "x"},
	"begin":         {"id": "PROJ-1", "expected_actor": "agent:claude-1", "idempotency_key": "k"},
	"heartbeat":     {"session": "ses-1", "progress": "x"},
	"finish":        {"session": "ses-1", "summary": "x"},
	"cancel":        {"session": "ses-1", "reason": "x"},
	"get_session":   {"session": "ses-1"},
	"list_sessions": {},

	"register":        {"actor": "me"},
	"skill_list":      {},
	"feedback_create": {"title": "x", "body": "x"},
	"feedback_query":  {},
	"skill_get":       {"id": "review"},
	"skill_upsert":    {"id": "review", "description": "x", "body": "x"},
	"directory":       {},
	"list_proposals":  {},

	"knowledge_write": {"title": "x", "body": "x"}, "knowledge_search": {"q": "x"},
	"ask": {"question": "x"}, "session_summary": {}, "brief": {}, "prime": {}, "search": {"q": "x"}, "inbox": {},
	"milestone_add": {"title": "x"}, "milestone_set": {"id": "MS-1", "status": "reached"}, "milestone_list": {}, "milestone_show": {"id": "MS-1"},
	"decision_log": {"title": "x", "choice": "x"}, "decision_set_status": {"id": "DEC-1", "status": "accepted"}, "decision_query": {},
	"handoff_create": {"to": []string{"human:lee"}, "title": "x"}, "handoff_claim": {"id": "HO-1"}, "handoff_respond": {"id": "HO-1", "text": "x"},
	"handoff_resolve": {"id": "HO-1"}, "handoff_query": {},
	"ref_add": {"id": "PROJ-1", "type": "commit"}, "ref_update": {"id": "PROJ-1", "ref": "7f3a9c21", "state": "merged"}, "ref_remove": {"id": "PROJ-1", "ref": "7f3a9c21"}, "ref_query": {},

	"review_apply": {"id": "PROJ-1", "action": "approve"}, "review_sync": {}, "land": {},
	"job_start": {"id": "PROJ-1"}, "job_poll": {"job": "job-1"}, "job_list": {}, "job_say": {"job": "job-1", "text": "x"}, "job_cancel": {"job": "job-1"}, "job_discard": {"id": "PROJ-1"},

	"get_proposal": {"proposal": "plan-1"},

	"worktree_list": {}, "conflicts": {}, "worktree_remove": {"id": "PROJ-1"},
	"remote_status": {}, "remote_probe": {}, "remote_sync": {},
	"pair_open": {"id": "PROJ-1"}, "pair_read": {"id": "PROJ-1"}, "pair_close": {"id": "PROJ-1"},
	"project_list": {}, "project_open": {"project": "shop"}, "project_create": {"path": "nowhere"},
	"repo_list": {}, "repo_register": {"remote_url": "https://github.com/o/r"}, "repo_link": {"name": "r", "role": "docs"},
}

// A tool beyond the profile is not listed. The refusal of a call says what would allow it.
func TestToolBeyondTheProfile(t *testing.T) {
	w := newWorkspace(t)
	w.Profile = verb.Viewer
	failure := refused(t, connect(t, w), record.Forbidden, "create", object{"title": "Pay"})
	if !strings.Contains(failure.Hint, "--profile operator") {
		t.Errorf("the hint is %q", failure.Hint)
	}
}

// A tool that does not exist is an error of the protocol, since no verb was called.
func TestUnknownTool(t *testing.T) {
	cs := connect(t, anywhere(t.TempDir()))
	if result, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "crate"}); err == nil {
		t.Errorf("answered %+v", result)
	}
	does[identity.Out](t, cs, "identity", nil) // and the connection lives on
}

// Nothing but MCP is written to the client, whatever it sends, and every request is answered.
func TestOnlyMCPIsWritten(t *testing.T) {
	requests := strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"get","arguments":{"id":"PROJ-1","id":"PROJ-2"}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"no/such/method"}`,
		`this is not JSON`,
		`{"jsonrpc":"2.0","id":5,"method":"ping"}`,
	}, "\n") + "\n"
	var out bytes.Buffer
	if err := mcpserver.New(anywhere(t.TempDir()), slog.New(slog.DiscardHandler)).Serve(t.Context(), strings.NewReader(requests), &out); err != nil {
		t.Fatal(err)
	}
	answered := map[any]bool{}
	for line := range strings.Lines(out.String()) {
		message := asObject(t, line)
		if message["jsonrpc"] != "2.0" {
			t.Errorf("wrote %s", line)
		}
		answered[message["id"]] = true
	}
	for id := 1.0; id <= 5; id++ {
		if !answered[id] {
			t.Errorf("request %v was not answered:\n%s", id, out.String())
		}
	}
	if !strings.Contains(out.String(), `comes twice`) {
		t.Errorf("a key that comes twice was taken:\n%s", out.String())
	}
}
