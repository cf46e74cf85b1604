package setup

import (
	"encoding/json"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Client is a program that cairn can be set up in.
type Client struct {
	Name  string // as it is typed
	Title string
	Agent string // the actor behind agent: as which it acts, as in the shells that it opens

	parts        func(Client) []part          // in a project, with paths from the workspace root
	userParts    func(Client, Folders) []part // in the user's own configuration, with whole paths; nil if there is none
	instructions string                       // the file that it reads in a project; "" for none
	traces       []string                     // files and folders of a project that say that it is used there
	home         []string                     // and of the user's folder
}

// Folders are the user's own, each "" if it is not known.
type Folders struct {
	Home   string
	Config string // XDG_CONFIG_HOME, or its default; on Windows APPDATA
	Claude string // CLAUDE_CONFIG_DIR
	Codex  string // CODEX_HOME
}

// kindOf is what a part writes.
type kind int

const (
	server      kind = iota // an MCP server in JSON
	serverTOML              // the same in TOML
	hook                    // an element of a list of hooks
	instruction             // a section of Markdown
)

// part is one thing that is written into one file.
type part struct {
	kind  kind
	files []string // the first that exists, else the first
	keys  []string // of the object, or of the list of hooks
	value string   // JSON, or lines of TOML
	fresh string   // what a new file says before anything is added

	newer *entry // where the entry stands, and what it is, in a file that is written in a newer form; nil if there is none
}

// entry is a member of JSON.
type entry struct {
	keys  []string
	value string
}

// about says for people what a part is.
func (p part) about() string {
	switch p.kind {
	case server, serverTOML:
		return "MCP server"
	case hook:
		return "hook that primes the agent"
	default:
		return "instructions"
	}
}

// Actor is as whom a client acts.
func (c Client) Actor() record.Actor { return record.Actor("agent:" + c.Agent) }

// User reports whether it can be set up in the user's own configuration.
func (c Client) User() bool { return c.userParts != nil }

// Clients are the programs that cairn can be set up in, in the order in which they are listed. docs/mcp.md says where
// each file is documented.
var Clients = []Client{
	{
		Name: "claude", Title: "Claude Code", Agent: "claude-code", instructions: "CLAUDE.md",
		traces: []string{".claude", "CLAUDE.md", ".mcp.json"}, home: []string{".claude", ".claude.json"},
		parts: func(c Client) []part {
			return []part{c.server(".mcp.json", "mcpServers"), c.hook(".claude/settings.json", "SessionStart", "{}")}
		},
		userParts: func(c Client, f Folders) []part {
			file, folder := filepath.Join(f.Home, ".claude.json"), filepath.Join(f.Home, ".claude")
			if f.Claude != "" {
				file, folder = filepath.Join(f.Claude, ".claude.json"), f.Claude
			}
			return []part{c.server(file, "mcpServers"), c.hook(filepath.Join(folder, "settings.json"), "SessionStart", "{}")}
		},
	},
	{
		Name: "codex", Title: "Codex", Agent: "codex", instructions: "AGENTS.md",
		traces: []string{".codex"}, home: []string{".codex"},
		parts: func(c Client) []part {
			return []part{c.toml(".codex/config.toml"), c.hook(".codex/hooks.json", "SessionStart", "{}")}
		},
		userParts: func(c Client, f Folders) []part {
			folder := filepath.Join(f.Home, ".codex")
			if f.Codex != "" {
				folder = f.Codex
			}
			return []part{c.toml(filepath.Join(folder, "config.toml")), c.hook(filepath.Join(folder, "hooks.json"), "SessionStart", "{}")}
		},
	},
	{
		Name: "cursor", Title: "Cursor", Agent: "cursor", instructions: "AGENTS.md",
		traces: []string{".cursor", ".cursorrules"}, home: []string{".cursor"},
		parts: func(c Client) []part {
			return []part{c.server(".cursor/mcp.json", "mcpServers"), c.hook(".cursor/hooks.json", "sessionStart", `{"version": 1}`)}
		},
		userParts: func(c Client, f Folders) []part {
			at := filepath.Join(f.Home, ".cursor")
			return []part{c.server(filepath.Join(at, "mcp.json"), "mcpServers"), c.hook(filepath.Join(at, "hooks.json"), "sessionStart", `{"version": 1}`)}
		},
	},
	{
		Name: "vscode", Title: "VS Code", Agent: "copilot", instructions: "AGENTS.md",
		traces: []string{".vscode"}, home: []string{".vscode"},
		parts: func(c Client) []part { return []part{c.server(".vscode/mcp.json", "servers")} },
		userParts: func(c Client, f Folders) []part {
			return []part{c.server(filepath.Join(applications(f), "Code", "User", "mcp.json"), "servers")}
		},
	},
	{
		Name: "gemini", Title: "Gemini CLI", Agent: "gemini-cli", instructions: "GEMINI.md",
		traces: []string{".gemini", "GEMINI.md"}, home: []string{".gemini"},
		parts: func(c Client) []part {
			return []part{c.server(".gemini/settings.json", "mcpServers"), c.hook(".gemini/settings.json", "SessionStart", "{}")}
		},
		userParts: func(c Client, f Folders) []part {
			file := filepath.Join(f.Home, ".gemini", "settings.json")
			return []part{c.server(file, "mcpServers"), c.hook(file, "SessionStart", "{}")}
		},
	},
	{
		Name: "opencode", Title: "OpenCode", Agent: "opencode", instructions: "AGENTS.md",
		traces: []string{"opencode.json", "opencode.jsonc", ".opencode"}, home: []string{".config/opencode", ".opencode"},
		parts: func(c Client) []part {
			return []part{c.opencode("opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc")}
		},
		userParts: func(c Client, f Folders) []part {
			at := filepath.Join(xdg(f), "opencode")
			return []part{c.opencode(filepath.Join(at, "opencode.json"), filepath.Join(at, "opencode.jsonc"))}
		},
	},
	{
		Name: "zed", Title: "Zed", Agent: "zed", instructions: "AGENTS.md",
		traces: []string{".zed"}, home: []string{".config/zed"},
		parts: func(c Client) []part { return []part{c.server(".zed/settings.json", "context_servers")} },
		userParts: func(c Client, f Folders) []part {
			at := filepath.Join(xdg(f), "zed")
			if runtime.GOOS == "windows" {
				at = filepath.Join(f.Config, "Zed")
			}
			return []part{c.server(filepath.Join(at, "settings.json"), "context_servers")}
		},
	},
	{
		Name: "agents", Title: "any agent that reads AGENTS.md", Agent: "unknown", instructions: "AGENTS.md",
		traces: []string{"AGENTS.md"},
		parts:  func(Client) []part { return nil },
	},
}

// ClientNamed finds a client by its name.
func ClientNamed(name string) (Client, bool) {
	for _, c := range Clients {
		if c.Name == name {
			return c, true
		}
	}
	return Client{}, false
}

// xdg is where programs that follow the XDG convention keep settings on every system.
func xdg(f Folders) string {
	if runtime.GOOS == "windows" || f.Config == "" {
		return filepath.Join(f.Home, ".config")
	}
	return f.Config
}

// applications is where graphical programs keep settings.
func applications(f Folders) string {
	if runtime.GOOS == "darwin" {
		return filepath.Join(f.Home, "Library", "Application Support")
	}
	return f.Config
}

// Serve is the command line of the server as a client starts it. Editors start it in a folder of their own, and pass
// that of the project.
func (c Client) Serve() []string {
	var in []string
	if c.Name == "cursor" || c.Name == "vscode" {
		in = []string{"-C", "${workspaceFolder}"}
	}
	return append(append([]string{"cairn"}, in...), "serve", "--actor", string(c.Actor()), "--client", c.clientName())
}

// clientName is what the record calls the program.
func (c Client) clientName() string {
	switch c.Name {
	case "claude":
		return "claude-code"
	case "gemini":
		return "gemini-cli"
	default:
		return c.Name
	}
}

// server is an MCP server in JSON, below a key that differs from client to client.
func (c Client) server(file, below string) part {
	type settings struct {
		Source  string   `json:"source,omitempty"`
		Type    string   `json:"type,omitempty"`
		Command string   `json:"command"`
		Args    []string `json:"args"`
		Timeout int      `json:"timeout,omitempty"` // milliseconds
	}
	line := c.Serve()
	e := settings{Command: line[0], Args: line[1:]}
	switch c.Name {
	case "claude", "vscode":
		e.Type = "stdio"
	case "gemini":
		e.Timeout = 120_000
	case "zed":
		e.Source = "custom"
	}
	return part{kind: server, files: []string{file}, keys: []string{below, "cairn"}, value: asJSON(e), fresh: "{}"}
}

// opencode is an MCP server as OpenCode wants it. Its version 2 reads the form of version 1, and has a newer one: one
// level deeper, without a switch.
func (c Client) opencode(files ...string) part {
	type local struct {
		Type    string   `json:"type"`
		Command []string `json:"command"`
		Enabled bool     `json:"enabled,omitempty"`
	}
	return part{
		kind: server, files: files, keys: []string{"mcp", "cairn"}, value: asJSON(local{"local", c.Serve(), true}),
		newer: &entry{[]string{"mcp", "servers", "cairn"}, asJSON(local{"local", c.Serve(), false})}, fresh: `{"$schema": "https://opencode.ai/config.json"}`,
	}
}

// toml is an MCP server in TOML.
func (c Client) toml(file string) part {
	line := c.Serve()
	args := strings.ReplaceAll(asJSON(line[1:]), ",", ", ")
	value := "[mcp_servers.cairn]\ncommand = \"cairn\"\nargs = " + args + "\ntool_timeout_sec = 120\n"
	return part{kind: serverTOML, files: []string{file}, keys: []string{"mcp_servers", "cairn"}, value: value}
}

// Prime is the command of a hook that primes the agent of a client.
func (c Client) Prime() string {
	return "cairn --actor " + string(c.Actor()) + " prime --hook " + c.Name
}

// hook is a hook for the start of a session, and for its start anew after the context was compacted. Cursor's lists
// have no groups.
func (c Client) hook(file, event, fresh string) part {
	type command struct {
		Type    string `json:"type,omitempty"`
		Command string `json:"command"`
	}
	type group struct {
		Hooks []command `json:"hooks"`
	}
	value := asJSON(group{[]command{{"command", c.Prime()}}})
	if c.Name == "cursor" {
		value = asJSON(command{Command: c.Prime()})
	}
	return part{kind: hook, files: []string{file}, keys: []string{"hooks", event}, value: value, fresh: fresh}
}

func asJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // our own types
	}
	return string(raw)
}

// base is the last part of a path of either form.
func base(p string) string { return path.Base(strings.ReplaceAll(p, `\`, "/")) }
