package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// voice is a dialect. Its methods write what the program of that dialect writes.
type voice interface {
	begin() error // reads what is still to be read, and says hello
	text(text string)
	started(id, name, argument string)
	ended(id, name, argument string, err error)
	spent(dollars float64)
	plan()
	retry()
	ask()
	end(failed bool, final string)
}

// session is the id of every session of the fake.
const session = "0199fa4e-fade-7000-8000-000000000001"

func voiceOf(a *agent) voice {
	switch a.Dialect {
	case "claude", "amp":
		return claude{a}
	case "codex":
		return codex{a}
	case "opencode":
		return opencode{a}
	case "cursor":
		return cursor{claude{a}}
	case "copilot":
		return copilot{a}
	case "droid":
		return droid{a}
	case "acp":
		return &acp{agent: a, in: bufio.NewReader(os.Stdin)}
	case "command":
		return command{a}
	}
	fmt.Fprintln(os.Stderr, "fakeagent: no such dialect:", a.Dialect)
	os.Exit(2)
	return nil
}

type object = map[string]any

func write(o object) {
	text, err := json.Marshal(o)
	must(err)
	_, err = os.Stdout.Write(append(text, '\n'))
	must(err)
}

func (a *agent) id() string {
	if a.Resume != "" {
		return a.Resume
	}
	return session
}

func message(err error) string {
	if err == nil {
		return "done"
	}
	return err.Error()
}

type claude struct{ *agent }

func (c claude) write(o object) {
	o["session_id"] = c.id()
	write(o)
}

func (c claude) begin() error {
	servers := []object{}
	if c.Server != nil {
		servers = append(servers, object{"name": "cairn", "status": "connected"})
	}
	c.write(object{"type": "system", "subtype": "init", "mcp_servers": servers, "tools": []string{"Bash"}})
	return nil
}

func (c claude) content(kind string, block object) {
	c.write(object{"type": kind, "parent_tool_use_id": nil, "message": object{"role": kind, "content": []object{block}}})
}

func (c claude) text(text string) { c.content("assistant", object{"type": "text", "text": text}) }

func (c claude) started(id, name, argument string) {
	c.content("assistant", object{"type": "tool_use", "id": id, "name": name, "input": object{"command": argument}})
}

func (c claude) ended(id, _, _ string, err error) {
	c.content("user", object{"type": "tool_result", "tool_use_id": id, "is_error": err != nil, "content": message(err)})
}

func (c claude) spent(float64) {}

func (c claude) plan() {
	c.content("assistant", object{"type": "tool_use", "id": "plan", "name": "TodoWrite",
		"input": object{"todos": []object{{"content": "one", "status": "completed"}, {"content": "two", "status": "pending"}}}})
}

func (c claude) retry() {
	c.write(object{"type": "system", "subtype": "api_retry", "attempt": 2, "error_status": 529, "error": "overloaded"})
}

// ask is told at the end.
func (c claude) ask() {
	c.denied = []object{{"tool_name": "Bash", "tool_use_id": "ask", "tool_input": object{"command": "rm -rf /"}}}
}

