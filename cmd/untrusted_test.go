package cmd

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/verb"
)

// traps are the keys of a clone's own config that have git start a program. TRAP becomes a program that leaves a trace.
const traps = `
[core]
	repositoryFormatVersion = 1
	fsmonitor = TRAP
	fsmonitorHookVersion = 2
	hooksPath = HOOKS
	untrackedCache = true
	pager = TRAP
	editor = TRAP
	askPass = TRAP
	sshCommand = TRAP
	gitProxy = TRAP
	alternateRefsCommand = TRAP
[extensions]
	worktreeConfig = true
	partialClone = origin
[remote "origin"]
	url = ext::TRAP
	promisor = true
	uploadpack = TRAP
[protocol "ext"]
	allow = always
[filter "trap"]
	clean = TRAP
	smudge = TRAP
	required = true
[filter "long"]
	process = TRAP
	required = true
[diff]
	external = TRAP
[diff "trap"]
	command = TRAP
	textconv = TRAP
[merge "trap"]
	driver = TRAP
[interactive]
	diffFilter = TRAP
[credential]
	helper = !TRAP
[gpg]
	program = TRAP
[commit]
	gpgSign = true
[log]
	showSignature = true
[sequence]
	editor = TRAP
[pager]
	config = TRAP
	status = TRAP
[alias]
	config = !TRAP
	hash-object = !TRAP
	ls-files = !TRAP
	ls-tree = !TRAP
	rev-parse = !TRAP
	status = !TRAP
	symbolic-ref = !TRAP
`

const trappedTask = `---
id: T-1
title: Lay the foundation
status: backlog
checks:
  - {desc: built, cmd: touch ran, result: pending}
  - {desc: read, type: manual, result: pending}
---
`

const closedTask = `---
id: T-2
title: Buy the land
status: done
checks:
  - {desc: built, cmd: touch ran, result: pass}
provenance:
  - {who: 'human:shah', at: 2026-06-21T10:00:00Z, did: created}
  - {who: 'human:shah', at: 2026-06-21T10:05:00Z, did: transitioned, from: backlog, to: done, results: [{check: '1a1df5074596d7d2', result: pass}], tree: '0123'}
---
`

