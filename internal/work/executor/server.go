package executor

import (
	"os"
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Cairn says how cairn serves the agent that works on one task: as whom, and with which rights.
type Cairn struct {
	Program []string // how cairn is started; nil for this program
	Root    string   // the workspace
	Actor   record.Actor
	Task    record.ID // the only record that may be changed
	Profile string
	Client  string // the name of the executor; "" for the one that the program gives itself
}

// ownVariables are handed on to cairn as an MCP server, since some programs give a server nothing of their own
// environment.
var ownVariables = []string{"HOME", "USERPROFILE", "PATH", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "LOCALAPPDATA", "APPDATA", "SystemRoot", "TMPDIR"}

// Server is the MCP server that a program is given (Run.MCP). It is the zero value, no server, where this program does
// not know its own path.
func (c Cairn) Server() MCP {
	program := c.Program
	if len(program) == 0 {
		self, err := os.Executable()
		if err != nil {
			return MCP{}
		}
		program = []string{self}
	}
	args := append(slices.Clone(program[1:]), "-C", c.Root, "serve", "--actor", string(c.Actor), "--scope", "task:"+string(c.Task), "--profile", c.Profile)
	if c.Client != "" {
		args = append(args, "--client", c.Client)
	}
	env := map[string]string{}
	for _, name := range ownVariables {
		if value, ok := os.LookupEnv(name); ok {
			env[name] = value
		}
	}
	return MCP{Command: program[0], Args: args, Env: env}
}
