package agents_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// move is what the model says in one turn: a call of a tool, or what ends the round.
type move struct {
	shell string // a command, by whatever tool the program has for that
	tool  string // a tool of cairn's
	args  object // of that tool; get and note are given the id of the task
	text  string // the last words of a round
}

type object = map[string]any

// model is a server on loopback that speaks as the models of several makers do, and says by heart what a test wrote
// down. Which move is next it sees from the conversation alone, in which each move stands with its number. So a program
// that goes on with a conversation hears the next move, and one that begins anew the first.
type model struct {
	t     *testing.T
	url   string
	task  string // its id
	moves []move

	mu   sync.Mutex
	said []string // what the program sent with each request for a move
}

func newModel(t *testing.T, moves ...move) *model {
	m := &model{t: t, moves: moves}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", m.messages)
	mux.HandleFunc("POST /v1/responses", m.responses)
	mux.HandleFunc("POST /v1/chat/completions", m.chat)
	mux.HandleFunc("POST /v1beta/models/{call}", m.gemini)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	m.url = server.URL
	return m
}

// requests are what the program sent so far.
func (m *model) requests() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.said
}

// answer is a move in the words of a program: a call of a tool that it offers, or text.
type answer struct {
	id, space, name, args string
	text                  string
}

// number is where the number of a move stands: in the id of a call, or behind a text.
var number = regexp.MustCompile(`move_([0-9]+)`)

// next reads a request and answers with the move that is next. A request without tools is for something beside the
// work, such as a title of the conversation.
func (m *model) next(r *http.Request) (answer, object) {
	body, err := io.ReadAll(r.Body)
	var asked object
	if err == nil {
		err = json.Unmarshal(body, &asked)
	}
	if err != nil {
		m.t.Errorf("%s: %v", r.URL, err)
		return answer{text: "?"}, nil
	}
	offered := toolsOf(asked["tools"], "")
	if len(offered) == 0 {
		return answer{text: "A job"}, asked
	}
	m.mu.Lock()
	m.said = append(m.said, string(body))
	m.mu.Unlock()
	at := 0
	for _, n := range number.FindAllSubmatch(body, -1) {
		made, _ := strconv.Atoi(string(n[1]))
		at = max(at, made+1)
	}
	if at >= len(m.moves) {
		return answer{text: "There is nothing left to do."}, asked
	}
	v := m.moves[at]
	if v.tool == "get" || v.tool == "note" {
		v.args = maps.Clone(v.args)
		v.args["id"] = m.task
	}
	return v.in(offered, fmt.Sprintf("move_%d", at)), asked
}

// tool is a tool that a program offers to the model.
type tool struct {
	space, name string
	inputs      object
}

// toolsOf reads the tools of a request, in whatever way its maker writes them.
func toolsOf(all any, space string) (out []tool) {
	list, _ := all.([]any)
	for _, one := range list {
		o, _ := one.(object)
		if inner, ok := o["function"].(object); ok {
			o = inner
		}
		name, _ := o["name"].(string)
		for _, nested := range []string{"tools", "functionDeclarations"} {
			out = append(out, toolsOf(o[nested], name)...)
		}
		schema, _ := first(o, "input_schema", "parameters", "parametersJsonSchema").(object)
		inputs, _ := schema["properties"].(object)
		if name != "" && o["tools"] == nil {
			out = append(out, tool{space, name, inputs})
		}
	}
	return out
}

func first(o object, keys ...string) any {
	for _, key := range keys {
		if o[key] != nil {
			return o[key]
		}
	}
	return nil
}

var shells = map[string]bool{"Bash": true, "bash": true, "exec_command": true, "shell_command": true, "run_shell_command": true}

// in is a move by the tools that are offered.
func (v move) in(offered []tool, id string) answer {
	for _, o := range offered {
		switch {
		case v.shell != "" && shells[o.name]:
			args := object{"command": v.shell, "description": "work"}
			if o.inputs["cmd"] != nil {
				args = object{"cmd": v.shell}
			}
			return call(id, o, args)
		case v.tool != "" && strings.Contains(o.space+o.name, "cairn") && strings.HasSuffix(o.name, v.tool):
			return call(id, o, v.args)
		}
	}
	if v.text == "" {
		return answer{text: fmt.Sprintf("There is no tool for %+v among %d.", v, len(offered))}
	}
	return answer{text: v.text + " (" + id + ")"}
}

