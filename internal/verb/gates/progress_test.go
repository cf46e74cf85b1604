package gates

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-tasks/cairn/internal/verb"
)

// A check that runs is reported before it starts and every three seconds, each time as more, and never after its end.
func TestReportWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []verb.Progress
		report := func(p verb.Progress) { got = append(got, p) }
		stop := reportWhile(report, 1, 4, "check 2 of 4: tests pass", 12*time.Second)
		time.Sleep(7 * time.Second)
		stop()
		time.Sleep(time.Minute)
		want := []verb.Progress{
			{Done: 1, Total: 4, Message: "check 2 of 4: tests pass"},
			{Done: 1.25, Total: 4, Message: "check 2 of 4: tests pass", Took: 3 * time.Second},
			{Done: 1.5, Total: 4, Message: "check 2 of 4: tests pass", Took: 6 * time.Second},
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
