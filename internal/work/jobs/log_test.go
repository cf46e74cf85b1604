package jobs_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/store/storetest"
)

func TestALogKeepsItsBeginningAndItsEnd(t *testing.T) {
	s := storetest.New(t)
	create(t, s, spec("job-a", job.P1, 0))
	o := own(t, s, "job-a")
	log, err := o.Log("stdout.log")
	if err != nil {
		t.Fatal(err)
	}
	total, line := 0, strings.Repeat("x", 1000)
	write := func(lines int) {
		for n := range lines {
			k, err := fmt.Fprintf(log, "%06d %s\n", n, line)
			if err != nil {
				t.Fatal(err)
			}
			total += k
		}
	}
	write(6000)
	_, _ = fmt.Fprintln(log, "the end")
	total += len("the end\n")
	path := work.Jobs(s).File("job-a", "stdout.log")
	text, err := os.ReadFile(path)
	if err != nil || !bytes.HasPrefix(text, []byte("000000 ")) || !bytes.HasSuffix(text, []byte("the end\n")) || len(text) > 5<<20 {
		t.Fatalf("%d bytes, %v", len(text), err)
	}
	if left := leftOut(t, text); left+len(text) != total+len(fmt.Sprintf("\n[... %d bytes left out ...]\n", left)) {
		t.Errorf("%d left out of %d, and %d kept", left, total, len(text))
	}

	// Another supervisor goes on behind it, and counts on.
	if log, err = o.Log("stdout.log"); err != nil {
		t.Fatal(err)
	}
	write(6000)
	text, _ = os.ReadFile(path)
	if left := leftOut(t, text); left+len(text) != total+len(fmt.Sprintf("\n[... %d bytes left out ...]\n", left)) || log.Err() != nil {
		t.Errorf("%d left out of %d, and %d kept: %v", left, total, len(text), log.Err())
	}
}

// leftOut is the number in the only line that says how much is left out.
func leftOut(t *testing.T, text []byte) (n int) {
	t.Helper()
	_, rest, _ := strings.Cut(string(text), "\n[... ")
	if _, err := fmt.Sscanf(rest, "%d bytes left out", &n); err != nil || strings.Count(string(text), "left out") != 1 {
		t.Fatalf("%v: %d lines say what is left out", err, strings.Count(string(text), "left out"))
	}
	return n
}

func TestALogFollowsNoLink(t *testing.T) {
	s := storetest.New(t)
	create(t, s, spec("job-a", job.P1, 0))
	o := own(t, s, "job-a")
	victim := filepath.Join(t.TempDir(), "victim")
	storetest.WriteFile(t, victim, "mine\n")
	storetest.Link(t, victim, work.Jobs(s).File("job-a", "stdout.log"))
	if _, err := o.Log("stdout.log"); err == nil {
		t.Error("it is opened")
	}
	for _, name := range []string{"../x", "..", "a/b"} {
		_, err := o.Log(name)
		storetest.WantCode(t, err, record.InvalidInput)
		storetest.WantCode(t, o.WriteFile(name, nil), record.InvalidInput)
	}
	if storetest.ReadFile(t, victim) != "mine\n" {
		t.Error("a file elsewhere was written")
	}
}

func TestNumbersOfLiveJobsDiffer(t *testing.T) {
	s := storetest.New(t)
	create(t, s, spec("job-a", job.P1, 0))
	create(t, s, spec("job-b", job.P1, 1))
	a, b := own(t, s, "job-a"), own(t, s, "job-b")
	first, release, err := a.Number("mine", 1, 2, nil)
	if err != nil || first != 1 {
		t.Fatalf("%d, %v", first, err)
	}
	if second, _, err := b.Number("mine", 1, 2, nil); err != nil || second != 2 {
		t.Errorf("%d, %v", second, err)
	}
	_, _, err = b.Number("mine", 1, 2, nil)
	storetest.WantCode(t, err, record.Busy)
	release()
	if again, _, err := b.Number("mine", 1, 2, func(n int) bool { return n == 1 }); err != nil || again != 1 {
		t.Errorf("%d, %v", again, err)
	}
	_, _, err = b.Number("../x", 1, 2, nil)
	storetest.WantCode(t, err, record.InvalidInput)
}
