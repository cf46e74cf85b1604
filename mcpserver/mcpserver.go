package mcpserver

import (
	"context"
	_ "embed"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store/watch"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

//go:embed pages/instructions.md
var instructions string

//go:embed pages/job.md
var jobInstructions string

// Server speaks MCP for one actor.
type Server struct {
	w             verb.Workspace
	log           *slog.Logger
	mcp           *server.MCPServer
	tools         map[string]verb.Verb // by name, also those that the actor may not call
	reads, writes chan struct{}        // turns
	long          *longCalls           // of the verbs that run commands
	sessions      sync.Map             // *updates by session id
	watching      sync.Map             // a set of *updates, those that watch the workspace
	attempts      attempts             // under which the client is at work
	project       project              // the workspace that the client went to
	use           use                  // whether clients make calls
	news          jobNews
	limits        limits
}

// atOnce is how many reads, and how many writes, may run at once; the others wait for their turn without a limit of
// time. Without it, of a thousand writes sent together most would be refused as BUSY, and a thousand reads of all tasks
// would need too much memory.
const atOnce = 8

// limits bound what a client can make the server hold. They are in bytes.
type limits struct {
	line int // of a message
	load int // of requests in flight and unread answers together; above it no more requests are read
}

// New makes a server whose answers fit an agent's context. Each call runs on a copy of w, so what it says about actor
// and rights holds for the server's life. The log is never shown to the client.
func New(w verb.Workspace, log *slog.Logger) *Server {
	w.Bounded = true
	w.Confirm, w.Approve = nil, nil // a client is a program, under a person's name too
	if w.Watcher == nil {
		watcher := &watch.Watcher{}
		w.Watcher = watcher
		if w.Reads == nil {
			w.Reads = verb.NewSharedReads(watcher)
		}
	}
	if w.Reads == nil {
		w.Reads = &verb.SharedReads{}
	}
	s := &Server{
		w: w, log: log, tools: map[string]verb.Verb{}, reads: make(chan struct{}, atOnce), writes: make(chan struct{}, atOnce),
		long: &longCalls{patience: patience, runs: map[string]*longCall{}}, limits: limits{line: 4 << 20, load: 16 << 20},
	}
	s.news.Server = s
	hooks := &server.Hooks{}
	hooks.AddAfterListTools(func(_ context.Context, _ any, _ *mcp.ListToolsRequest, list *mcp.ListToolsResult) {
		list.Tools = tools(s.workspace())
	})
	s.mcp = server.NewMCPServer("cairn", w.Version,
		server.WithHooks(hooks),
		server.WithTitle("cairn"),
		server.WithInstructions(text(instructionsFor(w.Rights), w.Rights)),
		server.WithToolCapabilities(false),
		server.WithResourceCapabilities(true, false),
		server.WithPromptCapabilities(false),
		server.WithCompletions(),
		server.WithResourceCompletionProvider(completer{s}),
		server.WithPromptCompletionProvider(completer{s}),
	)
	for _, v := range catalogue.All {
		s.add(v, v.Call) // also those that the actor may not call: the refusal says which flag allows it
	}
	s.addResources(hooks)
	s.addPrompts()
	s.addSubscriptions(hooks)
	return s
}

// instructionsFor are the instructions of a server: its agent's work is told by the prompt, where it is that of a job.
func instructionsFor(rights verb.Rights) string {
	if rights.Profile == verb.InJob {
		return jobInstructions
	}
	return instructions
}

// caller is how a verb is called: Verb.Call, or in a test something slower.
type caller func(ctx context.Context, w *verb.Workspace, input []byte) (any, error)

func (s *Server) add(v verb.Verb, call caller) {
	s.tools[v.Name] = v
	s.mcp.AddTool(tool(v, ""), s.handler(v, call))
}

// unknownTool is the refusal of a call of what is no tool. It names the verb that does here what a tool of that name does
// in another system, or the tool with the nearest name. It is nil for a tool, and for any other request.
func (s *Server) unknownTool(m message) *mcp.JSONRPCError {
	name := m.tool()
	if _, ok := s.tools[name]; ok || name == "" {
		return nil
	}
	said := verb.Head(name, 64)
	if other := catalogue.OtherName(name); other != "" && !s.offers(other) {
		why := s.failure(s.w.Allow(s.tools[other])).Error
		return refusal(m.id, mcp.INVALID_PARAMS, "there is no tool %q: %s does that, and %s: %s", said, other, why.Message, why.Hint)
	} else if other != "" {
		return refusal(m.id, mcp.INVALID_PARAMS, "there is no tool %q: what it does elsewhere, %s does here", said, other)
	}
	offered := slices.DeleteFunc(slices.Sorted(maps.Keys(s.tools)), func(name string) bool { return !s.offers(name) })
	if near := verb.Nearest(name, offered); near != "" {
		return refusal(m.id, mcp.INVALID_PARAMS, "there is no tool %q: did you mean %s?", said, near)
	}
	return refusal(m.id, mcp.INVALID_PARAMS, "there is no tool %q: tools/list has those that there are", said)
}

// tools returns what a client can call: the verbs within its rights, in the order of the catalogue. A workspace that
// cannot be read declares no fields.
func tools(w verb.Workspace) []mcp.Tool {
	out, own := []mcp.Tool{}, ""
	if at, err := w.Open(); err == nil {
		own = describeFields(at.Config.Flow.Fields)
	}
	for _, v := range catalogue.All {
		if w.Allow(v) == nil {
			out = append(out, tool(v, own))
		}
	}
	return out
}
