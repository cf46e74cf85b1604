package runs_test

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

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/runs"
	"github.com/cairn-tasks/cairn/store/storetest"
)

func writeLog(t *testing.T, s *store.Store, id record.ID, at time.Time) (name string) {
	t.Helper()
	path, err := s.Runs().Write(id, at, func(out io.Writer) error {
		_, err := io.WriteString(out, "log\n")
		return err
	})
	storetest.WantCode(t, err, "")
	return filepath.Base(path)
}

const (
	writers  = 4  // processes that write logs at the same time
	logsEach = 25 // and what each of them writes
)

func TestMain(m *testing.M) { storetest.Main(m, map[string]storetest.Part{"log": playLog}) }

// After 21 runs there are 20 logs, and it is the oldest that is gone.
func TestTheNewestLogsAreKept(t *testing.T) {
	s := storetest.New(t)
	var written []string
	for n := range runs.LogsKept + 1 {
		written = append(written, writeLog(t, s, "PROJ-1", storetest.Noon.Add(time.Duration(n)*time.Second)))
	}
	if got := storetest.NamesIn(t, s.RunsDir()); !slices.Equal(got, written[1:]) {
		t.Errorf("left are %v", got)
	}
}

// Processes that run checks of one task in turns leave its newest logs, and no more.
func TestTheNewestLogsOfManyProcessesAreKept(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	processes := storetest.StartAll(t, s, writers, "log")
	for _, p := range processes {
		p.Send(t, "go")
	}
	var written []string
	for _, p := range processes {
		written = append(written, p.Answers()...)
		p.End(t)
	}
	if len(written) != writers*logsEach {
		t.Fatalf("%d logs were written", len(written))
	}
	slices.SortFunc(written, func(a, b string) int { // a second log of one moment has "-1" behind the stamp
		return strings.Compare(strings.TrimSuffix(a, ".log"), strings.TrimSuffix(b, ".log"))
	})
	want := slices.Sorted(slices.Values(written[len(written)-runs.LogsKept:]))
	if got := storetest.NamesIn(t, s.RunsDir()); !slices.Equal(got, want) {
		t.Errorf("left are %v, and the newest are %v", got, want)
	}
}

// playLog waits for a line, and then makes runs that leave a log, and names it.
func playLog(s *store.Store, _ []string) error {
	storetest.WaitForLine()
	for range logsEach {
		release, err := s.Runs().Lock(context.Background(), "PROJ-1")
		if err != nil {
			return err
		}
		path, err := s.Runs().Write("PROJ-1", time.Now(), func(io.Writer) error { return nil })
		release()
		if err != nil {
			return err
		}
		fmt.Println(filepath.Base(path))
	}
	return nil
}

// Logs of runs that end at one moment differ by a number, which counts and is not text: 10 comes after 9.
func TestLogsOfOneMomentGoInOrder(t *testing.T) {
	s := storetest.New(t)
	var written []string
	for range runs.LogsKept + 1 {
		written = append(written, writeLog(t, s, "PROJ-1", storetest.Noon))
	}
	want := slices.Sorted(slices.Values(written[1:]))
	if got := storetest.NamesIn(t, s.RunsDir()); !slices.Equal(got, want) {
		t.Errorf("left are %v", got)
	}
}

// A clock that was set back does not take the log away whose path the caller gets.
func TestTheLogJustWrittenStays(t *testing.T) {
	s := storetest.New(t)
	for n := range runs.LogsKept {
		writeLog(t, s, "PROJ-1", storetest.Noon.Add(time.Duration(n)*time.Second))
	}
	last := writeLog(t, s, "PROJ-1", storetest.Noon.Add(-time.Hour))
	got := storetest.NamesIn(t, s.RunsDir())
	if len(got) != runs.LogsKept || !slices.Contains(got, last) {
		t.Errorf("left are %v, without %s", got, last)
	}
}

// What is not a log of this very task is not touched, however much its name looks like one.
func TestOtherFilesStay(t *testing.T) {
	s := storetest.New(t)
	var others []string
	for _, id := range []record.ID{"PROJ-10", "PROJ-1-2", "PROJ-1.5", "PROJ-1-20260101T000000.000Z"} {
		others = append(others, writeLog(t, s, id, storetest.Noon.Add(-time.Hour)))
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
	for n := range 2 * runs.LogsKept {
		writeLog(t, s, "PROJ-1", storetest.Noon.Add(time.Duration(n)*time.Second))
	}
	got := storetest.NamesIn(t, s.RunsDir())
	for _, name := range append(others, folder) {
		if !slices.Contains(got, name) {
			t.Errorf("%s was removed", name)
		}
	}
	if want := runs.LogsKept + len(others) + 1; len(got) != want {
		t.Errorf("got %d files, want %d", len(got), want)
	}
}
