package executor_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/proc"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/work/executor"
	"github.com/cairn-tasks/cairn/internal/work/executor/executortest"
	"github.com/cairn-tasks/cairn/internal/work/job"
)

// bench is a run of the fake, in a folder of its own.
type bench struct {
	executor.Run
	exec   executor.Executor
	traced func(proc.Trace)
	mu     sync.Mutex
	events []job.Event
	out    strings.Builder
}

func newBench(t *testing.T, dialect string, orders ...string) *bench {
	t.Helper()
	table, err := executor.Load(executortest.Config(t))
	if err != nil {
		t.Fatal(err)
	}
	e, err := table.Get(dialect)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{exec: e, traced: func(proc.Trace) {}}
	var prompt strings.Builder
	prompt.WriteString("Do this, please.\n")
	for _, o := range orders {
		prompt.WriteString("fake: " + o + "\n")
	}
	b.Run = executor.Run{Dir: t.TempDir(), Private: t.TempDir(), Prompt: prompt.String(), Output: job.Edits, Stdout: &b.out, Event: b.hear}
	return b
}

func (b *bench) hear(e job.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = append(b.events, e)
}

// start runs it, for at most five minutes.
func (b *bench) start(t *testing.T) executor.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	r, err := b.exec.Start(proc.Traced(ctx, b.traced), b.Run)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (b *bench) has(kind job.EventType) (all []job.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.events {
		if e.Type == kind {
			all = append(all, e)
		}
	}
	return all
}

// everyDialect runs a test for each dialect but those that are named.
func everyDialect(t *testing.T, test func(t *testing.T, dialect string), not ...string) {
	t.Helper()
	for _, d := range executortest.Dialects {
		if strings.Contains(strings.Join(not, " "), d) {
			continue
		}
		t.Run(d, func(t *testing.T) {
			t.Parallel()
			test(t, d)
		})
	}
}

func TestAnAgentDoesItsWork(t *testing.T) {
	everyDialect(t, func(t *testing.T, dialect string) {
		b := newBench(t, dialect, "write a/b.txt hello", "say it is done")
		r := b.start(t)
		if !r.Done || r.Failed || r.Canceled || r.TimedOut {
			t.Errorf("result %+v", r)
		}
		if text, err := os.ReadFile(filepath.Join(b.Dir, "a/b.txt")); string(text) != "hello\n" {
			t.Errorf("wrote %q (%v)", text, err)
		}
		if !strings.HasSuffix(strings.TrimSpace(r.Final), "it is done") {
			t.Errorf("final message %q", r.Final)
		}
		if dialect == "command" {
			return
		}
		if r.ResumeID == "" || len(b.has(job.EventSession)) != 1 {
			t.Errorf("session %q, %v", r.ResumeID, b.has(job.EventSession))
		}
		starts, ends := b.has(job.EventToolStart), b.has(job.EventToolEnd)
		if len(starts) != 1 || len(ends) != 1 || starts[0].ID != ends[0].ID || !strings.Contains(starts[0].Text, "a/b.txt") || ends[0].Failed {
			t.Errorf("tool %v, %v", starts, ends)
		}
		if end := b.has(job.EventEnd); len(end) != 1 || end[0].Text != "it is done" {
			t.Errorf("end %v", end)
		}
	})
}

var mcp = executor.MCP{
	Command: "/bin/cairn", Args: []string{"serve", "--actor", `agent:x "1"`}, Env: map[string]string{"CAIRN_EXTRA": "a=b"},
}

