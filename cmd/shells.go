package cmd

import (
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/task"
)

// agentShells are the variables that coding agents set in the shells they open, and the agent that each tells of. What a
// person sets as a setting, such as a key, and what an editor sets in the person's own terminals too, is not among them.
var agentShells = []struct{ variable, agent string }{
	{"CLAUDECODE", "claude-code"},
	{"CLAUDE_CODE_ENTRYPOINT", "claude-code"},
	{"CODEX_THREAD_ID", "codex"},
	{"CODEX_SANDBOX", "codex"},
	{"CODEX_SANDBOX_NETWORK_DISABLED", "codex"},
	{"CODEX_CI", "codex"},
	{"GEMINI_CLI", "gemini-cli"},
	{"QWEN_CODE", "qwen-code"},
	{"CURSOR_AGENT", "cursor"},
	{"OPENCODE", "opencode"},
	{"COPILOT_CLI", "copilot-cli"},
	{"COPILOT_AGENT", "copilot"},
	{"AMP_CURRENT_THREAD_ID", "amp"},
	{"ANTIGRAVITY_AGENT", "antigravity"},
	{"AUGMENT_AGENT", "augment"},
	{"CLINE_ACTIVE", "cline"},
	{"CRUSH", "crush"},
	{"GOOSE_TERMINAL", "goose"},
	{"TRAE_AI_SHELL_ID", "trae"},
}

// anyAgent are variables by which agents of every make name themselves.
var anyAgent = []string{"AI_AGENT", "AGENT"}

// shellAgent is the agent in whose shell the program runs, or "" if it seems to run in a person's.
func shellAgent(getenv func(string) string) task.Actor {
	for _, s := range agentShells {
		if isSet(getenv(s.variable)) {
			return task.Actor("agent:" + s.agent)
		}
	}
	for _, variable := range anyAgent {
		value := getenv(variable)
		if !isSet(value) {
			continue
		}
		name := actorName(value)
		if name == "" || slices.Contains([]string{"1", "true", "yes", "on"}, strings.ToLower(name)) {
			name = "unknown"
		}
		return task.Actor("agent:" + name)
	}
	return ""
}

// isSet reports whether the value of a switch says yes.
func isSet(value string) bool {
	return !slices.Contains([]string{"", "0", "false", "no", "off"}, strings.ToLower(strings.TrimSpace(value)))
}
