package executor

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

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

// passed is what a program is given its MCP server and its permissions with: words, variables, and files of the private
// folder, which are there.
type passed struct{ words, env []string }

// pass writes what a program needs to find its MCP server into the private folder of a run. Nothing of it is in the
// work tree.
func (r row) pass(run Run) (passed, error) {
	server := run.server()
	switch r.mcp {
	case claudeMCP:
		file, err := run.write("mcp.json", map[string]any{"mcpServers": server.named(nil)})
		return passed{words: []string{"--mcp-config=" + file, "--strict-mcp-config"}}, err
	case codexMCP:
		return passed{words: run.codexConfig(server)}, nil
	case opencodeMCP:
		config, err := json.Marshal(opencodeConfig(server, run.Output))
		return passed{env: []string{"OPENCODE_CONFIG_CONTENT=" + string(config)}}, err
	case copilotMCP:
		if server == nil {
			return passed{}, nil
		}
		file, err := run.write("mcp.json", map[string]any{"mcpServers": server.named(map[string]any{"type": "local", "tools": []string{"*"}})})
		return passed{words: []string{"--additional-mcp-config", "@" + file}}, err
	case ampMCP:
		if server == nil {
			return passed{}, nil
		}
		file, err := run.write("mcp.json", server.named(nil))
		return passed{words: []string{"--mcp-config", file}}, err
	default:
		return passed{}, nil
	}
}

// server is an MCP server as most programs write it down.
type server struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

// server returns the MCP server of a run, or nil. Some programs hand nothing of their environment to a server, so the
// variables of cairn are named.
func (r Run) server() *server {
	if r.MCP.Command == "" {
		return nil
	}
	s := &server{r.MCP.Command, slices.Clone(r.MCP.Args), map[string]string{}}
	if s.Args == nil {
		s.Args = []string{}
	}
	for _, variable := range slices.Concat(cairnsOwn(r.Env), r.MCP.Env) {
		name, value, _ := strings.Cut(variable, "=")
		s.Env[name] = value
	}
	return s
}

func cairnsOwn(env []string) (out []string) {
	for _, variable := range env {
		if strings.HasPrefix(variable, "CAIRN_") {
			out = append(out, variable)
		}
	}
	return out
}

// named is a list of MCP servers with one, or none, in it. Others are keys that one program needs beside the usual
// ones.
func (s *server) named(others map[string]any) map[string]any {
	if s == nil {
		return map[string]any{}
	}
	entry := map[string]any{"command": s.Command, "args": s.Args, "env": s.Env}
	for k, v := range others {
		entry[k] = v
	}
	return map[string]any{serverName: entry}
}

// codexConfig passes the server, and trust in the work tree, for this run: codex reads servers from nowhere else,
// cancels calls that nobody approves, and would write down for ever what its own --trust says. Its keys are split at
// dots, so a path is a key of a table.
func (r Run) codexConfig(s *server) []string {
	words := []string{"-c", fmt.Sprintf("projects={%s={trust_level=\"trusted\"}}", tomlString(r.Dir))}
	if s == nil {
		return words
	}
	set := func(key, value string) { words = append(words, "-c", "mcp_servers."+serverName+"."+key+"="+value) }
	set("command", tomlString(s.Command))
	var args []string
	for _, a := range s.Args {
		args = append(args, tomlString(a))
	}
	set("args", "["+strings.Join(args, ",")+"]")
	var env []string
	for name, value := range s.Env {
		env = append(env, tomlString(name)+"="+tomlString(value))
	}
	slices.Sort(env)
	set("env", "{"+strings.Join(env, ",")+"}")
	set("default_tools_approval_mode", `"approve"`)
	set("startup_timeout_sec", "60")
	set("tool_timeout_sec", fmt.Sprint(toolSeconds))
	return words
}

// tomlString is a basic string of TOML, which is one of JSON but for the character DEL.
func tomlString(s string) string {
	text, _ := json.Marshal(s)
	return strings.ReplaceAll(string(text), "\x7f", `\u007F`)
}

// opencodeConfig is on top of the user's own config. opencode allows every tool that is not denied, and one that is
// denied alone is replaced by another.
func opencodeConfig(s *server, output job.Output) map[string]any {
	config := map[string]any{"share": "disabled", "autoupdate": false}
	may := map[string]any{"question": "deny", "edit": "allow", "bash": "allow", "webfetch": "allow"}
	if output == job.Patch {
		may = map[string]any{"question": "deny", "edit": "deny", "bash": "deny", "task": "deny"}
	}
	config["permission"] = may
	if s != nil {
		config["mcp"] = map[string]any{serverName: map[string]any{
			"type": "local", "command": append([]string{s.Command}, s.Args...), "environment": s.Env, "enabled": true, "timeout": toolSeconds * 1000,
		}}
	}
	return config
}

// write puts a JSON file into the private folder of a run and returns its path.
func (r Run) write(name string, content any) (string, error) {
	text, err := json.MarshalIndent(content, "", "  ")
	if err != nil {
		return "", err
	}
	path := filepath.Join(r.Private, name)
	return path, os.WriteFile(path, append(text, '\n'), 0o600)
}
