package mcpserver

import (
	"sync/atomic"

	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// clientSession is what mcp-go keeps about a client on two streams between two requests.
type clientSession struct {
	*server.InProcessSession
	out *writer
}

var (
	_ server.SessionWithLogging    = (*clientSession)(nil)
	_ server.SessionWithClientInfo = (*clientSession)(nil)
)

// newClientSession returns a session whose id is the same for every one: a process has one standard input.
func newClientSession(out *writer) *clientSession {
	return &clientSession{server.NewInProcessSession("stdio", nil), out}
}

// NotificationChannel is not used: notifications go to the writer, which replaces those that a newer one outdates.
func (s *clientSession) NotificationChannel() chan<- mcp.JSONRPCNotification { return nil }

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
	s.news.move()
	s.watching.Range(func(u, _ any) bool { u.(*updates).move(); return true })
	return nil
}
