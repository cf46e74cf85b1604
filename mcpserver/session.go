package mcpserver

import (
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// session is what mcp-go keeps about a client between two requests.
type session struct {
	out         *writer
	initialized atomic.Bool

	mu           sync.Mutex
	level        mcp.LoggingLevel
	client       mcp.Implementation
	capabilities mcp.ClientCapabilities
}

var (
	_ server.SessionWithLogging    = (*session)(nil)
	_ server.SessionWithClientInfo = (*session)(nil)
)

func newSession(out *writer) *session {
	return &session{out: out, level: mcp.LoggingLevelError}
}

// SessionID is the same for every session: a process has one standard input.
func (s *session) SessionID() string { return "stdio" }

func (s *session) Initialize() { s.initialized.Store(true) }

func (s *session) Initialized() bool { return s.initialized.Load() }

// NotificationChannel takes nothing: what the client is told goes to its writer, which knows what a newer notice replaces.
func (s *session) NotificationChannel() chan<- mcp.JSONRPCNotification { return nil }

func (s *session) SetLogLevel(level mcp.LoggingLevel) { s.locked(func() { s.level = level }) }

func (s *session) GetLogLevel() (level mcp.LoggingLevel) {
	s.locked(func() { level = s.level })
	return level
}

func (s *session) SetClientInfo(client mcp.Implementation) { s.locked(func() { s.client = client }) }

func (s *session) GetClientInfo() (client mcp.Implementation) {
	s.locked(func() { client = s.client })
	return client
}

func (s *session) SetClientCapabilities(c mcp.ClientCapabilities) {
	s.locked(func() { s.capabilities = c })
}

func (s *session) GetClientCapabilities() (c mcp.ClientCapabilities) {
	s.locked(func() { c = s.capabilities })
	return c
}

func (s *session) locked(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
}
