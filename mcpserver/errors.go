package mcpserver

import (
	"errors"
	"fmt"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
)

// protocolError returns an error as an error of the protocol, whose message is the only place for the code and the
// hint.
func protocolError(err error) error {
	e := (*record.Error)(nil)
	switch {
	case !errors.As(err, &e):
		return err
	case e.Hint.Empty():
		return fmt.Errorf("%s: %s", e.Code, harmless.Line(e.Msg))
	default:
		return fmt.Errorf("%s: %s (%s)", e.Code, harmless.Line(e.Msg), harmless.Line(e.Hint.Spell(inTools)))
	}
}

// inTools spells a call as the tool that a client has: "the tool get with id PROJ-7". What is no tool, such as cairn
// trust, and what only a person may do stay commands.
func inTools(c record.Call) string {
	if _, ok := catalogue.Named(c.Verb); !ok || c.Person {
		return catalogue.CommandLine(c)
	}
	return "the tool " + c.String()
}
