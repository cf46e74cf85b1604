package setup

import (
	"cmp"
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

	client       string                 // what the record calls it; "" for Name
	rows         []row                  // what it needs
	user         func(Folders) []string // where that lies in the user's own configuration, with whole paths; nil if there is none
	instructions string                 // the file that it reads in a project; "" for none
	traces       []string               // files and folders of a project that say that it is used there
	home         []string               // and of the user's folder
}

// Folders are the user's own, each "" if it is not known.
type Folders struct {
	Home   string
	Config string // XDG_CONFIG_HOME, or its default; on Windows APPDATA
	Claude string // CLAUDE_CONFIG_DIR
	Codex  string // CODEX_HOME
}

// row is a part of a client: its kind, the key below which it stands, and the files that can have it in a project, with
// paths from the workspace root.
type row struct {
	kind  kind
	below string
	files []string
	fresh string // what a new file says; "" for nothing
}

// kind is what a part writes.
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
func (c Client) User() bool { return c.user != nil }

// Clients are the programs that cairn can be set up in, in the order in which they are listed. docs/mcp.md says where
// each file is documented.
var Clients = []Client{
	{
		Name: "claude", Title: "Claude Code", Agent: "claude-code", client: "claude-code", instructions: "CLAUDE.md",
		traces: []string{".claude", "CLAUDE.md", ".mcp.json"}, home: []string{".claude", ".claude.json"},
		rows: []row{
			{server, "mcpServers", []string{".mcp.json"}, ""},
			{hook, "SessionStart", []string{".claude/settings.json"}, ""},
		},
		user: func(f Folders) []string {
			folder := cmp.Or(f.Claude, filepath.Join(f.Home, ".claude"))
			return []string{filepath.Join(cmp.Or(f.Claude, f.Home), ".claude.json"), filepath.Join(folder, "settings.json")}
		},
	},
	{
		Name: "codex", Title: "Codex", Agent: "codex", instructions: "AGENTS.md",
		traces: []string{".codex"}, home: []string{".codex"},
		rows: []row{
			{serverTOML, "mcp_servers", []string{".codex/config.toml"}, ""},
			{hook, "SessionStart", []string{".codex/hooks.json"}, ""},
		},
		user: func(f Folders) []string {
			return in(cmp.Or(f.Codex, filepath.Join(f.Home, ".codex")), "config.toml", "hooks.json")
		},
	},
	{
		Name: "cursor", Title: "Cursor", Agent: "cursor", instructions: "AGENTS.md",
		traces: []string{".cursor", ".cursorrules"}, home: []string{".cursor"},
		rows: []row{
			{server, "mcpServers", []string{".cursor/mcp.json"}, ""},
			{hook, "sessionStart", []string{".cursor/hooks.json"}, `{"version": 1}`},
		},
		user: func(f Folders) []string { return in(filepath.Join(f.Home, ".cursor"), "mcp.json", "hooks.json") },
	},
	{
		Name: "vscode", Title: "VS Code", Agent: "copilot", instructions: "AGENTS.md",
		traces: []string{".vscode"}, home: []string{".vscode"},
		rows: []row{{server, "servers", []string{".vscode/mcp.json"}, ""}},
		user: func(f Folders) []string {
			if runtime.GOOS == "darwin" {
				f.Config = filepath.Join(f.Home, "Library", "Application Support")
			}
			return in(filepath.Join(f.Config, "Code", "User"), "mcp.json")
		},
	},
	{
		Name: "gemini", Title: "Gemini CLI", Agent: "gemini-cli", client: "gemini-cli", instructions: "GEMINI.md",
		traces: []string{".gemini", "GEMINI.md"}, home: []string{".gemini"},
		rows: []row{
			{server, "mcpServers", []string{".gemini/settings.json"}, ""},
			{hook, "SessionStart", []string{".gemini/settings.json"}, ""},
		},
		user: func(f Folders) []string {
			return in(filepath.Join(f.Home, ".gemini"), "settings.json", "settings.json")
		},
	},
	{
		Name: "opencode", Title: "OpenCode", Agent: "opencode", instructions: "AGENTS.md",
		traces: []string{"opencode.json", "opencode.jsonc", ".opencode"}, home: []string{".config/opencode", ".opencode"},
		rows: []row{{server, "mcp",
			[]string{"opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"},
			`{"$schema": "https://opencode.ai/config.json"}`}},
		user: func(f Folders) []string {
			return in(filepath.Join(xdg(f), "opencode"), "opencode.json", "opencode.jsonc")
		},
	},
	{
		Name: "zed", Title: "Zed", Agent: "zed", instructions: "AGENTS.md",
		traces: []string{".zed"}, home: []string{".config/zed"},
		rows: []row{{server, "context_servers", []string{".zed/settings.json"}, ""}},
		user: func(f Folders) []string {
			if runtime.GOOS == "windows" {
				return in(filepath.Join(f.Config, "Zed"), "settings.json")
			}
			return in(filepath.Join(xdg(f), "zed"), "settings.json")
		},
	},
	{
		Name: "agents", Title: "any agent that reads AGENTS.md", Agent: "unknown", instructions: "AGENTS.md",
		traces: []string{"AGENTS.md"},
	},
}

