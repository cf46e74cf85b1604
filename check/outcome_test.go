package check

import (
	"errors"
	"flag"
	"os"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestLogs(t *testing.T) {
	started := time.Date(2026, 6, 21, 12, 5, 0, 999, time.FixedZone("", 2*3600))
	for _, test := range []struct {
		name string
		h    Header
		o    Outcome
	}{
		{
			"failed",
			Header{"T-1", "tests pass", "go test ./...", ".", "9fceb02d0ae598e95dc970b74767f19372d61af8", 0, started},
			Outcome{Exit: 1, Duration: 1540 * time.Millisecond, Output: "ok\nFAIL", TotalBytes: 7},
		},
		{
			"silent",
			Header{Task: "T-2", Check: "it builds\nanywhere", Cmd: "set -e\nmake\t-s", Started: started},
			Outcome{Passed: true, Duration: 20 * time.Millisecond},
		},
		{
			"timed-out",
			Header{Task: "T-3", Check: "größer", Cmd: "sleep 300", Dir: "web", Started: started},
			Outcome{Exit: -1, Signal: "SIGKILL", TimedOut: true, Duration: 120 * time.Second, Output: "tick\n", TotalBytes: 5},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var b strings.Builder
			if err := WriteLog(&b, test.h, test.o); err != nil {
				t.Fatal(err)
			}
			golden(t, "testdata/"+test.name+".txt", b.String())
		})
	}
}

// golden compares a text with a file, or writes the file with -update.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs:\n%s", file, got)
	}
}

var errFull = errors.New("no space left")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestLogReportsAFailedWrite(t *testing.T) {
	if err := WriteLog(fullDisk{}, Header{}, Outcome{}); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
}

func TestSeconds(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                         "0 s",
		40 * time.Millisecond:     "0 s",
		310 * time.Millisecond:    "0.3 s",
		5 * time.Second:           "5 s",
		120004 * time.Millisecond: "120 s",
	} {
		if got := seconds(d); got != want {
			t.Errorf("seconds(%v) = %q, want %q", d, got, want)
		}
	}
}
