//go:build linux

package runner

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/proc"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// toils is an executor that appends a line to a file again and again, commits some of them, and starts a process that
// leaves its session and its environment behind.
const toils = `(env -i PATH="$PATH" setsid sh -c 'while :; do sleep 0.2; done' >/dev/null 2>&1 &)
setsid sh -c 'while :; do sleep 0.2; done' >/dev/null 2>&1 &
n=$(wc -l <progress 2>/dev/null || echo 0)
for i in 1 2 3 4; do
  n=$((n+1)); echo $n >>progress
  sleep 0.02
  if [ $((i % 2)) = 0 ]; then git add -A && git commit -qm "step $n"; fi
done
echo good >file; echo done`

func init() { parts["supervise"] = supervised }

// supervised is the part of a supervisor, whose executor is a line, and of the caller that starts one and waits.
func supervised(s *store.Store, args []string) error { return supervise(s, toils, args) }

func supervise(s *store.Store, line string, args []string) error {
	if len(args) == 2 { // the caller
		self, err := os.Executable()
		if err != nil {
			return err
		}
		c := exec.Command(self, s.Root, args[0])
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := c.Start(); err != nil {
			return err
		}
		return c.Wait()
	}
	if err := os.Setenv(proc.JobVariable, args[0]); err != nil {
		return err
	}
	w := &verb.Workspace{
		Dir: s.Root, StateDir: storetest.StateDir(), Actor: verb.As("human:lee"), Rights: verb.Rights{Profile: verb.Maintainer}, Now: time.Now, Rand: rand.Reader,
	}
	agent := &shell{line: line}
	r := Runner{
		Agent:   func(*verb.Workspace, string) (Agent, error) { return agent, nil },
		Backoff: func(int) time.Duration { return 10 * time.Millisecond },
	}
	return r.Run(context.Background(), w, args[0])
}

// crashes is how often the test kills: JOBS_CRASH, or 20 times.
func crashes() int {
	if n, err := strconv.Atoi(os.Getenv("JOBS_CRASH")); err == nil {
		return n
	}
	return 20
}

func random(n int64) int64 {
	v, err := rand.Int(rand.Reader, big.NewInt(n))
	if err != nil {
		panic(err)
	}
	return v.Int64()
}

// SIGKILL at random moments of the caller, the supervisor, the executor, its guard, or all of them: what is left of the
// job ends at the next look, it is not RUNNING, no line that the executor wrote is lost, and it goes on or can be
// canceled.
func TestSlowKillsAtRandomMoments(t *testing.T) {
	slowtest.Skip(t)
	killed := map[string]int{}
	for left := crashes(); left > 0; left -= killsOfEach {
		t.Run("", func(t *testing.T) { killAtRandom(t, min(left, killsOfEach), killed) })
	}
	t.Logf("killed: %v", killed)
}

const killsOfEach = 20 // in one workspace

func killAtRandom(t *testing.T, times int, killed map[string]int) {
	f := newField(t)
	for n := range times {
		id := f.make()
		caller := storetest.Start(t, f.s, "supervise", id, "call")
		if random(4) > 0 {
			f.soon("the job works", func() bool { s := f.get(id).Status; return s.Phase == job.Working || s.State.Final() })
		}
		time.Sleep(time.Duration(random(int64(250 * time.Millisecond))))
		who := []string{"caller", "supervisor", "executor", "all"}[random(4)]
		if f.kill(id, who, caller) {
			killed[who]++
		}
		if f.get(id).Status.Process == 0 && f.get(id).Status.State == job.Queued { // it has no supervisor yet, and one may still come
			f.settleQueued(id)
		}
		// A process that was just being started holds the lock of the killed one until it is another program, so the look may
		// come too early by that.
		f.soon("the job is at work no more", func() bool { return !f.get(id).Status.State.Live() })
		one := f.get(id)
		f.nothingRuns(id)
		done := f.progress(one)
		if !one.Status.State.Final() {
			f.goesOn(id)
		}
		after := f.progress(f.get(id))
		if !strings.HasPrefix(after, done) {
			t.Fatalf("kill %d of the %s: the executor had written %q, and there is %q", n, who, done, after)
		}
		end(caller)
	}
	storetest.Git(t, f.s.Root, "fsck", "--strict")
	one := f.run()
	f.want(one, job.Succeeded, "")
	storetest.WantClean(t, f.there(one))
	storetest.WantClean(t, f.s)
}

// goesOn lets a job go on to its end, or cancels it.
func (f *field) goesOn(id string) {
	f.Helper()
	if random(3) == 0 {
		if err := work.Jobs(f.s).Cancel(id, "human:lee", "enough"); err != nil {
			f.Fatal(err)
		}
		f.want(f.get(id), job.Canceled, "")
		return
	}
	f.agent.line = toils
	f.want(f.runIt(id), job.Succeeded, "")
	f.nothingRuns(id)
}

