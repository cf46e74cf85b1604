package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// The validation that mcp-go offers works with the validator that this build links: the module that mcp-go names, or,
// in a clone, the one that go.work puts in its place. Our server does not switch it on.
func TestValidationOfTheLibrary(t *testing.T) {
	s := server.NewMCPServer("test", "1", server.WithInputSchemaValidation(), server.WithOutputSchemaValidation())
	double := mcp.NewToolWithRawSchema("double", "doubles", json.RawMessage(
		`{"type": "object", "properties": {"n": {"type": "integer", "maximum": 50}}, "required": ["n"], "additionalProperties": false}`))
	double.RawOutputSchema = json.RawMessage(`{"type": "object", "properties": {"twice": {"type": "integer", "maximum": 90}}, "required": ["twice"]}`)
	called := 0
	s.AddTool(double, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		called++
		return mcp.NewToolResultStructuredOnly(map[string]any{"twice": 2 * r.GetInt("n", 0)}), nil
	})
	odd := mcp.NewToolWithRawSchema("odd", "has a schema that is none", json.RawMessage(`{"type": "object", "$ref": "#/nowhere"}`))
	s.AddTool(odd, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("fine"), nil
	})
	for _, tt := range []struct {
		tool, args string
		runs       bool
		want       string
	}{
		{"double", `{"n": 21}`, true, `"structuredContent":{"twice":42}`},
		{"double", `{"n": "21"}`, false, "input schema validation failed"},
		{"double", `{"n": 51}`, false, "input schema validation failed"},
		{"double", `{}`, false, "input schema validation failed"},
		{"double", `{"n": 1, "m": 1}`, false, "input schema validation failed"},
		{"double", `{"n": 50}`, true, "output schema validation failed"},
		{"odd", `{"n": 1}`, false, "fine"},
	} {
		before := called
		line := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tt.tool, tt.args)
		got, err := json.Marshal(s.HandleMessage(t.Context(), json.RawMessage(line)))
		if err != nil {
			t.Fatal(err)
		}
		if ran := called > before; ran != tt.runs || !strings.Contains(string(got), tt.want) {
			t.Errorf("%s %s: ran: %v; got %s", tt.tool, tt.args, ran, got)
		}
	}
}
