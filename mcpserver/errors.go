package mcpserver

import (
	"errors"
	"fmt"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// failure is an error as the client of the server sees it.
func (s *Server) failure(err error) catalogue.Failure {
	return catalogue.FailureOf(err, s.w.Rights, inTools(s.w.Rights))
}

// protocolError returns an error as an error of the protocol, whose message is the only place for the code and the
// hint.
func (s *Server) protocolError(err error) error {
	e := (*record.Error)(nil)
	switch {
	case !errors.As(err, &e):
		return err
	case e.Hint.Empty():
		return fmt.Errorf("%s: %s", e.Code, harmless.Line(e.Msg))
	default:
		return fmt.Errorf("%s: %s (%s)", e.Code, harmless.Line(e.Msg), harmless.Line(e.Hint.Spell(inTools(s.w.Rights))))
	}
}

// inTools spells a call as the tool that a client has: "the tool get with id PROJ-7". What is no tool, such as cairn
// trust, what only a person may do, and a tool that the client is not offered are commands.
func inTools(rights verb.Rights) func(record.Call) string {
	return func(c record.Call) string {
		if c.Person || !offered(rights, c.Verb) {
			return catalogue.CommandLine(c)
		}
		return "the tool " + c.String()
	}
}
