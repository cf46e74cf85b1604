package crashtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/examples/kind/risk"
	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/slowtest"
)

// childVar tells the test binary to make a call, and to die in it. Its value is a sentence.
const childVar = "CRASHTEST_SENTENCE"

// sentence says which call a process makes, and where it dies.
type sentence struct {
	Call  call
	Dir   string // the house
	Links bool   // the file system has hard links
	At    int    // number of the system call, from 1; beyond the last it dies before it returns
	Torn  bool   // not before the system call, but when half of it has come
}

func TestMain(m *testing.M) {
	risk.Register() // a kind of record that is not cairn's own
	disk.Intercept = intercept
	if text := os.Getenv(childVar); text != "" {
		fmt.Fprintln(os.Stderr, carryOut(text))
		os.Exit(1)
	}
	slowtest.InMemory()
	isolate()
	os.Exit(m.Run())
}

// isolate hides the git settings of the user who runs the tests.
func isolate() {
	for _, setting := range os.Environ() {
		if name, _, _ := strings.Cut(setting, "="); strings.HasPrefix(name, "GIT_") {
			_ = os.Unsetenv(name)
		}
	}
	_ = os.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	_ = os.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
}

// carryOut does not return unless something is wrong.
func carryOut(text string) error {
	var s sentence
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return err
	}
	h := &house{dir: s.Dir, links: s.Links}
	_, err := h.watched(only(s.At), func(c disk.Call, do func() error) error {
		if s.Torn {
			_ = cutShort(c, do)
		}
		return die()
	}, s.Call.do)
	if err != nil {
		return err
	}
	return die()
}

// die kills this process, as anybody might.
func die() error {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		return err
	}
	select {} // until it arrives
}

// Each verb is killed at each of its system calls: before it, where it writes in the middle of it, and at last when all
// is done and the caller not yet told. A real process dies. Whenever that is, every file is whole, and the next write
// of somebody else leaves all of the dead one's or nothing. Verbs that only replace one file, which the disk has failed
// at each call already, die where allVar is set.
func TestDeathAtEachCall(t *testing.T) { deathAtEachCall(t, stories[:1]) }

func TestSlowDeathAtEachCall(t *testing.T) {
	slowtest.Skip(t)
	deathAtEachCall(t, stories[1:])
}

func deathAtEachCall(t *testing.T, stories []story) {
	t.Helper()
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			tr := newTrial(t, newHouse(t), s)
			if tr.simple() && os.Getenv(allVar) == "" {
				t.Skipf("replaces one file; %s=1 tries it", allVar)
			}
			tr.killEverywhere(t)
		})
	}
}

// Where there are no hard links a new file is reserved before it has its content.
func TestSlowDeathAtEachCallWithoutLinks(t *testing.T) {
	slowtest.Skip(t)
	for _, s := range stories {
		if s.verb != "create" && s.verb != "begin" {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			h.links = false
			newTrial(t, h, s).killEverywhere(t)
		})
	}
}

// What a process that dies in one worktree of a clone leaves, the next write in another cleans up.
func TestSlowDeathInAnotherWorktree(t *testing.T) {
	slowtest.Skip(t)
	for _, s := range stories {
		if s.verb != "begin" && s.verb != "finish" && s.verb != "archive" {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			newTrial(t, newWorktrees(t), s).killEverywhere(t)
		})
	}
}

func (tr *trial) killEverywhere(t *testing.T) {
	for i, c := range tr.calls {
		t.Run("before "+tr.callName(i), func(t *testing.T) { tr.kill(t, i+1, false) })
		if c.Op == disk.Write {
			t.Run("in the middle of "+tr.callName(i), func(t *testing.T) { tr.kill(t, i+1, true) })
		}
	}
	t.Run("after the last", func(t *testing.T) { tr.kill(t, len(tr.calls)+1, false) })
}

func (tr *trial) kill(t *testing.T, at int, torn bool) {
	tr.restore(t)
	tr.sentence(t, at, torn)
	tr.judge(t, at > len(tr.calls))
}

// sentence lets a process die in the story's call.
func (tr *trial) sentence(t *testing.T, at int, torn bool) {
	t.Helper()
	text, err := json.Marshal(sentence{tr.call, tr.dir, tr.links, at, torn})
	must(t, err)
	self, err := os.Executable()
	must(t, err)
	child := exec.Command(self)
	child.Env = append(os.Environ(), childVar+"="+string(text))
	var said bytes.Buffer
	child.Stderr = &said
	if err := child.Run(); err == nil || said.Len() > 0 {
		t.Fatalf("did not die: %v %s", err, &said)
	}
}

// callName is a system call in the name of a test.
func (tr *trial) callName(i int) string {
	return "call " + strconv.Itoa(i+1) + ", " + string(tr.calls[i].Op) + " " + tr.short(tr.calls[i].Path)
}
