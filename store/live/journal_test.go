package live_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/live"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// An editor that read the file before a write, and saves after it, loses the write's entry: it is known which.
func TestOverwrittenByAnEditor(t *testing.T) {
	s := storetest.New(t)
	a := storetest.NewActor(s, "agent:a")
	storetest.WantCode(t, a.CreateAs("PROJ-1", "Pour the concrete"), "")
	buffer := storetest.ReadFile(t, storetest.TaskFile(s, "PROJ-1"))
	storetest.WantCode(t, a.Note("PROJ-1", "it rains"), "")
	storetest.WantCode(t, a.Claim("PROJ-1"), "")
	storetest.WantOverwritten(t, s, "PROJ-1")
	storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-1"), buffer+"\nFour trucks.\n")
	storetest.WantOverwritten(t, s, "PROJ-1", "noted it rains", "claimed ")
}

// What git brought back to what it has is not reported, whichever way that was asked for, nor after further writes.
func TestGitTakesEntriesAway(t *testing.T) {
	for _, row := range []struct {
		name string
		undo func(t *testing.T, s *store.Store)
		crlf bool
	}{
		{name: "reset", undo: func(t *testing.T, s *store.Store) { storetest.Git(t, s.Root, "reset", "-q", "--hard") }},
		{name: "stash", undo: func(t *testing.T, s *store.Store) { storetest.Git(t, s.Root, "stash", "-q") }},
		{name: "checkout of the file", undo: func(t *testing.T, s *store.Store) { storetest.Git(t, s.Root, "checkout", "-q", "--", ".") }},
		{name: "checkout where git turns line breaks", crlf: true, undo: func(t *testing.T, s *store.Store) { storetest.Git(t, s.Root, "reset", "-q", "--hard") }},
		{name: "switch to an older branch", undo: func(t *testing.T, s *store.Store) {
			storetest.Git(t, s.Root, "commit", "-qam", "work")
			storetest.Git(t, s.Root, "checkout", "-q", "-b", "older", "HEAD^")
		}},
		{name: "revert", undo: func(t *testing.T, s *store.Store) {
			storetest.Git(t, s.Root, "commit", "-qam", "work")
			storetest.Git(t, s.Root, "revert", "--no-edit", "HEAD")
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := storetest.NewAt(t, storetest.NewRepo(t))
			if row.crlf {
				storetest.Git(t, s.Root, "config", "core.autocrlf", "true")
			}
			a := storetest.NewActor(s, "agent:a")
			storetest.WantCode(t, a.CreateAs("PROJ-1", "Pour the concrete"), "")
			storetest.Git(t, s.Root, "add", ".")
			storetest.Git(t, s.Root, "commit", "-qm", "tasks")
			storetest.WantCode(t, a.Note("PROJ-1", "it rains"), "")
			row.undo(t, s)
			later(t, storetest.TaskFile(s, "PROJ-1"))
			storetest.WantOverwritten(t, s, "PROJ-1")
			storetest.WantCode(t, a.Note("PROJ-1", "the sun is back"), "")
			storetest.WantOverwritten(t, s, "PROJ-1")
		})
	}
}

// later makes a file one that was changed a minute later, as when somebody gave the command then.
func later(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	storetest.WantCode(t, err, "")
	at := info.ModTime().Add(time.Minute)
	storetest.WantCode(t, os.Chtimes(path, at, at), "")
}

// In git too, what an editor saves over is lost, before and after a commit of something else, until the file is
// committed.
func TestOverwrittenUntilCommitted(t *testing.T) {
	s := storetest.NewAt(t, storetest.NewRepo(t))
	a := storetest.NewActor(s, "agent:a")
	storetest.WantCode(t, a.CreateAs("PROJ-1", "Pour the concrete"), "")
	storetest.Git(t, s.Root, "add", ".")
	storetest.Git(t, s.Root, "commit", "-qm", "tasks")
	buffer := storetest.ReadFile(t, storetest.TaskFile(s, "PROJ-1"))
	storetest.WantCode(t, a.Note("PROJ-1", "it rains"), "")
	storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-1"), buffer+"\nFour trucks.\n")
	storetest.WantOverwritten(t, s, "PROJ-1", "noted it rains")
	storetest.Git(t, s.Root, "commit", "-q", "--allow-empty", "-m", "something else")
	storetest.WantCode(t, a.Note("PROJ-1", "the sun is back"), "")
	storetest.WantOverwritten(t, s, "PROJ-1", "noted it rains")
	later(t, storetest.TaskFile(s, "PROJ-1"))
	storetest.Git(t, s.Root, "commit", "-qam", "as it is")
	storetest.WantOverwritten(t, s, "PROJ-1")
}

