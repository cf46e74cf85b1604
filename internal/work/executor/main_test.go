package executor_test

import (
	"os"
	"testing"
)

// The tests run as if they were started by an agent, in a hook of git, under another session of cairn.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{
		"CLAUDECODE": "1", "CLAUDE_CODE_ENTRYPOINT": "cli", "CLAUDE_CODE_SSE_PORT": "1", "CLAUDE_CODE_USE_BEDROCK": "1", "GIT_DIR": "/nowhere",
		"CAIRN_SESSION": "ses-of-another", "CAIRN_ACTOR": "agent:another", "CODEX_SANDBOX_NETWORK_DISABLED": "1", "OLDPWD": "/nowhere",
	} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
