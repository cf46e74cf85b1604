package cmd

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/check/report"
)

// The log of each command has a token of its own, so a command that reads the log while it runs cannot forge one.
func TestLogHasATokenForEachCommand(t *testing.T) {
	var log strings.Builder
	p := &program{Env: Env{Stderr: &log, Rand: strings.NewReader(strings.Repeat("r", 16)), Now: time.Now,
		Getenv: func(name string) string { return map[string]string{"GITHUB_ACTIONS": "true"}[name] }}}
	l, err := newRunLog(p, 2)
	if err != nil {
		t.Fatal(err)
	}
	l.ended(report.Ran{Desc: "one"})
	l.ended(report.Ran{Desc: "two"})
	tokens := regexp.MustCompile(`::stop-commands::(\w+)\n`).FindAllStringSubmatch(log.String(), -1)
	if len(tokens) != 2 || tokens[0][1] == tokens[1][1] {
		t.Errorf("the log is\n%s", log.String())
	}
}
