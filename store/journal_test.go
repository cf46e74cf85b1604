package store

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/task"
)

// An editor that read the file before a write, and saves after it, loses the write's entry: it is known which.
func TestOverwrittenByAnEditor(t *testing.T) {
	s := newStore(t)
	a := newActor(s, "agent:a")
	wantCode(t, a.createAs("PROJ-1", "Pour the concrete"), "")
	buffer := readFile(t, s.task("PROJ-1"))
	wantCode(t, a.note("PROJ-1", "it rains"), "")
	wantCode(t, a.claim("PROJ-1"), "")
	wantOverwritten(t, s, "PROJ-1")
	writeFile(t, s.task("PROJ-1"), buffer+"\nFour trucks.\n")
	wantOverwritten(t, s, "PROJ-1", "noted it rains", "claimed ")
}

// What git brought back to what it has is not reported, whichever way that was asked for, nor after further writes.
func TestGitTakesEntriesAway(t *testing.T) {
	for _, row := range []struct {
		name string
		undo func(t *testing.T, s *Store)
		crlf bool
	}{
		{name: "reset", undo: func(t *testing.T, s *Store) { runGit(t, s.Root, "reset", "-q", "--hard") }},
		{name: "stash", undo: func(t *testing.T, s *Store) { runGit(t, s.Root, "stash", "-q") }},
		{name: "checkout of the file", undo: func(t *testing.T, s *Store) { runGit(t, s.Root, "checkout", "-q", "--", ".") }},
		{name: "checkout where git turns line breaks", crlf: true, undo: func(t *testing.T, s *Store) { runGit(t, s.Root, "reset", "-q", "--hard") }},
		{name: "switch to an older branch", undo: func(t *testing.T, s *Store) {
			runGit(t, s.Root, "commit", "-qam", "work")
			runGit(t, s.Root, "checkout", "-q", "-b", "older", "HEAD^")
		}},
		{name: "revert", undo: func(t *testing.T, s *Store) {
			runGit(t, s.Root, "commit", "-qam", "work")
			runGit(t, s.Root, "revert", "--no-edit", "HEAD")
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newStoreAt(t, newRepo(t))
			if row.crlf {
				runGit(t, s.Root, "config", "core.autocrlf", "true")
			}
			a := newActor(s, "agent:a")
			wantCode(t, a.createAs("PROJ-1", "Pour the concrete"), "")
			runGit(t, s.Root, "add", ".")
			runGit(t, s.Root, "commit", "-qm", "tasks")
			wantCode(t, a.note("PROJ-1", "it rains"), "")
			row.undo(t, s)
			later(t, s.task("PROJ-1"))
			wantOverwritten(t, s, "PROJ-1")
			wantCode(t, a.note("PROJ-1", "the sun is back"), "")
			wantOverwritten(t, s, "PROJ-1")
		})
	}
}

// later makes a file one that was changed a minute later, as when somebody gave the command then.
func later(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	wantCode(t, err, "")
	at := info.ModTime().Add(time.Minute)
	wantCode(t, os.Chtimes(path, at, at), "")
}

// In git too, what an editor saves over is lost, before and after a commit of something else, until the file is committed.
func TestOverwrittenUntilCommitted(t *testing.T) {
	s := newStoreAt(t, newRepo(t))
	a := newActor(s, "agent:a")
	wantCode(t, a.createAs("PROJ-1", "Pour the concrete"), "")
	runGit(t, s.Root, "add", ".")
	runGit(t, s.Root, "commit", "-qm", "tasks")
	buffer := readFile(t, s.task("PROJ-1"))
	wantCode(t, a.note("PROJ-1", "it rains"), "")
	writeFile(t, s.task("PROJ-1"), buffer+"\nFour trucks.\n")
	wantOverwritten(t, s, "PROJ-1", "noted it rains")
	runGit(t, s.Root, "commit", "-q", "--allow-empty", "-m", "something else")
	wantCode(t, a.note("PROJ-1", "the sun is back"), "")
	wantOverwritten(t, s, "PROJ-1", "noted it rains")
	later(t, s.task("PROJ-1"))
	runGit(t, s.Root, "commit", "-qam", "as it is")
	wantOverwritten(t, s, "PROJ-1")
}

// A write that came and was not journalled, because its process died in between, is journalled by the next write.
func TestJournalAfterAKill(t *testing.T) {
	s := newStore(t)
	a := newActor(s, "agent:a")
	wantCode(t, a.createAs("PROJ-1", "Pour the concrete"), "")
	buffer := readFile(t, s.task("PROJ-1"))
	wantCode(t, a.note("PROJ-1", "it rains"), "")
	one, err := s.Get("PROJ-1")
	wantCode(t, err, "")
	reach := session.Reach{Status: "backlog", Worktree: s.Worktree, Entry: one.Provenance.Last().Hash()}
	record(t, s, session.Record{Task: "PROJ-1", Intent: &session.Intent{Reach: reach}})
	wantCode(t, s.setDirty(true), "")
	wantCode(t, os.Remove(s.journal("PROJ-1")), "")

	wantCode(t, a.note("PROJ-1", "the sun is back"), "")
	writeFile(t, s.task("PROJ-1"), buffer)
	wantOverwritten(t, s, "PROJ-1", "noted it rains", "noted the sun is back")
}

