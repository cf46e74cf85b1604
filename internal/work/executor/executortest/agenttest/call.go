package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// call is a command line of the program that the fake stands for.
type call struct {
	Dialect string
	Prompt  string
	Stdin   string
	Resume  string
	Dir     string
	Server  *server

	in *bufio.Reader // of a conversation
}

// server is the MCP server that it was given.
type server struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

// options are the words behind which a program finds the session to go on with, its folder, its prompt, and the file
// with its MCP server; and the key in that file.
var options = map[string]struct{ resume, dir, prompt, server, key string }{
	"claude":   {resume: "--resume", server: "--mcp-config", key: "mcpServers"},
	"opencode": {resume: "--session", dir: "--dir"},
	"cursor":   {resume: "--resume", prompt: "--"},
	"copilot":  {resume: "--resume", server: "--additional-mcp-config", key: "mcpServers"},
	"amp":      {resume: "continue", server: "--mcp-config"},
	"droid":    {resume: "--session-id", dir: "--cwd", prompt: "--file"},
}

// message reads a message of the user, as claude takes them, and tells that it was taken. It reports false at their end.
func (c *call) message() (text string, ok bool) {
	line, err := c.in.ReadBytes('\n')
	if err != nil {
		return "", false
	}
	var m struct {
		Message struct{ Content []struct{ Text string } }
	}
	must(json.Unmarshal(line, &m))
	fmt.Println(strings.Replace(string(bytes.TrimSpace(line)), "{", `{"isReplay":true,`, 1))
	return m.Message.Content[0].Text, true
}

// parse reads a command line as the real program does.
func parse(dialect string, args []string) call {
	c, by := call{Dialect: dialect}, options[dialect]
	c.Dir, _ = os.Getwd()
	switch dialect {
	case "acp":
	case "claude":
		c.in = bufio.NewReader(os.Stdin)
		c.Prompt, _ = c.message()
		c.Stdin = c.Prompt
	default:
		in, err := io.ReadAll(os.Stdin)
		must(err)
		c.Stdin, c.Prompt = string(in), string(in)
	}
	c.Resume = after(args, by.resume)
	if by.dir != "" {
		c.Dir = after(args, by.dir)
	}
	if by.prompt != "" {
		c.Prompt = after(args, by.prompt)
	}
	if file := strings.TrimPrefix(after(args, by.server), "@"); file != "" {
		src, err := os.ReadFile(file)
		must(err)
		servers := map[string]*server{}
		if all := map[string]map[string]*server{}; by.key != "" {
			must(json.Unmarshal(src, &all))
			servers = all[by.key]
		} else {
			must(json.Unmarshal(src, &servers))
		}
		c.Server = servers["cairn"]
	}
	switch dialect {
	case "codex":
		c.codex(args)
	case "opencode":
		c.opencode()
	case "droid":
		text, err := os.ReadFile(c.Prompt)
		must(err)
		c.Prompt = string(text)
	}
	return c
}

// after is the value of an option: the word behind it, or what follows its =.
func after(args []string, option string) string {
	for i, arg := range args {
		if value, ok := strings.CutPrefix(arg, option+"="); ok && option != "" {
			return value
		}
		if arg == option && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}

// codex takes its MCP server from settings of the command line, which are lines of TOML.
func (c *call) codex(args []string) {
	if args[0] != "exec" || args[len(args)-1] != "-" {
		must(os.ErrInvalid)
	}
	if args[1] == "resume" {
		c.Resume = args[len(args)-2]
	}
	var settings strings.Builder
	for i, arg := range args {
		if arg == "-c" {
			settings.WriteString(args[i+1] + "\n")
		}
	}
	var config struct {
		Servers map[string]*server `toml:"mcp_servers"`
	}
	must(toml.Unmarshal([]byte(settings.String()), &config))
	c.Server = config.Servers["cairn"]
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