func call(id string, o tool, args object) answer {
	text, _ := json.Marshal(args)
	return answer{id: id, space: o.space, name: o.name, args: string(text)}
}

// stream writes events as servers send them.
func stream(w http.ResponseWriter, named bool, events ...object) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		text, _ := json.Marshal(e)
		if named {
			fmt.Fprintf(w, "event: %s\n", e["type"])
		}
		fmt.Fprintf(w, "data: %s\n\n", text)
	}
}

// messages is the API of Anthropic.
func (m *model) messages(w http.ResponseWriter, r *http.Request) {
	a, asked := m.next(r)
	block, delta, reason := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": a.text}, "end_turn"
	if a.name != "" {
		block = object{"type": "tool_use", "id": "tool_" + a.id, "name": a.name, "input": object{}}
		delta, reason = object{"type": "input_json_delta", "partial_json": a.args}, "tool_use"
	}
	usage := object{"input_tokens": 100, "output_tokens": 10}
	if asked["stream"] != true {
		block["text"], block["input"] = a.text, json.RawMessage(a.args+"{}"[min(2, len(a.args)):])
		_ = json.NewEncoder(w).Encode(object{
			"id": "msg" + a.id, "type": "message", "role": "assistant", "model": asked["model"], "content": []any{block}, "stop_reason": reason, "usage": usage,
		})
		return
	}
	stream(w, true,
		object{"type": "message_start", "message": object{
			"id": "msg" + a.id, "type": "message", "role": "assistant", "model": asked["model"], "content": []any{}, "usage": usage,
		}},
		object{"type": "content_block_start", "index": 0, "content_block": block},
		object{"type": "content_block_delta", "index": 0, "delta": delta},
		object{"type": "content_block_stop", "index": 0},
		object{"type": "message_delta", "delta": object{"stop_reason": reason}, "usage": object{"output_tokens": 10}},
		object{"type": "message_stop"},
	)
}

// responses is the newer API of OpenAI.
func (m *model) responses(w http.ResponseWriter, r *http.Request) {
	a, _ := m.next(r)
	item := object{"type": "message", "role": "assistant", "id": "msg", "content": []any{object{"type": "output_text", "text": a.text}}}
	if a.name != "" {
		item = object{"type": "function_call", "id": "fc" + a.id, "call_id": a.id, "name": a.name, "arguments": a.args}
		if a.space != "" {
			item["namespace"] = a.space
		}
	}
	stream(w, true,
		object{"type": "response.created", "response": object{"id": "resp"}},
		object{"type": "response.output_item.done", "output_index": 0, "item": item},
		object{"type": "response.completed", "response": object{
			"id": "resp", "usage": object{"input_tokens": 100, "output_tokens": 10, "total_tokens": 110},
		}},
	)
}

// chat is the older API of OpenAI, which many others speak.
func (m *model) chat(w http.ResponseWriter, r *http.Request) {
	a, _ := m.next(r)
	delta, reason := object{"role": "assistant", "content": a.text}, "stop"
	if a.name != "" {
		delta = object{"role": "assistant", "tool_calls": []any{object{
			"index": 0, "id": a.id, "type": "function", "function": object{"name": a.name, "arguments": a.args},
		}}}
		reason = "tool_calls"
	}
	stream(w, false,
		object{"id": "chat", "object": "chat.completion.chunk", "choices": []any{object{"index": 0, "delta": delta}}},
		object{"id": "chat", "object": "chat.completion.chunk", "choices": []any{object{"index": 0, "delta": object{}, "finish_reason": reason}},
			"usage": object{"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}},
	)
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// gemini is the API of Google.
func (m *model) gemini(w http.ResponseWriter, r *http.Request) {
	a, _ := m.next(r)
	part := object{"text": a.text}
	if a.name != "" {
		part = object{"functionCall": object{"id": a.id, "name": a.name, "args": json.RawMessage(a.args)}}
	}
	out := object{
		"candidates":    []any{object{"content": object{"role": "model", "parts": []any{part}}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": object{"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110},
	}
	if strings.HasSuffix(r.PathValue("call"), ":streamGenerateContent") {
		stream(w, false, out)
		return
	}
	_ = json.NewEncoder(w).Encode(out)
}
