package cmd

import (
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
		name    string
		called  string
		address string
		account string
		want    record.Actor
	}{
		{"a name that fits is taken as it is", "shah", "", "", "human:shah"},
		{"each run of other characters becomes one dash", "Anna  van der Berg (she)", "", "", "human:Anna-van-der-Berg-she"},
		{"a name of another script", "山田太郎", "taro@example.org", "root", "human:山田太郎"},
		{"without a name that says something the address counts", "***", "ada.b@example.org", "root", "human:ada.b"},
		{"a word in two alphabets is nobody's name", "аdmin", "mallory@example.org", "", "human:mallory"},
		{"the account is the last to say it", "", "", "root", "human:root"},
		{"nobody", "", "@", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			getenv := func(name string) string { return map[string]string{"USER": c.account}[name] }
			got := humanActor(getenv, c.called, func() string { return c.address })
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if _, err := record.ParseActor(string(got)); got != "" && err != nil {
				t.Errorf("%q is not an actor: %v", got, err)
			}
		})
	}
}
