package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/cmd/complete"
	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/transfer"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/urfave/cli/v3"
)

// free are the arguments and flags that take what nobody can list: words of the caller's own, files, places in git,
// numbers, times, and what an earlier answer said. Everything else has to be completed.
var free = map[string]string{
	"title": "words", "body": "words", "text": "words", "reason": "words", "note": "words", "summary": "words", "choice": "words", "context": "words",
	"rationale": "words", "question": "words", "default": "words", "q": "words", "goal": "words", "role": "words", "progress": "words", "next": "words", "blockers": "words", "description": "words",
	"acceptance": "words", "verb": "words", "name": "words", "display_name": "words", "prefix": "words", "fingerprint": "words", "external_ref": "words",
	"target": "words", "client": "words", "model": "words", "counts": "words", "checks": "words", "check": "words", "manual": "words",
	"format": "a template", "jq": "a program", "item": "JSON", "items": "JSON", "left_out": "JSON", "input": "JSON",
	"tasks": "a file", "path": "a file", "worktree": "a file", "output": "a file", "static": "a file", "port": "a number", "key": "a file", "scope": "globs", "may_change": "globs", "paths": "globs", "read_paths": "globs",
	"sha": "git", "commit": "git", "branch": "git", "base": "git", "head": "git", "default_branch": "git", "namespace": "git", "baseline_commit": "git",
	"remote_url": "an address", "url": "an address", "repo": "an address", "webhook": "an address", "http": "an address",
	"number": "a number", "limit": "a number", "offset": "a number", "depth": "a number", "top_k": "a number", "min_similarity": "a number", "max_tasks": "a number",
	"max_decisions": "a number", "max_knowledge": "a number", "max_activity": "a number", "budget": "a number", "budget_tokens": "a number", "retries": "a number", "attempts": "a number", "jobs": "a number",
	"lease_seconds": "a time", "timeout_seconds": "a time", "ttl_seconds": "a time", "stall_seconds": "a time", "due": "a time", "due_before": "a time", "after": "a time", "repeat": "a time",
	"estimate": "a time", "since": "a time", "until": "a time", "older_than": "a time", "valid-after": "a time", "valid-before": "a time",
	"cursor": "an answer", "ack": "an answer", "expected_rev": "an answer", "expected_version": "an answer", "idempotency_key": "an answer",
	"line": "what the scripts give", "breaks": "what the scripts give",
}

// freeHere are fields that take words although others of their name do not.
var freeHere = map[string]bool{"begin label": true, "decision log options": true, "handoff create options": true, "ask options": true}

// completing is a workspace that has one record of everything, and the environment of its user.
type completing struct {
	env map[string]string
	dir string
	ids map[string]string // by the kind
}

