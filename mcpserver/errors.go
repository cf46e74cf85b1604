package mcpserver

import (
	"github.com/cairn-tasks/cairn/verb"
	"github.com/cairn-tasks/cairn/verb/catalogue"
	"github.com/mark3labs/mcp-go/mcp"
)

// failed tells the client what went wrong and what to do next, as a result that the model sees: protocol errors are shown
// to few of them. The next tool is one that the client has, and the hint speaks of tools too.
func failed(err error, w verb.Workspace) (*mcp.CallToolResult, error) {
	failure := catalogue.FailureOf(err, w.Rights)
	failure.Error.Hint = inTools(failure.Error.Hint)
	return result(failure, true)
}
