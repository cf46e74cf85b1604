package mcpserver_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// A server that switches the validation of mcp-go on never goes on without it: with the module that mcp-go names a
// wrong value is refused, and with the one that go.work puts in its place every value. Ours does not switch it on.
func TestValidationOfTheLibrary(t *testing.T) {
	s := server.NewMCPServer("test", "1", server.WithInputSchemaValidation())
	s.AddTool(mcp.NewToolWithRawSchema("double", "doubles", json.RawMessage(`{"type": "object", "required": ["n"]}`)),
		func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText("called"), nil
		})
	got, err := json.Marshal(s.HandleMessage(t.Context(),
		json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"double","arguments":{}}}`)))
	if err != nil || !strings.Contains(string(got), "input schema validation failed") {
		t.Errorf("got %s, %v", got, err)
	}
}
