package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
)

// acp speaks the Agent Client Protocol: it answers the calls of the client up to the prompt, and the prompt with its
// end.
type acp struct {
	*agent
	in     *bufio.Reader
	prompt json.RawMessage // the id of the call
	asked  int
}

type acpMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Session string `json:"sessionId"`
		Cwd     string `json:"cwd"`
		Servers []struct {
			Name    string   `json:"name"`
			Command string   `json:"command"`
			Args    []string `json:"args"`
			Env     []struct{ Name, Value string }
		} `json:"mcpServers"`
		Prompt []struct{ Text string } `json:"prompt"`
	} `json:"params"`
	Result struct {
		Outcome struct {
			Outcome string `json:"outcome"`
			Option  string `json:"optionId"`
		} `json:"outcome"`
	} `json:"result"`
}

func (a *acp) read() (acpMessage, error) {
	line, err := a.in.ReadBytes('\n')
	if err != nil {
		return acpMessage{}, err
	}
	var m acpMessage
	return m, json.Unmarshal(line, &m)
}

func (a *acp) answer(id json.RawMessage, result any) {
	write(object{"jsonrpc": "2.0", "id": id, "result": result})
}

func (a *acp) begin() error {
	for a.prompt == nil {
		m, err := a.read()
		if err != nil {
			return err
		}
		switch m.Method {
		case "initialize":
			a.answer(m.ID, object{"protocolVersion": 1, "agentCapabilities": object{"loadSession": true}, "authMethods": []object{}})
		case "session/new":
			a.take(m)
			a.answer(m.ID, object{"sessionId": session, "modes": object{"currentModeId": "code", "availableModes": []object{{"id": "code", "name": "Code"}, {"id": "plan", "name": "Plan"}}}})
		case "session/load":
			a.take(m)
			a.Resume = m.Params.Session
			a.answer(m.ID, object{})
		case "session/set_mode", "session/set_model":
			a.answer(m.ID, object{})
		case "session/prompt":
			a.prompt, a.Prompt = m.ID, m.Params.Prompt[0].Text
		default:
			return errors.New("unknown method " + m.Method)
		}
	}
	return nil
}

func (a *acp) take(m acpMessage) {
	a.Dir = m.Params.Cwd
	for _, s := range m.Params.Servers {
		a.Server = &server{s.Command, s.Args, map[string]string{}}
		for _, v := range s.Env {
			a.Server.Env[v.Name] = v.Value
		}
	}
}

func (a *acp) update(kind string, o object) {
	o["sessionUpdate"] = kind
	write(object{"jsonrpc": "2.0", "method": "session/update", "params": object{"sessionId": a.id(), "update": o}})
}

func (a *acp) text(text string) {
	a.update("agent_message_chunk", object{"content": object{"type": "text", "text": text}})
}

func (a *acp) started(id, name, argument string) {
	a.update("tool_call", object{"toolCallId": id, "title": name + " " + argument, "kind": "edit", "status": "in_progress"})
}

func (a *acp) ended(id, _, _ string, err error) {
	status := "completed"
	if err != nil {
		status = "failed"
	}
	a.update("tool_call_update", object{"toolCallId": id, "status": status})
}

func (a *acp) spent(dollars float64) {
	a.update("usage_update", object{"used": 1, "size": 2, "cost": object{"amount": dollars, "currency": "USD"}})
}

func (a *acp) plan() {
	a.update("plan", object{"entries": []object{{"content": "one", "priority": "high", "status": "completed"}, {"content": "two", "priority": "high", "status": "pending"}}})
}

func (a *acp) retry() {}

// ask asks the client, and says what it answered.
func (a *acp) ask() {
	a.asked++
	id := fmt.Sprintf("ask-%d", a.asked)
	write(object{"jsonrpc": "2.0", "id": id, "method": "session/request_permission", "params": object{
		"sessionId": a.id(), "toolCall": object{"toolCallId": "ask", "title": "rm -rf /", "kind": "execute"},
		"options": []object{{"optionId": "yes", "name": "Allow", "kind": "allow_once"}, {"optionId": "no", "name": "Reject", "kind": "reject_once"}},
	}})
	for {
		m, err := a.read()
		must(err)
		if m.Method == "" && string(m.ID) == `"`+id+`"` {
			a.text("answered " + m.Result.Outcome.Outcome + m.Result.Outcome.Option)
			a.started("between", "x", "")
			return
		}
	}
}

func (a *acp) end(failed bool, final string) {
	if failed {
		write(object{"jsonrpc": "2.0", "id": a.prompt, "error": object{"code": -32000, "message": final}})
		a.drain()
		return
	}
	a.update("tool_call_update", object{"toolCallId": "last", "status": "in_progress"})
	a.text(final)
	a.answer(a.prompt, object{"stopReason": "end_turn"})
	a.drain()
}

// drain waits until the client closes the connection, as agents do. The order stay goes on from here as well.
func (a *acp) drain() {
	for {
		if _, err := a.in.ReadBytes('\n'); err != nil {
			return
		}
	}
}