// settleQueued runs a job whose supervisor was killed before it took the job.
func (f *field) settleQueued(id string) {
	f.Helper()
	f.agent.line = toils
	if err := f.runner().Run(f.Context(), f.w, id); err != nil && record.CodeOf(err) != record.AlreadyTerminal && record.CodeOf(err) != record.Busy {
		f.Fatal(err)
	}
	f.soon("the job ends", func() bool { return !f.get(id).Status.State.Live() })
}

// progress is what the executor wrote in the work tree of the task.
func (f *field) progress(one job.Job) string {
	if one.Status.Worktree == "" {
		return ""
	}
	text, err := os.ReadFile(filepath.Join(one.Status.Worktree, "progress"))
	if err != nil {
		return ""
	}
	return string(text)
}

// kill kills some of the processes of a job, and waits until they are gone. It reports whether there was one.
func (f *field) kill(id, who string, caller *storetest.Process) bool {
	f.Helper()
	supervisor := f.get(id).Status.Process
	trace := f.trace(id)
	var pids []int
	if who == "supervisor" || who == "all" {
		pids = append(pids, supervisor)
	}
	if who == "executor" || who == "all" {
		pids = append(pids, trace.PID)
	}
	if who == "all" {
		pids = append(pids, trace.Group)
	}
	killed := false
	if who == "caller" || who == "all" {
		end(caller)
		killed = true
	}
	for _, pid := range pids {
		if pid > 1 && pid != os.Getpid() && syscall.Kill(pid, syscall.SIGKILL) == nil {
			killed = true
			f.soon("a killed process ends", func() bool { return !runs(pid) })
		}
	}
	return killed
}

// trace is what is kept of the newest command of a job.
func (f *field) trace(id string) (t proc.Trace) {
	text, err := os.ReadFile(work.Jobs(f.s).File(id, "process.json"))
	if err == nil {
		err = json.Unmarshal(text, &t)
	}
	if err != nil && !os.IsNotExist(err) {
		f.Fatal(err)
	}
	return t
}

// runs reports whether a process runs. One that nobody has waited for does not.
func runs(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

// nothingRuns fails the test if a process is left that works in the work tree, or that names the job.
func (f *field) nothingRuns(id string) {
	f.Helper()
	top := f.get(id).Status.Worktree
	entries, err := os.ReadDir("/proc")
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() || !runs(pid) {
			continue
		}
		env, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		dir, _ := os.Readlink(filepath.Join("/proc", e.Name(), "cwd"))
		if bytes.Contains(append([]byte{0}, env...), []byte("\x00"+proc.JobVariable+"="+id+"\x00")) || top != "" && dir == top {
			cmd, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
			f.Fatalf("process %d is left: %q", pid, cmd)
		}
	}
}

// end kills a caller and waits for it.
func end(caller *storetest.Process) {
	_ = caller.Cmd.Process.Kill()
	_ = caller.Cmd.Wait()
}

func init() {
	parts["asks"] = func(s *store.Store, args []string) error { return supervise(s, asks, args) }
}

// SIGKILL at random moments of a job that asks, and of the same job once it is answered: the question is there, it is one,
// and the job goes on with the answer.
func TestSlowKillsLoseNoQuestion(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.line = asks
	for n := range crashes() / 2 {
		about := record.ID(fmt.Sprintf("PROJ-%d", n+10))
		f.create(about, tasks.CheckIn{Desc: "the file is good", Cmd: "grep -q good file"})
		f.settle()
		id := f.make(func(s *job.Spec) { s.Task = about })
		f.cut(id)
		if f.get(id).Status.State != job.Waiting {
			f.runIt(id)
		}
		one := f.get(id)
		f.want(one, job.Waiting, "")
		asked := 0
		all, _, err := kind.Handoffs.List(t.Context(), f.there(one))
		for _, h := range all {
			if h.About[0] == string(about) && h.Title == "What is it to say?" {
				asked++
			}
		}
		if err != nil || asked != 1 || f.question(one).About[0] != string(about) {
			t.Fatalf("kill %d left %d questions, %v", n, asked, err)
		}
		f.answer(one, "good")
		f.cut(id)
		if f.get(id).Status.State != job.Succeeded {
			f.runIt(id)
		}
		f.want(f.get(id), job.Succeeded, "")
		f.nothingRuns(id)
	}
	storetest.Git(t, f.s.Root, "fsck", "--strict")
	storetest.WantClean(t, f.s)
}

// cut starts the supervisor of a job, and kills it and all that it started at a random moment.
func (f *field) cut(id string) {
	f.Helper()
	caller := storetest.Start(f.T, f.s, "asks", id, "call")
	time.Sleep(time.Duration(random(int64(2 * time.Second))))
	f.kill(id, "all", caller)
	f.soon("the job is at work no more", func() bool {
		s := f.get(id).Status
		return !s.State.Live() || s.State == job.Queued && s.Process == 0
	})
	end(caller)
}
