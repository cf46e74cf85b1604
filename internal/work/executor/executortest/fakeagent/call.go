package main

import (
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
)

// call is a command line of the program that the fake stands for.
type call struct {
	Dialect string
	Prompt  string
	Stdin   string
	Resume  string
	Dir     string
	Server  *server
}

// server is the MCP server that it was given.
type server struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

// parse reads a command line as the real program does.
func parse(dialect string, args []string) call {
	c := call{Dialect: dialect}
	c.Dir, _ = os.Getwd()
	if dialect != "acp" {
		in, err := io.ReadAll(os.Stdin)
		must(err)
		c.Stdin, c.Prompt = string(in), string(in)
	}
	switch dialect {
	case "claude":
		c.Resume = after(args, "--resume")
		c.Server = fromFile(after(args, "--mcp-config"), "mcpServers")
	case "codex":
		c.codex(args)
	case "opencode":
		c.Resume, c.Dir = after(args, "--session"), after(args, "--dir")
		c.opencode()
	case "cursor":
		c.Resume = after(args, "--resume")
		c.Prompt = args[slices.Index(args, "--")+1]
	case "copilot":
		c.Resume = after(args, "--resume")
		c.Server = fromFile(strings.TrimPrefix(after(args, "--additional-mcp-config"), "@"), "mcpServers")
	case "amp":
		c.Resume = after(args, "continue")
		c.Server = fromFile(after(args, "--mcp-config"), "")
	case "droid":
		c.Resume, c.Dir = after(args, "--session-id"), after(args, "--cwd")
		text, err := os.ReadFile(after(args, "--file"))
		must(err)
		c.Prompt = string(text)
	}
	return c
}

// after is the value of an option: the word behind it, or what follows its =.
func after(args []string, option string) string {
	for i, arg := range args {
		if value, ok := strings.CutPrefix(arg, option+"="); ok {
			return value
		}
		if arg == option && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}

func (c *call) codex(args []string) {
	if args[0] != "exec" || args[len(args)-1] != "-" {
		must(os.ErrInvalid)
	}
	if args[1] == "resume" {
		c.Resume = args[len(args)-2]
	}
	const key = "mcp_servers.cairn."
	for i, arg := range args {
		if arg != "-c" || !strings.HasPrefix(args[i+1], key) {
			continue
		}
		if c.Server == nil {
			c.Server = &server{}
		}
		name, value, _ := strings.Cut(strings.TrimPrefix(args[i+1], key), "=")
		switch name {
		case "command":
			must(json.Unmarshal([]byte(value), &c.Server.Command))
		case "args":
			must(json.Unmarshal([]byte(value), &c.Server.Args))
		case "env":
			must(json.Unmarshal([]byte(strings.ReplaceAll(value, `"="`, `":"`)), &c.Server.Env))
		}
	}
}

func (c *call) opencode() {
	var config struct {
		MCP map[string]struct {
			Command     []string          `json:"command"`
			Environment map[string]string `json:"environment"`
		} `json:"mcp"`
	}
	must(json.Unmarshal([]byte(os.Getenv("OPENCODE_CONFIG_CONTENT")), &config))
	if s, ok := config.MCP["cairn"]; ok {
		c.Server = &server{s.Command[0], s.Command[1:], s.Environment}
	}
}

// fromFile reads the server named cairn from a file, below a key. There may be none.
func fromFile(path, key string) *server {
	if path == "" {
		return nil
	}
	src, err := os.ReadFile(path)
	must(err)
	var all map[string]json.RawMessage
	must(json.Unmarshal(src, &all))
	if key != "" {
		src = all[key]
		all = nil
		must(json.Unmarshal(src, &all))
	}
	if all["cairn"] == nil {
		return nil
	}
	s := &server{}
	must(json.Unmarshal(all["cairn"], s))
	return s
}
