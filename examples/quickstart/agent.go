package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// agent is a coding agent as cairn sees it: an MCP client that started "cairn serve" and talks to it on stdin and
// stdout. The client is the official Go SDK's.
type agent struct {
	*narrator
	session *mcp.ClientSession
	log     *bytes.Buffer // what the server wrote to stderr
}

// connect starts the server for an actor, as the configuration of an MCP client would.
func connect(ctx context.Context, n *narrator, r repo, actor string) *agent {
	a := &agent{narrator: n, log: &bytes.Buffer{}}
	if n.err != nil {
		return a
	}
	server := r.command(ctx, "cairn", "serve", "--actor", actor)
	server.Stderr = a.log
	client := mcp.NewClient(&mcp.Implementation{Name: "quickstart", Version: "1"}, nil)
	var err error
	if a.session, err = client.Connect(ctx, &mcp.CommandTransport{Command: server}, nil); err != nil {
		a.fail(fmt.Errorf("cairn serve: %w\n%s", err, a.log))
	}
	return a
}

// close ends the server, if it was started. It has to go quietly.
func (a *agent) close() {
	if a.session == nil {
		return
	}
	if err := a.session.Close(); err != nil {
		a.fail(fmt.Errorf("end of cairn serve: %w", err))
	}
	a.expect(a.log.Len() == 0, "cairn serve writes nothing to stderr, but: %s", a.log)
}

// args are the arguments of a tool.
type args map[string]any

// answer is what the story looks at in the results of all tools.
type answer struct {
	ID     string   `json:"id"`
	Title  string   `json:"title"`
	Status string   `json:"status"`
	Task   string   `json:"task_status"` // of a session, how its task stands
	Actor  string   `json:"actor"`
	Tasks  []answer `json:"tasks"`
	Run    checkRun `json:"run"`
	Error  refusal  `json:"error"`
}

// checkRun is what running a task's checks showed: how many passed, or, with a refusal, each of them.
type checkRun struct {
	Passed int `json:"passed"`
	Checks []struct {
		Desc    string `json:"desc"`
		Result  string `json:"result"`
		Summary string `json:"summary"`
		Output  string `json:"output"`
	} `json:"checks"`
}

// refusal is an error with what to do about it.
type refusal struct {
	Code     string `json:"code"`
	Message  string `json:"message"`
	Hint     string `json:"hint"`
	NextTool string `json:"next_tool"`
	Details  struct {
		Run checkRun `json:"run"`
	} `json:"details"`
}

// does calls a tool that must succeed.
func (a *agent) does(ctx context.Context, tool string, in args) answer {
	out := a.call(ctx, tool, in)
	a.expect(out.Error.Code == "", "%s is refused with %s", tool, out.Error.Code)
	return out
}

// refused calls a tool that must be refused with a code.
func (a *agent) refused(ctx context.Context, code, tool string, in args) refusal {
	out := a.call(ctx, tool, in)
	a.expect(out.Error.Code == code, "%s is not refused with %s", tool, code)
	return out.Error
}

func (a *agent) call(ctx context.Context, tool string, in args) (out answer) {
	if a.err != nil {
		return out
	}
	given, err := json.Marshal(in)
	if err != nil {
		a.fail(err)
		return out
	}
	a.print("agent> " + tool + " " + string(given))
	result, err := a.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: in})
	if err != nil {
		a.fail(fmt.Errorf("%s: %w", tool, err))
		return out
	}
	a.fail(decode(result, &out))
	a.expect(result.IsError == (out.Error.Code != ""), "%s says two things about whether it failed", tool)
	a.show(out)
	return out
}

// decode reads the structured part of a result.
func decode(result *mcp.CallToolResult, into *answer) error {
	raw, err := json.Marshal(result.StructuredContent)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

// show prints an answer in a few lines.
func (a *agent) show(out answer) {
	a.showRun(out.Run)
	a.showRun(out.Error.Details.Run)
	for _, t := range out.Tasks {
		a.line(t.ID, t.Status, t.Title)
	}
	if e := out.Error; e.Code != "" {
		a.line(e.Code + ": " + e.Message)
		a.line("hint: " + e.Hint)
		return
	}
	a.line(out.ID, out.Status, out.Task, out.Actor, out.Title)
}

func (a *agent) showRun(r checkRun) {
	if r.Passed > 0 {
		a.line("checks passed:", strconv.Itoa(r.Passed))
	}
	for _, c := range r.Checks {
		a.line(c.Result, c.Desc, "("+c.Summary+")")
		a.line(strings.ReplaceAll(strings.TrimSpace(c.Output), "\n", "\n  "))
	}
}

// line prints the words that say something, set in from what the agent asked.
func (a *agent) line(words ...string) {
	said := slices.DeleteFunc(words, func(word string) bool { return word == "" })
	if len(said) > 0 {
		a.print("  " + strings.Join(said, "  "))
	}
}
