package mcpserver_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/identity"
	"github.com/cairn-tasks/cairn/internal/verb/sessions"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/task"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// One repository, one agent, one person, two doors. The agent speaks MCP to a server process through the official
// client; the person types commands, each a process of its own. Together they take tasks from create to a close that
// the checks have earned, and on the way every verb of the core set is used as its reference describes it, through both
// doors.
func TestSlowOneStoryThroughBothDoors(t *testing.T) {
	slowtest.Skip(t)
	s := newStory(t)
	for _, chapter := range []struct {
		name string
		tell func(*story)
	}{
		{"identity: each door knows who acts", (*story).whoActs},
		{"protocol: each version is served alike", (*story).versions},
		{"create: the engine assigns id and state, and refuses a dangling dep", (*story).create},
		{"get: both doors return one shape, and ready is never stored", (*story).shape},
		{"list: every filter, through both doors", (*story).filters},
		{"claim: one's own is a no-op, another's is refused", (*story).claims},
		{"transition: the deps gate", (*story).depsGate},
		{"note: one entry and no other change", (*story).notes},
		{"run_checks: only what was asked for, with a log", (*story).runsChecks},
		{"transition: the checks gate, and a close that was earned", (*story).checksGate},
		{"transition: reopening is free, and a stale pass is run again", (*story).reopens},
		{"begin: the actor must match, and a retry is safe", (*story).begins},
		{"heartbeat: no file of the repository changes", (*story).heartbeats},
		{"get_session and list_sessions: both doors agree", (*story).readsSessions},
		{"finish: a summary hands the task over and closes nothing", (*story).finishes},
		{"cancel: the task is released and stays open", (*story).cancels},
		{"git: the diff shows what was meant and nothing else", (*story).diff},
	} {
		if !t.Run(chapter.name, func(t *testing.T) { s.T = t; chapter.tell(s) }) {
			t.FailNow() // what follows builds on it
		}
	}
}

// byHand is a task file that a person wrote, with comments and a key of their own.
const byHand = `---
id: PROJ-001
title: 'Receive webhooks'   # the first of the payment tasks
status: backlog

rank: 7                     # ours, not cairn's
checks:
  # the handler exists
  - desc: handler is there
    cmd: test -f handler.txt
---

We get webhooks from two vendors.
`

const (
	agentName  = "agent:claude-1"
	personName = "human:shah"
)

// story is the repository and the two doors to it, and the tasks and sessions that the chapters hand on.
type story struct {
	*testing.T
	dir   string
	bin   string
	agent *mcp.ClientSession

	feature string // the task that is closed in the end
	errand  string // a task without checks
	session string // the agent's on the errand
}

func newStory(t *testing.T) *story {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the checks of this story are POSIX shell")
	}
	isolateButBuild(t)
	t.Setenv("CAIRN_ACTOR", personName) // also where an agent runs the tests
	s := &story{T: t, dir: t.TempDir(), bin: filepath.Join(t.TempDir(), "cairn")}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", s.bin, "github.com/cairn-tasks/cairn/cmd/cairn")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	git(t, s.dir, "init", "-q")
	s.run("init", "--prefix", "PROJ")
	writeFile(t, s.task("PROJ-001"), byHand)
	s.run("trust", "--yes")
	s.commit("a workspace with one task")

	s.agent, _ = s.serve("")
	return s
}

// serve starts a server and connects the agent to it in a version of the protocol; the newest for "".
func (s *story) serve(version string) (*mcp.ClientSession, *exec.Cmd) {
	s.Helper()
	server := exec.Command(s.bin, "serve", "--actor", agentName, "--client", "story", "--toolsets", "core,history")
	server.Dir = s.dir
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "story", Version: "1"}, nil).
		Connect(s.Context(), &mcp.CommandTransport{Command: server}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = cs.Close() })
	return cs, server
}

// isolateButBuild is isolate, with the go command's caches left where they are.
func isolateButBuild(t *testing.T) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "-json", "GOCACHE", "GOMODCACHE", "GOPATH", "GOFLAGS", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	isolate(t)
	for name, value := range asObject(t, string(out)) {
		t.Setenv(name, fmt.Sprint(value))
	}
}

func (s *story) task(id string) string { return filepath.Join(s.dir, ".cairn", "tasks", id+".md") }

