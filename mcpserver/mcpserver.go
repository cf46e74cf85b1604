package mcpserver

import (
	"context"
	_ "embed"
	"io"
	"log"

	"github.com/cairn-tasks/cairn/verb"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

//go:embed instructions.md
var instructions string

// Server speaks MCP for one actor.
type Server struct {
	mcp *server.MCPServer
}

// New makes a server whose answers fit an agent's context. Each call runs on a copy of w, so what it says about actor and rights holds for the server's life.
func New(w verb.Workspace) *Server {
	w.Bounded = true
	hooks := &server.Hooks{}
	hooks.AddAfterListTools(func(_ context.Context, _ any, _ *mcp.ListToolsRequest, list *mcp.ListToolsResult) {
		list.Tools = tools(w)
	})
	s := &Server{mcp: server.NewMCPServer("cairn", w.Version,
		server.WithHooks(hooks),
		server.WithTitle("cairn"),
		server.WithInstructions(instructions),
		server.WithToolCapabilities(false),
		server.WithRecovery(),
	)}
	for _, v := range verb.All {
		s.mcp.AddTool(tool(v), handler(v, w)) // also what the actor may not call: the refusal says which flag allows it
	}
	return s
}

// tools is what a client is told it can call: the verbs within its rights, in the order of the catalogue.
func tools(w verb.Workspace) []mcp.Tool {
	out := []mcp.Tool{}
	for _, v := range verb.All {
		if w.Allow(v, w.Actor) == nil {
			out = append(out, tool(v))
		}
	}
	return out
}

// Serve answers requests until the end of input or of ctx. Nothing but MCP is written to out; what goes wrong with the
// connection itself is logged.
func (s *Server) Serve(ctx context.Context, in io.Reader, out, logTo io.Writer) error {
	stdio := server.NewStdioServer(s.mcp)
	stdio.SetErrorLogger(log.New(logTo, "cairn serve: ", 0))
	return stdio.Listen(ctx, in, out)
}
