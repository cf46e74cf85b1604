package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/task"
)

// Notes that are written while git commits, switches and stashes are somewhere afterwards: in a file, on a branch, in a stash,
// or among what is offered back. None is gone for good.
func TestNotesBesideGit(t *testing.T) {
	const writers, rounds = 3, 30
	repo := newRepo(t)
	s := newStoreAt(t, repo)
	lee := newActor(s, "human:lee")
	ids := []task.ID{"PROJ-1", "PROJ-2", "PROJ-3"}
	for _, id := range ids {
		wantCode(t, lee.createAs(id, "Task "+string(id)), "")
	}
	try := func(args ...string) bool {
		cmd := exec.Command("git", args...)
		cmd.Dir = repo
		return cmd.Run() == nil
	}
	if !try("add", "-A") || !try("commit", "-qm", "tasks") || !try("checkout", "-q", "-b", "side") {
		t.Skip("git does not work here")
	}
	for _, id := range ids {
		wantCode(t, lee.note(id, "of the side"), "")
	}
	try("commit", "-qam", "side")

	stop := make(chan struct{})
	var mu sync.Mutex
	var written []string
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			at, a := reopen(t, repo), task.Actor(fmt.Sprintf("agent:w%d", w))
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				text := fmt.Sprintf("note %d of writer %d.", i, w)
				if err := newActor(at, a).note(ids[rand.N(len(ids))], text); err == nil {
					mu.Lock()
					written = append(written, text)
					mu.Unlock()
				}
				time.Sleep(time.Duration(rand.N(4)) * time.Millisecond)
			}
		})
	}
	branch := "side"
	for i := range rounds {
		time.Sleep(time.Duration(rand.N(80)) * time.Millisecond)
		switch i % 5 {
		case 0, 2:
			try("commit", "-qam", "work")
		case 3:
			try("stash", "-q")
		}
		other := map[string]string{"side": "main", "main": "side"}[branch]
		if try("checkout", "-q", other) {
			branch = other
		}
	}
	close(stop)
	group.Wait()

	var places strings.Builder
	for _, src := range snapshot(t, s.TasksDir()) {
		places.WriteString(src)
	}
	for _, rev := range strings.Fields(gitOutput(t, repo, "rev-list", "--branches")) {
		for _, id := range ids {
			places.WriteString(show(repo, rev, s.TaskPath(id)))
		}
	}
	for _, rev := range strings.Fields(gitOutput(t, repo, "log", "--walk-reflogs", "--format=%H", "--all")) {
		for _, id := range ids {
			places.WriteString(show(repo, rev, s.TaskPath(id)))
		}
	}
	s = reopen(t, repo)
	offered := map[string]bool{}
	for _, id := range ids {
		one, err := s.Get(id)
		wantCode(t, err, "")
		lost, err := s.Overwritten(t.Context(), one)
		wantCode(t, err, "")
		for _, e := range lost {
			offered[e.Text] = true
		}
	}
	all, back := places.String(), 0
	for _, text := range written {
		switch {
		case strings.Contains(all, text):
		case offered[text]:
			back++
		default:
			t.Errorf("%q is nowhere", text)
		}
	}
	t.Logf("of %d notes %d are offered back", len(written), back)
	if len(written) < 10 {
		t.Errorf("%d notes are too few to tell", len(written))
	}
}

// committedTask is a task as git has it, with its file's content then.
func committedTask(t *testing.T) (s *Store, a actor, content string) {
	t.Helper()
	s = newStoreAt(t, newRepo(t))
	a = newActor(s, "agent:a")
	wantCode(t, a.createAs("PROJ-1", "Pour the concrete"), "")
	runGit(t, s.Root, "add", ".")
	runGit(t, s.Root, "commit", "-qm", "tasks")
	time.Sleep(2 * gitQuiet)
	return s, a, readFile(t, s.task("PROJ-1"))
}

