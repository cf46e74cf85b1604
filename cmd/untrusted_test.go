package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/cmd/cmdtest"
	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store/layout"
)

// traps are the keys of a clone's config that make git start a program. TRAP stands for a program that writes to the
// trace file.
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
	virtualFilesystem = TRAP
	useBuiltinFSMonitor = true
	notesRef = refs/notes/trap
[extensions]
	worktreeConfig = true
	partialClone = origin
[remote "origin"]
	url = ext::TRAP url
	promisor = true
	partialCloneFilter = blob:none
	uploadpack = TRAP
	receivepack = TRAP
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
[gpg "openpgp"]
	program = TRAP
[gpg "x509"]
	program = TRAP
[gpg "ssh"]
	program = TRAP
	defaultKeyCommand = TRAP
	allowedSignersFile = /dev/null
[hook "trap"]
	event = post-index-change
	event = reference-transaction
	event = pre-commit
	command = TRAP
[trace2]
	eventTarget = SPRUNG
	normalTarget = SPRUNG
	perfTarget = SPRUNG
[uploadpack]
	packObjectsHook = TRAP
[ssh]
	variant = ssh
[diff "trap2"]
	command = TRAP
	binary = true
[submodule]
	recurse = true
[status]
	submoduleSummary = true
[fetch]
	recurseSubmodules = true
[include]
	path = more
[includeIf "gitdir:**"]
	path = more
[commit]
	gpgSign = true
[log]
	showSignature = true
[sequence]
	editor = TRAP
[pager]
	config = TRAP
	status = TRAP
	log = TRAP
	rev-list = TRAP
	for-each-ref = TRAP
	worktree = TRAP
[alias]
	log = !TRAP
	rev-list = !TRAP
	for-each-ref = !TRAP
	cat-file = !TRAP
	check-attr = !TRAP
	merge-base = !TRAP
	worktree = !TRAP
	version = !TRAP
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

// trappedRepo is a clone whose config starts programs wherever git allows it, with changes that git would have to read.
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
	g.run("commit", "-q", "-m", "a close, on files that only the work tree has")
	g.recordWorktree("T-1")

	trap, hooks := filepath.Join(g.home, "trap"), filepath.Join(g.home, "hooks")
	script := []byte("#!/bin/sh\necho \"$0 $*\" >>'" + g.traceFile() + "'\nexit 1\n")
	g.stash(signed(g, g.run("rev-parse", "HEAD^{tree}"), "HEAD"))
	g.run("update-ref", "HEAD", signed(g, g.run("rev-parse", "HEAD^{tree}"), "HEAD~1"))
	paths := []string{trap}
	for _, hook := range []string{
		"post-index-change", "pre-commit", "reference-transaction", "post-checkout", "post-merge", "pre-push", "fsmonitor-watchman",
		"sendemail-validate", "pre-auto-gc", "post-rewrite", "prepare-commit-msg", "read-object", "virtual-filesystem", "pre-command", "post-command",
	} {
		paths = append(paths, filepath.Join(hooks, hook), filepath.Join(g.dir, ".git", "hooks", hook))
	}
	for _, path := range paths {
		g.write(path, script)
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	config := strings.NewReplacer("TRAP", trap, "HOOKS", hooks, "SPRUNG", g.traceFile()).Replace(traps)
	g.write(filepath.Join(g.dir, ".git", "config"), []byte(config))
	short, _, _ := strings.Cut(config, "[include]") // what includes itself is an error
	_, rest, _ := strings.Cut(short, "[extensions]")
	_, rest, _ = strings.Cut(rest, "[remote")
	g.write(filepath.Join(g.dir, ".git", "more"), []byte("[remote"+rest))
	g.write(filepath.Join(g.dir, ".git", "config.worktree"), []byte("[remote"+rest))
	for _, name := range []string{"EXTERNAL_DIFF", "SSH", "SSH_COMMAND", "ASKPASS", "PAGER", "EDITOR", "SEQUENCE_EDITOR", "PROXY_COMMAND"} {
		g.hostile = append(g.hostile, "GIT_"+name+"="+trap)
	}
	g.hostile = append(g.hostile, "GIT_EXEC_PATH="+hooks, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0="+trap,
		"GIT_CONFIG_PARAMETERS='core.fsmonitor'='"+trap+"'", "GIT_TRACE="+g.traceFile(), "GIT_TRACE2="+g.traceFile(), "GIT_TRACE2_EVENT="+g.traceFile(),
		"GIT_TRACE_SETUP="+g.traceFile(), "GIT_TEMPLATE_DIR="+hooks, "GIT_ALLOW_PROTOCOL=ext:file:ssh", "GIT_PAGER_IN_USE=1", "SSH_ASKPASS="+trap, "PAGER="+trap, "EDITOR="+trap)
	for _, name := range []string{"plain", "file.long"} {
		g.write(filepath.Join(g.dir, name), []byte("changed\n"))
	}
	return g
}

