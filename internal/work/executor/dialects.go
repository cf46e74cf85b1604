package executor

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cairn-tasks/cairn/internal/work/job"
)

// claudeLine is the dialect of claude. Its last line, of type result, has is_error, which counts: its subtype can be
// success even so, and so can the exit status.
func claudeLine(s *stream, l line) {
	s.session(l.text("session_id"))
	switch l.text("type") {
	case "system":
		for _, m := range l.each("mcp_servers") {
			status := m.text("status")
			if m.text("name") == serverName && (status == "failed" || status == "needs-auth" || status == "disabled") {
				s.warn("the program could not start its MCP server cairn: " + status) // so it cannot hand over
			}
		}
		if l.text("subtype") == "api_retry" {
			text := join("the provider answered", show(l.at("error_status")), show(l.at("error")))
			s.tell(job.Event{Type: job.EventRetry, Attempt: int(l.sum("attempt")), Text: text})
		}
	case "assistant":
		if id := l.text("message.id"); id != "" && id != s.counted { // each part of a message has the usage of all of it
			s.counted = id
			s.add(claudeUsage(l.in("message.usage"), 0))
		}
		for _, b := range l.each("message.content") {
			switch kind, name := b.text("type"), b.text("name"); {
			case kind == "text" && l.text("parent_tool_use_id") == "": // not of a subagent
				s.text(b.text("text"))
			case kind == "tool_use" && name == "TodoWrite":
				s.plan(b.each("input.todos"), "content", "status")
			case kind == "tool_use":
				s.toolStart(b.text("id"), name, b.in("input"))
			}
		}
	case "user":
		for _, b := range l.each("message.content") {
			if b.text("type") == "tool_result" {
				s.toolEnd(b.text("tool_use_id"), b.is("is_error"), contentText(b, "content"))
			}
		}
	case "result":
		for _, d := range l.each("permission_denials") {
			s.permission(d.text("tool_use_id"), toolText(d.text("tool_name"), d.in("tool_input")))
		}
		s.usage(claudeUsage(l.in("usage"), l.sum("total_cost_usd")))
		var errs []string
		all, _ := l.at("errors").([]any)
		for _, e := range all {
			errs = append(errs, show(e))
		}
		s.ended(l.is("is_error"), l, strings.Join(errs, "; "), show(l.at("error")))
	}
}

// claudeUsage is a usage as claude counts it, and what it cost.
func claudeUsage(o object, cost float64) job.Usage {
	cached := o.sum("cache_read_input_tokens")
	return usageOf(o.sum("input_tokens", "cache_creation_input_tokens")+cached, cached, o.sum("output_tokens"), cost)
}

// usageOf is a usage whose input has the cached tokens in it.
func usageOf(in, cached, out, cost float64) job.Usage {
	return job.Usage{InputTokens: int64(in), CachedTokens: int64(cached), OutputTokens: int64(out), Cost: cost}
}

// ended tells of a line of type result, which says in is_error or by its subtype whether the program failed, and of
// what went wrong besides.
func (s *stream) ended(failed bool, l line, errs ...string) {
	subtype := strings.TrimPrefix(l.text("subtype"), "success")
	if failed = failed || subtype != ""; failed {
		s.problem(join(append([]string{subtype, l.text("result")}, errs...)...))
	}
	s.done(failed, l.text("result"))
}

// ampLine is the dialect of amp, which copies claude's. Without a login it asks for one, in text, and waits.
func ampLine(s *stream, l line) {
	if strings.HasPrefix(string(l.raw), "No API key found") {
		s.problem("it is not logged in")
		s.done(true, "")
	}
	claudeLine(s, l)
}

// cursorLine is the dialect of cursor-agent: that of claude but for its tools. When it fails it may end without a last
// line.
func cursorLine(s *stream, l line) {
	if l.text("type") != "tool_call" {
		claudeLine(s, l)
		return
	}
	id := l.text("call_id")
	name, arguments, result := cursorTool(l.in("tool_call"))
	switch l.text("subtype") {
	case "started":
		s.toolStart(id, name, arguments)
	case "completed":
		_, rejected := result["rejected"]
		if rejected {
			s.permission(id, toolText(name, arguments))
		}
		s.toolEnd(id, rejected || result["error"] != nil, show(result["error"]))
	}
}

// cursorTool takes apart a call, which has one key: readToolCall and the like, or function.
func cursorTool(calls object) (name string, arguments, result object) {
	for key := range calls {
		call := calls.in(key)
		switch name, ok := strings.CutSuffix(key, "ToolCall"); {
		case call == nil:
		case ok:
			return name, call.in("args"), call.in("result")
		case key == "function":
			_ = json.Unmarshal([]byte(call.text("arguments")), &arguments)
			return call.text("name"), arguments, call.in("result")
		}
	}
	return "tool", nil, nil
}