func (s *story) commit(message string) {
	s.Helper()
	git(s.T, s.dir, "add", "-A")
	git(s.T, s.dir, "commit", "-q", "-m", message)
}

// cli runs a command as a process of its own.
func (s *story) cli(args ...string) (stdout, stderr string, exit int) {
	s.Helper()
	cmd := exec.CommandContext(s.Context(), s.bin, args...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, &out, &errs
	err := cmd.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		s.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// run runs a command that must succeed.
func (s *story) run(args ...string) string {
	s.Helper()
	stdout, stderr, exit := s.cli(args...)
	if exit != 0 {
		s.Fatalf("cairn %v: exit %d\n%s%s", args, exit, stdout, stderr)
	}
	return stdout
}

// json runs a command that must succeed, with --json.
func (s *story) json(args ...string) object {
	s.Helper()
	return asObject(s.T, s.run(append(args, "--json")...))
}

// cliTask runs a command that returns a task.
func (s *story) cliTask(args ...string) verb.Task {
	s.Helper()
	return as[verb.Task](s.T, s.json(args...))
}

// confirmed has the person attest a check, and confirm it. At the command line that takes a terminal, on which somebody
// types.
func (s *story) confirmed(id record.ID, check string) verb.Task {
	s.Helper()
	w := verb.Workspace{
		Dir: s.dir, StateDir: filepath.Join(os.Getenv("XDG_STATE_HOME"), "cairn"), Actor: verb.As(personName),
		Rights: verb.Rights{Profile: verb.Maintainer}, Now: time.Now, Rand: rand.Reader,
		Confirm: func(context.Context, []task.Ask) error { return nil },
	}
	attest, _ := catalogue.Named("attest")
	input, err := json.Marshal(object{"id": id, "check": check, "pass": true})
	if err != nil {
		s.Fatal(err)
	}
	out, err := attest.Call(s.Context(), &w, input)
	if err != nil {
		s.Fatal(err)
	}
	return out.(verb.Task)
}

// cliSession runs a command that returns a session.
func (s *story) cliSession(args ...string) verb.Session {
	s.Helper()
	return as[verb.Session](s.T, s.json(args...))
}

// refusedCLI runs a command that must fail with a code and its exit number, and returns what it says on stderr.
func (s *story) refusedCLI(code record.Code, args ...string) string {
	s.Helper()
	stdout, _, exit := s.cli(append(args, "--json")...)
	failure := as[catalogue.Failure](s.T, asObject(s.T, stdout)).Error
	if failure.Code != code || exit != code.Info().Exit {
		s.Fatalf("cairn %v: exit %d, %s %s; want %s", args, exit, failure.Code, failure.Message, code)
	}
	return failure.Message
}

// tool calls a verb over MCP that returns a task.
func (s *story) tool(name string, args object) verb.Task {
	s.Helper()
	return does[verb.Task](s.T, s.agent, name, args)
}

// toolSession calls a verb over MCP that returns a session.
func (s *story) toolSession(name string, args object) verb.Session {
	s.Helper()
	return does[verb.Session](s.T, s.agent, name, args)
}

func (s *story) refused(code record.Code, name string, args object) catalogue.FailureBody {
	s.Helper()
	return refused(s.T, s.agent, code, name, args)
}

// entries counts the provenance of a task, as a person sees it.
func (s *story) entries(id string) int {
	s.Helper()
	return len(s.cliTask("get", id).Provenance)
}

// appends makes one write and checks that it appended exactly one entry of a kind.
func (s *story) appends(id string, did record.Did, write func() verb.Task) verb.Task {
	s.Helper()
	before := s.entries(id)
	after := write()
	if n := s.entries(id) - before; n != 1 {
		s.Fatalf("one write appended %d entries", n)
	}
	if last := after.Provenance[len(after.Provenance)-1]; last.Did != did {
		s.Fatalf("the entry says %q, want %q", last.Did, did)
	}
	return after
}

// leaves makes a call that must not touch a task's file.
func (s *story) leaves(id string, call func()) {
	s.Helper()
	before := readFile(s.T, s.task(id))
	call()
	if after := readFile(s.T, s.task(id)); after != before {
		s.Fatalf("the file of %s changed from\n%s\nto\n%s", id, before, after)
	}
}

func (s *story) want(what string, got, want any) {
	s.Helper()
	if !reflect.DeepEqual(got, want) {
		s.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

func (s *story) whoActs() {
	agent := does[identity.Out](s.T, s.agent, "identity", nil)
	s.want("the agent's actor", agent.Actor, record.Actor(agentName))
	s.want("the agent's client", agent.Client, "story")
	s.want("the agent's profile", agent.Profile, "operator")
	s.want("a version is given", agent.Version != "", true)

	person := as[identity.Out](s.T, s.json("identity"))
	s.want("the person's actor", person.Actor, record.Actor(personName))
	s.want("the workspace", person.Workspace, agent.Workspace)

	s.refused(record.InvalidInput, "claim", object{"id": "PROJ-001", "actor": personName})
}

func (s *story) versions() {
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		cs, server := s.serve(version)
		s.want("the version that was agreed", cs.InitializeResult().ProtocolVersion, version)
		tools, err := cs.ListTools(s.Context(), nil)
		s.want("tools/list fails", err, nil)
		s.want("there are tools", len(tools.Tools) > 0, true)
		s.want("the agent, in another window", does[identity.Out](s.T, cs, "identity", nil).Actor, record.Actor(agentName+"-2"))
		refused(s.T, cs, record.NotFound, "get", object{"id": "PROJ-404"})
		s.want("closing fails", cs.Close(), nil)
		s.want("the exit number at the end of input", server.ProcessState.ExitCode(), 0)
	}
}

// minted is the form of an id that the engine assigns.
var minted = regexp.MustCompile(`^PROJ-[0-9a-hjkmnp-tv-z]{14}$`)

func (s *story) create() {
	s.refused(record.DanglingDep, "create", object{"title": "Retry", "deps": []string{"PROJ-404"}})
	s.refusedCLI(record.DanglingDep, "create", "Retry", "--dep", "PROJ-404")
	s.refused(record.InvalidInput, "create", object{"title": "Cheat", "checks": []object{{"desc": "tests", "cmd": "false", "result": "pass"}}})

	made := s.tool("create", object{
		"title": "Add idempotency keys",
		"body":  "Dedupe webhook deliveries.",
		"deps":  []string{"PROJ-001"},
		"checks": []object{
			{"desc": "tests pass", "cmd": "grep -q dedupe keys.txt || { echo 'no keys yet' >&2; exit 1; }", "cwd": "."},
			{"desc": "docs build", "cmd": "echo built", "timeout": 60},
			{"desc": "reviewed by a human", "type": "manual"},
		},
	})
	s.feature = string(made.ID)
	if !minted.MatchString(s.feature) {
		s.Errorf("the id is %q", s.feature)
	}
	s.want("state", made.Status, record.Status("backlog"))
	s.want("body", strings.TrimSpace(made.Body), "Dedupe webhook deliveries.")
	s.want("ready", made.Ready, false)
	s.want("blocked by", made.BlockedBy, []record.ID{"PROJ-001"})
	s.want("entries", len(made.Provenance), 1)
	s.want("created by", made.Provenance[0].Who, record.Actor(agentName))
	for _, c := range made.Checks {
		s.want("result of "+c.Desc, c.Result, record.Pending)
	}

	errand := s.cliTask("create", "Write it down", "--body", "One page.")
	s.errand = string(errand.ID)
	s.want("created by", errand.Provenance[0].Who, record.Actor(personName))
	s.want("checks", len(errand.Checks), 0)
	s.want("ready", errand.Ready, true)

	files, err := filepath.Glob(s.task("*"))
	if err != nil {
		s.Fatal(err)
	}
	s.want("files, none of a refused create among them", len(files), 3)
	s.commit("two more tasks")
}

// shapeKeys are the keys of the reference's task shape that a task with a dep which is open has; it is not ready, so
// ready is left out.
var shapeKeys = []string{"id", "title", "status", "deps", "checks", "provenance", "body"}

func (s *story) shape() {
	overMCP, _ := call(s.T, s.agent, "get", object{"id": s.feature, "mode": "full"})
	s.want("both doors return the same", overMCP, s.json("get", s.feature))
	for _, key := range shapeKeys {
		if _, there := overMCP[key]; !there {
			s.Errorf("the task has no %q", key)
		}
	}
	check := overMCP["checks"].([]any)[0].(object)
	s.want("cwd of the check that names one", check["cwd"], any("."))
	entry := overMCP["provenance"].([]any)[0].(object)
	s.want("an entry says what was done", entry["did"], any("created"))
	if file := readFile(s.T, s.task(s.feature)); strings.Contains(file, "ready") {
		s.Errorf("ready is stored:\n%s", file)
	}
	s.want("a key of the file that is not cairn's", s.tool("get", object{"id": "PROJ-001"}).Extra, object{"rank": 7.0})
}

// ids lists tasks through both doors, which must agree, and returns their ids, sorted.
func (s *story) ids(args object, flags ...string) []string {
	s.Helper()
	overMCP, _ := call(s.T, s.agent, "list", args)
	s.want(fmt.Sprintf("list %v and list %v", args, flags), overMCP, s.json(append([]string{"list"}, flags...)...))
	var out []string
	for _, row := range as[tasks.ListOut](s.T, overMCP).Tasks {
		out = append(out, string(row.ID))
	}
	slices.Sort(out)
	return out
}

func (s *story) sorted(ids ...string) []string { slices.Sort(ids); return ids }

func (s *story) filters() {
	all := s.sorted("PROJ-001", s.feature, s.errand)
	s.want("no filter", s.ids(nil), all)
	s.want("status", s.ids(object{"status": "backlog"}, "--status", "backlog"), all)
	s.want("another status", s.ids(object{"status": "done"}, "--status", "done"), []string(nil))
	s.want("ready", s.ids(object{"ready": true}, "--ready"), s.sorted("PROJ-001", s.errand))
	s.want("not ready", s.ids(object{"ready": false}, "--ready=false"), []string{s.feature})
	s.want("what can start now", s.ids(object{"ready": true, "status": "backlog"}, "--ready", "--status", "backlog"),
		s.sorted("PROJ-001", s.errand))
	s.want("assignee", s.ids(object{"assignee": agentName}, "--assignee", agentName), []string(nil))
	s.want("execution", s.ids(object{"execution": "active"}, "--execution", "active"), []string(nil))
	s.want("open and closed", s.ids(object{"status": "open"}, "--status", "open"), all)
	s.refused(record.UnknownState, "list", object{"status": "doing"})
	s.refused(record.InvalidInput, "list", object{"execution": "running"})
}

func (s *story) claims() {
	mine := s.appends("PROJ-001", record.Claimed, func() verb.Task { return s.tool("claim", object{"id": "PROJ-001"}) })
	s.want("assignee", mine.Assignee, record.Actor(agentName))
	s.want("assignee filter", s.ids(object{"assignee": agentName}, "--assignee", agentName), []string{"PROJ-001"})

	s.leaves("PROJ-001", func() {
		s.tool("claim", object{"id": "PROJ-001"})
		message := s.refusedCLI(record.AlreadyClaimed, "claim", "PROJ-001")
		s.want("the refusal names the holder", strings.Contains(message, agentName), true)
	})

	s.appends(s.errand, record.Claimed, func() verb.Task { return s.cliTask("claim", s.errand) })
	s.leaves(s.errand, func() {
		s.run("claim", s.errand)
		s.refused(record.AlreadyClaimed, "claim", object{"id": s.errand})
	})
	s.appends(s.errand, record.Released, func() verb.Task { return s.cliTask("release", s.errand) })
}

func (s *story) depsGate() {
	s.leaves(s.feature, func() {
		failure := s.refused(record.DepsOpen, "transition", object{"id": s.feature, "to": "in_progress"})
		s.want("what it waits for", s.tool(failure.NextTool, failure.NextArguments).ID, record.ID("PROJ-001"))
		s.refusedCLI(record.DepsOpen, "transition", s.feature, "in_progress")
		s.refused(record.UnknownState, "transition", object{"id": s.feature, "to": "doing"})
	})
	writeFile(s.T, filepath.Join(s.dir, "handler.txt"), "handler\n")
	closed := s.appends("PROJ-001", record.Transitioned, func() verb.Task {
		return s.tool("transition", object{"id": "PROJ-001", "to": "done"})
	})
	s.want("state", closed.Status, record.Status("done"))
	s.want("now the other is ready", s.tool("get", object{"id": s.feature}).Ready, true)
	moved := s.appends(s.feature, record.Transitioned, func() verb.Task {
		return s.cliTask("transition", s.feature, "in_progress")
	})
	s.want("state", moved.Status, record.Status("in_progress"))
}

func (s *story) notes() {
	for _, write := range []func() verb.Task{
		func() verb.Task {
			return s.tool("note", object{"id": s.feature, "text": "blocked on upstream API change"})
		},
		func() verb.Task { return s.cliTask("note", s.feature, "blocked on upstream API change") },
	} {
		before := s.tool("get", object{"id": s.feature})
		after := s.appends(s.feature, record.Noted, write)
		s.want("text", after.Provenance[len(after.Provenance)-1].Text, "blocked on upstream API change")
		s.want("state", after.Status, before.Status)
		s.want("checks", after.Checks, before.Checks)
	}
}

func (s *story) runsChecks() {
	one := s.appends(s.feature, record.Checked, func() verb.Task {
		return s.tool("run_checks", object{"id": s.feature, "only": []int{0}})
	})
	s.want("results", resultsOf(one), []record.Result{record.Fail, record.Pending, record.Pending})
	s.want("checks that ran", len(one.Run.Checks), 1)
	s.want("state", one.Status, record.Status("in_progress"))
	log := filepath.Base(one.Run.Log)
	s.want("the log's folder", filepath.ToSlash(filepath.Dir(one.Run.Log)), ".cairn/runs")
	if !strings.HasPrefix(log, s.feature+"-") || !strings.HasSuffix(log, ".log") {
		s.Errorf("the log is called %q", log)
	}
	if text := readFile(s.T, filepath.Join(s.dir, one.Run.Log)); !strings.Contains(text, "no keys yet") {
		s.Errorf("the log does not hold what the check printed:\n%s", text)
	}
	s.want("git ignores the log", git(s.T, s.dir, "status", "--porcelain", "--", ".cairn/runs"), "")

	stdout, _, exit := s.cli("run-checks", s.feature, "--json")
	all := as[verb.Task](s.T, asObject(s.T, stdout))
	s.want("exit number when a check fails", exit, 4)
	s.want("results, the manual one passed over", resultsOf(all), []record.Result{record.Fail, record.Pass, record.Pending})
	if _, _, exit := s.cli("run_checks", s.feature, "--only", "1"); exit != 0 {
		s.Errorf("running what passes exits with %d", exit)
	}
	s.refused(record.InvalidInput, "run_checks", object{"id": s.feature, "only": []int{3}})
}

func resultsOf(t verb.Task) []record.Result {
	var out []record.Result
	for _, c := range t.Checks {
		out = append(out, c.Result)
	}
	return out
}

func (s *story) checksGate() {
	before := s.entries(s.feature)
	failure := s.refused(record.ChecksFailed, "transition", object{"id": s.feature, "to": "done"})
	if run, _ := json.Marshal(failure.Details); !strings.Contains(string(run), "no keys yet") {
		s.Errorf("the refusal does not show the output: %s", run)
	}
	s.want("the next call", failure.NextTool, "run_checks")
	s.want("state", s.tool("get", object{"id": s.feature}).Status, record.Status("in_progress"))
	s.want("a refused close records its run in one entry", s.entries(s.feature)-before, 1)

	writeFile(s.T, filepath.Join(s.dir, "keys.txt"), "dedupe\n")
	s.refused(record.ChecksPending, "transition", object{"id": s.feature, "to": "done"})
	s.refused(record.Forbidden, "attest", object{"id": s.feature, "check": "reviewed", "pass": true})
	s.appends(s.feature, record.Attested, func() verb.Task {
		return s.confirmed(record.ID(s.feature), "reviewed")
	})
	closed := s.appends(s.feature, record.Transitioned, func() verb.Task {
		return s.tool("transition", object{"id": s.feature, "to": "done"})
	})
	s.want("state", closed.Status, record.Status("done"))
	s.want("results", resultsOf(closed), []record.Result{record.Pass, record.Pass, record.Pass})
	s.refused(record.TaskClosed, "claim", object{"id": s.feature})
}

func (s *story) reopens() {
	s.commit("keys")
	reopened := s.appends(s.feature, record.Transitioned, func() verb.Task {
		return s.tool("transition", object{"id": s.feature, "to": "in_review"})
	})
	s.want("state", reopened.Status, record.Status("in_review"))
	again := s.appends(s.feature, record.Transitioned, func() verb.Task { return s.cliTask("transition", s.feature, "done") })
	s.want("a fresh pass is not run again", again.Run == nil, true)

	s.run("transition", s.feature, "in_progress")
	writeFile(s.T, filepath.Join(s.dir, "keys.txt"), "nothing\n")
	s.refusedCLI(record.ChecksFailed, "transition", s.feature, "done")
	writeFile(s.T, filepath.Join(s.dir, "keys.txt"), "dedupe\n")
	s.want("closed again", s.cliTask("transition", s.feature, "done").Status, record.Status("done"))
}

func (s *story) begins() {
	begin := func(actor, key string) object {
		return object{"id": s.errand, "expected_actor": actor, "idempotency_key": key, "model": "some-model"}
	}
	s.leaves(s.errand, func() { s.refused(record.IdentityMismatch, "begin", begin(personName, "try-1")) })

	before := s.entries(s.errand)
	ses := s.toolSession("begin", begin(agentName, "try-1"))
	s.session = ses.ID
	s.want("a session's task", ses.Task, record.ID(s.errand))
	s.want("a session's actor", ses.Actor, record.Actor(agentName))
	s.want("a session's status", string(ses.Status), "active")
	s.want("a session's client and model", ses.Client+" "+ses.Model, "story some-model")
	s.want("a session's branch", ses.Branch, "main")
	s.want("a session's head", ses.Head, strings.TrimSpace(git(s.T, s.dir, "rev-parse", "HEAD")))

	t := s.cliTask("get", s.errand)
	s.want("one entry", len(t.Provenance)-before, 1)
	s.want("holder", t.Assignee, record.Actor(agentName))
	s.want("state", t.Status, record.Status("in_progress"))
	s.want("at work", s.ids(object{"execution": "active"}, "--execution", "active"), []string{s.errand})

	s.leaves(s.errand, func() {
		replay := s.toolSession("begin", begin(agentName, "try-1"))
		s.want("a retry returns the same session", replay.ID, ses.ID)
		s.want("a retry says so", replay.Replayed, true)
		other := begin(agentName, "try-1")
		other["model"] = "another-model"
		s.refused(record.Conflict, "begin", other)
		s.refused(record.SessionLive, "begin", begin(agentName, "try-2"))
		s.refusedCLI(record.AlreadyClaimed, "begin", s.errand, "--expected-actor", personName, "--idempotency-key", "try-3")
	})
}

func (s *story) heartbeats() {
	s.commit("a session")
	beat := s.toolSession("heartbeat", object{"session": s.session, "progress": "half a page"})
	s.want("progress", beat.Progress, "half a page")
	s.want("health", string(beat.Health), "active")
	s.cliSession("heartbeat", s.session, "most of a page", "--actor", agentName)
	s.refusedCLI(record.NotYours, "heartbeat", s.session, "I help")
	s.want("what git sees", git(s.T, s.dir, "status", "--porcelain"), "")
}

func (s *story) readsSessions() {
	overMCP, _ := call(s.T, s.agent, "get_session", object{"session": s.session})
	s.want("both doors return the same", overMCP, s.json("get-session", s.session))
	s.want("progress", overMCP["progress"], any("most of a page"))
	for _, tt := range []struct {
		name  string
		args  object
		flags []string
		want  int
	}{
		{"no filter", nil, nil, 1},
		{"task", object{"task": s.errand}, []string{"--task", s.errand}, 1},
		{"another task", object{"task": s.feature}, []string{"--task", s.feature}, 0},
		{"actor", object{"actor": agentName}, []string{"--actor", agentName}, 1},
		{"status", object{"status": "finished"}, []string{"--status", "finished"}, 0},
		{"health", object{"health": "active"}, []string{"--health", "active"}, 1},
	} {
		overMCP, _ := call(s.T, s.agent, "list_sessions", tt.args)
		s.want(tt.name, overMCP, s.json(append([]string{"list-sessions"}, tt.flags...)...))
		s.want(tt.name, len(as[sessions.ListOut](s.T, overMCP).Sessions), tt.want)
	}
}

func (s *story) finishes() {
	s.leaves(s.errand, func() {
		s.refused(record.InvalidInput, "finish", object{"session": s.session})
		s.refused(record.InvalidInput, "finish", object{"session": s.session, "summary": " "})
		s.refused(record.InvalidInput, "finish", object{"session": s.session, "summary": "done", "head": "abc123"})
	})
	before := s.entries(s.errand)
	done := s.toolSession("finish", object{"session": s.session, "summary": "one page, as asked", "head": "HEAD"})
	s.want("status", string(done.Status), "finished")
	s.want("health", string(done.Health), "awaiting_review")
	s.want("summary", done.Summary, "one page, as asked")
	s.want("the whole name of the head", len(done.Head), 40)
	s.want("one entry", s.entries(s.errand)-before, 1)
	t := s.cliTask("get", s.errand)
	s.want("handed over, not closed", t.Status, record.Status("in_review"))
	s.want("holder", t.Assignee, record.Actor(agentName))
	s.want("waiting", s.ids(object{"execution": "awaiting_review"}, "--execution", "awaiting_review"), []string{s.errand})
	s.refused(record.SessionEnded, "heartbeat", object{"session": s.session, "progress": "more"})
	s.want("closed by a person", s.cliTask("transition", s.errand, "done").Status, record.Status("done"))
}

// The command line is the agent here, to show that the session verbs have twins.
func (s *story) cancels() {
	chore := string(s.cliTask("create", "Tidy up").ID)
	second := "agent:gemini"
	ses := s.cliSession("begin", chore, "--expected-actor", second, "--idempotency-key", "k", "--actor", second)
	s.refused(record.NotYours, "cancel", object{"session": ses.ID, "reason": "not mine"})
	before := s.entries(chore)
	ended := s.cliSession("cancel", ses.ID, "no access", "--actor", second)
	s.want("status", string(ended.Status), "canceled")
	s.want("reason", ended.Reason, "no access")
	t := s.tool("get", object{"id": chore})
	s.want("one entry", len(t.Provenance)-before, 1)
	s.want("holder", t.Assignee, record.Actor(""))
	s.want("still open", t.Status, record.Status("in_progress"))

	s.refused(record.NotYours, "begin", object{"id": chore, "expected_actor": agentName, "idempotency_key": "k"})
	another := s.toolSession("begin", object{"id": chore, "expected_actor": agentName, "idempotency_key": "k1"})
	s.want("canceled over MCP", string(s.toolSession("cancel", object{"session": another.ID, "reason": "enough"}).Status), "canceled")
	finished := s.cliSession("begin", chore, "--expected-actor", personName, "--idempotency-key", "k2")
	s.want("finished on the command line", string(s.cliSession("finish", finished.ID, "tidy").Status), "finished")
}

// meant is what the story did to the task that a person wrote: lines that went, and lines that came, times left out.
const meant = `
-status: backlog
+status: done
+assignee: agent:claude-1
+    result: pass
+provenance:
+  - {who: 'agent:claude-1', at: TIME, did: claimed, assignee: 'agent:claude-1'}
+  - {who: 'agent:claude-1', at: TIME, did: transitioned, from: backlog, to: done, results: [{check: KEY, result: pass}], commit: HASH, tree: HASH}
`

var varying = []struct {
	form *regexp.Regexp
	word string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`), "TIME"},
	{regexp.MustCompile(`check: '?[0-9a-f]{16}'?`), "check: KEY"},
	{regexp.MustCompile(`(commit|tree): '?[0-9a-f]{16,}'?`), "$1: HASH"},
}

func (s *story) diff() {
	first := strings.Fields(git(s.T, s.dir, "rev-list", "--max-parents=0", "HEAD"))[0]
	var changed []string
	for line := range strings.Lines(git(s.T, s.dir, "diff", "-U0", first, "--", ".cairn/tasks/PROJ-001.md")) {
		if strings.HasPrefix(line, "---") || strings.HasPrefix(line, "+++") || !strings.ContainsAny(line[:1], "+-") {
			continue
		}
		for _, v := range varying {
			line = v.form.ReplaceAllString(line, v.word)
		}
		changed = append(changed, line)
	}
	if got := "\n" + strings.Join(changed, ""); got != meant {
		s.Errorf("the diff is%s\nwant%s", got, meant)
	}
	if leftovers, _ := filepath.Glob(filepath.Join(s.dir, ".cairn", "*", "*.tmp")); len(leftovers) > 0 {
		s.Errorf("left behind: %v", leftovers)
	}
	s.want("nothing was staged", git(s.T, s.dir, "diff", "--cached", "--name-only"), "")
	if _, err := os.Stat(filepath.Join(s.dir, ".git", "cairn")); err != nil {
		s.Errorf("live state lies in the git directory: %v", err)
	}
}
