//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/work/executor/executortest"
	"golang.org/x/sys/unix"
)

// shownJob is what the tests read of a job.
type shownJob struct {
	Job, Task, State, Phase, Reason, Message, Worktree, Summary string

	DurationMS int64     `json:"duration_ms"`
	CreatedAt  time.Time `json:"created_at"`
	StartedAt  time.Time `json:"started_at"`
}

// newJobs is a workspace in a repository whose user has an executor, mine, that runs a shell script. Its tasks are T-1
// to T-n, and ask for nothing.
func newJobs(t *testing.T, n int, script string, config ...string) workspace {
	t.Helper()
	w := newRepo(t)
	settings := filepath.Join(w.home, ".config", "cairn")
	if err := os.MkdirAll(settings, 0o700); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		filepath.Join(settings, "config.yaml"): "executors:\n  mine:\n    dialect: command\n    cmd: [sh, " + filepath.Join(w.home, "agent.sh") + "]\n",
		filepath.Join(w.home, "agent.sh"):      script,
	}
	for i := range n {
		id := fmt.Sprintf("T-%d", i+1)
		files[filepath.Join(w.dir, ".cairn", "tasks", id+".md")] = fmt.Sprintf("---\nid: %s\ntitle: Raise a wall\nstatus: backlog\n---\n", id)
	}
	for path, text := range files {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if len(config) > 0 {
		f, err := os.OpenFile(filepath.Join(w.dir, ".cairn", "config.yaml"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(f, strings.Join(config, "\n"))
		_ = f.Close()
	}
	w.git(t, "config", "user.name", "shah")
	w.git(t, "config", "user.email", "shah@example.com")
	w.git(t, "add", "--all")
	w.git(t, "commit", "--quiet", "--message=tasks")
	return w
}

func (w workspace) git(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = w.dir, w.env()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// start starts a job, and returns it.
func (w workspace) start(t *testing.T, args ...string) shownJob {
	t.Helper()
	return parseJob(t, w.cairn(t, append([]string{"job", "start", "--executor", "mine", "--json"}, args...)...))
}

func (w workspace) poll(t *testing.T, id string) shownJob {
	t.Helper()
	return parseJob(t, w.cairn(t, "job", "poll", id, "--json"))
}

func parseJob(t *testing.T, text string) (one shownJob) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &one); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return one
}

func (w workspace) list(t *testing.T) []shownJob {
	t.Helper()
	var out struct{ Items []shownJob }
	if err := json.Unmarshal([]byte(w.cairn(t, "job", "list", "--json", "--limit", "100")), &out); err != nil {
		t.Fatal(err)
	}
	return out.Items
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(slowtest.Patience); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within 30 s: %s", what)
		}
	}
}

