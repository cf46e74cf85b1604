package git

import (
	"context"
	"errors"
	"os/exec"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

// The oldest supported git.
const oldestMajor, oldestMinor = 2, 31

const installHint = "install git 2.31 or newer and put it on PATH"

// explain turns the failure of a git command into an error with a hint.
func explain(ctx context.Context, err error, dir string, args []string) error {
	if ctx.Err() != nil {
		return record.Errorf(record.Git, "git %s was stopped: %w", args[0], ctx.Err())
	}
	if errors.Is(err, exec.ErrNotFound) {
		return record.Errorf(record.Git, "there is no git: %w", err).WithHint(installHint)
	}
	exit := (*exec.ExitError)(nil)
	if !errors.As(err, &exit) {
		return record.Errorf(record.Git, "cannot run git %s: %w", args[0], err)
	}
	return &record.Error{
		Code: record.Git,
		Msg:  "git " + args[0] + ": " + complaint(exit),
		Hint: record.Hintf("%s", hint(ctx, exit, dir)),
		Err:  exit,
	}
}

// complaint is the line of standard error that says what is wrong; if there is none, the exit status.
func complaint(exit *exec.ExitError) string {
	lines := strings.Split(string(exit.Stderr), "\n")
	for _, prefix := range []string{"fatal: ", "error: ", ""} {
		for _, line := range lines {
			if msg, ok := strings.CutPrefix(strings.TrimSpace(line), prefix); ok && msg != "" {
				return strings.TrimSuffix(msg, ".")
			}
		}
	}
	return exit.Error()
}

// hint is what helps against the two refusals that have nothing to do with the command; "" for other failures.
func hint(ctx context.Context, exit *exec.ExitError, dir string) string {
	stderr := string(exit.Stderr)
	if strings.Contains(stderr, "dubious ownership") || strings.Contains(stderr, "unsafe repository") {
		return "the folder belongs to another user; if you trust it: git config --global --add safe.directory " + dir
	}
	const fatal = 128 // below, the exit status is an answer
	if exit.ExitCode() >= fatal && tooOld(ctx) {
		return installHint
	}
	return ""
}

// Usable returns GIT if git is missing, too old, or refuses to work in this repository.
func (r *Repo) Usable(ctx context.Context) error {
	if _, err := Run(ctx, r.Top, "rev-parse", "--git-dir"); err != nil {
		return err
	}
	if tooOld(ctx) {
		return record.Errorf(record.Git, "git is older than %d.%d", oldestMajor, oldestMinor).WithHint(installHint)
	}
	return nil
}

// tooOld reports whether git says that it is older than the oldest supported version.
func tooOld(ctx context.Context) bool {
	out, err := command(ctx, "", "version").Output()
	if err != nil {
		return false
	}
	major, minor, ok := parseVersion(string(out))
	return ok && (major < oldestMajor || major == oldestMajor && minor < oldestMinor)
}

// parseVersion reads "git version 2.39.5 (Apple Git-154)".
func parseVersion(s string) (major, minor int, ok bool) {
	version := strings.SplitN(strings.TrimPrefix(strings.TrimSpace(s), "git version "), ".", 3)
	if len(version) < 2 {
		return 0, 0, false
	}
	major, err1 := strconv.Atoi(version[0])
	minor, err2 := strconv.Atoi(version[1])
	return major, minor, err1 == nil && err2 == nil
}
