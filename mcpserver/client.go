package mcpserver

import (
	"sync"
	"sync/atomic"

	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// clientSession is what mcp-go keeps about a client on two streams between two requests.
type clientSession struct {
	out         *writer
	initialized atomic.Bool

	mu           sync.Mutex
	level        mcp.LoggingLevel
	client       mcp.Implementation
	capabilities mcp.ClientCapabilities
}

var (
	_ server.SessionWithLogging    = (*clientSession)(nil)
	_ server.SessionWithClientInfo = (*clientSession)(nil)
)

func newClientSession(out *writer) *clientSession {
	return &clientSession{out: out, level: mcp.LoggingLevelError}
}

// SessionID is the same for every session: a process has one standard input.
func (s *clientSession) SessionID() string { return "stdio" }

func (s *clientSession) Initialize() { s.initialized.Store(true) }

func (s *clientSession) Initialized() bool { return s.initialized.Load() }

// NotificationChannel is not used: notifications go to the writer, which replaces those that a newer one outdates.
func (s *clientSession) NotificationChannel() chan<- mcp.JSONRPCNotification { return nil }

func (s *clientSession) SetLogLevel(level mcp.LoggingLevel) { s.locked(func() { s.level = level }) }

func (s *clientSession) GetLogLevel() (level mcp.LoggingLevel) {
	s.locked(func() { level = s.level })
	return level
}

func (s *clientSession) SetClientInfo(client mcp.Implementation) {
	s.locked(func() { s.client = client })
}

func (s *clientSession) GetClientInfo() (client mcp.Implementation) {
	s.locked(func() { client = s.client })
	return client
}

func (s *clientSession) SetClientCapabilities(c mcp.ClientCapabilities) {
	s.locked(func() { s.capabilities = c })
}

func (s *clientSession) GetClientCapabilities() (c mcp.ClientCapabilities) {
	s.locked(func() { c = s.capabilities })
	return c
}

func (s *clientSession) locked(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
}

// project is the workspace that calls are about, of a server whose client may go to others.
type project struct {
	may  bool
	root atomic.Pointer[string] // nil for the one that the server was started in
}

// ChangeProjects lets the client go to other workspaces of this machine. It must be called before the server serves,
// and for one client only.
func (s *Server) ChangeProjects() { s.project.may = true }

// workspace is that of a call which begins now.
func (s *Server) workspace() verb.Workspace {
	w := s.w
	if root := s.project.root.Load(); root != nil {
		w.Dir, w.Session = *root, ""
	}
	if s.project.may {
		w.Switch = s.switchTo
	}
	return w
}

// switchTo makes the calls that begin from now on ones about another workspace. The client is at work under no session
// there.
func (s *Server) switchTo(root string) error {
	s.project.root.Store(&root)
	s.attempts.forget()
	s.moveNews()
	return nil
}
