// Package background starts cairn in processes of its own, which outlive the command that started them: the supervisor of
// a job, and what keeps claims at the git remote.
package background

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work"
)

// How long a supervisor has to say that it runs, and the service manager to start one.
const (
	startPatience = 10 * time.Second
	scopePatience = 5 * time.Second
)

// NotInherited are the variables of the job in which this program may run itself. A supervisor is no part of that.
var NotInherited = []string{"CAIRN_SESSION", "CAIRN_JOB", "CAIRN_EXECUTOR", "CAIRN_PORT", "CAIRN_TASK", "CAIRN_PROMPT", "CAIRN_ACTOR", "CAIRN_SANDBOX"}

// Supervise starts the supervisor of a job: this program, in a session of its own, with no terminal and no file of this
// process but the log of the job. It returns once the supervisor holds the job. Where the user's service manager is
// there it is asked to keep the supervisor beyond the login; where that fails the supervisor is started without it.
func Supervise(ctx context.Context, w *verb.Workspace, id string) error {
	s, err := w.Open()
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return record.Errorf(record.IO, "this program cannot find itself: %w", err).WithHint("cairn job start --foreground runs the job in this process")
	}
	log := work.Jobs(s).File(id, "supervisor.log")
	if log == "" {
		return record.Errorf(record.InvalidInput, "%q is no job", id)
	}
	args := []string{"--json", "-C", s.Root, "--actor", string(w.Actor()), "job", "supervise", id}
	if scope := scopeCommand(os.Getenv); scope != nil {
		if launch(ctx, append(scope, self), args, s.Root, log, scopePatience) == nil {
			return nil
		}
	}
	return launch(ctx, []string{self}, args, s.Root, log, startPatience)
}

// scopeCommand is the command that starts another one in a scope of the user's service manager, which outlives the
// login; nil where there is none.
func scopeCommand(getenv func(string) string) []string {
	runtime := getenv("XDG_RUNTIME_DIR")
	if !filepath.IsAbs(runtime) {
		return nil
	}
	if _, err := os.Stat(filepath.Join(runtime, "systemd")); err != nil {
		return nil
	}
	path, err := exec.LookPath("systemd-run")
	if err != nil {
		return nil
	}
	return []string{path, "--user", "--scope", "--quiet", "--collect", "--description=cairn job"}
}

// Running is what a supervisor prints once the job is its own, with the id behind it. It prints nothing else, but an error
// before that.
const Running = "running "

// launch starts a supervisor, and waits until it says that it runs. One that does not say so in time is ended.
func launch(ctx context.Context, around, args []string, dir, logFile string, patience time.Duration) error {
	log, err := openLog(logFile)
	if err != nil {
		return record.Errorf(record.IO, "the log of the supervisor: %w", err)
	}
	defer log.Close()
	said, out, err := os.Pipe()
	if err != nil {
		return record.Errorf(record.IO, "%w", err)
	}
	defer said.Close()
	cmd := Command(around, args, dir)
	cmd.Stdout, cmd.Stderr = out, log
	err = cmd.Start()
	_ = out.Close()
	if err != nil {
		return record.Errorf(record.IO, "the supervisor does not start: %w", err).WithHint("cairn job start --foreground runs the job in this process")
	}
	answer := make(chan error, 1)
	go func() { answer <- readStart(said) }()
	select {
	case err = <-answer:
	case <-time.After(patience):
		err = record.Errorf(record.Busy, "the supervisor did not say that it runs within %s", patience).WithHint("%s has what it printed", logFile)
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		_ = cmd.Process.Kill()
	}
	go func() { _ = cmd.Wait() }() // so that it leaves no entry in the process table when it ends before this one
	return err
}

// readStart reads what a supervisor prints: that it runs, or why not.
func readStart(from io.Reader) error {
	in := bufio.NewReader(io.LimitReader(from, 64<<10))
	line, _ := in.ReadString('\n')
	if strings.HasPrefix(line, Running) {
		return nil
	}
	rest, _ := io.ReadAll(in)
	var failure struct {
		Code    record.Code `json:"code"`
		Message string      `json:"message"`
		Hint    string      `json:"hint"`
	}
	if json.Unmarshal(append([]byte(line), rest...), &failure) != nil || failure.Code == "" {
		return record.Errorf(record.IO, "the supervisor ended before it ran the job").WithHint("supervisor.log in the folder of the job has what it printed")
	}
	return record.Errorf(failure.Code, "%s", failure.Message).WithHint("%s", failure.Hint)
}

func withoutJob(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(NotInherited, name)
	})
}

// Command is a command in a session of its own, with no terminal, no file of this process and nothing of the job in
// which this process may run. Around is what starts it: the program, and perhaps words before its own.
func Command(around, args []string, dir string) *exec.Cmd {
	argv := append(append([]string(nil), around...), args...)
	cmd := exec.Command(argv[0], argv[1:]...)
	if len(around) == 1 { // nothing but the program
		cmd.Args[0] = "cairn" // by which programs that are more than cairn, such as tests, know what to be
	}
	cmd.Dir, cmd.Env = dir, withoutJob(os.Environ())
	apart(cmd)
	return cmd
}
