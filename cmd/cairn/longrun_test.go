//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/activity"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/storetest"
	"github.com/cairn-tasks/cairn/task"
)

// A wall is built of stones, a task each. A stone depends on two of the course below, and the last one on all of its
// course. A command checks that the stone exists. Every third has a manual check too.
const (
	stones    = 60
	course    = 6
	forReview = "for-review"

	longest     = 3 * time.Minute // that building may take
	longestWait = time.Minute
)

// Four agents and a person build the wall. Each agent is a process with the official client, and the person is the
// command line. One agent is killed during a task, which another takes over. In the end every stone exists, each was
// made in one finished session and after those it depends on, and every agent had work.
func TestSlowAgentsAndAPersonShareTheWork(t *testing.T) {
	slowtest.Skip(t)
	const n, fallsAt = stones, 4
	w := newRepo(t)
	w.cairn(t, "settings-set", "session_stale_after", "1s")
	w.plan(t, n)
	w.cairn(t, "trust", "--yes")
	log := &worklog{}
	var agents []*agent
	for _, name := range []record.Actor{"agent:ada", "agent:bea", "agent:cai", "agent:dov"} {
		agents = append(agents, hire(t, w, log, name))
	}
	mortal, heir, survivors := agents[0], agents[1], agents[1:]

	ctx, end := context.WithTimeoutCause(t.Context(), longest, fmt.Errorf("the wall is not built after %v", longest))
	defer end()
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	built, complete := context.WithCancel(ctx)
	defer complete()
	fell := make(chan verb.Session, 1)
	works := []func() error{
		func() error { return mortal.work(ctx, built, mortal.fallingAt(fallsAt, fell)) },
		func() error { return heir.inherit(ctx, fell) },
	}
	for _, a := range survivors {
		works = append(works, func() error { return a.work(ctx, built, a.do) })
	}
	var all sync.WaitGroup
	for _, work := range works {
		all.Go(func() {
			if err := work(); err != nil {
				fail(err)
			}
		})
	}
	if err := w.review(t, ctx, log, title(n-1)); err != nil {
		fail(err)
	}
	complete()
	all.Wait()

	s := w.open(t)
	defer func() {
		if t.Failed() {
			t.Log(standings(t, s, agents))
		}
	}()
	if err := context.Cause(ctx); err != nil {
		t.Fatal(err)
	}
	for _, a := range survivors {
		a.resign(t)
	}
	wantSound(t, s)
	tasks := wantClosed(t, s, n)
	laid := wantBuilt(t, tasks, log)
	wantOneTakeover(t, s, tasks, mortal.name, heir.name)
	t.Logf("stones laid: %v", laid)
	for _, a := range survivors {
		if fair := n / len(agents) / 3; laid[a.name] < fair {
			t.Errorf("of %d stones %s has laid %d, fewer than %d", n, a.name, laid[a.name], fair)
		}
	}
}