func TestWhatAnAgentIsGiven(t *testing.T) {
	everyDialect(t, func(t *testing.T, dialect string) {
		file := filepath.Join(t.TempDir(), "report")
		b := newBench(t, dialect, "report "+file)
		b.MCP, b.Env, b.Model = mcp, []string{"CAIRN_SESSION=ses-1", "CAIRN_JOB=job-1"}, "fast"
		b.start(t)
		r := executortest.ReadReport(t, file)

		if r.Prompt != b.Prompt && dialect != "acp" || !strings.Contains(r.Prompt, "Do this, please.") {
			t.Errorf("prompt %q", r.Prompt)
		}
		if r.Stdin != "" && r.Stdin != b.Prompt {
			t.Errorf("standard input %q", r.Stdin)
		}
		env := map[string]string{}
		for _, v := range r.Env {
			name, value, _ := strings.Cut(v, "=")
			env[name] = value
		}
		for _, gone := range []string{"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "GIT_DIR", "CAIRN_ACTOR", "CODEX_SANDBOX_NETWORK_DISABLED", "OLDPWD"} {
			if v, ok := env[gone]; ok {
				t.Errorf("%s=%s is inherited", gone, v)
			}
		}
		if env["PWD"] != b.Dir || env["CLAUDE_CODE_USE_BEDROCK"] != "1" || env["CAIRN_SESSION"] != "ses-1" || env["CAIRN_JOB"] != "job-1" || env["PATH"] == "" {
			t.Errorf("environment: PWD=%s, session %s, provider %s", env["PWD"], env["CAIRN_SESSION"], env["CLAUDE_CODE_USE_BEDROCK"])
		}
		if dialect == "command" && env["CAIRN_PROMPT"] != filepath.Join(b.Private, "prompt.md") {
			t.Errorf("CAIRN_PROMPT=%s", env["CAIRN_PROMPT"])
		}
		if dialect != "command" && dialect != "acp" && !strings.Contains(strings.Join(r.Args, " "), "fast") {
			t.Errorf("the model is not in %q", r.Args)
		}
		sameServer(t, b.exec.HandsOver(), r)
		if left, err := os.ReadDir(b.Dir); err != nil || len(left) != 0 {
			t.Errorf("the work tree holds %v (%v)", left, err)
		}
	})
}

// sameServer checks that an agent that can hand over was given cairn as its MCP server.
func sameServer(t *testing.T, handsOver bool, r executortest.Report) {
	t.Helper()
	if !handsOver {
		if r.MCP != nil {
			t.Errorf("it was given %+v, and said to hand nothing over", r.MCP)
		}
		return
	}
	if r.MCP == nil || r.MCP.Command != mcp.Command || !slices.Equal(r.MCP.Args, mcp.Args) {
		t.Fatalf("MCP server %+v", r.MCP)
	}
	for name, want := range map[string]string{"CAIRN_EXTRA": "a=b", "CAIRN_SESSION": "ses-1", "CAIRN_JOB": "job-1"} {
		if r.MCP.Env[name] != want {
			t.Errorf("the server is given %s=%q", name, r.MCP.Env[name])
		}
	}
}

func TestAnAgentGoesOnWithItsSession(t *testing.T) {
	everyDialect(t, func(t *testing.T, dialect string) {
		file := filepath.Join(t.TempDir(), "report")
		b := newBench(t, dialect, "report "+file, "resumed say again", "fresh say anew")
		b.Resume, b.MCP, b.Env = "0199fa4e-0000-7000-8000-00000000000a", mcp, []string{"CAIRN_SESSION=ses-1", "CAIRN_JOB=job-1"}
		r := b.start(t)
		got := executortest.ReadReport(t, file)
		if got.Resume != b.Resume || r.ResumeID != b.Resume || r.Final != "again" {
			t.Errorf("went on with %q, then %q: %q", got.Resume, r.ResumeID, r.Final)
		}
		sameServer(t, b.exec.HandsOver(), executortest.Report{MCP: got.MCP})
	}, "command")
}

func TestACommandHasNoSession(t *testing.T) {
	b := newBench(t, "command")
	b.Resume = "x"
	if _, err := b.exec.Start(t.Context(), b.Run); record.CodeOf(err) != record.InvalidSpec {
		t.Error(err)
	}
}

// A prompt may be longer than an argument of a program.
func TestALongPrompt(t *testing.T) {
	everyDialect(t, func(t *testing.T, dialect string) {
		file := filepath.Join(t.TempDir(), "report")
		b := newBench(t, dialect)
		text := "fake: report " + file + "\n" + strings.Repeat("Every line counts. {prompt} {budget}\n", 10_000)
		b.Prompt, b.Env = text, []string{"FAKE_AGENT=fake: report " + file}
		if r := b.start(t); !r.Done || r.Failed {
			t.Errorf("result %+v", r)
		}
		got := executortest.ReadReport(t, file).Prompt
		if dialect == "cursor" {
			path := filepath.Join(b.Private, "prompt.md")
			src, err := os.ReadFile(path)
			if err != nil || string(src) != text || !strings.Contains(got, path) {
				t.Errorf("prompt %q, %d bytes in the file (%v)", got, len(src), err)
			}
		} else if got != text {
			t.Errorf("%d bytes of %d", len(got), len(text))
		}
	})
}

