package store

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/task"
)

func writeLog(t *testing.T, s *Store, id task.ID, at time.Time) (name string) {
	t.Helper()
	path, err := s.WriteLog(id, at, func(out io.Writer) error {
		_, err := io.WriteString(out, "log\n")
		return err
	})
	wantCode(t, err, "")
	return filepath.Base(path)
}

func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// After 21 runs there are 20 logs, and it is the oldest that is gone.
func TestTheNewestLogsAreKept(t *testing.T) {
	s := newStore(t)
	var written []string
	for n := range logsKept + 1 {
		written = append(written, writeLog(t, s, "PROJ-1", noon.Add(time.Duration(n)*time.Second)))
	}
	if got := namesIn(t, s.RunsDir()); !slices.Equal(got, written[1:]) {
		t.Errorf("left are %v", got)
	}
}

// Processes that run checks of one task in turns leave its newest logs, and no more.
func TestTheNewestLogsOfManyProcessesAreKept(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	processes := startAll(t, s, writers/2, "log")
	for _, p := range processes {
		p.tell(t, "go")
	}
	var written []string
	for _, p := range processes {
		written = append(written, p.answers()...)
		p.end(t)
	}
	if len(written) != writers/2*notesEach {
		t.Fatalf("%d logs were written", len(written))
	}
	slices.SortFunc(written, func(a, b string) int { // a second log of one moment has "-1" behind the stamp
		return strings.Compare(strings.TrimSuffix(a, ".log"), strings.TrimSuffix(b, ".log"))
	})
	want := slices.Sorted(slices.Values(written[len(written)-logsKept:]))
	if got := namesIn(t, s.RunsDir()); !slices.Equal(got, want) {
		t.Errorf("left are %v, and the newest are %v", got, want)
	}
}

// playLog waits to be told, and then makes runs that leave a log, and names it.
func playLog(s *Store, _ []string) error {
	waitForLine()
	for range notesEach {
		release, err := s.LockRuns(context.Background(), "PROJ-1")
		if err != nil {
			return err
		}
		path, err := s.WriteLog("PROJ-1", time.Now(), func(io.Writer) error { return nil })
		release()
		if err != nil {
			return err
		}
		fmt.Println(filepath.Base(path))
	}
	return nil
}

// Runs that end at one moment are told apart by a number, which counts and is not text: 10 comes after 9.
func TestLogsOfOneMomentGoInOrder(t *testing.T) {
	s := newStore(t)
	var written []string
	for range logsKept + 1 {
		written = append(written, writeLog(t, s, "PROJ-1", noon))
	}
	want := slices.Sorted(slices.Values(written[1:]))
	if got := namesIn(t, s.RunsDir()); !slices.Equal(got, want) {
		t.Errorf("left are %v", got)
	}
}

// A clock that was set back does not take the log away that the caller is about to be told of.
func TestTheLogJustWrittenStays(t *testing.T) {
	s := newStore(t)
	for n := range logsKept {
		writeLog(t, s, "PROJ-1", noon.Add(time.Duration(n)*time.Second))
	}
	last := writeLog(t, s, "PROJ-1", noon.Add(-time.Hour))
	got := namesIn(t, s.RunsDir())
	if len(got) != logsKept || !slices.Contains(got, last) {
		t.Errorf("left are %v, without %s", got, last)
	}
}

// What is not a log of this very task is not touched, however much its name looks like one.
func TestOtherFilesStay(t *testing.T) {
	s := newStore(t)
	var others []string
	for _, id := range []task.ID{"PROJ-10", "PROJ-1-2", "PROJ-1.5", "PROJ-1-20260101T000000.000Z"} {
		others = append(others, writeLog(t, s, id, noon.Add(-time.Hour)))
	}
	for _, name := range []string{
		"PROJ-1.log", "PROJ-1-notes.log", "PROJ-1-20260101T000000.000Z.log.bak", "PROJ-1-20260101T000000.000Z-x.log",
		"PROJ-1-20260101T000000.000Z-0.log", "proj-1-20260101T000000.000Z.log", "README",
	} {
		if err := os.WriteFile(filepath.Join(s.RunsDir(), name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		others = append(others, name)
	}
	folder := "PROJ-1-20250101T000000.000Z.log"
	if err := os.Mkdir(filepath.Join(s.RunsDir(), folder), 0o755); err != nil {
		t.Fatal(err)
	}
	for n := range 2 * logsKept {
		writeLog(t, s, "PROJ-1", noon.Add(time.Duration(n)*time.Second))
	}
	got := namesIn(t, s.RunsDir())
	for _, name := range append(others, folder) {
		if !slices.Contains(got, name) {
			t.Errorf("%s was removed", name)
		}
	}
	if want := logsKept + len(others) + 1; len(got) != want {
		t.Errorf("there are %d files, and should be %d", len(got), want)
	}
}
