package executor

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/work/job"
)

// The ways in which programs are given an MCP server for one run.
const (
	noMCP       = ""
	claudeMCP   = "claude"
	codexMCP    = "codex"
	opencodeMCP = "opencode"
	copilotMCP  = "copilot"
	ampMCP      = "amp"
	acpMCP      = "acp" // in the protocol itself
)

// serverName is how programs name cairn.
const serverName = "cairn"

// toolSeconds is how long a program waits for an answer of cairn: finish runs the checks of the task.
const toolSeconds = 3600

// pass returns the words and variables by which a program is given its MCP server and its permissions. What it needs to
// read of that is in the private folder of the run, and nothing in the work tree.
func (r row) pass(run Run) (words, env []string, err error) {
	server, servers := run.server(), object{}
	if server != nil {
		servers[serverName] = server
	}
	file := filepath.Join(run.Private, "mcp.json")
	switch {
	case r.mcp == claudeMCP:
		words = []string{"--mcp-config=" + file, "--strict-mcp-config"}
		return words, nil, writeJSON(file, object{"mcpServers": servers})
	case r.mcp == codexMCP:
		return run.codexConfig(server), nil, nil
	case r.mcp == opencodeMCP:
		return nil, []string{"OPENCODE_CONFIG_CONTENT=" + show(opencodeConfig(server, run.Output))}, nil
	case server == nil:
		return nil, nil, nil
	case r.mcp == copilotMCP:
		servers[serverName] = object{
			"type": "local", "tools": []string{"*"}, "command": server.Command, "args": server.Args, "env": server.Env,
		}
		return []string{"--additional-mcp-config", "@" + file}, nil, writeJSON(file, object{"mcpServers": servers})
	case r.mcp == ampMCP:
		return []string{"--mcp-config", file}, nil, writeJSON(file, servers)
	default:
		return nil, nil, nil
	}
}

func writeJSON(path string, content any) error {
	text, err := json.MarshalIndent(content, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o600)
}

// MCP is a server that speaks MCP over its standard input and output, as most programs write it down. The zero value is
// none.
type MCP struct {
	Command string            `json:"command"` // an absolute path
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"` // some programs give a server nothing of their own environment
	Connect []string          `json:"-"`   // the words of Command that connect to a socket, which comes behind them, at which it runs elsewhere
}

// server returns the MCP server of a run, or nil. Some programs hand nothing of their environment to a server, so the
// variables of the run are named.
func (r Run) server() *MCP {
	if r.MCP.Command == "" {
		return nil
	}
	s := MCP{r.MCP.Command, append([]string{}, r.MCP.Args...), map[string]string{}, r.MCP.Connect}
	if r.socket != "" { // the variables are those of the server
		return &s
	}
	for _, variable := range r.Env {
		name, value, _ := strings.Cut(variable, "=")
		s.Env[name] = value
	}
	maps.Copy(s.Env, r.MCP.Env)
	return &s
}

// codexConfig passes the server, and trust in the work tree, for this run: codex reads servers from nowhere else,
// cancels calls that nobody approves, and would write down for ever what its own --trust says. Its keys are split at
// dots, so a path is a key of a table.
func (r Run) codexConfig(s *MCP) []string {
	words := []string{"-c", fmt.Sprintf("projects={%s={trust_level=\"trusted\"}}", tomlString(r.Dir))}
	if s == nil {
		return words
	}
	set := func(key, value string) { words = append(words, "-c", "mcp_servers."+serverName+"."+key+"="+value) }
	set("command", tomlString(s.Command))
	var env []string
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		env = append(env, tomlString(name)+"="+tomlString(s.Env[name]))
	}
	set("args", tomlStrings(s.Args))
	set("env", "{"+strings.Join(env, ",")+"}")
	set("default_tools_approval_mode", `"approve"`)
	set("startup_timeout_sec", "60")
	set("tool_timeout_sec", fmt.Sprint(toolSeconds))
	return words
}

func tomlStrings(all []string) string {
	return "[" + strings.Join(record.Each(all, tomlString), ",") + "]"
}

// tomlString is a basic string of TOML, which is one of JSON but for the character DEL.
func tomlString(s string) string {
	text, _ := json.Marshal(s)
	return strings.ReplaceAll(string(text), "\x7f", `\u007F`)
}

// opencodeConfig is on top of the user's own config. opencode allows every tool that is not denied, and one that is
// denied alone is replaced by another.
func opencodeConfig(s *MCP, output job.Output) object {
	may := object{"question": "deny", "edit": "allow", "bash": "allow", "webfetch": "allow"}
	if output == job.Patch {
		may = object{"question": "deny", "edit": "deny", "bash": "deny", "task": "deny"}
	}
	config := object{"share": "disabled", "autoupdate": false, "permission": may}
	if s != nil {
		config["mcp"] = object{serverName: object{
			"type": "local", "command": append([]string{s.Command}, s.Args...), "environment": s.Env, "enabled": true,
			"timeout": toolSeconds * 1000,
		}}
	}
	return config
}

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
	return MCP{Command: program[0], Args: args, Env: env, Connect: append(slices.Clone(program[1:]), "job", "connect")}
}