// trappedRepo is a clone whose config starts programs wherever git allows it, with changes that git would have to look into.
func trappedRepo(t *testing.T) *gitRepo {
	if runtime.GOOS == "windows" {
		t.Skip("the traps are POSIX shell")
	}
	g := newGitRepo(t)
	g.write(filepath.Join(g.dir, ".gitattributes"), []byte(trapped+"/.cairn/** -filter\n"))
	g.write(filepath.Join(g.dir, ".cairn", "config.yaml"), []byte("prefix: T\nabandoned: [canceled]\n"))
	for _, name := range []string{"plain", "file.long", ".cairn/tasks/T-1.md"} {
		g.write(filepath.Join(g.dir, name), []byte(trappedTask))
	}
	g.run("add", "-A")
	g.run("commit", "-q", "-m", "base")
	g.write(filepath.Join(g.dir, ".cairn", "tasks", "T-2.md"), []byte(closedTask))
	g.run("add", "-A")
	g.run("commit", "-q", "-m", "a close, on files of which only the work tree can tell")

	trap, hooks := filepath.Join(g.home, "trap"), filepath.Join(g.home, "hooks")
	script := []byte("#!/bin/sh\necho \"$0 $*\" >>'" + g.sprung() + "'\nexit 1\n")
	for _, path := range []string{trap, filepath.Join(hooks, "post-index-change"), filepath.Join(hooks, "pre-commit"), filepath.Join(hooks, "reference-transaction")} {
		g.write(path, script)
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	config := strings.NewReplacer("TRAP", trap, "HOOKS", hooks).Replace(traps)
	g.write(filepath.Join(g.dir, ".git", "config"), []byte(config))
	for _, name := range []string{"plain", "file.long"} {
		g.write(filepath.Join(g.dir, name), []byte("changed\n"))
	}
	return g
}

// trapped is the attributes by which git runs the filters.
const trapped = "* filter=trap diff=trap merge=trap\n*.long filter=long\n"

// sprung is the file in which traps leave their traces.
func (g *gitRepo) sprung() string { return filepath.Join(g.home, "sprung") }

// An untrusted clone starts nothing, whatever is asked of cairn there: not the commands of its tasks, and no program that its
// git config names. Giving it trust starts nothing either.
func TestUntrustedCloneStartsNothing(t *testing.T) {
	g := trappedRepo(t)
	attributes := filepath.Join(g.dir, ".gitattributes")
	clean, err := os.ReadFile(attributes)
	if err != nil {
		t.Fatal(err)
	}
	_ = g.try("status")
	if _, err := os.Stat(g.sprung()); err != nil {
		t.Fatalf("the traps do not work: %v", err)
	}
	if err := os.Remove(g.sprung()); err != nil {
		t.Fatal(err)
	}
	g.write(attributes, []byte(trapped)) // the record is filtered too, so check refuses it
	tried, session := map[string]bool{}, ""
	type call struct {
		exit int
		args []string
	}
	calls := []call{
		{0, []string{"init"}},
		{0, []string{"identity"}},
		{0, []string{"create", "Raise the walls", "--check", "built=touch ran"}},
		{0, []string{"list"}},
		{0, []string{"ready"}},
		{0, []string{"get", "T-1"}},
		{0, []string{"show", "T-1"}},
		{0, []string{"claim", "T-1"}},
		{0, []string{"note", "T-1", "hello"}},
		{6, []string{"wait", "T-1", "--timeout-seconds", "0"}},
		{0, []string{"update", "T-1", "--priority", "1"}},
		{0, []string{"attest", "T-1", "read", "--pass"}},
		{0, []string{"release", "T-1"}},
		{0, []string{"next"}},
		{0, []string{"release", "T-1"}},
		{0, []string{"plan", "--input", `{"tasks": [{"title": "Roof", "checks": [{"desc": "built", "cmd": "touch ran"}]}]}`}},
		{0, []string{"propose", "--input", `{"tasks": [{"title": "Roof"}], "summary": "s"}`}},
		{0, []string{"logs", "T-1"}},
		{0, []string{"history"}},
		{0, []string{"settings-get"}},
		{0, []string{"settings-set", "claim_ttl", "2h"}},
		{0, []string{"get", "T-1", "--mode", "context"}},
		{0, []string{"doctor"}},
		{2, []string{"check", "--no-base"}},
		{8, []string{"run-checks", "T-1"}},
		{8, []string{"transition", "T-1", "done"}},
		{0, []string{"--actor", "agent:a", "begin", "T-1", "--expected-actor", "agent:a", "--idempotency-key", "k"}},
		{0, []string{"--actor", "agent:a", "heartbeat", "SESSION", "at work"}},
		{0, []string{"get-session", "SESSION"}},
		{0, []string{"--actor", "agent:a", "finish", "SESSION", "all done"}},
		{0, []string{"list-sessions"}},
		{0, []string{"--actor", "agent:a", "begin", "T-1", "--expected-actor", "agent:a", "--idempotency-key", "l"}},
		{0, []string{"--actor", "agent:a", "cancel", "SESSION", "enough"}},
		{0, []string{"transition", "T-1", "canceled"}},
		{0, []string{"delete", "T-1"}},
		{0, []string{"--actor", "agent:a", "serve"}},
		{0, []string{"setup", "merge-driver", "--yes"}},
		{0, []string{"merge-driver", "plain", "plain", "plain", "7", ".cairn/tasks/T-1.md"}},
		{0, []string{"doctor", "--fix", "--yes"}},
		{2, []string{"check", "--base", "HEAD"}},
		{0, nil}, // from here on the record is not filtered
		{0, []string{"check", "--no-base"}},
		{0, []string{"check", "--base", "HEAD"}},
		{0, []string{"check", "--base", "HEAD~1"}},
		{0, []string{"check", "--staged"}},
		{2, []string{"check", "--run", "--all"}},
		{0, []string{"check", "--fix", "--yes"}},
		{0, []string{"version"}},
		{0, []string{"help"}},
		{0, []string{"completion", "bash"}},
		{0, []string{"trust", "--list"}},
		{0, []string{"trust", "--yes"}},
	}
	for _, c := range calls {
		if c.args == nil {
			g.write(attributes, clean)
			continue
		}
		name := c.args[0]
		if name == "--actor" {
			name = c.args[2]
		}
		tried[name] = true
		if i := slices.Index(c.args, "SESSION"); i >= 0 {
			c.args[i] = session
		}
		out, exit := g.cairn(c.args...)
		if name == "begin" {
			session = mintedID.FindString(out)
		}
		if exit != c.exit {
			t.Errorf("cairn %s exits with %d, not %d: %s", strings.Join(c.args, " "), exit, c.exit, out)
		}
		if trace, err := os.ReadFile(g.sprung()); err == nil {
			t.Errorf("cairn %s started a program of the clone's:\n%s", strings.Join(c.args, " "), trace)
			_ = os.Remove(g.sprung())
		}
	}
	if _, err := os.Stat(filepath.Join(g.dir, "ran")); err == nil {
		t.Error("a command of a task was run")
	}
	for _, name := range append(verbNames(), aroundItNames()...) {
		if !tried[name] {
			t.Errorf("cairn %s was not tried", name)
		}
	}
}

func verbNames() []string {
	var out []string
	for _, v := range verb.All {
		out = append(out, commandName(v.Name))
	}
	return slices.Sorted(slices.Values(out))
}

func aroundItNames() []string {
	var out []string
	for _, c := range aroundIt() {
		out = append(out, c.Name)
	}
	return out
}
