package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
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
	client := mcp.NewClient(&mcp.Implementation{Name: "agenttest", Version: "1"}, nil)
	server, err := client.Connect(context.Background(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return err
	}
	defer server.Close()
	result, err := server.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		return err
	}
	content, _ := json.Marshal(result.Content)
	if result.IsError {
		return fmt.Errorf("%s: %s", tool, content)
	}
	fmt.Fprintf(os.Stderr, "%s: %s\n", tool, content)
	return nil
}