func TestSlowAnAgentThatHangsEndsAtItsDeadline(t *testing.T) {
	slowtest.Skip(t)
	everyDialect(t, func(t *testing.T, dialect string) {
		b := newBench(t, dialect, "write before.txt x", "deaf", "hang")
		b.exec = b.exec.Hurried()
		ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
		defer cancel()
		r, err := b.exec.Start(ctx, b.Run)
		if err != nil || r.Done || !r.TimedOut || r.Canceled || r.Failed {
			t.Errorf("result %+v (%v)", r, err)
		}
	})
}

func TestAnAgentThatIsCanceled(t *testing.T) {
	everyDialect(t, func(t *testing.T, dialect string) {
		file := filepath.Join(t.TempDir(), "report")
		b := newBench(t, dialect, "report "+file, "hang")
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			executortest.ReadReport(t, file)
			cancel()
		}()
		r, err := b.exec.Start(ctx, b.Run)
		if err != nil || r.Done || !r.Canceled || r.TimedOut || r.Signal != "" {
			t.Errorf("result %+v (%v)", r, err)
		}
	})
}

func TestAnAgentThatSaysItFailed(t *testing.T) {
	everyDialect(t, func(t *testing.T, dialect string) {
		r := newBench(t, dialect, "fail no credit left").start(t)
		if !r.Done || !r.Failed || !strings.Contains(r.Final, "no credit left") {
			t.Errorf("result %+v", r)
		}
		if dialect != "command" && r.Exit != 0 {
			t.Errorf("exit status %d: the test is about one that ends with 0", r.Exit)
		}
	})
}

func TestAnAgentThatBreaksOff(t *testing.T) {
	everyDialect(t, func(t *testing.T, dialect string) {
		for order, signal := range map[string]string{"exit 0": "", "exit 3": "", "die": "SIGKILL"} {
			b := newBench(t, dialect, order)
			r := b.start(t)
			if dialect == "command" && order != "die" {
				if !r.Done || r.Failed != (order == "exit 3") {
					t.Errorf("%s: result %+v", order, r)
				}
				continue
			}
			if r.Done || r.Failed != (order != "exit 0") || r.Signal != signal {
				t.Errorf("%s: result %+v", order, r)
			}
			if errs := b.has(job.EventError); len(errs) != 1 || !strings.Contains(errs[0].Text, "without having said that it is done") {
				t.Errorf("%s: events %v", order, errs)
			}
		}
	})
}

// A program that said that it is done, and stays, has succeeded.
func TestAnAgentThatStays(t *testing.T) {
	everyDialect(t, func(t *testing.T, dialect string) {
		b := newBench(t, dialect, "deaf", "say good bye", "stay")
		b.exec = b.exec.Hurried()
		if r := b.start(t); !r.Done || r.Failed || r.Final != "good bye" || r.Canceled || r.TimedOut || r.Signal != "" {
			t.Errorf("result %+v", r)
		}
	}, "command")
}

func TestGarbageIsKeptAndSkipped(t *testing.T) {
	everyDialect(t, func(t *testing.T, dialect string) {
		b := newBench(t, dialect, "garbage", "write x y", "garbage")
		if r := b.start(t); !r.Done || r.Failed {
			t.Errorf("result %+v", r)
		}
		if n := strings.Count(b.out.String(), "no JSON at all"); n != 2 {
			t.Errorf("the log has it %d times", n)
		}
	})
}

func TestSlowAFloodEndsWell(t *testing.T) {
	slowtest.Skip(t)
	everyDialect(t, func(t *testing.T, dialect string) {
		size := 12
		if dialect == "claude" {
			size = 100
		}
		b := newBench(t, dialect, fmt.Sprintf("flood %d", size), "say after the flood")
		written := &count{}
		b.Stdout = written
		if r := b.start(t); !r.Done || r.Failed || !strings.HasSuffix(strings.TrimSpace(r.Final), "after the flood") {
			t.Errorf("result %.200v", r)
		}
		if written.n < size<<20 {
			t.Errorf("%d bytes in the log", written.n)
		}
		for _, e := range b.has(job.EventText) {
			if len(e.Text) > job.MaxEventText {
				t.Fatalf("an event of %d bytes", len(e.Text))
			}
		}
	})
}

type count struct{ n int }

func (c *count) Write(p []byte) (int, error) {
	c.n += len(p)
	return len(p), nil
}

