package main

import (
	"context"
	"errors"
	"os/exec"
	"regexp"
	"strings"
)

// shell is how the person works: every command is a process of its own.
type shell struct {
	*narrator
	repo repo
}

// runs runs a command that must succeed, and returns what it printed.
func (s shell) runs(ctx context.Context, command ...string) string {
	return s.exits(ctx, 0, "", command...)
}

// exits runs a command that must end with an exit number and say something, and returns what it printed.
func (s shell) exits(ctx context.Context, want int, says string, command ...string) string {
	if s.err != nil {
		return ""
	}
	line := commandLine(command)
	s.print("$ " + line)
	out, err := s.repo.command(ctx, command[0], command[1:]...).CombinedOutput()
	s.print(string(out))
	exit := 0
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended):
		exit = ended.ExitCode()
	case err != nil:
		s.fail(err)
	}
	s.expect(exit == want, "%s exits with %d, not %d", line, exit, want)
	s.expect(strings.Contains(string(out), says), "%s does not say %q", line, says)
	return string(out)
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=-]+$`)

// commandLine is a command as one would type it.
func commandLine(words []string) string {
	typed := make([]string, len(words))
	for i, word := range words {
		typed[i] = word
		if !plainWord.MatchString(word) {
			typed[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(typed, " ")
}
