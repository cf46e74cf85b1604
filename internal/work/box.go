package work

import (
	"cmp"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sandbox"
	"github.com/cairn-tasks/cairn/internal/user/userconfig"
	"github.com/cairn-tasks/cairn/store/kind"
)

// JobBoxed reports whether the program of a job runs in a sandbox, by the word of the workspace, and that of the user for
// its executor, "" for the one for all, whose folder of settings is configDir. It returns NO_SANDBOX for one that cannot be had here.
func JobBoxed(configDir, workspace, executor string) (bool, error) {
	user, err := userconfig.ReadSandbox(configDir)
	if err != nil {
		return false, err
	}
	switch kind.Stricter(workspace, cmp.Or(executor, user.Jobs)) {
	case kind.SandboxContainer:
		return false, record.Errorf(record.NoSandbox, "a job is to run in a container, and cairn cannot make one yet").
			WithHint("system is the sandbox that there is: job_sandbox of the workspace, sandbox.jobs and executors of your own config")
	case kind.SandboxSystem:
		_, err := sandbox.Can()
		return err == nil, err
	default:
		return false, nil
	}
}
