package mcpserver

import (
	"context"
	"time"

	"github.com/cairn-tasks/cairn/verb"
)

// AddTool gives a server a tool that is no verb of the catalogue.
func (s *Server) AddTool(v verb.Verb, call func(context.Context, *verb.Workspace, []byte) (any, error)) {
	s.add(v, call)
}

// SetLimits bounds, in bytes, the length of a message and what is held for a client.
func (s *Server) SetLimits(line, load int) { s.limits = limits{line, load} }

// SetPatience says how long a call waits that is told nothing in between.
func (s *Server) SetPatience(d time.Duration) { s.long.patience = d }

// Encode is what makes a result of a value.
var Encode = encode
