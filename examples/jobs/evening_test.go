package jobs_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/cmd/render"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb/status"
)

// Thirteen tasks by three executors: seven are handed over, four fail, and two are cut off with all their processes.
// Status alone tells all of it on one screen, and the commands that it names, as printed, bring every task to done.
func TestSlowALeadsEvening(t *testing.T) {
	slowtest.Skip(t)
	if runtime.GOOS != "linux" {
		t.Skip("it finds processes by /proc")
	}
	cairnIn(t)
	top := t.TempDir()
	h := house{T: t, dir: filepath.Join(top, "house"), top: top}
	t.Cleanup(h.kill)
	h.begin()
	for label, how := range map[string]string{"well": "one", "badly": "two"} {
		_ = h.try("cairn work --jobs 3 --executor " + how + " --label " + label)
	}
	h.cutOff()
	h.oneScreen()
	for round := range 6 {
		waiting := read[status.Out](h, "status").Waiting
		if len(waiting) == 0 {
			break
		}
		t.Logf("round %d: %d wait", round, len(waiting))
		for _, one := range waiting {
			h.follow(one.Next)
		}
		h.untilIdle()
	}
	for _, one := range h.tasks() {
		if one.Status != "done" {
			t.Errorf("%s (%s) is %s\n%s", one.ID, one.Title, one.Status, h.run("cairn", "status"))
		}
	}
	h.run("cairn", "check", "--no-base")
	if dirty := h.run("git", "status", "--porcelain"); dirty != "" {
		t.Errorf("the checkout has changes:\n%s", dirty)
	}
	h.wantNobody()
}

func (h house) begin() {
	h.Helper()
	here, err := os.Getwd()
	if err != nil {
		h.Fatal(err)
	}
	for name, value := range map[string]string{
		"XDG_CONFIG_HOME": filepath.Join(h.top, "config"), "XDG_STATE_HOME": filepath.Join(h.top, "state"), "CAIRN_ACTOR": "human:ada",
		"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.com", "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.com",
	} {
		h.Setenv(name, value)
	}
	var settings strings.Builder
	settings.WriteString("executors:\n")
	for _, name := range []string{"one", "two", "three"} {
		fmt.Fprintf(&settings, "  %s: {dialect: command, cmd: [sh, %q], env: {EVENING: %q}}\n", name, filepath.Join(here, "evening.sh"), h.top)
	}
	for _, dir := range []string{h.dir, filepath.Join(h.top, "config", "cairn")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			h.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(h.top, "config", "cairn", "config.yaml"), []byte(settings.String()), 0o644); err != nil {
		h.Fatal(err)
	}
	h.run("git", "init", "--quiet", "--initial-branch", "main")
	h.run("cairn", "init", "--prefix", "HOUSE")
	for label, titles := range map[string][]string{
		"well":  {"Lay the floor", "Raise the walls", "Hang the door", "Glaze the windows", "Plaster", "Wire it", "Sweep"},
		"badly": {"Falls over", "Falls over again", "Errs in what it writes", "Cheats"},
		"cut":   {"Sleeps over the roof", "Sleeps over the garden"},
	} {
		for _, title := range titles {
			id := strings.Fields(h.run("cairn", "create", title, "--label", label))[0]
			h.run("cairn", "update", id, "--check", "it is right=grep -qx right "+id+".txt")
		}
	}
	h.run("git", "add", "--all")
	h.run("git", "commit", "--quiet", "--message", "A plan")
	h.run("cairn", "trust", "--yes")
}

// try runs a line as a shell has it, and returns what it prints.
func (h house) try(line string) string {
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = h.dir
	out, err := cmd.CombinedOutput()
	h.Logf("$ %s (%v)\n%s", line, err, out)
	return string(out)
}

// cutOff starts the two jobs that sleep, and kills all processes of jobs at once, as a power cut does.
func (h house) cutOff() {
	h.Helper()
	for _, one := range h.tasks() {
		if !strings.HasPrefix(one.Title, "Sleeps") {
			continue
		}
		h.run("cairn", "job", "start", one.ID, "--executor", "three")
		for range 300 { // until it has written something
			if half, _ := filepath.Glob(filepath.Join(h.top, ".house-worktrees", "*", one.ID, one.ID+".txt")); len(half) > 0 {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
	h.kill()
}

func (h house) kill() {
	for _, pid := range h.processes() {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill()
		}
	}
}

func (h house) processes() (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range all {
		line, _ := os.ReadFile(filepath.Join(p, "cmdline"))
		env, _ := os.ReadFile(filepath.Join(p, "environ"))
		pid, err := strconv.Atoi(filepath.Base(p))
		ours := strings.Contains(string(line), h.top) || strings.Contains(string(env), h.top)
		if err == nil && pid != os.Getpid() && ours && (strings.Contains(string(line), "supervise") || strings.Contains(string(env), "CAIRN_JOB=")) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// oneScreen wants that the screen of status, 80 columns wide, has at most 40 lines, and all that waits.
func (h house) oneScreen() {
	h.Helper()
	out := read[status.Out](h, "status")
	var screen bytes.Buffer
	r := &render.Renderer{Out: &screen, Width: 80, Now: time.Now, Getenv: func(string) string { return "" }}
	r.Show(out)
	h.Logf("\n%s", &screen)
	if lines := strings.Count(screen.String(), "\n"); lines > 40 {
		h.Errorf("the screen has %d lines", lines)
	}
	got := map[string]int{}
	for _, one := range out.Waiting {
		got[one.What]++
		if !strings.Contains(screen.String(), one.Next) {
			h.Errorf("the screen does not say %s", one.Next)
		}
	}
	if got["review"] != 7 || got["failed"] != 4 || got["stale"] != 2 {
		h.Errorf("there wait %v", got)
	}
}

// follow runs a command as it was printed, and then the last one that it names as what is next.
func (h house) follow(command string) {
	h.Helper()
	said := h.try(command)
	if !strings.HasPrefix(command, "cairn review show") {
		return
	}
	at := strings.LastIndex(said, "cairn review merge ")
	if at < 0 {
		h.Errorf("%s names no merge:\n%s", command, said)
		return
	}
	merge, _, _ := strings.Cut(said[at:], "\n")
	h.try(merge)
}

func (h house) untilIdle() {
	h.Helper()
	type list struct{ Items []struct{ State string } }
	for range 300 {
		if !slices.ContainsFunc(read[list](h, "job", "list").Items, func(j struct{ State string }) bool {
			return j.State == "RUNNING" || j.State == "QUEUED"
		}) {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
	h.Error("jobs go on")
}
