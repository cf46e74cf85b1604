//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/session"
)

// fleet is clones of one bare repository, whose claims go through it. Its tasks are T-1 to T-n.
type fleet struct {
	bare   string
	clones []workspace
}

func newFleet(t *testing.T, clones, tasks int) fleet {
	t.Helper()
	w := newRepo(t)
	for i := range tasks {
		id := fmt.Sprintf("T-%d", i+1)
		text := fmt.Sprintf("---\nid: %s\ntitle: Raise a wall\nstatus: backlog\n---\n", id)
		if err := os.WriteFile(filepath.Join(w.dir, ".cairn", "tasks", id+".md"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	config := w.read(".cairn/config.yaml") + "\nclaims_remote: origin\n"
	if err := os.WriteFile(filepath.Join(w.dir, ".cairn", "config.yaml"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	w.git(t, "add", "--all")
	w.git(t, "-c", "user.name=shah", "-c", "user.email=shah@example.com", "commit", "--quiet", "--message=tasks")
	f := fleet{bare: filepath.Join(t.TempDir(), "bare.git")}
	w.git(t, "clone", "--quiet", "--bare", ".", f.bare)
	for range clones {
		one := workspace{filepath.Join(t.TempDir(), "clone"), t.TempDir()}
		w.git(t, "clone", "--quiet", f.bare, one.dir)
		f.clones = append(f.clones, one)
	}
	return f
}

// as is a run of the program by an actor.
func (w workspace) as(t *testing.T, who record.Actor, args ...string) *exec.Cmd {
	t.Helper()
	c := w.command(t, args...)
	c.Env = append(c.Env, "CAIRN_ACTOR="+string(who))
	return c
}

// refs are the claims at the remote, by the names of their refs.
func (f fleet) refs(t *testing.T) map[string]session.RemoteClaim {
	t.Helper()
	all := map[string]session.RemoteClaim{}
	for line := range strings.Lines(f.clones[0].git(t, "--git-dir", f.bare, "for-each-ref", "--format=%(refname:lstrip=3)%09%(contents:subject)", "refs/cairn/claims")) {
		name, message, _ := strings.Cut(strings.TrimSpace(line), "\t")
		c, err := session.ParseRemoteClaim([]byte(message), record.ID(name).Ref())
		if err != nil {
			t.Fatal(err)
		}
		all[name] = c
	}
	return all
}

// sized is a number that a variable sets, such as "20x20", or what there is without it.
func sized(t *testing.T, variable string, a, b int) (int, int) {
	t.Helper()
	if text := os.Getenv(variable); text != "" {
		if _, err := fmt.Sscanf(text, "%dx%d", &a, &b); err != nil {
			t.Fatalf("%s=%s: %v", variable, text, err)
		}
	}
	return a, b
}

// Of many clones one has a task. Every other one is told who, and nothing changes in its work tree. CLONES_RACE=20x20
// has twenty clones race twenty times.
func TestSlowOneOfManyClonesWins(t *testing.T) {
	slowtest.Skip(t)
	clones, rounds := sized(t, "CLONES_RACE", 5, 2)
	f := newFleet(t, clones, rounds)
	slowest := time.Duration(0)
	for round := range rounds {
		id := fmt.Sprintf("T-%d", round+1)
		verb := []string{"claim", "begin"}[round%2]
		processes, errs := make([]*exec.Cmd, clones), make([]strings.Builder, clones)
		begun := time.Now()
		for i, w := range f.clones {
			processes[i] = w.as(t, record.Actor(fmt.Sprintf("agent:a%d", i)), verb, id)
			processes[i].Stderr = &errs[i]
			start(t, processes[i])
		}
		winner := -1
		for i, p := range processes {
			_ = p.Wait()
			switch exit := p.ProcessState.ExitCode(); {
			case exit == 0 && winner >= 0:
				t.Errorf("round %d: %d and %d have it", round, winner, i)
			case exit == 0:
				winner = i
			case exit != 5:
				t.Errorf("round %d: %d exits with %d: %s", round, i, exit, &errs[i])
			}
		}
		slowest = max(slowest, time.Since(begun))
		if winner < 0 {
			t.Fatalf("round %d: nobody has it", round)
		}
		for i, w := range f.clones {
			if i == winner {
				continue
			}
			if said := errs[i].String(); !strings.Contains(said, fmt.Sprintf("held by agent:a%d on branch main in clone", winner)) {
				t.Errorf("round %d: %d is told %q, and %d won", round, i, said, winner)
			}
			if out := w.git(t, "status", "--porcelain"); strings.Contains(out, id) {
				t.Errorf("round %d: the loser %d has changed %s", round, i, out)
			}
		}
		if c := f.refs(t)[id]; c.Holder != record.Actor(fmt.Sprintf("agent:a%d", winner)) {
			t.Errorf("round %d: %d won, and the remote has %+v", round, winner, c)
		}
	}
	t.Logf("%d rounds of %d clones, the slowest in %v", rounds, clones, slowest)
}

// Agents in clones share tasks over MCP until all are done, and nothing is done twice. CLONES_WORK=6x60 has six agents
// share sixty.
func TestSlowAgentsInClonesShareTheWork(t *testing.T) {
	slowtest.Skip(t)
	clones, n := sized(t, "CLONES_WORK", 3, 6)
	f := newFleet(t, clones, n)
	ctx, end := context.WithTimeout(t.Context(), 10*time.Minute)
	defer end()
	var mu sync.Mutex
	done := map[record.ID][]record.Actor{}
	count := func(id record.ID, who record.Actor) int {
		mu.Lock()
		defer mu.Unlock()
		if id != "" {
			done[id] = append(done[id], who)
		}
		return len(done)
	}
	var all sync.WaitGroup
	for i, w := range f.clones {
		a := hire(t, w, &worklog{}, record.Actor(fmt.Sprintf("agent:a%d", i)))
		all.Go(func() {
			for count("", "") < n && ctx.Err() == nil && !t.Failed() {
				err := a.share(ctx, func(id record.ID) { count(id, a.name) })
				var no refusal
				if errors.As(err, &no) && no.Code == record.AlreadyClaimed {
					continue // somebody else was faster
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	begun := time.Now()
	all.Wait()
	if len(done) != n {
		t.Errorf("%d of %d are done", len(done), n)
	}
	by := map[record.Actor]int{}
	for id, who := range done {
		if len(who) != 1 {
			t.Errorf("%s was done by %v", id, who)
		}
		by[who[0]]++
	}
	for id, c := range f.refs(t) {
		if c.State != session.RemoteFinished || len(done[record.ID(id)]) != 1 || c.Holder != done[record.ID(id)][0] {
			t.Errorf("the remote has %+v of %s, which was done by %v", c, id, done[record.ID(id)])
		}
	}
	t.Logf("%d tasks in %v: %v", n, time.Since(begun), by)
}

// share begins and finishes the next task, if there is one.
func (a *agent) share(ctx context.Context, did func(record.ID)) error {
	var found tasks.Work
	if err := a.call(ctx, "next", object{}, &found); err != nil {
		return err
	}
	if found.Task == nil {
		time.Sleep(50 * time.Millisecond)
		return nil
	}
	ses, err := a.begin(ctx, found.Task.ID, false)
	if err != nil {
		return err
	}
	did(found.Task.ID)
	return a.call(ctx, "finish", object{"session": ses.ID, "summary": "it stands"}, new(verb.Session))
}

// A process that is killed while it claims leaves a claim that holds, or one that is given back: never one that is
// believed in one place only. CLONES_KILLS=100 kills a hundred.
func TestSlowKilledWhileItClaims(t *testing.T) {
	slowtest.Skip(t)
	kills := 4
	if n, err := strconv.Atoi(os.Getenv("CLONES_KILLS")); err == nil {
		kills = n
	}
	f := newFleet(t, 2, kills+1)
	a, b := f.clones[0], f.clones[1]
	begun := time.Now()
	if err := a.as(t, "agent:ada", "claim", fmt.Sprintf("T-%d", kills+1)).Run(); err != nil {
		t.Fatal(err)
	}
	took := time.Since(begun)
	outcome := map[string]int{}
	for i := range kills {
		id := fmt.Sprintf("T-%d", i+1)
		c := a.as(t, "agent:ada", "claim", id)
		held, given, err := os.Pipe() // to see when the git that it started has ended
		if err != nil {
			t.Fatal(err)
		}
		c.ExtraFiles = []*os.File{given}
		start(t, c)
		_ = given.Close()
		time.Sleep(time.Duration(rand.Int64N(int64(took) + 1)))
		_ = c.Process.Kill()
		_ = c.Wait()
		_, _ = io.ReadAll(held)
		_ = held.Close()
		left := f.refs(t)[id].Holder != ""
		a.cairn(t, "remote", "sync")
		holds, there := a.holds(t, id), f.refs(t)[id].State == session.RemoteHeld
		if holds != there {
			t.Errorf("%s is held: %v, and the remote has it: %v", id, holds, there)
		}
		outcome[fmt.Sprintf("left %v, held %v", left, holds)]++
		other := b.as(t, "agent:bea", "claim", id)
		if err := other.Run(); (err == nil) == holds || err != nil && other.ProcessState.ExitCode() != 5 {
			t.Errorf("%s is held: %v, and another clone gets %v", id, holds, err)
		}
	}
	t.Logf("%v", outcome)
}

// holds reports whether somebody holds a task in the clone.
func (w workspace) holds(t *testing.T, id string) bool {
	t.Helper()
	var one struct {
		Claim *struct{ Actor record.Actor }
	}
	if err := json.Unmarshal([]byte(w.cairn(t, "get", id, "--json")), &one); err != nil {
		t.Fatal(err)
	}
	return one.Claim != nil
}

// Whoever takes over what they did not know to be held learns it by the push that is refused, and is not asked to try
// again because the budget has no room for another question.
func TestSlowATakeoverDecidesByTheAnswer(t *testing.T) {
	slowtest.Skip(t)
	f := newFleet(t, 2, 1)
	must := func(w workspace, who record.Actor, args ...string) {
		t.Helper()
		c := w.as(t, who, args...)
		c.Env = append(c.Env, "CAIRN_CLAIMS_BACKGROUND=off", budgetVar+"=6")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("cairn %v: %v\n%s", args, err, out)
		}
	}
	for range 3 {
		must(f.clones[0], "human:ada", "remote", "sync")
	}
	must(f.clones[1], "agent:bea", "claim", "T-1")
	must(f.clones[0], "human:ada", "claim", "T-1", "--takeover")
	if got := f.refs(t)["T-1"]; got.Holder != "human:ada" {
		t.Errorf("the remote has %+v", got)
	}
}

// What needs the remote asks it once, and what does not never does.
func TestSlowConnectionsToTheRemote(t *testing.T) {
	slowtest.Skip(t)
	f := newFleet(t, 1, 8)
	w := f.clones[0]
	bin, calls := t.TempDir(), filepath.Join(t.TempDir(), "calls")
	ssh := "#!/bin/sh\necho \"$*\" >>'" + calls + "'\nsleep \"${SSH_DELAY:-0}\"\nfor last; do :; done\nexec sh -c \"$last\"\n"
	if err := os.WriteFile(filepath.Join(bin, "ssh"), []byte(ssh), 0o755); err != nil {
		t.Fatal(err)
	}
	w.git(t, "remote", "set-url", "origin", "ssh://localhost"+f.bare)
	run := func(delay string, args ...string) (int, time.Duration) {
		t.Helper()
		_ = os.Remove(calls)
		c := w.as(t, "agent:ada", args...)
		c.Env = append(c.Env, "GIT_SSH_COMMAND="+filepath.Join(bin, "ssh"), "GIT_SSH_VARIANT=ssh", "SSH_DELAY="+delay)
		begun := time.Now()
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("cairn %v: %v\n%s", args, err, out)
		}
		took := time.Since(begun)
		text, _ := os.ReadFile(calls)
		return strings.Count(string(text), "\n"), took
	}
	run("0", "claim", "T-1")
	for _, row := range []struct {
		calls int
		args  []string
	}{
		{1, []string{"claim", "T-2"}},
		{0, []string{"claim", "T-2"}}, // again
		{0, []string{"list"}},
		{0, []string{"show", "T-2"}},
		{0, []string{"note", "T-2", "a stone"}},
		{0, []string{"note", "T-3", "nobody has it"}},
		{1, []string{"begin", "T-3"}},
		{0, []string{"heartbeat", "T-3"}},
		{1, []string{"claim", "T-4", "--lease-seconds", "600"}},
		{0, []string{"note", "T-4", "a stone"}},
		{1, []string{"release", "T-4"}},
		{1, []string{"finish", "T-3", "it stands"}},
		{0, []string{"remote", "status"}},
		{2, []string{"remote", "sync"}}, // claims, and evidence
	} {
		if n, took := run("0.3", row.args...); n != row.calls {
			t.Errorf("cairn %s asks %d times, not %d", strings.Join(row.args, " "), n, row.calls)
		} else {
			t.Logf("%d connections of 300 ms, %4d ms: cairn %s", n, took.Milliseconds(), strings.Join(row.args, " "))
		}
	}
	if testing.Verbose() {
		for i, args := range [][]string{{"claim", "T-5"}, {"list"}, {"claim", "T-6"}, {"list"}} {
			n, took := run("0", args...)
			t.Logf("%d: %d connections without a delay, %4d ms: cairn %s", i, n, took.Milliseconds(), strings.Join(args, " "))
		}
	}
}
