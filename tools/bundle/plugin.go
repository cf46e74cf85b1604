package main

import (
	"bytes"
	"encoding/json"

	"github.com/cairn-tasks/cairn/internal/setup"
	"github.com/cairn-tasks/cairn/internal/verb/prime"
)

const (
	repository = "https://github.com/cairn-tasks/cairn"
	sentence   = "A task graph in Markdown files beside the code, with checks that gate the closing of a task, for people and for coding agents."
)

// author is who makes the plugin and the bundles.
type author struct {
	Name string `json:"name"`
	URL  string `json:"url,omitempty"`
}

var authors = author{"The cairn authors", repository}

// pluginFiles are the files of the plugin and of the marketplace that lists it, by their paths in the repository. Its
// version is that of the commit, as Claude Code takes it for a plugin that names none.
func pluginFiles() map[string]string {
	claude, ok := setup.ClientNamed("claude")
	if !ok {
		panic("setup knows no Claude Code")
	}
	return map[string]string{
		".claude-plugin/marketplace.json": asJSON(struct {
			Name        string `json:"name"`
			Owner       author `json:"owner"`
			Description string `json:"description"`
			Plugins     any    `json:"plugins"`
		}{"cairn", authors, "cairn for Claude Code.", []any{struct {
			Name        string `json:"name"`
			Source      string `json:"source"`
			Description string `json:"description"`
		}{"cairn", "./plugin", sentence}}}),
		"plugin/.claude-plugin/plugin.json": asJSON(struct {
			Name        string   `json:"name"`
			Description string   `json:"description"`
			Author      author   `json:"author"`
			Homepage    string   `json:"homepage"`
			Repository  string   `json:"repository"`
			License     string   `json:"license"`
			Keywords    []string `json:"keywords"`
		}{"cairn", sentence, authors, repository, repository, "MIT", []string{"tasks", "issues", "planning", "mcp"}}),
		"plugin/.mcp.json":             claude.Server("mcpServers"),
		"plugin/hooks/hooks.json":      claude.Hooks(),
		"plugin/skills/cairn/SKILL.md": prime.Skill(),
	}
}

// asJSON is a value as JSON on several lines.
func asJSON(v any) string {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	if err := out.Encode(v); err != nil {
		panic(err) // our own values
	}
	return b.String()
}