// newRepo makes a workspace in a git repository.
func newRepo(t *testing.T) workspace {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	w := workspace{t.TempDir(), t.TempDir()}
	for _, args := range [][]string{
		{"init", "--quiet", "--template=", "--initial-branch=main"},
		{"-c", "user.name=shah", "-c", "user.email=shah@example.com", "commit", "--quiet", "--allow-empty", "--message=begin"},
	} {
		cmd := exec.Command(git, args...)
		cmd.Dir, cmd.Env = w.dir, w.env()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	w.cairn(t, "init", "--prefix", "T")
	return w
}

// open opens the workspace as the program does.
func (w workspace) open(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(w.dir, filepath.Join(w.home, "cairn"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// title is the title of a stone's task, and the name of the file that is the stone.
func title(n int) string { return fmt.Sprintf("stone-%02d", n) }

// plan makes the tasks of n stones.
func (w workspace) plan(t *testing.T, n int) {
	t.Helper()
	var tasks []object
	for i := range n {
		checks := []object{{"desc": "it is there", "cmd": "test -e " + title(i)}}
		labels, deps := []string{}, []string{}
		if i%3 == 2 {
			labels, checks = append(labels, forReview), append(checks, object{"desc": "it is straight", "type": "manual"})
		}
		if below := i - course; below >= 0 {
			deps = append(deps, ref(below), ref(i-i%course-course+(i+1)%course))
		}
		if i == n-1 {
			for other := i - i%course; other < i; other++ {
				deps = append(deps, ref(other))
			}
		}
		tasks = append(tasks, object{"title": title(i), "labels": labels, "deps": deps, "checks": checks})
	}
	input, err := json.Marshal(object{"tasks": tasks})
	if err != nil {
		t.Fatal(err)
	}
	w.cairn(t, "plan", "--input", string(input))
}

func ref(n int) string { return fmt.Sprintf("#%d", n) }

// review is the person's part: wait for tasks in review, attest them, and close them, until the last is closed.
func (w workspace) review(t *testing.T, ctx context.Context, log *worklog, last string) error { //nolint:revive // the test comes first
	seen, err := w.wait(t, ctx, "--timeout-seconds", "0")
	for err == nil {
		for _, one := range seen.Tasks {
			if !slices.Contains(one.Labels, forReview) {
				continue // its agent closes it
			}
			for _, args := range [][]string{{"attest", string(one.ID), "it is straight", "--pass"}, {"transition", string(one.ID), "done"}} {
				if _, err := w.person(t, ctx, args...); err != nil {
					return err
				}
			}
			log.add(one.ID, "human:shah", record.Transitioned, "")
			if one.Title == last {
				return nil
			}
		}
		seen, err = w.wait(t, ctx, "--cursor", seen.Cursor, "--timeout-seconds", fmt.Sprint(longestWait.Seconds()))
	}
	return err
}

// wait has the person wait for a change among the tasks in review.
func (w workspace) wait(t *testing.T, ctx context.Context, args ...string) (seen activity.Waited, err error) { //nolint:revive // the test comes first
	out, err := w.person(t, ctx, append([]string{"wait", "--status", "in_review", "--json"}, args...)...)
	if err == nil {
		err = json.Unmarshal(out, &seen)
	}
	return seen, err
}

// person runs the program until ctx ends, and returns what it prints. The end of the time is no failure.
func (w workspace) person(t *testing.T, ctx context.Context, args ...string) ([]byte, error) { //nolint:revive // the test comes first
	cmd := w.command(t, args...)
	cmd.Env = append(cmd.Env, programVar+"="+agreeing)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })()
	err := cmd.Wait()
	const timedOut = 6
	if err != nil && cmd.ProcessState.ExitCode() != timedOut {
		return nil, fmt.Errorf("the person: cairn %s: %w\n%s", strings.Join(args, " "), err, &errs)
	}
	return out.Bytes(), nil
}

// wantSound fails the test if a checker finds anything.
func wantSound(t *testing.T, s *store.Store) {
	t.Helper()
	findings, err := storetest.Judge(t.Context(), s.Layout)
	if err != nil || len(findings) > 0 {
		t.Errorf("the files: %v (%v)", findings, err)
	}
	problems, err := storetest.Verify(t.Context(), s)
	if err != nil || len(problems) > 0 {
		t.Errorf("the live state: %v (%v)", problems, err)
	}
}

// wantClosed returns the tasks, which must be n and closed.
func wantClosed(t *testing.T, s *store.Store, n int) []task.Task {
	t.Helper()
	tasks, problems, err := kind.Tasks.List(t.Context(), s)
	if err != nil || len(problems) > 0 || len(tasks) != n {
		t.Fatalf("%d tasks, problems %v (%v)", len(tasks), problems, err)
	}
	if open := slices.DeleteFunc(slices.Clone(tasks), func(one task.Task) bool { return one.Status == "done" }); len(open) > 0 {
		t.Fatalf("%d tasks are open", len(open))
	}
	return tasks
}

// wantBuilt fails the test unless every stone was made in one session and after those it depends on, by the record and
// by the worklog. It returns how many stones each actor made.
func wantBuilt(t *testing.T, tasks []task.Task, log *worklog) map[record.Actor]int {
	t.Helper()
	closed, laid := map[record.ID]time.Time{}, map[record.Actor]int{}
	for _, one := range tasks {
		closed[one.ID] = one.Provenance.Last().At
	}
	for _, one := range tasks {
		recorded, said := attempts(one), slices.Sorted(slices.Values(log.said[one.ID]))
		began, finished := entries(one, record.Began), entries(one, record.Finished)
		if !slices.Equal(recorded, said) || len(began) != 1 || len(finished) != 1 || len(entries(one, record.Transitioned)) != 1 {
			t.Fatalf("%s: the record says %q, and who did it %q", one.Title, recorded, said)
		}
		laid[finished[0].Who]++
		for _, dep := range one.Deps {
			if began[0].At.Before(closed[dep]) {
				t.Errorf("%s was begun at %v, and %s closed at %v", one.Title, began[0].At, dep, closed[dep])
			}
		}
	}
	return laid
}

// attempts is what a task's provenance says about its sessions, sorted.
func attempts(one task.Task) (lines []string) {
	for _, e := range entries(one, record.Began, record.TakenOver, record.Finished, record.Transitioned) {
		ses := e.Session
		if !e.OfAttempt() {
			ses = "" // that of another stone, if its agent is at work on one already
		}
		lines = append(lines, line(e.Who, e.Did, ses))
	}
	slices.Sort(lines)
	return lines
}

func entries(one task.Task, did ...record.Did) (out []record.Entry) {
	for _, e := range one.Provenance {
		if slices.Contains(did, e.Did) {
			out = append(out, e)
		}
	}
	return out
}

// wantOneTakeover fails the test unless one task was taken over, its first session was abandoned, and all others
// finished.
func wantOneTakeover(t *testing.T, s *store.Store, tasks []task.Task, from, to record.Actor) {
	t.Helper()
	var taken []string
	for _, one := range tasks {
		for _, e := range entries(one, record.TakenOver) {
			taken = append(taken, fmt.Sprint(entries(one, record.Began)[0].Who, " to ", e.Who))
		}
	}
	sessions, _, err := kind.Sessions.List(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for _, ses := range sessions {
		if ses.Status == session.Abandoned {
			taken = append(taken, fmt.Sprint("abandoned by ", ses.Actor))
		} else if ses.Status != session.Finished {
			t.Errorf("session %s of %s is %s", ses.ID, ses.Actor, ses.Status)
		}
	}
	if want := []string{fmt.Sprint(from, " to ", to), fmt.Sprint("abandoned by ", from)}; !slices.Equal(taken, want) || len(sessions) != len(tasks)+1 {
		t.Errorf("there were %q in %d sessions, want %q", taken, len(sessions), want)
	}
}

// standings is what each agent is doing, and which tasks are open.
func standings(t *testing.T, s *store.Store, agents []*agent) string {
	t.Helper()
	var lines []string
	for _, a := range agents {
		lines = append(lines, a.standing())
	}
	tasks, problems, err := kind.Tasks.List(context.Background(), s)
	for _, one := range tasks {
		if one.Status != "done" {
			lines = append(lines, fmt.Sprintf("%s, %s, is %s with %q: %q", one.Title, one.ID, one.Status, one.Assignee, attempts(one)))
		}
	}
	return fmt.Sprintf("%s\nproblems: %v (%v)", strings.Join(lines, "\n"), problems, err)
}