func TestSlowALineThatIsTooLong(t *testing.T) {
	slowtest.Skip(t)
	everyDialect(t, func(t *testing.T, dialect string) {
		b := newBench(t, dialect, "long 8", "long 12", "say after the line")
		b.Stdout = nil
		if r := b.start(t); !r.Done || r.Failed || !strings.HasSuffix(strings.TrimSpace(r.Final), "after the line") {
			t.Errorf("result %.200v", r)
		}
		left := 0
		for _, e := range b.has(job.EventError) {
			if strings.Contains(e.Text, "left out") {
				left++
			}
		}
		if left != 1 {
			t.Errorf("%d lines left out, want 1", left)
		}
	})
}

func TestWhatAnAgentTells(t *testing.T) {
	for dialect, want := range map[string][]job.EventType{
		"claude":   {job.EventPermission, job.EventPlan, job.EventRetry, job.EventUsage},
		"amp":      {job.EventPermission, job.EventPlan, job.EventUsage},
		"codex":    {job.EventPermission, job.EventPlan, job.EventRetry, job.EventUsage},
		"opencode": {job.EventUsage},
		"cursor":   {job.EventPermission},
		"copilot":  {job.EventPermission},
		"droid":    {job.EventUsage},
		"acp":      {job.EventPlan, job.EventUsage},
	} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, dialect, "plan", "retry", "ask", "usage 0.5", "shell exit 1")
			if r := b.start(t); !r.Done {
				t.Errorf("result %+v", r)
			}
			for _, kind := range want {
				if len(b.has(kind)) == 0 {
					t.Errorf("no event %s", kind)
				}
			}
			if ends := b.has(job.EventToolEnd); len(ends) == 0 || !slices.ContainsFunc(ends, func(e job.Event) bool { return e.Failed }) {
				t.Errorf("tools ended %v, and one of them failed", ends)
			}
			if plan := b.has(job.EventPlan); len(plan) > 0 && plan[0].Text != "- [x] one\n- [ ] two" {
				t.Errorf("plan %q", plan[0].Text)
			}
		})
	}
}

// Who asks for a permission over the protocol is answered at once: yes for edits, and no for a patch.
func TestAPermissionIsAnswered(t *testing.T) {
	for output, want := range map[job.Output]string{job.Edits: "answered selectedyes", job.Patch: "answered selectedno"} {
		b := newBench(t, "acp", "ask")
		b.Output = output
		b.start(t)
		said := b.has(job.EventText)
		if len(said) == 0 || said[0].Text != want {
			t.Errorf("%s: %v", output, said)
		}
		if refused := len(b.has(job.EventPermission)) == 1; refused != (output == job.Patch) {
			t.Errorf("%s: refused %v", output, refused)
		}
	}
}

func TestARunEndsOverItsBudget(t *testing.T) {
	for _, dialect := range []string{"opencode", "acp"} {
		b := newBench(t, dialect, "usage 0.5", "usage 2.5", "hang")
		b.Budget = 1
		if r := b.start(t); !r.OverBudget || r.Usage.Cost < 2.5 || r.Canceled || r.TimedOut || r.Done {
			t.Errorf("%s: result %+v", dialect, r)
		}
	}
}

func TestARunEndsOverItsBudgetOfTokens(t *testing.T) {
	b := newBench(t, "opencode", "usage 0", "usage 0", "hang")
	b.Tokens = 20
	r := b.start(t)
	if !r.OverBudget || r.Usage.Spent() != 30 || r.Usage.CachedTokens != 180 || r.Usage.InputTokens != 200 {
		t.Errorf("result %+v", r)
	}
}

func TestWhichErrorsPass(t *testing.T) {
	for text, want := range map[string]bool{
		"API Error: 529 overloaded": true, "rate limit reached, 429": true, "exit status 1": false, "you hit your usage limit, 429": false,
	} {
		for _, dialect := range []string{"claude", "acp"} {
			if r := newBench(t, dialect, "fail "+text).start(t); !r.Failed || r.Passing != want {
				t.Errorf("%s, %s: %+v", dialect, text, r)
			}
		}
	}
	if r := newBench(t, "command", "fail 529 overloaded").start(t); r.Passing {
		t.Error("what a command prints is no error of a provider")
	}
}

// What a tool is, what it works on, and how it ended are told, however much of that comes later.
func TestToolsAreToldWithWhatTheyDo(t *testing.T) {
	for dialect, want := range map[string][2]string{
		"codex": {"shell shell false", "exit 1: exit status 1"}, "acp": {"shell false", "failed"},
	} {
		b := newBench(t, dialect, "shell false")
		b.start(t)
		starts, ends := b.has(job.EventToolStart), b.has(job.EventToolEnd)
		if len(starts) != 1 || len(ends) != 1 || starts[0].Text != want[0] || ends[0].Text != want[1] || !ends[0].Failed {
			t.Errorf("%s: %v, %v", dialect, starts, ends)
		}
	}
}

