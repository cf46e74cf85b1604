package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/cmd"
	"github.com/cairn-tasks/cairn/cmd/cmdtest"
)

// shell is how the person works: every command is a process of its own, but for one at whose terminal they type.
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

// types runs a command of cairn that asks the person at its terminal, and answers with the word that is asked for. A
// script has no terminal that the program would take for one: here the program runs inside this one, which plays the
// person too.
func (s shell) types(ctx context.Context, asks string, command ...string) {
	if s.err != nil {
		return
	}
	line := commandLine(command)
	s.print("$ " + line)
	var out bytes.Buffer
	exit := cmd.Main(ctx, cmd.Env{
		Args: command[1:], Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Getenv: s.repo.getenv, Dir: s.repo.dir,
		Now: time.Now, Rand: rand.Reader, Terminal: cmdtest.Person{Screen: &out}.Open,
	})
	s.print(out.String())
	s.expect(exit == 0, "%s exits with %d", line, exit)
	s.expect(strings.Contains(out.String(), asks), "%s does not ask for %q", line, asks)
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