// in are files of a folder.
func in(folder string, names ...string) []string {
	for i, name := range names {
		names[i] = filepath.Join(folder, name)
	}
	return names
}

// ClientNamed finds a client by its name.
func ClientNamed(name string) (Client, bool) {
	return record.Find(Clients, func(c Client) bool { return c.Name == name })
}

// xdg is where programs that follow the XDG convention keep settings on every system.
func xdg(f Folders) string {
	if runtime.GOOS == "windows" || f.Config == "" {
		return filepath.Join(f.Home, ".config")
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
	return append(append([]string{"cairn"}, in...), "serve", "--actor", string(c.Actor()), "--client", cmp.Or(c.client, c.Name))
}

// parts are what a client needs: in a project, or in the user's files. A client with one part has it in one of these.
func (c Client) parts(user []string) []part {
	var out []part
	for i, r := range c.rows {
		switch {
		case user != nil && len(c.rows) == 1:
			r.files = user
		case user != nil:
			r.files = user[i : i+1]
		}
		out = append(out, c.part(r))
	}
	return out
}

// part is a row with what is written. The entry of a server differs from client to client.
func (c Client) part(r row) part {
	line := c.Serve()
	p := part{kind: r.kind, files: r.files, keys: []string{r.below, "cairn"}, fresh: cmp.Or(r.fresh, "{}")}
	switch {
	case r.kind == serverTOML:
		args := strings.ReplaceAll(asJSON(line[1:]), ",", ", ")
		p.value = "[mcp_servers.cairn]\ncommand = \"cairn\"\nargs = " + args + "\ntool_timeout_sec = 120\n"
		p.fresh = ""
	case r.kind == hook && c.Name == "cursor": // whose lists have no groups
		p.keys, p.value = []string{"hooks", r.below}, asJSON(command{Command: c.Prime()})
	case r.kind == hook:
		p.keys, p.value = []string{"hooks", r.below}, asJSON(map[string][]command{"hooks": {{"command", c.Prime()}}})
	case c.Name == "opencode": // version 2 reads the form of version 1, and has a newer one: a level deeper, without a switch
		p.value = asJSON(local{"local", line, true})
		p.newer = &entry{[]string{r.below, "servers", "cairn"}, asJSON(local{"local", line, false})}
	default:
		s := settings{Command: line[0], Args: line[1:]}
		switch c.Name {
		case "claude", "vscode":
			s.Type = "stdio"
		case "gemini":
			s.Timeout = 120_000
		case "zed":
			s.Source = "custom"
		}
		p.value = asJSON(s)
	}
	return p
}

// settings are an MCP server in JSON, local one as OpenCode wants it, and command a hook for the start of a session, and
// for its start anew after the context was compacted.
type (
	settings struct {
		Source  string   `json:"source,omitempty"`
		Type    string   `json:"type,omitempty"`
		Command string   `json:"command"`
		Args    []string `json:"args"`
		Timeout int      `json:"timeout,omitempty"` // milliseconds
	}
	local struct {
		Type    string   `json:"type"`
		Command []string `json:"command"`
		Enabled bool     `json:"enabled,omitempty"`
	}
	command struct {
		Type    string `json:"type,omitempty"`
		Command string `json:"command"`
	}
)

// Prime is the command of a hook that primes the agent of a client.
func (c Client) Prime() string {
	return "cairn --actor " + string(c.Actor()) + " prime --hook " + c.Name
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
