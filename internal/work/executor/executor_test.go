package executor_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/work/executor"
	"github.com/cairn-tasks/cairn/internal/work/executor/executortest"
	"github.com/cairn-tasks/cairn/internal/work/job"
)

// load reads the table of a user with a config.
func load(t *testing.T, config string) (executor.Table, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return executor.Load(dir)
}

func get(t *testing.T, table executor.Table, name string) executor.Executor {
	t.Helper()
	e, err := table.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestShippedExecutors(t *testing.T) {
	table, err := executor.Load("")
	all := slices.Insert(slices.Clone(executortest.Dialects), 2, "gemini") // which speaks acp
	if err != nil || !slices.Equal(table.Names(), all) {
		t.Fatalf("%v (%v)", table.Names(), err)
	}
	t.Setenv("PATH", t.TempDir())
	for _, name := range table.Names() {
		e := get(t, table, name)
		err := e.Present()
		if record.CodeOf(err) != record.ExecutorMissing {
			t.Errorf("%s: %v", name, err)
			continue
		}
		hint := err.(*record.Error).Hint.String() //nolint:errorlint,forcetypeassert // it is one, by its code
		if !strings.Contains(hint, "install") && !strings.Contains(hint, "cmd") {
			t.Errorf("%s: the hint says %q", name, hint)
		}
		if e.Name() != name || e.Output() != job.Edits {
			t.Errorf("%s: %s, %s", name, e.Name(), e.Output())
		}
	}
	if _, err := table.Get("nobody"); record.CodeOf(err) != record.InvalidSpec || !strings.Contains(err.Error(), "nobody") {
		t.Error(err)
	}
}

// What cannot be kept from changing files, or cannot finish its session, says so.
func TestWhatExecutorsCan(t *testing.T) {
	table, err := executor.Load("")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][3]bool{ // hands over, resumes, is read only for a patch
		"claude": {true, true, true}, "codex": {true, true, true}, "gemini": {true, true, true}, "opencode": {true, true, true},
		"cursor": {false, true, true}, "copilot": {true, true, true}, "amp": {true, true, false}, "droid": {false, true, true},
		"acp": {true, true, false}, "command": {false, false, false},
	} {
		e := get(t, table, name)
		if got := [3]bool{e.HandsOver(), e.Resumes(), e.ReadOnly()}; got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestExecutorsOfTheUser(t *testing.T) {
	fake := executortest.Fake(t)
	table, err := load(t, `
executors:
  mine: {dialect: command, cmd: ['`+fake+`', command], output: patch, max: 2, env: {B: '2', A: '1'}}
  claude: {cmd: ['`+fake+`', claude], args: ['--effort', high], model: small}
  third: {dialect: claude, cmd: ['`+fake+`', claude]}
  gemini: {dialect: gemini, cmd: ['`+fake+`', acp]}
  fourth: {dialect: gemini, cmd: ['`+fake+`', acp]}
`)
	if err != nil {
		t.Fatal(err)
	}
	if names := table.Names(); !slices.Equal(names[len(names)-3:], []string{"mine", "third", "fourth"}) || names[0] != "claude" {
		t.Errorf("names %v", names)
	}
	if e := get(t, table, "mine"); e.Output() != job.Patch || e.Max() != 2 || e.Present() != nil || e.HandsOver() {
		t.Errorf("%+v (%v)", e, e.Present())
	}
	report := func(name string) executortest.Report {
		file := filepath.Join(t.TempDir(), "report")
		run := executor.Run{Dir: t.TempDir(), Private: t.TempDir(), Prompt: "fake: report " + file, Output: job.Edits}
		if _, err := get(t, table, name).Start(t.Context(), run); err != nil {
			t.Fatal(err)
		}
		return executortest.ReadReport(t, file)
	}
	if r := report("mine"); !slices.Contains(r.Env, "A=1") || !slices.Contains(r.Env, "B=2") {
		t.Errorf("environment %q", r.Env)
	}
	if r := strings.Join(report("claude").Args, " "); !strings.HasPrefix(r, "--print") || !strings.Contains(r, "--effort high") || !strings.Contains(r, "--model small") {
		t.Errorf("arguments %s", r)
	}
	for _, name := range []string{"gemini", "fourth"} { // they speak the protocol, and are held to what their own options say
		if r := strings.Join(report(name).Args, " "); r != "--acp --approval-mode yolo" {
			t.Errorf("arguments of %s: %s", name, r)
		}
	}
	if r := strings.Join(report("third").Args, " "); !strings.HasPrefix(r, "--print") || strings.Contains(r, "small") {
		t.Errorf("arguments %s", r)
	}
}

func TestWrongExecutorsNameTheKey(t *testing.T) {
	for text, want := range map[string]string{
		"mine: {dialect: command, cmd: [x], colour: red}": "executors.mine.colour: there is no such key",
		"mine: {cmd: [x]}":                                    "executors.mine: has no dialect",
		"mine: {dialect: command}":                            "executors.mine: has no cmd",
		"mine: {dialect: klingon, cmd: [x]}":                  `executors.mine.dialect: there is no dialect "klingon"`,
		"claude: {dialect: codex}":                            "executors.claude.dialect: is claude",
		"mine: {dialect: command, cmd: []}":                   "executors.mine.cmd: names no program",
		"mine: {dialect: command, cmd: [./x]}":                "executors.mine.cmd: begins with",
		"mine: {dialect: command, cmd: x}":                    "executors.mine.cmd: ",
		`mine: {dialect: command, cmd: [x, "a\0b"]}`:          "executors.mine.cmd: has a NUL",
		"mine: {dialect: command, cmd: [x], output: diff}":    `executors.mine.output: is "diff"`,
		"mine: {dialect: command, cmd: [x], max: -1}":         "executors.mine.max: is -1",
		"mine: {dialect: command, cmd: [x], max: many}":       "executors.mine.max: ",
		"mine: {dialect: command, cmd: [x], env: {'A B': x}}": `executors.mine.env: "A B" is no variable`,
		"mine: {dialect: command, cmd: [x], env: [A]}":        "executors.mine.env: ",
		"'a b': {dialect: command, cmd: [x]}":                 "executors.a b: is no name of an executor",
		"mine: [x]":                                           "executors.mine: is not a mapping",
	} {
		_, err := load(t, "executors:\n  "+text+"\n")
		if record.CodeOf(err) != record.BadFile || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// A program of the folder in which cairn runs is nobody's choice.
func TestNoProgramOfTheCurrentFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "claude"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	t.Setenv("PATH", ".")
	table, err := executor.Load("")
	if err != nil {
		t.Fatal(err)
	}
	if err := get(t, table, "claude").Present(); record.CodeOf(err) != record.ExecutorMissing {
		t.Error(err)
	}
}

// What the page says about executors is so: its config loads, and its table has each of them with how it is installed.
func TestThePageAboutExecutors(t *testing.T) {
	src, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "jobs.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(src), "\n## Executors\n")
	section, _, _ = strings.Cut(section, "\n## ")
	_, config, ok := strings.Cut(section, "```yaml\n")
	config, _, _ = strings.Cut(config, "```")
	table, err := load(t, config)
	if !ok || err != nil || !slices.Contains(table.Names(), "goose") {
		t.Errorf("the config on the page: %v (%v)", table.Names(), err)
	}
	t.Setenv("PATH", t.TempDir())
	table, err = executor.Load("")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range table.Names() {
		at := strings.Index(section, "\n| `"+name+"` |")
		if at < 0 {
			t.Errorf("the table has no %s", name)
			continue
		}
		line, _, _ := strings.Cut(section[at+1:], "\n")
		hint := get(t, table, name).Present().(*record.Error).Hint.String() //nolint:errorlint,forcetypeassert // Present returns nothing else
		command, _, _ := strings.Cut(strings.TrimPrefix(hint, "install it with "), ",")
		if strings.HasPrefix(hint, "install it with ") && !strings.Contains(line, "`"+command+"`") {
			t.Errorf("%s: the page does not say %q", name, command)
		}
		for _, what := range []struct {
			said string
			is   bool
		}{{"| `finish` |", get(t, table, name).HandsOver()}, {"asked to |", !get(t, table, name).ReadOnly() && name != "acp"}} {
			if strings.Contains(line, what.said) != what.is {
				t.Errorf("%s: the page says %s: %v", name, what.said, !what.is)
			}
		}
	}
}
