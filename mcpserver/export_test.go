package mcpserver

import (
	"context"
	"time"

	"github.com/cairn-tasks/cairn/internal/verb"
)

// AddTool gives a server a tool that is no verb of the catalogue.
func (s *Server) AddTool(v verb.Verb, call func(context.Context, *verb.Workspace, []byte) (any, error)) {
	s.add(v, call)
}

// SetLimits bounds, in bytes, the length of a message and what is held for a client.
func (s *Server) SetLimits(line, load int) { s.limits = limits{line, load} }

// SetPatience sets how long a call without progress reports waits.
func (s *Server) SetPatience(d time.Duration) { s.long.patience = d }

// Encode is what makes a result of a value.
var Encode = encode
