package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// callCairn starts the MCP server that the fake was given, calls one tool, and ends the server.
func (a *agent) callCairn(tool, arguments string) error {
	if a.Server == nil {
		return errors.New("no MCP server was given")
	}
	cmd := exec.Command(a.Server.Command, a.Server.Args...)
	cmd.Dir, cmd.Stderr, cmd.Env = a.Dir, os.Stderr, os.Environ()
	for name, value := range a.Server.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer cmd.Wait() //nolint:errcheck // it ends when its input does
	defer in.Close()
	answers := bufio.NewReader(out)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"fakeagent","version":"1"}}}`)
	if _, err := answer(answers, 1); err != nil {
		return err
	}
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	fmt.Fprintf(in, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", tool, arguments)
	result, err := answer(answers, 2)
	if err != nil {
		return err
	}
	if result.IsError {
		return fmt.Errorf("%s: %s", tool, result.Content)
	}
	fmt.Fprintf(os.Stderr, "%s: %s\n", tool, result.Content)
	return nil
}

type toolResult struct {
	IsError bool            `json:"isError"`
	Content json.RawMessage `json:"content"`
}

// answer reads until the answer to a request.
func answer(from *bufio.Reader, id int) (toolResult, error) {
	for {
		line, err := from.ReadBytes('\n')
		if err != nil {
			return toolResult{}, err
		}
		var message struct {
			ID     *int            `json:"id"`
			Method string          `json:"method"`
			Result toolResult      `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if err := json.Unmarshal(line, &message); err != nil {
			return toolResult{}, err
		}
		if message.ID == nil || *message.ID != id || message.Method != "" {
			continue
		}
		if message.Error != nil {
			return toolResult{}, fmt.Errorf("%s", message.Error)
		}
		return message.Result, nil
	}
}