func newCompleting(t *testing.T) completing {
	t.Helper()
	home := t.TempDir()
	w := verbtest.NewWorkspace(t)
	w.StateDir, w.ConfigDir = filepath.Join(home, "state", "cairn"), filepath.Join(home, "config", "cairn")
	verbtest.PrepareJobs(t, w)
	config := filepath.Join(w.Dir, ".cairn", "config.yaml")
	src, err := os.ReadFile(config)
	if err == nil {
		src = append(src, "repos:\n  - {name: web, url: github.com/o/web}\nviews:\n  - {name: mine, where: assignee=me}\nfields:\n  - {name: team, type: choice, choices: [red, blue]}\n"...)
		err = os.WriteFile(config, src, 0o644)
	}
	if err == nil {
		err = os.MkdirAll(filepath.Join(w.Dir, ".cairn", "templates"), 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(w.Dir, ".cairn", "templates", "bug.md"), []byte("---\nlabels: [bug]\n---\n"), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	must := func(name string, in verbtest.Args) verbtest.Result { return verbtest.Must(t, w, name, in) }
	others := must("create", verbtest.Args{"title": "On a branch"})
	verbtest.MoveToBranch(t, w, "side")
	made := must("create", verbtest.Args{"title": "One", "labels": []string{"walls"}, "checks": []verbtest.Args{{"desc": "runs", "cmd": "true"}, {"desc": "reads well", "type": "manual"}}})
	must("note", verbtest.Args{"id": made.ID, "text": "remember"})
	must("ref_add", verbtest.Args{"id": made.ID, "type": "link", "url": "https://example.com/"})
	gone := must("create", verbtest.Args{"title": "Gone"})
	must("delete", verbtest.Args{"id": gone.ID, "reason": "twice"})
	ids := map[string]string{"task": made.ID, "trash": gone.ID, "others": others.ID}
	ids["decision"] = must("decision_log", verbtest.Args{"title": "Locks", "choice": "One"}).ID
	ids["knowledge"] = must("knowledge_write", verbtest.Args{"title": "Locks", "body": "They hold."}).ID
	ids["milestone"] = must("milestone_add", verbtest.Args{"title": "Open the shop"}).ID
	ids["handoff"] = must("handoff_create", verbtest.Args{"title": "Locks?", "to": []string{"me"}, "options": []string{"both", "none"}}).ID
	ids["feedback"] = must("feedback_create", verbtest.Args{"title": "Slow", "body": "b"}).ID
	must("register", verbtest.Args{"actor": "agent:b", "role": "reads", "group": "crew", "capabilities": []string{"go"}})
	must("skill_upsert", verbtest.Args{"id": "review", "description": "d", "body": "b", "labels": []string{"craft"}})
	must("propose", verbtest.Args{"tasks": []verbtest.Args{{"title": "Two"}}, "summary": "s"})
	must("project_create", verbtest.Args{"path": "."})
	other := must("create", verbtest.Args{"title": "In a job"})
	ids["job"] = must("job_start", verbtest.Args{"id": other.ID, "executor": "mine"}).Job
	if _, err := verbtest.CallAny(t, w, "begin", verbtest.Args{"id": made.ID, "expected_actor": "human:lee", "series": "nightly", "idempotency_key": "first"}); err != nil {
		t.Fatal(err)
	}
	return completing{map[string]string{"XDG_STATE_HOME": filepath.Join(home, "state"), "XDG_CONFIG_HOME": filepath.Join(home, "config"), "HOME": home}, w.Dir, ids}
}

// line is what stands on each line of the answer for a line.
func (c completing) line(t *testing.T, dir, line string) []string {
	t.Helper()
	var out, bad bytes.Buffer
	exit := Main(t.Context(), Env{
		Args: []string{"completion", "fish", "--line", line}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &bad, Dir: dir,
		Getenv: func(name string) string { return c.env[name] }, Now: time.Now,
	})
	if exit != 0 || bad.Len() > 0 {
		t.Errorf("%q: exit %d, %s", line, exit, &bad)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

func (c completing) completes(t *testing.T, line string) bool {
	t.Helper()
	got := c.line(t, c.dir, line)
	return len(got) > 0 && got[0] != ""
}

// Whatever a command takes is completed, unless nobody could list it.
func TestSlowEveryArgumentIsCompleted(t *testing.T) {
	slowtest.Skip(t)
	c := newCompleting(t)
	asked := 0
	ask := func(what, line string) {
		t.Helper()
		if asked++; !c.completes(t, line) {
			t.Errorf("%s: nothing completes %q", what, line)
		}
	}
	for _, v := range catalogue.All {
		line := "cairn " + v.Command() + " "
		for _, f := range slices.DeleteFunc(slices.Clone(v.Fields()), func(f verb.Field) bool { return !f.Arg }) {
			if !isFree(v.Command(), f) {
				ask(v.Command()+" "+f.Name, line)
			}
			line += c.example(f) + " "
		}
		for _, f := range complete.FlagFields(v.Fields()) {
			if f.Type == verb.Boolean || isFree(v.Command(), f) {
				continue
			}
			ask(v.Command()+" --"+f.Flag, line+"--"+f.Flag+" ")
			ask(v.Command()+" --"+f.Flag, line+"--"+f.Flag+"=")
		}
	}
	var walk func(command *cli.Command, around string)
	walk = func(command *cli.Command, around string) {
		path := strings.TrimSpace(around + " " + command.Name)
		if len(command.Commands) > 0 {
			ask(path, "cairn "+path+" ")
		}
		for _, sub := range command.Commands {
			walk(sub, path)
		}
		v, isVerb := complete.VerbOf(path, "")
		if command.Hidden || isVerb && v.Name != transfer.ImportName {
			return
		}
		line := "cairn " + path + " "
		for word := range strings.FieldsSeq(strings.ReplaceAll(command.ArgsUsage, "ID | COMMAND", "ID")) {
			name := strings.ToLower(strings.Trim(word, "[].|"))
			if slices.Contains(freeArguments, name) {
				continue
			}
			ask(path+" "+word, line)
			line += map[string]string{"id": c.ids["task"], "job": c.ids["job"], "actor": "agent:b", "source": "beads"}[name] + " "
		}
		for _, f := range command.Flags {
			docs, ok := f.(cli.DocGenerationFlag)
			if !ok || !docs.TakesValue() || isFreeFlag(path, f.Names()[0]) || !textOf(f, "").shown { // which stands for an argument
				continue
			}
			for _, name := range f.Names() {
				ask(path+" "+complete.Dashed(name), line+complete.Dashed(name)+" ")
			}
		}
	}
	p := &program{Env: Env{Getenv: func(string) string { return "" }}}
	for _, command := range p.root().Commands {
		walk(command, "")
	}
	ask("--actor", "cairn --actor ")
	ask("commands", "cairn ")
	if asked < 300 {
		t.Errorf("only %d lines were asked about", asked)
	}
	t.Logf("%d lines", asked)
}

// freeArguments are those of commands that are no verbs. Without a command of its own, COMMAND stands for those below.
var freeArguments = []string{"command", "text", "message", "path", "dir", "file", "file|id", "key.pub", "key.pub|fingerprint", "base", "ours", "theirs", "marker-size", "topic"}

// isFreeFlag is isFree for a flag of a command that is no verb.
func isFreeFlag(path, flag string) bool {
	if slices.Contains([]string{"check --format", "check --output", "export --format", "pair --in", "export --repo"}, path+" --"+flag) {
		return false
	}
	if path == "import" && flag == "as" { // a new name
		return true
	}
	return free[flag] != "" || free[strings.ReplaceAll(flag, "-", "_")] != ""
}

func isFree(command string, f verb.Field) bool {
	return freeHere[command+" "+f.Name] || free[f.Name] != "" && f.From == "" && f.Values == nil && f.Names == ""
}

// example is what can stand for an argument.
func (c completing) example(f verb.Field) string {
	switch {
	case f.Name == "key":
		return "gate_review"
	case f.Name == "job":
		return c.ids["job"]
	case f.Names != "":
		return c.ids[f.Names]
	case f.From == "trash" || f.From == "others":
		return c.ids[string(f.From)]
	}
	return "x"
}
