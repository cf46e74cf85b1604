package main

import (
	"encoding/json"
	"errors"
	"fmt"
)

// acpMessage is a message of the Agent Client Protocol.
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

func (a *agent) read() (acpMessage, error) {
	line, err := a.in.ReadBytes('\n')
	if err != nil {
		return acpMessage{}, err
	}
	var m acpMessage
	return m, json.Unmarshal(line, &m)
}

// converse answers the calls of the client up to the prompt, which is answered with its end.
func (a *agent) converse() error {
	for {
		m, err := a.read()
		if err != nil {
			return err
		}
		switch m.Method {
		case "session/new", "session/load":
			a.Dir, a.Resume = m.Params.Cwd, m.Params.Session
			for _, s := range m.Params.Servers {
				a.Server = &server{s.Command, s.Args, map[string]string{}}
				for _, v := range s.Env {
					a.Server.Env[v.Name] = v.Value
				}
			}
		case "session/prompt":
			a.prompt, a.Prompt = m.ID, m.Params.Prompt[0].Text
			return nil
		}
		if !a.write(m.Method, object{"to": m.ID}) {
			return errors.New("unknown method " + m.Method)
		}
	}
}

// askClient asks the client, and says what it answered.
func (a *agent) askClient() {
	a.asked++
	id := fmt.Sprintf("ask-%d", a.asked)
	a.write("ask", object{"id": id})
	for {
		m, err := a.read()
		must(err)
		if m.Method == "" && string(m.ID) == `"`+id+`"` {
			a.text("answered " + m.Result.Outcome.Outcome + m.Result.Outcome.Option)
			a.write("start", object{"id": "between", "call": "x", "name": "x", "argument": ""})
			return
		}
	}
}
