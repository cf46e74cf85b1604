package store_test

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

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/storetest"
	"github.com/cairn-tasks/cairn/task"
)

// Notes that are written while git commits, switches and stashes are somewhere afterwards: in a file, on a branch, in a
// stash, or among what is offered back. None is gone for good.
func TestSlowNotesBesideGit(t *testing.T) {
	slowtest.Skip(t)
	const writers, rounds = 3, 30
	repo := storetest.NewRepo(t)
	s := storetest.NewAt(t, repo)
	lee := storetest.NewActor(s, "human:lee")
	ids := []record.ID{"PROJ-1", "PROJ-2", "PROJ-3"}
	for _, id := range ids {
		storetest.WantCode(t, lee.CreateAs(id, "Task "+string(id)), "")
	}
	git := func(args ...string) bool {
		cmd := exec.Command("git", args...)
		cmd.Dir = repo
		return cmd.Run() == nil
	}
	if !git("add", "-A") || !git("commit", "-qm", "tasks") || !git("checkout", "-q", "-b", "side") {
		t.Skip("git does not work here")
	}
	for _, id := range ids {
		storetest.WantCode(t, lee.Note(id, "of the side"), "")
	}
	git("commit", "-qam", "side")

	stop := make(chan struct{})
	var mu sync.Mutex
	var written []string
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			at, a := storetest.Open(t, repo), record.Actor(fmt.Sprintf("agent:w%d", w))
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				text := fmt.Sprintf("note %d of writer %d.", i, w)
				if err := storetest.NewActor(at, a).Note(ids[rand.N(len(ids))], text); err == nil {
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
			git("commit", "-qam", "work")
		case 3:
			git("stash", "-q")
		}
		other := map[string]string{"side": "main", "main": "side"}[branch]
		if git("checkout", "-q", other) {
			branch = other
		}
	}
	close(stop)
	group.Wait()

	var places strings.Builder
	for _, src := range storetest.Files(t, s.Dir("tasks")) {
		places.WriteString(src)
	}
	for _, rev := range strings.Fields(storetest.GitOutput(t, repo, "rev-list", "--branches")) {
		for _, id := range ids {
			places.WriteString(show(repo, rev, kind.Tasks.File(id)))
		}
	}
	for _, rev := range strings.Fields(storetest.GitOutput(t, repo, "log", "--walk-reflogs", "--format=%H", "--all")) {
		for _, id := range ids {
			places.WriteString(show(repo, rev, kind.Tasks.File(id)))
		}
	}
	s = storetest.Open(t, repo)
	offered := map[string]bool{}
	for _, id := range ids {
		one, err := kind.Tasks.Get(s, id)
		storetest.WantCode(t, err, "")
		lost, err := s.Overwritten(t.Context(), one.Header())
		storetest.WantCode(t, err, "")
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
func committedTask(t *testing.T) (s *store.Store, a storetest.Actor, content string) {
	t.Helper()
	s = storetest.NewAt(t, storetest.NewRepo(t))
	a = storetest.NewActor(s, "agent:a")
	storetest.WantCode(t, a.CreateAs("PROJ-1", "Pour the concrete"), "")
	storetest.Git(t, s.Root, "add", ".")
	storetest.Git(t, s.Root, "commit", "-qm", "tasks")
	time.Sleep(2 * store.GitQuiet)
	return s, a, storetest.ReadFile(t, storetest.TaskFile(s, "PROJ-1"))
}

// A git that had looked at a file before a write, and replaces it right after, has not seen the entry. It is offered
// back, also after further writes, until a commit, a stash or a file has it.
func TestReplacedByGitRightAfterAWrite(t *testing.T) {
	s, a, content := committedTask(t)
	storetest.WantCode(t, a.Note("PROJ-1", "it rains"), "")
	storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-1"), content)
	storetest.WantOverwritten(t, s, "PROJ-1", "noted it rains")
	storetest.WantCode(t, a.Note("PROJ-1", "the sun is back"), "")
	storetest.WantOverwritten(t, s, "PROJ-1", "noted it rains")
	storetest.Git(t, s.Root, "commit", "-qam", "the sun")
	storetest.WantOverwritten(t, s, "PROJ-1", "noted it rains")

	storetest.WantCode(t, a.Note("PROJ-1", "wind"), "")
	storetest.Git(t, s.Root, "stash", "-q")
	storetest.WantOverwritten(t, s, "PROJ-1", "noted it rains") // the stash has the other
	storetest.WantCode(t, a.Note("PROJ-1", "hail"), "")
	storetest.Git(t, s.Root, "commit", "-qam", "hail")
	storetest.Git(t, s.Root, "reset", "-q", "--hard", "HEAD^")
	storetest.WantOverwritten(t, s, "PROJ-1", "noted it rains") // the reflog has it
}

// A write waits while git holds its lock, and for no lock that a killed git left.
func TestWriteWaitsForGit(t *testing.T) {
	s, a, _ := committedTask(t)
	storetest.WriteFile(t, s.GitLock(), "")
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		time.Sleep(300 * time.Millisecond)
		if one, err := kind.Tasks.Get(s, "PROJ-1"); err != nil || one.Provenance.Last().Did == record.Noted {
			t.Errorf("it was written under git's lock (%v)", err)
		}
		_ = os.Remove(s.GitLock())
	}()
	storetest.WantCode(t, a.Note("PROJ-1", "after git"), "")
	<-gone

	storetest.WriteFile(t, s.GitLock(), "")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	before := storetest.Files(t, s.Root)
	err := s.Update(ctx, func(tx *store.Tx) error {
		one, err := kind.Tasks.Get(tx, "PROJ-1")
		if err == nil {
			one, _, err = task.Note(one, a.Stamp("too late"))
			kind.Tasks.Put(tx, one)
		}
		return err
	})
	if !errors.Is(err, context.DeadlineExceeded) || !maps.Equal(storetest.Files(t, s.Root), before) {
		t.Errorf("a write that is given up while it waits was made, or says %v", err)
	}
	storetest.WantCode(t, os.Remove(s.GitLock()), "")

	storetest.WriteFile(t, s.GitLock(), "")
	long := time.Now().Add(-time.Hour)
	storetest.WantCode(t, os.Chtimes(s.GitLock(), long, long), "")
	time.Sleep(2 * store.GitQuiet)
	begin := time.Now()
	storetest.WantCode(t, a.Note("PROJ-1", "beside a lock that a crash left"), "")
	if took := time.Since(begin); took > store.GitPatience/2 {
		t.Errorf("it waited for %v", took)
	}
}