// A line that a power cut tore does not spoil the ones around it, and without a journal nothing is known.
func TestJournalThatIsDamagedOrGone(t *testing.T) {
	s := newStore(t)
	a := newActor(s, "agent:a")
	wantCode(t, a.createAs("PROJ-1", "Pour the concrete"), "")
	buffer := readFile(t, s.task("PROJ-1"))
	wantCode(t, a.note("PROJ-1", "before"), "")
	appendTo(t, s.journal("PROJ-1"), "\n"+`{"on":{"worktree":"/to`)
	wantCode(t, a.note("PROJ-1", "after"), "")
	writeFile(t, s.task("PROJ-1"), buffer)
	wantOverwritten(t, s, "PROJ-1", "noted before", "noted after")
	wantCode(t, os.RemoveAll(filepath.Join(s.Layout.Live, "journal")), "")
	wantOverwritten(t, s, "PROJ-1")
	wantCode(t, a.note("PROJ-1", "and on it goes"), "")
}

// A journal does not grow without end. The newest lines stay.
func TestJournalIsBounded(t *testing.T) {
	s := newStoreAt(t, t.TempDir())
	wantCode(t, s.prepareLive(), "")
	remember := func(text string) {
		e := task.Entry{Who: "agent:a", At: time.Unix(0, 0).UTC(), Did: task.Noted, Text: text}
		wantCode(t, s.remember(task.Task{ID: "PROJ-1", Provenance: []task.Entry{e}}, session.Reach{Worktree: s.Worktree, Entry: e.Hash()}, writtenOn{}), "")
	}
	long := strings.Repeat("x", task.MaxText-20)
	for i := range 2 * journalMax / task.MaxText {
		remember(fmt.Sprintf("%d %s", i, long))
		info, err := os.Stat(s.journal("PROJ-1"))
		if err != nil || info.Size() > journalMax {
			t.Fatalf("after %d notes: %v", i, err)
		}
	}
	journal := s.readJournal("PROJ-1")
	newest := fmt.Sprint(2*journalMax/task.MaxText - 1)
	if last := journal[len(journal)-1].Entry.Text; len(journal) < 20 || !strings.HasPrefix(last, newest+" ") {
		t.Errorf("of %d lines the last is %.10s", len(journal), last)
	}
}

// What the file lacks stays when a journal is cut, however old it is.
func TestJournalKeepsWhatIsLost(t *testing.T) {
	s := newStoreAt(t, t.TempDir())
	wantCode(t, s.prepareLive(), "")
	file := task.Task{ID: "PROJ-1"}
	var lines []string
	for i := range journalMax / task.MaxText {
		e := task.Entry{Who: "agent:a", At: time.Unix(0, 0).UTC(), Did: task.Noted, Text: fmt.Sprintf("%d %s", i, strings.Repeat("x", task.MaxText-20))}
		if i > 0 {
			file.Provenance = append(file.Provenance, e)
		}
		line, err := json.Marshal(session.Written{On: session.Sighting{Worktree: s.Worktree}, Entry: e})
		wantCode(t, err, "")
		lines = append(lines, string(line))
	}
	writeFile(t, s.journal("PROJ-1"), strings.Join(lines, "\n"))
	wantCode(t, s.cutJournal(file, s.Worktree), "")
	kept := s.readJournal("PROJ-1")
	if len(kept) >= len(lines) || !strings.HasPrefix(kept[0].Entry.Text, "0 ") || !kept[len(kept)-1].Entry.Equal(file.Provenance.Last()) {
		t.Errorf("%d lines of %d are kept, from %.10s", len(kept), len(lines), kept[0].Entry.Text)
	}
}

// wantOverwritten compares the entries that a task lost, each as what was done and its text.
func wantOverwritten(t *testing.T, s *Store, id task.ID, want ...string) {
	t.Helper()
	one, err := s.Get(id)
	wantCode(t, err, "")
	lost, err := s.Overwritten(t.Context(), one)
	wantCode(t, err, "")
	var got []string
	for _, e := range lost {
		got = append(got, string(e.Did)+" "+e.Text)
	}
	if !slices.Equal(got, want) {
		t.Errorf("lost: %q, and not %q", got, want)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	src, err := os.ReadFile(path)
	wantCode(t, err, "")
	return string(src)
}

// Switching carries an uncommitted file along, so what is saved over on the new branch is lost all the same. What was committed
// on a branch is safe there.
func TestOverwrittenAcrossBranches(t *testing.T) {
	s := newStoreAt(t, newRepo(t))
	a := newActor(s, "agent:a")
	wantCode(t, a.createAs("PROJ-1", "Pour the concrete"), "")
	runGit(t, s.Root, "add", ".")
	runGit(t, s.Root, "commit", "-qm", "tasks")
	buffer := readFile(t, s.task("PROJ-1"))
	wantCode(t, a.note("PROJ-1", "it rains"), "")
	runGit(t, s.Root, "checkout", "-q", "-b", "feature")
	writeFile(t, s.task("PROJ-1"), buffer+"\nFour trucks.\n")
	wantOverwritten(t, s, "PROJ-1", "noted it rains")

	wantCode(t, a.note("PROJ-1", "the sun is back"), "")
	runGit(t, s.Root, "commit", "-qam", "work")
	runGit(t, s.Root, "checkout", "-q", "-")
	writeFile(t, s.task("PROJ-1"), buffer+"\nFive trucks.\n")
	wantOverwritten(t, s, "PROJ-1", "noted it rains")
}
