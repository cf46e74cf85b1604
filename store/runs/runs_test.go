package runs_test

import (
	"io"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/runs"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// Two logs of one moment do not overwrite each other, and both lie where git ignores them.
func TestWriteLog(t *testing.T) {
	s := storetest.New(t)
	for _, row := range []struct{ text, path string }{
		{"first", ".cairn/runs/PROJ-1-20260701T120000.000Z.log"},
		{"second", ".cairn/runs/PROJ-1-20260701T120000.000Z-1.log"},
	} {
		path, err := s.Runs().Write("PROJ-1", storetest.Noon, func(out io.Writer) error {
			_, err := io.WriteString(out, row.text)
			return err
		})
		storetest.WantCode(t, err, "")
		if path != row.path {
			t.Errorf("got %s, want %s", path, row.path)
		}
		if got := storetest.ReadFile(t, s.Abs(path)); got != row.text {
			t.Errorf("%s holds %q", path, got)
		}
	}
}

// The error of one who waits too long for a run says whose it is; once that run is over the next one may begin.
func TestLockRunsNamesItsHolder(t *testing.T) {
	s := storetest.New(t)
	release, err := s.Runs().Lock(storetest.Soon(t), "PROJ-1 by human:lee")
	storetest.WantCode(t, err, "")
	hasty := runs.Dir{Clone: s.Clone, Patience: time.Millisecond}
	_, err = hasty.Lock(storetest.Soon(t), "PROJ-2 by agent:a")
	storetest.WantMessage(t, err, record.Busy, "PROJ-1 by human:lee")
	release()
	release, err = s.Runs().Lock(storetest.Soon(t), "PROJ-2 by agent:a")
	storetest.WantCode(t, err, "")
	release()
}

// Checks run beside writes: neither waits for the other.
func TestRunsDoNotHoldUpWrites(t *testing.T) {
	s := storetest.New(t)
	storetest.WriteTask(t, s, "PROJ-1")
	release, err := s.Runs().Lock(storetest.Soon(t), "PROJ-1 by human:lee")
	storetest.WantCode(t, err, "")
	defer release()
	storetest.WantCode(t, storetest.NewActor(s, "human:lee").Note("PROJ-1", "meanwhile"), "")
}

// The worktrees of a clone have files of their own, so each may run checks at the same time.
func TestRunsOfTwoWorktrees(t *testing.T) {
	repo := storetest.NewRepo(t)
	here, there := storetest.NewAt(t, repo), storetest.NewAt(t, storetest.LinkWorktree(t, repo))
	release, err := here.Runs().Lock(storetest.Soon(t), "PROJ-1 here")
	storetest.WantCode(t, err, "")
	defer release()
	releaseThere, err := there.Runs().Lock(storetest.Soon(t), "PROJ-1 there")
	storetest.WantCode(t, err, "")
	releaseThere()
}
