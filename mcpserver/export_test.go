package mcpserver

import (
	"context"

	"github.com/cairn-tasks/cairn/verb"
)

// AddTool gives a server a tool that is no verb of the catalogue.
func (s *Server) AddTool(v verb.Verb, call func(context.Context, *verb.Workspace, []byte) (any, error)) {
	s.add(v, call)
}

// SetLimits bounds, in bytes, the length of a message and what is held for a client.
func (s *Server) SetLimits(line, load int) { s.limits = limits{line, load} }