// A git that had looked at a file before a write, and replaces it right after, has not seen the entry. It is offered back, also
// after further writes, until a commit, a stash or a file has it.
func TestReplacedByGitRightAfterAWrite(t *testing.T) {
	s, a, content := committedTask(t)
	wantCode(t, a.note("PROJ-1", "it rains"), "")
	writeFile(t, s.task("PROJ-1"), content)
	wantOverwritten(t, s, "PROJ-1", "noted it rains")
	wantCode(t, a.note("PROJ-1", "the sun is back"), "")
	wantOverwritten(t, s, "PROJ-1", "noted it rains")
	runGit(t, s.Root, "commit", "-qam", "the sun")
	wantOverwritten(t, s, "PROJ-1", "noted it rains")

	wantCode(t, a.note("PROJ-1", "wind"), "")
	runGit(t, s.Root, "stash", "-q")
	wantOverwritten(t, s, "PROJ-1", "noted it rains") // the stash has the other
	wantCode(t, a.note("PROJ-1", "hail"), "")
	runGit(t, s.Root, "commit", "-qam", "hail")
	runGit(t, s.Root, "reset", "-q", "--hard", "HEAD^")
	wantOverwritten(t, s, "PROJ-1", "noted it rains") // the reflog has it
}

// A write waits while git holds its lock, and for no lock that a killed git left.
func TestWriteWaitsForGit(t *testing.T) {
	s, a, _ := committedTask(t)
	writeFile(t, s.gitLock(), "")
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		time.Sleep(300 * time.Millisecond)
		if one, err := s.Get("PROJ-1"); err != nil || one.Provenance.Last().Did == task.Noted {
			t.Errorf("it was written under git's lock (%v)", err)
		}
		_ = os.Remove(s.gitLock())
	}()
	wantCode(t, a.note("PROJ-1", "after git"), "")
	<-gone

	writeFile(t, s.gitLock(), "")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	before := snapshot(t, s.Root)
	err := s.Update(ctx, func(tx *Tx) error {
		one, err := tx.Task("PROJ-1")
		if err == nil {
			one, _, err = task.Note(one, a.stamp("too late"))
			tx.Put(one)
		}
		return err
	})
	if !errors.Is(err, context.DeadlineExceeded) || !maps.Equal(snapshot(t, s.Root), before) {
		t.Errorf("a write that is given up while it waits was made, or says %v", err)
	}
	wantCode(t, os.Remove(s.gitLock()), "")

	writeFile(t, s.gitLock(), "")
	long := time.Now().Add(-time.Hour)
	wantCode(t, os.Chtimes(s.gitLock(), long, long), "")
	time.Sleep(2 * gitQuiet)
	begin := time.Now()
	wantCode(t, a.note("PROJ-1", "beside a lock that a crash left"), "")
	if took := time.Since(begin); took > gitPatience/2 {
		t.Errorf("it waited for %v", took)
	}
}

// A write whose file git replaced before the write was over is made again, on what git put there.
func TestWriteIsMadeAgainAfterGit(t *testing.T) {
	s, a, content := committedTask(t)
	runs := 0
	s.beforePublish = func(path string) {
		if runs++; runs > 1 {
			return
		}
		writeFile(t, s.gitLock(), "")
		go func() {
			for end := time.Now().Add(gitPatience / 2); time.Now().Before(end); time.Sleep(time.Millisecond) {
				if src, _ := os.ReadFile(path); strings.Contains(string(src), "it rains") {
					break
				}
			}
			_ = os.WriteFile(path, []byte(content), 0o644)
			_ = os.Remove(s.gitLock())
		}()
	}
	wantCode(t, a.note("PROJ-1", "it rains"), "")
	one, err := s.Get("PROJ-1")
	wantCode(t, err, "")
	if runs != 2 || one.Provenance.Last().Text != "it rains" || len(one.Provenance) != 2 {
		t.Errorf("after %d runs the record ends with %+v", runs, one.Provenance.Last())
	}
	verifyClean(t, s)
	wantOverwritten(t, s, "PROJ-1")
}

// show is a file as a commit has it, or "".
func show(repo, rev, path string) string {
	cmd := exec.Command("git", "show", rev+":"+path)
	cmd.Dir = repo
	out, _ := cmd.Output() // it may not be there
	return string(out)
}
