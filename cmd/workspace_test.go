package cmd

import (
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Only variables that agents set in the shells that they open make a shell an agent's. Variables that a person sets, or
// an editor for a person, do not.
func TestShellAgent(t *testing.T) {
	type vars map[string]string
	cases := []struct {
		name string
		vars vars
		want record.Actor
	}{
		{"a person's", vars{"HOME": "/home/shah", "TERM_PROGRAM": "vscode", "SHELL": "/bin/zsh"}, ""},
		{"a person's, with keys and settings of agents", vars{
			"ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k", "GEMINI_API_KEY": "k", "CODEX_HOME": "/c", "CODEX_API_KEY": "k", "CLAUDE_CODE_USE_BEDROCK": "1",
			"CLAUDE_CONFIG_DIR": "/c", "GOOSE_PROVIDER": "p", "AIDER_MODEL": "m", "COPILOT_GITHUB_TOKEN": "k", "COPILOT_MODEL": "m",
		}, ""},
		{"a person's, in an editor with an agent", vars{"CURSOR_TRACE_ID": "t", "CLAUDE_CODE_SSE_PORT": "1", "VSCODE_PID": "1", "REPL_ID": "r"}, ""},
		{"a switch that is off", vars{"CLAUDECODE": "0", "AGENT": "false", "AI_AGENT": " "}, ""},
		{"an agent that names itself", vars{"AGENT": "amp"}, "agent:amp"},
		{"one that only says that it is one", vars{"AGENT": "1"}, "agent:unknown"},
		{"the more telling name", vars{"AGENT": "1", "AI_AGENT": "pi"}, "agent:pi"},
		{"a known agent before a general name", vars{"AI_AGENT": "claude-code/2.1", "CLAUDECODE": "1"}, "agent:claude-code"},
		{"a name that no actor may have", vars{"AI_AGENT": "  my agent (beta)/2 "}, "agent:my-agent-beta-2"},
		{"a name with a version", vars{"AGENT": "goose@1.2.3"}, "agent:goose"},
		{"a name with a version behind a slash", vars{"AI_AGENT": "my-agent/2.0"}, "agent:my-agent"},
		{"a name with a version and more", vars{"AI_AGENT": "some-code_2.1.0_cli"}, "agent:some-code"},
		{"a name with a number", vars{"AI_AGENT": "agent_2"}, "agent:agent_2"},
		{"a name of nothing that an actor may have", vars{"AI_AGENT": "***"}, "agent:unknown"},
	}
	if len(agentShells) == 0 {
		t.Fatal("no shells are known")
	}
	for _, s := range agentShells {
		cases = append(cases, struct {
			name string
			vars vars
			want record.Actor
		}{s.variable, vars{s.variable: "1"}, record.Actor("agent:" + s.agent)})
	}
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			got, variable := shellAgent(func(name string) string { return tt.vars[name] })
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if set := tt.vars[variable] != ""; set != (got != "") {
				t.Errorf("the variable is %q", variable)
			}
			if _, err := record.ParseActor(string(got)); got != "" && err != nil {
				t.Error(err)
			}
		})
	}
}

func TestHumanActor(t *testing.T) {
	for _, c := range []struct {
		name  string
		names []string
		want  record.Actor
	}{
		{"a name that fits is taken as it is", []string{"shah"}, "human:shah"},
		{"each run of other characters becomes one dash", []string{"Anna  van der Berg (she)"}, "human:Anna-van-der-Berg-she"},
		{"marks that a name may hold stay", []string{"a.b_c@d+e-f"}, "human:a.b_c@d+e-f"},
		{"the first name that says something counts", []string{"", " ", "***", "shah", "root"}, "human:shah"},
		{"a name of letters that no actor has leaves what there is", []string{"Łukasz"}, "human:ukasz"},
		{"a long name is cut", []string{strings.Repeat("x", 80)}, record.Actor("human:" + strings.Repeat("x", 64))},
		{"no name at all is still an actor", nil, "human:unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := humanActor(c.names...)
			if got != c.want {
				t.Errorf("humanActor(%q) = %q, want %q", c.names, got, c.want)
			}
			if _, err := record.ParseActor(string(got)); err != nil {
				t.Errorf("%q is not an actor: %v", got, err)
			}
		})
	}
}
