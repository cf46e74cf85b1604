package verb

import (
	"testing"
	"testing/synctest"
	"time"
)

// A check that runs is reported before it starts and every three seconds, each time as more, and never after its end.
func TestReportWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []Progress
		w := &Workspace{Progress: func(p Progress) { got = append(got, p) }}
		stop := w.reportWhile(1, 4, "tests pass", 12*time.Second)
		time.Sleep(7 * time.Second)
		stop()
		time.Sleep(time.Minute)
		want := []Progress{
			{1, 4, "check 2 of 4: tests pass"}, {1.25, 4, "check 2 of 4: tests pass, 3 s"}, {1.5, 4, "check 2 of 4: tests pass, 6 s"},
		}
		if len(got) != len(want) {
			t.Fatalf("reported %v", got)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("report %d is %v, want %v", i, got[i], want[i])
			}
		}
	})
}
