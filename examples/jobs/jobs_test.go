// Package jobs_test runs the example as a user would, and looks at what is left.
package jobs_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/slowtest"
)

// cairnIn builds cairn, puts it on PATH, and takes what tells of another session out of the environment.
func cairnIn(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the scripts are POSIX shell")
	}
	bin := filepath.Join(t.TempDir(), "cairn")
	if out, err := exec.Command("go", "build", "-o", bin, "github.com/cairn-tasks/cairn/cmd/cairn").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "CAIRN_") || strings.HasPrefix(name, "GIT_") {
			t.Setenv(name, "") // so that it is restored
			if err := os.Unsetenv(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("PATH", filepath.Dir(bin)+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// Who leaves cairn work is told which jobs live on, and they do.
func TestSlowJobsOutliveTheCommand(t *testing.T) {
	slowtest.Skip(t)
	cairnIn(t)
	top := t.TempDir()
	h := house{T: t, dir: filepath.Join(top, "house"), top: top}
	for name, value := range map[string]string{
		"XDG_CONFIG_HOME": filepath.Join(top, "config"), "XDG_STATE_HOME": filepath.Join(top, "state"), "CAIRN_ACTOR": "human:ada",
		"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.com", "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.com",
	} {
		t.Setenv(name, value)
	}
	for _, dir := range []string{h.dir, filepath.Join(top, "config", "cairn")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(top, "config", "cairn", "config.yaml"), []byte("executors: {slow: {dialect: command, cmd: [sleep, '1000']}}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	h.run("git", "init", "--quiet", "--initial-branch", "main")
	h.run("cairn", "init", "--prefix", "HOUSE")
	h.run("cairn", "create", "Wait")
	h.run("git", "add", "--all")
	h.run("git", "commit", "--quiet", "--message", "A plan")
	work := exec.Command("cairn", "work", "--executor", "slow")
	work.Dir = h.dir
	out, err := work.StdoutPipe()
	if err == nil {
		err = work.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	var said strings.Builder
	for lines.Scan() {
		said.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), "working") {
			if err := work.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := work.Wait(); err == nil || !strings.Contains(said.String(), "1 job lives on: job-") {
		t.Errorf("it ended with %v, and said\n%s", err, &said)
	}
	list := read[struct{ Items []struct{ Job, State string } }](h, "job", "list").Items
	if len(list) != 1 || list[0].State != "RUNNING" {
		t.Fatalf("the jobs are %+v", list)
	}
	h.run("cairn", "job", "cancel", list[0].Job)
	_ = exec.Command("cairn", "-C", h.dir, "wait", list[0].Job, "--wait-for-status", "CANCELED", "--timeout-seconds", "30").Run()
	h.wantNobody()
}

// Of six tasks five are reviewed and merged in the order of their dependencies, the base builds at every commit, the
// one whose check was made easier is refused, and nothing is left running.
func TestSlowTheHouseIsBuilt(t *testing.T) {
	slowtest.Skip(t)
	cairnIn(t)
	top := t.TempDir()
	out, err := exec.CommandContext(t.Context(), "sh", "run.sh", top).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	h := house{T: t, dir: filepath.Join(top, "house"), top: top, said: string(out)}
	h.wantTasks()
	h.wantJobs()
	h.wantBase()
	h.wantNobody()
}

type house struct {
	*testing.T
	dir, top, said string
}

// run runs a program in the house, and returns what it prints.
func (h house) run(name string, args ...string) string {
	h.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = h.dir
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(h.top, "state"), "CAIRN_ACTOR=human:ada")
	out, err := cmd.CombinedOutput()
	if err != nil {
		h.Fatalf("%s %s: %v\n%s\n%s", name, strings.Join(args, " "), err, out, h.said)
	}
	return string(out)
}

func read[T any](h house, args ...string) T {
	h.Helper()
	var got T
	out := h.run("cairn", append(args, "--json")...)
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		h.Fatalf("cairn %v: %v\n%s", args, err, out)
	}
	return got
}

type row struct{ ID, Title, Status string }

func (h house) tasks() []row {
	h.Helper()
	return read[struct{ Tasks []row }](h, "list", "--all").Tasks
}

// wantTasks wants all done but the one that was not painted.
func (h house) wantTasks() {
	h.Helper()
	all := h.tasks()
	if len(all) != 6 {
		h.Errorf("there are %d tasks", len(all))
	}
	for _, t := range all { // what failed stands as its work tree has it
		if want := map[bool]string{true: "in_progress", false: "done"}[t.Title == "Paint it"]; t.Status != want {
			h.Errorf("%s is %s, want %s\n%s", t.Title, t.Status, want, h.said)
		}
	}
	h.run("cairn", "check", "--no-base")
}

// wantJobs wants that the jobs went as the program that does them is: two needed a second round, one its second job,
// and one cheated.
func (h house) wantJobs() {
	h.Helper()
	titles := map[string]string{}
	for _, t := range h.tasks() {
		titles[t.ID] = t.Title
	}
	type job struct {
		Task, State, Reason, Worktree string
		Attempt                       int
		Retry                         string `json:"retry_of"`
	}
	got := map[string][]string{}
	for _, j := range slices.Backward(read[struct{ Items []job }](h, "job", "list", "--limit", "100").Items) { // the oldest first
		how := j.State
		if j.Reason != "" {
			how += " " + j.Reason
		}
		if j.Attempt > 1 {
			how += " after another round"
		}
		if j.Retry != "" {
			how += " as a retry"
		}
		got[titles[j.Task]] = append(got[titles[j.Task]], how)
	}
	for title, want := range map[string][]string{
		"Lay the floor": {"SUCCEEDED"}, "Hang the door": {"SUCCEEDED"},
		"Raise the walls":  {"SUCCEEDED after another round"},
		"Put on the roof":  {"SUCCEEDED after another round"},
		"Plant the garden": {"FAILED TIMEOUT", "SUCCEEDED as a retry"},
		"Paint it":         {"FAILED POLICY"},
	} {
		if !slices.Equal(got[title], want) {
			h.Errorf("%s: the jobs were %q, want %q\n%s", title, got[title], want, h.said)
		}
	}
}

// wantBase wants that each commit of the base builds, and that a part was merged after those that it stands on.
func (h house) wantBase() {
	h.Helper()
	merged := map[string]int{}
	commits := strings.Split(strings.TrimSpace(h.run("git", "log", "--first-parent", "--reverse", "--format=%H %s", "main")), "\n")
	if len(commits) != 6 {
		h.Errorf("the base has the commits %q", commits)
	}
	for n, line := range commits {
		hash, subject, _ := strings.Cut(line, " ")
		h.run("git", "checkout", "--quiet", "--detach", hash)
		h.run("sh", "build.sh")
		if _, title, ok := strings.Cut(subject, ": "); ok {
			merged[title] = n
		}
	}
	h.run("git", "checkout", "--quiet", "main")
	for _, order := range [][2]string{{"Lay the floor", "Raise the walls"}, {"Lay the floor", "Hang the door"}, {"Raise the walls", "Put on the roof"}} {
		if first, then := merged[order[0]], merged[order[1]]; first == 0 || first >= then {
			h.Errorf("%q was merged as %d, and %q as %d", order[0], first, order[1], then)
		}
	}
}

// wantNobody wants that no process of a job is left: neither a supervisor nor what one started.
func (h house) wantNobody() {
	h.Helper()
	if live := read[struct{ Total int }](h, "job", "list", "--state", "RUNNING"); live.Total != 0 {
		h.Errorf("%d jobs run", live.Total)
	}
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil || runtime.GOOS != "linux" {
		return
	}
	for _, p := range processes {
		line, _ := os.ReadFile(filepath.Join(p, "cmdline"))
		env, _ := os.ReadFile(filepath.Join(p, "environ"))
		ours := strings.Contains(string(line), h.top) || strings.Contains(string(env), h.top)
		if ours && (strings.Contains(string(line), "supervise") || strings.Contains(string(env), "CAIRN_JOB=")) {
			h.Errorf("%s is left: %q", p, line)
		}
	}
}