func (c claude) end(failed bool, final string) {
	c.text(final)
	c.write(object{"type": "result", "subtype": "success", "is_error": failed, "result": final, "total_cost_usd": 0.25, "permission_denials": c.denied,
		"usage": object{"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 90}})
}

type cursor struct{ claude }

func (c cursor) started(id, name, argument string) {
	c.write(object{"type": "tool_call", "subtype": "started", "call_id": id, "tool_call": object{name + "ToolCall": object{"args": object{"path": argument}}}})
}

func (c cursor) ended(id, name, argument string, err error) {
	result := object{"success": object{}}
	if err != nil {
		result = object{"error": object{"errorMessage": err.Error()}}
	}
	c.write(object{"type": "tool_call", "subtype": "completed", "call_id": id,
		"tool_call": object{name + "ToolCall": object{"args": object{"path": argument}, "result": result}}})
}

func (c cursor) ask() {
	c.write(object{"type": "tool_call", "subtype": "completed", "call_id": "ask",
		"tool_call": object{"shellToolCall": object{"args": object{"command": "rm"}, "result": object{"rejected": object{"reason": "no"}}}}})
}

func (c cursor) plan()  {}
func (c cursor) retry() {}

func (c cursor) end(failed bool, final string) {
	c.text(final)
	c.write(object{"type": "result", "subtype": "success", "is_error": failed, "result": final, "duration_ms": 5})
}

type codex struct{ *agent }

func (c codex) begin() error {
	fmt.Fprintln(os.Stderr, "Reading prompt from stdin...")
	write(object{"type": "thread.started", "thread_id": c.id()})
	write(object{"type": "turn.started"})
	return nil
}

func (c codex) item(event string, item object) { write(object{"type": "item." + event, "item": item}) }

func (c codex) text(text string) {
	c.item("completed", object{"id": "item_0", "type": "agent_message", "text": text})
}

func (c codex) started(id, name, argument string) {
	c.item("started", object{"id": id, "type": "command_execution", "command": name + " " + argument, "aggregated_output": "", "status": "in_progress"})
}

func (c codex) ended(id, name, argument string, err error) {
	status := "completed"
	if err != nil {
		status = "failed"
	}
	c.item("completed", object{"id": id, "type": "command_execution", "command": name + " " + argument, "aggregated_output": message(err), "exit_code": 1, "status": status})
}

func (c codex) plan() {
	c.item("started", object{"id": "plan", "type": "todo_list", "items": []object{{"text": "one", "completed": true}, {"text": "two", "completed": false}}})
}

func (c codex) retry() { write(object{"type": "error", "message": "Reconnecting... 2/5"}) }

func (c codex) ask() {
	c.item("completed", object{"id": "ask", "type": "command_execution", "command": "rm -rf /", "status": "declined"})
}

func (c codex) spent(float64) {}

func (c codex) end(failed bool, final string) {
	if failed {
		write(object{"type": "error", "message": final})
		write(object{"type": "turn.failed", "error": object{"message": final}})
		return
	}
	c.text(final)
	write(object{"type": "turn.completed", "usage": object{"input_tokens": 100, "cached_input_tokens": 90, "output_tokens": 5}})
}

type opencode struct{ *agent }

func (o opencode) write(kind string, part object) {
	write(object{"type": kind, "timestamp": 1, "sessionID": o.id(), "part": part})
}

func (o opencode) begin() error {
	o.write("step_start", object{"type": "step-start"})
	return nil
}

func (o opencode) text(text string)               { o.write("text", object{"type": "text", "text": text}) }
func (o opencode) started(string, string, string) {}

// ended tells of a call as a whole, and that the step ended for it.
func (o opencode) ended(id, name, argument string, err error) {
	state := object{"status": "completed", "input": object{"command": argument}, "output": "done"}
	if err != nil {
		state = object{"status": "error", "input": object{"command": argument}, "error": err.Error()}
	}
	o.write("tool_use", object{"type": "tool", "tool": name, "callID": id, "state": state})
	o.finish("tool-calls", 0)
	o.write("step_start", object{"type": "step-start"})
}

func (o opencode) finish(reason string, cost float64) {
	o.write("step_finish", object{"type": "step-finish", "reason": reason, "cost": cost, "tokens": object{"input": 10, "output": 5, "cache": object{"read": 90, "write": 0}}})
}

func (o opencode) spent(dollars float64) {
	o.finish("tool-calls", dollars)
	o.write("step_start", object{"type": "step-start"})
}

func (o opencode) plan()  {}
func (o opencode) retry() {}

func (o opencode) ask() {
	fmt.Fprintln(os.Stderr, "! permission requested: bash (rm); auto-rejecting")
}

func (o opencode) end(failed bool, final string) {
	if failed {
		write(object{"type": "error", "sessionID": o.id(), "error": object{"name": "APIError", "data": object{"message": final}}})
		return
	}
	o.text(final)
	o.finish("stop", 0.25)
}

type copilot struct{ *agent }

func (c copilot) write(kind string, data object) {
	write(object{"type": kind, "data": data, "id": "x", "timestamp": "2026-01-01T00:00:00Z"})
}

func (c copilot) begin() error {
	c.write("session.start", object{"sessionId": c.id()})
	c.write("user.message", object{"content": c.Prompt})
	return nil
}

func (c copilot) text(text string) {
	c.write("assistant.message", object{"messageId": "m", "content": text, "toolRequests": []object{}})
}

func (c copilot) started(id, name, argument string) {
	c.write("assistant.message", object{"messageId": "m", "content": "", "toolRequests": []object{{"toolCallId": id, "name": name}}})
	c.write("tool.execution_start", object{"toolCallId": id, "toolName": name, "arguments": object{"command": argument}})
}

func (c copilot) ended(id, _, _ string, err error) {
	o := object{"toolCallId": id, "success": err == nil}
	if err != nil {
		o["error"] = object{"message": err.Error()}
	}
	c.write("tool.execution_complete", o)
}

func (c copilot) spent(float64) {}
func (c copilot) plan()         {}
func (c copilot) retry()        {}

func (c copilot) ask() {
	c.write("permission.requested", object{"toolCallId": "ask", "toolName": "bash", "message": "rm"})
}

func (c copilot) end(failed bool, final string) {
	exit := 0
	if failed {
		exit = 1
		c.write("session.error", object{"errorType": "query", "message": final})
	} else {
		c.text(final)
	}
	write(object{"type": "result", "timestamp": "2026-01-01T00:00:00Z", "sessionId": c.id(), "exitCode": exit, "usage": object{"premiumRequests": 1}})
}

type droid struct{ *agent }

func (d droid) write(o object) {
	o["session_id"] = d.id()
	write(o)
}

func (d droid) begin() error {
	d.write(object{"type": "system", "subtype": "init", "cwd": d.Dir, "tools": []string{"Read"}})
	d.write(object{"type": "message", "role": "user", "text": d.Prompt})
	return nil
}

func (d droid) text(text string) {
	d.write(object{"type": "message", "role": "assistant", "id": "m", "text": text})
}

func (d droid) started(id, name, argument string) {
	d.write(object{"type": "tool_call", "id": id, "toolName": name, "parameters": object{"command": argument}})
}

func (d droid) ended(id, _, _ string, err error) {
	d.write(object{"type": "tool_result", "id": id, "isError": err != nil, "value": message(err)})
}

func (d droid) spent(float64) {}
func (d droid) plan()         {}
func (d droid) retry()        {}
func (d droid) ask() {
	d.write(object{"type": "error", "message": "insufficient permission to proceed"})
}

func (d droid) end(failed bool, final string) {
	if failed {
		d.write(object{"type": "error", "message": final})
		d.write(object{"type": "result", "subtype": "failure", "is_error": true, "result": final})
		return
	}
	d.text(final)
	d.write(object{"type": "completion", "finalText": final, "numTurns": 1, "usage": object{"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 90}})
}

// command is a program that writes text.
type command struct{ *agent }

func (c command) begin() error     { return nil }
func (c command) text(text string) { fmt.Println(text) }
func (c command) started(_, name, argument string) {
	fmt.Println(strings.TrimSpace(name + " " + argument))
}
func (c command) ended(string, string, string, error) {}
func (c command) spent(float64)                       {}
func (c command) plan()                               {}
func (c command) retry()                              {}
func (c command) ask()                                {}

func (c command) end(failed bool, final string) {
	fmt.Println(final)
	if failed {
		os.Exit(1)
	}
}
