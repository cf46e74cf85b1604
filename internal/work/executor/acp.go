package executor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-tasks/cairn/internal/work/job"
)

// acpTalk is the talk of agents that speak the Agent Client Protocol, which is JSON-RPC in both directions: cairn is
// the client. It offers no files and no terminal, since an agent has those of the machine, and it answers what it is
// asked for: in a run for edits everything may be done once, in one for a patch only what reads.
type acpTalk struct {
	*stream
	model string
	to    io.WriteCloser // what the agent reads
	over  chan struct{}  // is closed when the conversation is over

	writing sync.Mutex
	asking  sync.Mutex
	id      float64   // of the newest call
	waits   chan line // for its answer; nil if nobody does
	gone    bool      // no answer comes any more

	tools map[string]string // the name of each tool by its call, until it is told that it was begun; "" from then on
}

// errGone is the error of a call that the agent has not answered when it ended.
var errGone = errors.New("the agent is gone")

// converse starts the conversation with an agent, over pipes. The model is that of a run that names none.
func converse(ctx context.Context, s *stream, model string) (_ talk, input *os.File, err error) {
	t := &acpTalk{stream: s, model: cmp.Or(s.run.Model, model), over: make(chan struct{})}
	if input, t.to, err = os.Pipe(); err != nil {
		return nil, nil, err
	}
	go func() {
		defer close(t.over)
		defer t.to.Close()
		if err := t.converse(); err != nil && ctx.Err() == nil && !errors.Is(err, errGone) {
			t.problem(err.Error())
			t.done(true, "")
		}
	}()
	return t, input, nil
}

// hangUp ends the conversation with an agent that has ended, once every answer that came is taken.
func (t *acpTalk) hangUp() {
	t.asking.Lock()
	t.gone = true
	if t.waits != nil {
		close(t.waits)
		t.waits = nil
	}
	t.asking.Unlock()
	_ = t.to.Close()
	<-t.over
}

func (t *acpTalk) converse() error {
	hello, err := t.call("initialize", object{
		"protocolVersion":    1,
		"clientCapabilities": object{"fs": object{"readTextFile": false, "writeTextFile": false}, "terminal": false},
	})
	if err != nil {
		return err
	}
	id, method, params := t.run.Resume, "session/load", object{"cwd": t.run.Dir, "mcpServers": t.servers()}
	if id != "" && hello.is("agentCapabilities.loadSession") {
		params["sessionId"] = id
	} else {
		id, method = "", "session/new"
	}
	began, err := t.call(method, params)
	if err != nil {
		return err
	}
	if id == "" {
		id = began.text("sessionId")
	}
	t.session(id)
	if t.model != "" {
		if _, err := t.call("session/set_model", object{"sessionId": id, "modelId": t.model}); err != nil {
			return err
		}
	}
	if mode := readingMode(began.each("modes.availableModes")); mode != "" && t.run.Output == job.Patch {
		if _, err := t.call("session/set_mode", object{"sessionId": id, "modeId": mode}); err != nil {
			return err
		}
	}
	prompt := []object{{"type": "text", "text": t.run.Prompt}}
	end, err := t.call("session/prompt", object{"sessionId": id, "prompt": prompt})
	if err != nil {
		return err
	}
	t.usage(acpUsage(end))
	why := end.text("stopReason")
	if why != "end_turn" {
		t.problem("it stopped: " + why)
	}
	t.done(why != "end_turn", "")
	return nil
}

func (t *acpTalk) servers() []object {
	m := t.run.server()
	if m == nil {
		return []object{}
	}
	env := []object{}
	for _, name := range slices.Sorted(maps.Keys(m.Env)) {
		env = append(env, object{"name": name, "value": m.Env[name]})
	}
	return []object{{"name": serverName, "command": m.Command, "args": m.Args, "env": env}}
}

// readingMode is the mode of an agent in which it changes nothing, by the names that agents give it.
func readingMode(modes []object) string {
	for _, m := range modes {
		switch strings.ToLower(m.text("id")) {
		case "plan", "read-only", "readonly", "read_only", "ask":
			return m.text("id")
		}
	}
	return ""
}

func (t *acpTalk) call(method string, params object) (object, error) {
	answer := make(chan line, 1)
	t.asking.Lock()
	if t.gone {
		t.asking.Unlock()
		return nil, errGone
	}
	t.id++
	t.waits = answer
	message := object{"id": t.id, "method": method, "params": params}
	t.asking.Unlock()
	t.send(message)
	l, ok := <-answer
	switch {
	case !ok:
		return nil, errGone
	case l.in("error") != nil:
		return nil, errors.New(join(l.text("error.message"), show(l.at("error.data"))))
	}
	return l.in("result"), nil
}