// A patch is the whole output of a command, with its empty lines.
func TestAPatchIsWhole(t *testing.T) {
	text := "diff --git a/x b/x\\n--- a/x\\n+++ b/x\\n@@ -1,3 +1,3 @@\\n a\\n\\n-b\\n+" + strings.Repeat("c", 5000)
	b := newBench(t, "patch", "say "+text)
	b.Output = b.exec.Output()
	r := b.start(t)
	if want := strings.ReplaceAll(text, `\n`, "\n") + "\n"; b.Output != job.Patch || r.Final != want {
		t.Errorf("%s: final %.100q of %d bytes, want %d", b.Output, r.Final, len(r.Final), len(want))
	}
	b = newBench(t, "command", "say "+strings.Repeat("x", 9000))
	if r := b.start(t); len(r.Final) != 4096 {
		t.Errorf("a summary of %d bytes", len(r.Final))
	}
}

func TestNothingOfOursLiesInTheWorkTree(t *testing.T) {
	b := newBench(t, "claude")
	b.Private = filepath.Join(b.Dir, "private")
	if _, err := b.exec.Start(t.Context(), b.Run); record.CodeOf(err) != record.InvalidInput {
		t.Errorf("a private folder in the work tree: %v", err)
	}
	b.Private, b.PromptFile = t.TempDir(), filepath.Join(b.Dir, "prompt.md")
	if _, err := b.exec.Start(t.Context(), b.Run); record.CodeOf(err) != record.InvalidInput {
		t.Errorf("a prompt in the work tree: %v", err)
	}
}

func TestAModelIsNoOption(t *testing.T) {
	for _, name := range []string{"--dangerously-skip-permissions", "a\x00b"} {
		b := newBench(t, "claude")
		b.Model = name
		if _, err := b.exec.Start(t.Context(), b.Run); record.CodeOf(err) != record.InvalidSpec {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// What is said to claude while it works reaches it between two steps; what it has not taken by the end of its turn makes
// another turn.
func TestAnAgentHearsWhatIsSaidWhileItWorks(t *testing.T) {
	heard := filepath.Join(t.TempDir(), "heard")
	b := newBench(t, "claude", "hear "+heard, "say it is done")
	said := 0
	b.Words = func(tell func(string) bool) {
		if said == 0 && tell("mind the gap") {
			said++
		}
	}
	if r := b.start(t); !r.Done || r.Failed || r.Missed != 0 || r.Final != "it is done" {
		t.Errorf("result %+v", r)
	}
	if text, err := os.ReadFile(heard); err != nil || string(text) != "mind the gap" {
		t.Errorf("it heard %q: %v", text, err)
	}
	told := false
	late := newBench(t, "claude", "wait "+heard+".told", "say too early")
	late.Words = func(tell func(string) bool) {
		if !told {
			told = tell("and the door")
			if err := os.WriteFile(heard+".told", nil, 0o600); err != nil {
				t.Error(err)
			}
		}
	}
	if r := late.start(t); !r.Done || r.Failed || r.Missed != 0 || r.Final != "and more" {
		t.Errorf("told late: %+v", r)
	}
}

// What a program was told and had not taken when it was gone was not heard.
func TestAnAgentThatEndsWithoutHearing(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "told")
	b := newBench(t, "claude", "wait "+gone, "exit 0")
	told := false
	b.Words = func(tell func(string) bool) {
		if !told {
			told = tell("mind the gap")
			if err := os.WriteFile(gone, nil, 0o600); err != nil {
				t.Error(err)
			}
		}
	}
	if r := b.start(t); r.Done || r.Missed != 1 {
		t.Errorf("result %+v", r)
	}
}

// codex may write what a linked work tree needs of git, and only read what git takes commands from.
func TestCodexOnlyReadsHooksAndConfig(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report")
	b := newBench(t, "codex", "report "+file)
	b.Git = []string{"/r/.git", "/r/.git/worktrees/t"}
	b.start(t)
	words := strings.Join(executortest.ReadReport(t, file).Args, " ")
	for _, rule := range []string{`"/r/.git"="write"`, `"/r/.git/worktrees/t"="write"`, `"/r/.git/hooks"="read"`, `"/r/.git/config"="read"`} {
		if !strings.Contains(words, rule) {
			t.Errorf("%s is missing in %s", rule, words)
		}
	}
}