// A line that a power cut tore does not spoil the ones around it, and without a journal nothing is known.
func TestJournalThatIsDamagedOrGone(t *testing.T) {
	s := storetest.New(t)
	a := storetest.NewActor(s, "agent:a")
	storetest.WantCode(t, a.CreateAs("PROJ-1", "Pour the concrete"), "")
	buffer := storetest.ReadFile(t, storetest.TaskFile(s, "PROJ-1"))
	storetest.WantCode(t, a.Note("PROJ-1", "before"), "")
	storetest.Append(t, s.Live.Journal(proj1), "\n"+`{"on":{"worktree":"/to`)
	storetest.WantCode(t, a.Note("PROJ-1", "after"), "")
	storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-1"), buffer)
	storetest.WantOverwritten(t, s, "PROJ-1", "noted before", "noted after")
	storetest.WantCode(t, os.RemoveAll(s.Live.Journals()), "")
	storetest.WantOverwritten(t, s, "PROJ-1")
	storetest.WantCode(t, a.Note("PROJ-1", "and on it goes"), "")
}

// A journal does not grow without end. The newest lines stay.
func TestJournalIsBounded(t *testing.T) {
	s := storetest.NewAt(t, t.TempDir())
	storetest.WantCode(t, s.MakeLive(), "")
	remember := func(text string) {
		e := record.Entry{Who: "agent:a", At: time.Unix(0, 0).UTC(), Did: record.Noted, Text: text}
		line, err := json.Marshal(session.Written{On: session.Sighting{Worktree: s.Worktree}, Entry: e})
		storetest.WantCode(t, err, "")
		storetest.WantCode(t, live.Append(s.Live.Journal(proj1), line), "")
		storetest.WantCode(t, s.CutJournal(proj1, record.Log{e}), "")
	}
	long := strings.Repeat("x", record.MaxText-20)
	for i := range 2 * live.JournalMax / record.MaxText {
		remember(fmt.Sprintf("%d %s", i, long))
		info, err := os.Stat(s.Live.Journal(proj1))
		if err != nil || info.Size() > live.JournalMax {
			t.Fatalf("after %d notes: %v", i, err)
		}
	}
	journal := s.Journal(proj1)
	newest := fmt.Sprint(2*live.JournalMax/record.MaxText - 1)
	if last := journal[len(journal)-1].Entry.Text; len(journal) < 20 || !strings.HasPrefix(last, newest+" ") {
		t.Errorf("of %d lines the last is %.10s", len(journal), last)
	}
}

// What the file lacks stays when a journal is cut, however old it is.
func TestJournalKeepsWhatIsLost(t *testing.T) {
	s := storetest.NewAt(t, t.TempDir())
	storetest.WantCode(t, s.MakeLive(), "")
	var file record.Log
	var lines []string
	for i := range live.JournalMax / record.MaxText {
		e := record.Entry{Who: "agent:a", At: time.Unix(0, 0).UTC(), Did: record.Noted, Text: fmt.Sprintf("%d %s", i, strings.Repeat("x", record.MaxText-20))}
		if i > 0 {
			file = append(file, e)
		}
		line, err := json.Marshal(session.Written{On: session.Sighting{Worktree: s.Worktree}, Entry: e})
		storetest.WantCode(t, err, "")
		lines = append(lines, string(line))
	}
	storetest.WriteFile(t, s.Live.Journal(proj1), strings.Join(lines, "\n"))
	storetest.WantCode(t, s.CutJournal(proj1, file), "")
	kept := s.Journal(proj1)
	if len(kept) >= len(lines) || !strings.HasPrefix(kept[0].Entry.Text, "0 ") || !kept[len(kept)-1].Entry.Equal(file.Last()) {
		t.Errorf("%d lines of %d are kept, from %.10s", len(kept), len(lines), kept[0].Entry.Text)
	}
}

// Switching carries an uncommitted file along, so what is saved over on the new branch is lost all the same. What was
// committed on a branch is safe there.
func TestOverwrittenAcrossBranches(t *testing.T) {
	s := storetest.NewAt(t, storetest.NewRepo(t))
	a := storetest.NewActor(s, "agent:a")
	storetest.WantCode(t, a.CreateAs("PROJ-1", "Pour the concrete"), "")
	storetest.Git(t, s.Root, "add", ".")
	storetest.Git(t, s.Root, "commit", "-qm", "tasks")
	buffer := storetest.ReadFile(t, storetest.TaskFile(s, "PROJ-1"))
	storetest.WantCode(t, a.Note("PROJ-1", "it rains"), "")
	storetest.Git(t, s.Root, "checkout", "-q", "-b", "feature")
	storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-1"), buffer+"\nFour trucks.\n")
	storetest.WantOverwritten(t, s, "PROJ-1", "noted it rains")

	storetest.WantCode(t, a.Note("PROJ-1", "the sun is back"), "")
	storetest.Git(t, s.Root, "commit", "-qam", "work")
	storetest.Git(t, s.Root, "checkout", "-q", "-")
	storetest.WriteFile(t, storetest.TaskFile(s, "PROJ-1"), buffer+"\nFive trucks.\n")
	storetest.WantOverwritten(t, s, "PROJ-1", "noted it rains")
}