// send sends a message. An agent that does not read it is gone, or will be.
func (t *acpTalk) send(message object) {
	message["jsonrpc"] = "2.0"
	text, _ := json.Marshal(message) // texts and numbers
	t.writing.Lock()
	defer t.writing.Unlock()
	_, _ = t.to.Write(append(text, '\n'))
}

func (t *acpTalk) line(text []byte) {
	l := read(text)
	if l.text("jsonrpc") != "2.0" {
		return
	}
	var asked struct {
		ID json.RawMessage `json:"id"`
	}
	switch method := l.text("method"); method {
	case "":
		t.asking.Lock()
		if t.waits != nil && l.at("id") == t.id {
			t.waits <- l
			t.waits = nil
		}
		t.asking.Unlock()
	case "session/update":
		t.update(l.in("params.update"))
	default:
		if _ = json.Unmarshal(text, &asked); asked.ID == nil {
			return
		}
		answer := object{"id": asked.ID, "error": object{"code": -32601, "message": "Method not found"}}
		if method == "session/request_permission" {
			answer = object{"id": asked.ID, "result": object{"outcome": t.permit(l.in("params"))}}
		}
		go t.send(answer) // an agent that tells much before it reads on must not wait for us
	}
}

func (t *acpTalk) update(u object) {
	id, status := u.text("toolCallId"), u.text("status")
	switch kind := u.text("sessionUpdate"); kind {
	case "agent_message_chunk":
		t.piece(u.text("content.text"))
	case "tool_call", "tool_call_update":
		t.tool(id, u)
		if status == "completed" || status == "failed" {
			var said []string
			for _, c := range u.each("content") {
				said = append(said, c.text("content.text"), c.text("path"))
			}
			t.toolEnd(id, status == "failed", join(status, join(said...)))
		}
	case "plan":
		t.plan(u.each("entries"), "content", "status")
	case "usage_update":
		t.usage(job.Usage{Cost: u.sum("cost.amount")})
	}
}

// tool tells that a tool was begun, once it is known what it is to do: its arguments may come after its name.
func (t *acpTalk) tool(id string, u object) {
	was, known := t.tools[id]
	title := cmp.Or(u.text("title"), was)
	if title == "" || known && was == "" {
		return
	}
	more := []string{strings.TrimSpace(toolText("", u.in("rawInput")))}
	for _, at := range u.each("locations") {
		more = append(more, at.text("path"))
	}
	text := title
	for _, word := range more {
		if !strings.Contains(text, word) {
			text += " " + word
		}
	}
	if t.tools == nil {
		t.tools = map[string]string{}
	}
	if t.tools[id] = title; text != title || !slices.Contains([]string{"", "pending"}, u.text("status")) {
		t.toolStart(id, text, nil)
		t.tools[id] = ""
	}
}

func (t *acpTalk) permit(asked object) object {
	call := asked.in("toolCall")
	want := "allow"
	if t.run.Output == job.Patch && !slices.Contains([]string{"read", "search", "think", "fetch"}, call.text("kind")) {
		want = "reject"
	}
	var chosen string
	for _, kind := range []string{want + "_once", want + "_always"} {
		for _, option := range asked.each("options") {
			if chosen == "" && option.text("kind") == kind {
				chosen = option.text("optionId")
			}
		}
	}
	if want == "reject" || chosen == "" {
		title := "it asks for a permission"
		if _, ok := call["title"].(string); ok {
			title = call.text("title")
		}
		t.permission(call.text("toolCallId"), clipped(title, shownTool))
	}
	if chosen == "" {
		return object{"outcome": "cancelled"}
	}
	return object{"outcome": "selected", "optionId": chosen}
}

// closed is for a conversation that has no other side any more.
func (t *acpTalk) closed(int, string) {}

// acpUsage is the usage of a turn. gemini says it in words of its own.
func acpUsage(end object) job.Usage {
	if ours := end.in("_meta.quota.token_count"); end.in("usage") == nil && ours != nil {
		return usageOf(ours.sum("input_tokens"), 0, ours.sum("output_tokens"), 0)
	}
	used, cached := end.in("usage"), end.sum("usage.cachedReadTokens")
	return usageOf(used.sum("inputTokens", "cachedWriteTokens")+cached, cached, used.sum("outputTokens"), 0)
}