// codexLine is the dialect of codex: turn.completed and turn.failed say how it ended, and its exit status does not. An
// error in between may be one that it tries again.
func codexLine(s *stream, l line) {
	item := l.in("item")
	kind, id, failed := item.text("type"), item.text("id"), item.text("status") == "failed"
	switch event := l.text("type"); event {
	case "thread.started":
		s.session(l.text("thread_id"))
	case "item.started", "item.updated", "item.completed":
		switch completed := event == "item.completed"; {
		case kind == "todo_list":
			s.plan(item.each("items"), "text", "completed")
		case event == "item.started" && codexTool(item):
			s.toolStart(id, codexText(item), nil)
		case completed && codexTool(item):
			declined := item.text("status") == "declined"
			if declined {
				s.permission(id, codexText(item))
			}
			state := item.text("status")
			if code, ok := item.at("exit_code").(float64); ok && kind == "command_execution" {
				state, failed = fmt.Sprintf("exit %d", int(code)), failed || code != 0
			}
			outcome := cmp.Or(item.text("error.message"), item.text("aggregated_output"), contentText(item, "result.content"))
			s.toolEnd(id, failed || declined, join(state, outcome))
		case completed && kind == "agent_message":
			s.text(item.text("text"))
		case completed && kind == "plan":
			s.tell(job.Event{Type: job.EventPlan, Text: item.text("text")})
		case completed && kind == "error":
			s.warn(item.text("message"))
		case completed && kind == "file_change":
			s.toolStart(id, codexText(item), nil)
			s.toolEnd(id, failed, "")
		}
	case "request_user_input":
		s.permission(l.text("id"), "it asks a question")
	case "turn.completed": // cached tokens are part of the input
		s.inAll(usageOf(l.sum("usage.input_tokens"), l.sum("usage.cached_input_tokens"), l.sum("usage.output_tokens"), 0))
		s.done(false, "")
	case "turn.failed":
		s.problem(l.text("error.message"))
		s.done(true, "")
	case "error":
		if message := l.text("message"); strings.HasPrefix(message, "Reconnecting") {
			s.tell(job.Event{Type: job.EventRetry, Text: message})
		} else {
			s.problem(message)
		}
	}
}

// codexTool reports whether an item is a call of a tool that begins and ends.
func codexTool(item object) bool {
	switch item.text("type") {
	case "command_execution", "mcp_tool_call", "web_search", "collab_tool_call":
		return true
	}
	return false
}

// codexText is what an item does, in a few words.
func codexText(item object) string {
	switch kind := item.text("type"); kind {
	case "command_execution":
		return toolText("shell", object{"command": item["command"]})
	case "mcp_tool_call":
		return toolText(join(item.text("server"), item.text("tool")), item.in("arguments"))
	case "collab_tool_call":
		return toolText(cmp.Or(item.text("tool"), kind), object{"prompt": item["prompt"]})
	case "web_search":
		return toolText("search", object{"query": item["query"]})
	case "file_change":
		var files []string
		for _, c := range item.each("changes") {
			files = append(files, c.text("kind")+" "+c.text("path"))
		}
		return strings.Join(files, ", ")
	default:
		return kind
	}
}

// opencodeLine is the dialect of opencode. It has no last line: a step that ends for another reason than to use tools
// is the last one unless another begins, and an error is one even if the program ends with 0.
func opencodeLine(s *stream, l line) {
	s.session(l.text("sessionID"))
	part := l.in("part")
	switch l.text("type") {
	case "step_start":
		s.goesOn()
	case "text":
		s.text(part.text("text"))
	case "tool_use":
		state := part.in("state")
		s.toolStart(part.text("callID"), part.text("tool"), state.in("input"))
		s.toolEnd(part.text("callID"), state.text("status") == "error", join(state.text("error"), state.text("output")))
	case "step_finish":
		cached := part.sum("tokens.cache.read")
		in := part.sum("tokens.input", "tokens.cache.write") + cached
		s.add(usageOf(in, cached, part.sum("tokens.output"), part.sum("cost")))
		if part.text("reason") != "tool-calls" {
			s.maybeDone(false)
		}
	case "error":
		s.problem(join(l.text("error.name"), l.text("error.data.message")))
		s.maybeDone(true)
	}
}

// copilotLine is the dialect of copilot: events with their data, and a result whose exitCode counts, since the program
// ends with 0 even if it failed.
func copilotLine(s *stream, l line) {
	data := l.in("data")
	id, tool, message := data.text("toolCallId"), data.text("toolName"), data.text("message")
	switch l.text("type") {
	case "session.start", "session.resume":
		s.session(data.text("sessionId"))
	case "assistant.message":
		if data.text("parentToolCallId") == "" {
			s.text(data.text("content"))
		}
	case "assistant.usage":
		s.add(usageOf(data.sum("inputTokens"), data.sum("cacheReadTokens"), data.sum("outputTokens"), 0))
	case "tool.execution_start":
		s.toolStart(id, tool, data.in("arguments"))
	case "tool.execution_complete":
		s.toolEnd(id, !data.is("success"), data.text("error.message"))
	case "permission.requested":
		s.permission(id, join(tool, message))
	case "session.error":
		s.problem(join(data.text("errorType"), message))
	case "abort":
		s.problem(join("it was aborted", data.text("reason")))
	case "result":
		s.session(l.text("sessionId"))
		s.done(show(l.at("exitCode")) != "0", "")
	}
}

// droidLine is the dialect of droid. completion is the last line of a run that went well.
func droidLine(s *stream, l line) {
	s.session(l.text("session_id"))
	switch l.text("type") {
	case "message":
		if l.text("role") == "assistant" {
			s.text(l.text("text"))
		}
	case "tool_call":
		s.toolStart(l.text("id"), l.text("toolName"), l.in("parameters"))
	case "tool_result":
		s.toolEnd(l.text("id"), l.is("isError"), join(contentText(l.object, "value"), show(l.at("error"))))
	case "error":
		s.problem(join(l.text("message"), show(l.at("error"))))
	case "completion":
		s.usage(claudeUsage(l.in("usage"), 0))
		s.done(l.is("is_error"), l.text("finalText"))
	case "result":
		s.ended(l.is("is_error"), l)
	}
}

// contentText is the text of what a tool answered: a text, or a list of blocks.
func contentText(o object, path string) string {
	out := []string{o.text(path)}
	for _, b := range o.each(path) {
		out = append(out, b.text("text"))
	}
	return join(out...)
}