// recordWorktree makes a work tree of a task, with a changed file, and the record that cairn keeps of one.
func (g *gitRepo) recordWorktree(id string) {
	g.t.Helper()
	home, err := filepath.EvalSymlinks(g.home)
	if err != nil {
		g.t.Fatal(err)
	}
	path := filepath.Join(home, "trees", id)
	g.run("worktree", "add", "-q", "-b", "cairn/"+id, path)
	g.write(filepath.Join(path, "plain"), []byte("changed there\n"))
	l, err := layout.At(g.dir)
	if err != nil {
		g.t.Fatal(err)
	}
	made := fmt.Sprintf(`{"task": %q, "path": %q, "branch": %q, "base": "base", "base_commit": %q, "git_dir": %q, "made_at": "2026-01-01T00:00:00Z", "ready": true}`,
		id, path, "cairn/"+id, strings.TrimSpace(g.run("rev-parse", "HEAD")), "worktrees/"+id)
	g.write(filepath.Join(l.Live.Worktrees(), id+".json"), []byte(made))
}

// trapped are the attributes that make git run the filters.
const trapped = "* filter=trap diff=trap merge=trap\n*.long filter=long\n"

// signed makes a commit with a signature, which git would have a program verify.
func signed(g *gitRepo, tree, parent string) string {
	g.t.Helper()
	text := "tree " + strings.TrimSpace(tree) + "\nparent " + strings.TrimSpace(g.run("rev-parse", parent)) +
		"\nauthor A <a@example.com> 1782036000 +0000\ncommitter A <a@example.com> 1782036000 +0000\n" +
		"gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----\n\nsigned\n"
	cmd := g.command([]string{"hash-object", "-t", "commit", "-w", "--stdin"})
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.Output()
	if err != nil {
		g.t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// stash makes a commit the newest stash.
func (g *gitRepo) stash(commit string) {
	g.t.Helper()
	g.run("update-ref", "--create-reflog", "-m", "a stash", "refs/stash", commit)
}

// toolCalls are the calls of an agent to a server in an untrusted clone.
var toolCalls = []string{
	`"list","arguments":{}`, `"get","arguments":{"id":"T-1","mode":"context"}`, `"history","arguments":{}`, `"logs","arguments":{"id":"T-1"}`,
	`"create","arguments":{"title":"Raise the walls","checks":[{"desc":"built","cmd":"touch ran"}]}`, `"list_sessions","arguments":{}`,
	`"run_checks","arguments":{"id":"T-1"}`, `"transition","arguments":{"id":"T-1","to":"done"}`, `"note","arguments":{"id":"T-1","text":"hello"}`,
	`"next","arguments":{}`, `"wait","arguments":{"id":"T-1","timeout_seconds":0}`,
}

// traceFile is the file that the programs of the traps write to.
func (g *gitRepo) traceFile() string { return filepath.Join(g.home, "sprung") }

// In an untrusted clone no command of cairn starts a program: neither the commands of its tasks nor those that its git
// config names. Trusting the clone starts none either.
func TestSlowUntrustedCloneStartsNothing(t *testing.T) {
	slowtest.Skip(t)
	g := trappedRepo(t)
	attributes := filepath.Join(g.dir, ".gitattributes")
	clean, err := os.ReadFile(attributes)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"status"}, {"log", "--walk-reflogs", "--format=%H", "refs/stash"}} {
		_ = g.runErr(args...)
		if _, err := os.Stat(g.traceFile()); err != nil {
			t.Fatalf("the traps do not work for git %s: %v", args, err)
		}
		if err := os.Remove(g.traceFile()); err != nil {
			t.Fatal(err)
		}
	}
	g.write(attributes, []byte(trapped)) // the record is filtered too, so check refuses it
	edit := filepath.Join(g.dir, ".cairn", "tasks", "T-1.md")
	tried, session := map[string]bool{}, ""
	type call struct {
		exit int
		args []string
	}
	calls := []call{
		{0, []string{"init"}},
		{0, []string{"identity"}},
		{0, []string{"brief"}},
		{0, []string{"prime"}},
		{0, []string{"status"}},
		{0, []string{"search", "walls"}},
		{0, []string{"knowledge-write", "Walls", "--body", "Of brick."}},
		{0, []string{"knowledge-search", "walls"}},
		{0, []string{"create", "Raise the walls", "--check", "built=touch ran"}},
		{0, []string{"list"}},
		{0, []string{"ready"}},
		{0, []string{"export"}},
		{0, []string{"board"}},
		{0, []string{"get", "T-1"}},
		{0, []string{"show", "T-1"}},
		{0, []string{"claim", "T-1"}},
		{0, []string{"note", "T-1", "hello"}},
		{0, []string{"ref-add", "T-1", "commit"}},
		{0, []string{"ref-query"}},
		{3, []string{"ref-update", "T-1", "01234567", "--title", "x"}},
		{3, []string{"ref-remove", "T-1", "01234567"}},
		{6, []string{"wait", "T-1", "--timeout-seconds", "0"}},
		{0, []string{"update", "T-1", "--priority", "1"}},
		{0, []string{"attest", "T-1", "read", "--pass"}},
		{0, []string{"release", "T-1"}},
		{0, []string{"next"}},
		{0, []string{"release", "T-1"}},
		{0, []string{"settings-set", "claims_remote", "origin"}},
		{8, []string{"claim", "T-1"}},
		{0, []string{"note", "T-1", "hello again"}},
		{8, []string{"remote-probe"}},
		{8, []string{"remote-sync"}},
		{8, []string{"sync"}},
		{0, []string{"resolve"}},
		{0, []string{"remote-status"}},
		{0, []string{"settings-set", "claims_remote", "none"}},
		{0, []string{"plan", "--input", `{"tasks": [{"title": "Roof", "checks": [{"desc": "built", "cmd": "touch ran"}]}]}`}},
		{0, []string{"propose", "--input", `{"tasks": [{"title": "Roof"}], "summary": "s"}`}},
		{0, []string{"import", "--input", `{"source": "jira", "items": [{"ref": "J-1", "title": "Roof", "checks": [{"desc": "built", "cmd": "touch ran"}]}]}`}},
		{0, []string{"archive", "--older-than", "1d"}},
		{0, []string{"logs", "T-1"}},
		{0, []string{"history"}},
		{0, []string{"graph"}},
		{0, []string{"guards", "T-1"}},
		{0, []string{"verify", "T-1"}},
		{0, []string{"evidence-list"}},
		{0, []string{"web", "--static", "pages"}},
		{0, []string{"log"}},
		{0, []string{"stats"}},
		{0, []string{"settings-get"}},
		{0, []string{"settings-set", "claim_ttl", "2h"}},
		{0, []string{"get", "T-1", "--mode", "context"}},
		{0, []string{"doctor"}},
		{1, []string{"doctor", "SAVED-OVER"}},
		{2, []string{"check", "--no-base"}},
		{8, []string{"pair-open", "T-1"}},
		{8, []string{"work", "--executor", "command"}},
		{0, []string{"pair-read", "T-1"}},
		{0, []string{"pair-close", "T-1"}},
		{8, []string{"run-checks", "T-1"}},
		{8, []string{"transition", "T-1", "done"}},
		{8, []string{"job-start", "T-1", "--executor", "claude"}},
		{0, []string{"job-list"}},
		{3, []string{"job-poll", "job-404"}},
		{3, []string{"job-cancel", "job-404"}},
		{0, []string{"review", "show", "T-1"}},
		{0, []string{"review-list"}},
		{8, []string{"review", "approve", "T-1"}},
		{8, []string{"review-apply", "T-1", "merge"}},
		{8, []string{"review", "pr", "T-1"}},
		{8, []string{"review-sync"}},
		{0, []string{"--actor", "agent:a", "begin", "T-1", "--expected-actor", "agent:a", "--idempotency-key", "k"}},
		{0, []string{"--actor", "agent:a", "heartbeat", "SESSION", "at work"}},
		{0, []string{"get-session", "SESSION"}},
		{0, []string{"session-summary", "SESSION"}},
		{0, []string{"--actor", "agent:a", "finish", "SESSION", "all done"}},
		{0, []string{"list-sessions"}},
		{0, []string{"list-proposals"}},
		{3, []string{"get-proposal", "plan-404"}},
		{3, []string{"--actor", "agent:a", "ask", "Which colour?"}}, // it has no session
		{0, []string{"--actor", "agent:a", "begin", "T-1", "--expected-actor", "agent:a", "--idempotency-key", "l"}},
		{0, []string{"--actor", "agent:a", "cancel", "SESSION", "enough"}},
		{0, []string{"transition", "T-1", "canceled"}},
		{0, []string{"reopen", "T-1"}},
		{0, []string{"start", "T-1"}},
		{8, []string{"done", "T-1"}},
		{0, []string{"close", "T-1", "--as", "canceled"}},
		{0, []string{"delete", "T-1"}},
		{0, []string{"restore", "T-1"}},
		{0, []string{"join"}},
		{3, []string{"take", "T-404"}},
		{2, []string{"revert", "HEAD~99"}},
		{2, []string{"undo", "T-1"}},
		{0, []string{"delete", "T-1"}},
		{0, []string{"decision-log", "Walls", "Brick", "--status", "proposed"}},
		{0, []string{"decision-query", "--path", "walls/north"}},
		{3, []string{"decision-set-status", "DEC-404", "rejected"}},
		{0, []string{"handoff-create", "Look", "--to", "agent:a"}},
		{0, []string{"handoff-query", "--direction", "any"}},
		{3, []string{"answer", "HO-404", "red"}},
		{3, []string{"handoff-claim", "HO-404"}},
		{3, []string{"handoff-respond", "HO-404", "--text", "yes"}},
		{3, []string{"handoff-resolve", "HO-404"}},
		{0, []string{"inbox"}},
		{0, []string{"register", "agent:b", "--group", "reviewers"}},
		{0, []string{"directory"}},
		{0, []string{"skill-upsert", "review", "--description", "d", "--body", "b"}},
		{0, []string{"skill-get", "review"}},
		{0, []string{"skill-list"}},
		{0, []string{"feedback-create", "Slow", "A list took a minute."}},
		{0, []string{"feedback-query"}},
		{0, []string{"project-create", "."}},
		{0, []string{"project-list"}},
		{3, []string{"project-open", "nowhere"}},
		{0, []string{"repo-list"}},
		{0, []string{"repo-register", "--remote-url", "https://github.com/o/r"}},
		{0, []string{"repo-link", "r", "docs"}},
		{0, []string{"worktree-list"}},
		{8, []string{"land"}},
		{8, []string{"conflicts"}}, // a merge starts what the config of the clone names
		{8, []string{"worktree-remove", "T-1", "--force"}},
		{3, []string{"job-discard", "T-404"}},
		{3, []string{"job-say", "job-404", "hello"}},
		{0, []string{"milestone-add", "--title", "Roofed"}},
		{0, []string{"milestone-list"}},
		{3, []string{"milestone-show", "MS-404"}},
		{3, []string{"milestone-set", "MS-404", "--title", "Roofed"}},
		{0, []string{"guide"}},
		{0, []string{"skill", "sync"}},
		{0, []string{"--actor", "agent:a", "serve", "--toolsets", "all"}},
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
		{3, []string{"edit", "T-404"}}, // the editor is the user's own, and not of the clone
		{0, []string{"version"}},
		{0, []string{"help"}},
		{0, []string{"completion", "bash"}},
		{0, []string{"man"}},
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
		if i := slices.Index(c.args, "SAVED-OVER"); i >= 0 {
			g.write(edit, []byte(trappedTask+"\nAn editor had this.\n")) // doctor searches stashes and commits for the entries since then
			c.args = c.args[:i]
		}
		input := ""
		if name == "serve" {
			input = cmdtest.Handshake
			for i, call := range toolCalls {
				input += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%s}}`+"\n", i+1, call)
			}
		}
		out, exit := g.cairnWith(input, c.args...)
		if name == "serve" && strings.Count(out, `"id":`) < len(toolCalls) {
			t.Errorf("the server answers %s", out)
		}
		if name == "begin" {
			session = cmdtest.MintedID.FindString(out)
		}
		if exit != c.exit {
			t.Errorf("cairn %s exits with %d, not %d: %s", strings.Join(c.args, " "), exit, c.exit, out)
		}
		if trace, err := os.ReadFile(g.traceFile()); err == nil {
			t.Errorf("cairn %s started a program of the clone's:\n%s", strings.Join(c.args, " "), trace)
			_ = os.Remove(g.traceFile())
		}
	}
	g.removeObject("HEAD~1:.cairn/tasks/T-1.md")
	_ = g.runErr("cat-file", "-p", "HEAD~1:.cairn/tasks/T-1.md")
	if _, err := os.Stat(g.traceFile()); err != nil {
		t.Error("git itself does not fetch what the clone has left out")
	}
	_ = os.Remove(g.traceFile())
	for _, args := range [][]string{{"check", "--base", "HEAD~1"}, {"doctor"}, {"history"}, {"show", "T-1"}} {
		out, _ := g.cairn(args...)
		if trace, err := os.ReadFile(g.traceFile()); err == nil {
			t.Errorf("cairn %s fetches what the clone has left out, and says %s\n%s", args, out, trace)
			_ = os.Remove(g.traceFile())
		}
	}
	if _, err := os.Stat(filepath.Join(g.dir, "ran")); err == nil {
		t.Error("a command of a task was run")
	}
	for _, name := range append(verbNames(), otherCommandNames()...) {
		if !tried[name] {
			t.Errorf("cairn %s was not tried", name)
		}
	}
}

func verbNames() []string {
	var out []string
	for _, v := range catalogue.All {
		out = append(out, verb.CommandName(v.Name))
	}
	return slices.Sorted(slices.Values(out))
}

func otherCommandNames() []string {
	var out []string
	for _, c := range otherCommands() {
		out = append(out, c.Name)
	}
	return out
}