// ends waits until a job has ended as a state says.
func (w workspace) ends(t *testing.T, id, state string) shownJob {
	t.Helper()
	var one shownJob
	eventually(t, id+" ends", func() bool { one = w.poll(t, id); return one.State != "QUEUED" && one.State != "RUNNING" })
	if one.State != state {
		t.Fatalf("%s ended as %s %s, want %s: %s", id, one.State, one.Reason, state, one.Message)
	}
	return one
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

func touch(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// waits is an executor that works until there is a file "go" in the home of the user.
const waits = `touch "$HOME/begun.$CAIRN_JOB"; until [ -e "$HOME/go" ]; do sleep 0.05; done; echo good >file; echo done`

// A job is no child of the terminal: it gets none of its signals, holds none of its files, and ends when it is done.
func TestAJobOutlivesWhoStartedIt(t *testing.T) {
	w := newJobs(t, 1, waits)
	held, given, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	cmd := w.command(t, "job", "start", "T-1", "--executor", "mine", "--json")
	cmd.ExtraFiles = []*os.File{given} // as a shell leaves a lock or a pipe open to what it starts
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	_ = given.Close()
	id := parseJob(t, string(out)).Job
	eventually(t, "the executor works", func() bool { return exists(filepath.Join(w.home, "begun."+id)) })

	_ = held.SetReadDeadline(time.Now().Add(slowtest.Patience))
	if n, err := held.Read(make([]byte, 1)); n != 0 || os.IsTimeout(err) {
		t.Error("the supervisor holds a file of who started the program")
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGHUP)
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)
	pid := w.supervisor(t, id)
	if own, err := unix.Getsid(0); err != nil {
		t.Error(err)
	} else if sid, err := unix.Getsid(pid); err != nil || sid == own || sid != pid {
		t.Errorf("the supervisor %d is in the session %d: %v", pid, sid, err)
	}
	if one := w.poll(t, id); one.State != "RUNNING" {
		t.Errorf("the job is %s", one.State)
	}
	touch(t, filepath.Join(w.home, "go"))
	one := w.ends(t, id, "SUCCEEDED")
	if got := w.git(t, "show", "cairn/T-1:file"); got != "good\n" || one.Summary != "done" {
		t.Errorf("the branch has %q, and the summary is %q", got, one.Summary)
	}
	t.Logf("from job start to RUNNING: %s", one.StartedAt.Sub(one.CreatedAt))
}

// supervisor is the process that runs a job.
func (w workspace) supervisor(t *testing.T, id string) int {
	t.Helper()
	var state struct{ Process int }
	paths, _ := filepath.Glob(filepath.Join(w.dir, ".git", "cairn", "*", "jobs", id, "state.json"))
	if len(paths) != 1 {
		t.Fatalf("state.json of %s: %v", id, paths)
	}
	text, err := os.ReadFile(paths[0])
	if err == nil {
		err = json.Unmarshal(text, &state)
	}
	if err != nil || state.Process == 0 {
		t.Fatalf("%s has no process: %v", id, err)
	}
	return state.Process
}

func TestSlowAJobInTheForeground(t *testing.T) {
	slowtest.Skip(t)
	w := newJobs(t, 1, "cat >/dev/null; echo $PPID >parent; echo good >file")
	c := w.command(t, "job", "start", "T-1", "--executor", "mine", "--json", "--foreground")
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	if one := parseJob(t, string(out)); one.State != "SUCCEEDED" {
		t.Errorf("it is %s %s: %s", one.State, one.Reason, one.Message)
	}
	if parent := w.git(t, "show", "cairn/T-1:parent"); parent != fmt.Sprintln(c.Process.Pid) {
		t.Errorf("the executor's parent was %s, and the command %d", parent, c.Process.Pid)
	}
}

// Of callers that start the same task at once one job comes, whoever of them is first.
func TestSlowSixteenCallersStartOneJob(t *testing.T) {
	slowtest.Skip(t)
	w := newJobs(t, 1, waits)
	var callers []*exec.Cmd
	for range 16 {
		c := w.command(t, "job", "start", "T-1", "--executor", "mine")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		callers = append(callers, c)
	}
	won := 0
	for _, c := range callers {
		_ = c.Wait()
		switch c.ProcessState.ExitCode() {
		case 0:
			won++
		case 5: // ALREADY_CLAIMED
		default:
			t.Errorf("a caller exits with %d", c.ProcessState.ExitCode())
		}
	}
	all := w.list(t)
	if won != 1 || len(all) != 1 {
		t.Fatalf("%d callers started one, and there are %d jobs", won, len(all))
	}
	touch(t, filepath.Join(w.home, "go"))
	w.ends(t, all[0].Job, "SUCCEEDED")
}

func TestSlowThreeSlotsAreNeverFour(t *testing.T) {
	slowtest.Skip(t)
	// Each run has a file while it works; a fourth would see three others. The first three work until they were seen
	// together.
	w := newJobs(t, 8, `touch "$HOME/run.$CAIRN_JOB"; ls "$HOME" | grep -c '^run\.' >>"$HOME/seen"; until [ -e "$HOME/go" ]; do sleep 0.05; done; rm "$HOME/run.$CAIRN_JOB"; echo done`, "jobs_max: 3")
	var ids []string
	for i := range 8 {
		ids = append(ids, w.start(t, fmt.Sprintf("T-%d", i+1)).Job)
	}
	eventually(t, "three work at once", func() bool {
		working, err := filepath.Glob(filepath.Join(w.home, "run.*"))
		return err == nil && len(working) == 3
	})
	touch(t, filepath.Join(w.home, "go"))
	for _, id := range ids {
		w.ends(t, id, "SUCCEEDED")
	}
	seen, err := os.ReadFile(filepath.Join(w.home, "seen"))
	if err != nil || len(strings.Fields(string(seen))) != 8 || strings.ContainsAny(string(seen), "456789") {
		t.Errorf("at once ran %q, %v", strings.Fields(string(seen)), err)
	}
}

func TestSlowTheMostUrgentJobOvertakes(t *testing.T) {
	slowtest.Skip(t)
	w := newJobs(t, 4, `echo "$CAIRN_TASK" >>"$HOME/order"; `+waits, "jobs_max: 1")
	first := w.start(t, "T-1")
	eventually(t, "the first works", func() bool { return exists(filepath.Join(w.home, "begun."+first.Job)) })
	ids := []string{first.Job}
	for _, args := range [][]string{{"T-2", "--priority", "P2"}, {"T-3"}, {"T-4", "--priority", "P0"}} {
		one := w.start(t, args...)
		if one.State != "QUEUED" {
			t.Errorf("%s is %s", one.Task, one.State)
		}
		ids = append(ids, one.Job)
	}
	touch(t, filepath.Join(w.home, "go"))
	for _, id := range ids {
		w.ends(t, id, "SUCCEEDED")
	}
	order, _ := os.ReadFile(filepath.Join(w.home, "order"))
	if got := strings.Fields(string(order)); strings.Join(got, " ") != "T-1 T-4 T-3 T-2" {
		t.Errorf("they ran in the order %v", got)
	}
}

// The user's service manager is asked to start the supervisor where there is one, and is never needed.
func TestSlowTheServiceManagerIsAskedAndNotNeeded(t *testing.T) {
	slowtest.Skip(t)
	for name, script := range map[string]string{
		"works": `while [ "${1#--}" != "$1" ]; do shift; done; exec "$@"`,
		"fails": "echo no bus >&2; exit 1",
		"lies":  "exit 0",
	} {
		t.Run(name, func(t *testing.T) {
			w := newJobs(t, 1, "echo good >file")
			bin := filepath.Join(w.home, "bin")
			for _, dir := range []string{bin, filepath.Join(w.home, "run", "systemd")} {
				if err := os.MkdirAll(dir, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(bin, "systemd-run"), []byte("#!/bin/sh\necho asked >>\"$HOME/asked\"\n"+script+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			c := w.command(t, "job", "start", "T-1", "--executor", "mine", "--json")
			c.Env = append(c.Env, "XDG_RUNTIME_DIR="+filepath.Join(w.home, "run"), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			out, err := c.Output()
			if err != nil {
				t.Fatal(err)
			}
			w.ends(t, parseJob(t, string(out)).Job, "SUCCEEDED")
			if text, _ := os.ReadFile(filepath.Join(w.home, "asked")); string(text) != "asked\n" {
				t.Errorf("it was asked %q", text)
			}
		})
	}
}

// A supervisor that cannot run the job says why, and the job does not stay.
func TestASupervisorThatCannotRunSaysWhy(t *testing.T) {
	w := newJobs(t, 1, "true")
	c := w.command(t, "job", "supervise", "job-nothere", "--json")
	out, err := c.Output()
	if err == nil || !strings.Contains(string(out), "JOB_NOT_FOUND") {
		t.Errorf("it printed %s, %v", out, err)
	}
}

// A supervisor that is asked to end leaves a job that goes on later, and nothing running.
func TestSlowASupervisorThatIsToldToEnd(t *testing.T) {
	slowtest.Skip(t)
	w := newJobs(t, 1, `trap '' TERM; `+waits)
	id := w.start(t, "T-1").Job
	eventually(t, "the executor works", func() bool { return exists(filepath.Join(w.home, "begun."+id)) })
	_ = syscall.Kill(w.supervisor(t, id), syscall.SIGTERM)
	one := w.ends(t, id, "STALE")
	if all, _ := filepath.Glob("/proc/[0-9]*/cwd"); len(all) > 0 {
		for _, link := range all {
			if dir, err := os.Readlink(link); err == nil && dir == one.Worktree {
				t.Errorf("%s is still in the work tree", link)
			}
		}
	}
}

// built is the program as it is shipped. The test binary cannot stand in for it where only some variables are handed
// on.
func built(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cairn")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// Agents of each way to report get cairn as their MCP server, and hand over with its tools or by their last message.
func TestSlowAgentsHandOver(t *testing.T) {
	slowtest.Skip(t)
	w := newJobs(t, 0, "")
	program := built(t)
	config, err := os.ReadFile(filepath.Join(executortest.Config(t), "config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.home, ".config", "cairn", "config.yaml"), config, 0o600); err != nil {
		t.Fatal(err)
	}
	for i, dialect := range executortest.Dialects {
		body := "fake: write wall.txt by " + dialect + "\nfake: finish raised the wall\nfake: say raised the wall, by my last message\n"
		text := fmt.Sprintf("---\nid: T-%d\ntitle: Raise a wall\nstatus: backlog\nchecks:\n  - desc: it stands\n    cmd: grep -q %s wall.txt\n---\n\n%s", i+1, dialect, body)
		if err := os.WriteFile(filepath.Join(w.dir, ".cairn", "tasks", fmt.Sprintf("T-%d.md", i+1)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.git(t, "add", "--all")
	w.git(t, "commit", "--quiet", "--message=tasks")
	w.cairn(t, "trust", "--yes")
	for i, dialect := range executortest.Dialects {
		t.Run(dialect, func(t *testing.T) {
			c := w.command(t, "job", "start", fmt.Sprintf("T-%d", i+1), "--executor", dialect, "--foreground", "--json")
			c.Path, c.Args[0] = program, program
			var errs strings.Builder
			c.Stderr = &errs
			out, err := c.Output()
			if err != nil {
				t.Fatalf("%v: %s %s", err, out, &errs)
			}
			one := parseJob(t, string(out))
			if one.State != "SUCCEEDED" || !strings.Contains(one.Summary, "raised the wall") {
				t.Errorf("it is %s %s: %s; %q", one.State, one.Reason, one.Message, one.Summary)
			}
			if got := w.git(t, "show", fmt.Sprintf("cairn/T-%d:wall.txt", i+1)); !strings.Contains(got, dialect) {
				t.Errorf("the branch has %q", got)
			}
		})
	}
}
