package progress_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-tasks/cairn/store/progress"
)

func TestNobodyWantsToKnow(t *testing.T) {
	ctx := context.Background()
	if got := testing.AllocsPerRun(100, func() {
		count := progress.Start(ctx, "counting", 1000)
		count.Add(1)
		count.End()
	}); got != 0 {
		t.Errorf("%v allocations", got)
	}
}

func TestCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []progress.Report
		ctx := progress.With(t.Context(), func(r progress.Report) { got = append(got, r) })
		short := progress.Start(ctx, "short", 10)
		time.Sleep(progress.Quiet - time.Millisecond)
		short.Add(10)
		short.End()
		if len(got) > 0 {
			t.Fatalf("work that is soon done says %v", got)
		}
		long := progress.Start(ctx, "long", 100)
		for range 100 {
			time.Sleep(10 * time.Millisecond)
			long.Add(1)
		}
		long.End()
		var done []float64
		for _, r := range got {
			if r.Total != 100 || r.Message != "long" || !r.Counts {
				t.Errorf("got %+v", r)
			}
			done = append(done, r.Done)
		}
		if want := []float64{50, 75, 100, 100}; len(done) != len(want) || done[0] != want[0] || done[1] != want[1] || done[3] != want[3] {
			t.Errorf("got %v, want %v", done, want)
		}
	})
}

// A call that waits for others says so once it does for a while, and again once that is long; what is soon over says
// nothing.
func TestWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []progress.Report
		ctx := progress.With(t.Context(), func(r progress.Report) { got = append(got, r) })
		end := progress.Waiting(ctx, "waiting for another process")
		time.Sleep(progress.Quiet - time.Millisecond)
		end()
		time.Sleep(time.Minute)
		if len(got) > 0 {
			t.Errorf("a short wait says %v", got)
		}
		end = progress.Waiting(ctx, "waiting for another process")
		time.Sleep(time.Minute)
		end()
		if len(got) != 2 || got[0].Wait >= progress.Long || got[1].Wait < progress.Long || got[1].Message != "waiting for another process" {
			t.Errorf("a long wait says %+v", got)
		}
		progress.Waiting(t.Context(), "waiting for another process")()
	})
}

func TestString(t *testing.T) {
	r := progress.Report{Message: "check 1 of 2: builds"}
	if got := r.String(); got != "check 1 of 2: builds" {
		t.Error(got)
	}
	if r.Took = 6 * time.Second; r.String() != "check 1 of 2: builds, 6 s" {
		t.Error(r.String())
	}
}