// A write whose file git replaced before the write was over is made again, on what git put there.
func TestWriteIsMadeAgainAfterGit(t *testing.T) {
	s, a, content := committedTask(t)
	runs := 0
	s.BeforePublish(func(path string) {
		if runs++; runs > 1 {
			return
		}
		storetest.WriteFile(t, s.GitLock(), "")
		go func() {
			for end := time.Now().Add(store.GitPatience / 2); time.Now().Before(end); time.Sleep(time.Millisecond) {
				if src, _ := os.ReadFile(path); strings.Contains(string(src), "it rains") {
					break
				}
			}
			_ = os.WriteFile(path, []byte(content), 0o644)
			_ = os.Remove(s.GitLock())
		}()
	})
	storetest.WantCode(t, a.Note("PROJ-1", "it rains"), "")
	one, err := kind.Tasks.Get(s, "PROJ-1")
	storetest.WantCode(t, err, "")
	if runs != 2 || one.Provenance.Last().Text != "it rains" || len(one.Provenance) != 2 {
		t.Errorf("after %d runs the record ends with %+v", runs, one.Provenance.Last())
	}
	storetest.WantClean(t, s)
	storetest.WantOverwritten(t, s, "PROJ-1")
}

// show is a file as a commit has it, or "".
func show(repo, rev, path string) string {
	cmd := exec.Command("git", "show", rev+":"+path)
	cmd.Dir = repo
	out, _ := cmd.Output() // it may not be there
	return string(out)
}
