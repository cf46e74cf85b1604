package jobs_test

import (
	"fmt"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb/activity"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
	"github.com/cairn-tasks/cairn/store/layout"
)

// A job can be waited for like a record, by either argument: any change ends the wait, a state that is waited for, and
// a change since the cursor.
func TestWaitForAJob(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	verbtest.PrepareJobs(t, w)
	id := verbtest.Must(t, w, "create", verbtest.Args{"title": "Pay"}).ID
	one, err := verbtest.Call[jobs.Job](t, w, "job_start", verbtest.Args{"id": id, "executor": "mine"})
	if err != nil {
		t.Fatal(err)
	}
	wait := func(in verbtest.Args) activity.Waited {
		t.Helper()
		out, err := verbtest.Call[activity.Waited](t, w, "wait", in)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	state := func(out activity.Waited) job.State {
		shown, _ := out.Job.(jobs.Job)
		return shown.State
	}
	first := wait(verbtest.Args{"id": one.Job, "timeout_seconds": 0})
	if first.Code != activity.WaitTimeout || state(first) != job.Queued {
		t.Fatalf("a wait that does not wait says %+v", first)
	}
	s, err := w.Open()
	if err != nil {
		t.Fatal(err)
	}
	o, err := work.Jobs(s).Own(one.Job)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = o.Release() }()
	begun := make(chan activity.Waited)
	go func() {
		begun <- wait(verbtest.Args{"job": one.Job, "wait_for_status": "RUNNING", "timeout_seconds": 60})
	}()
	if err := o.Change(func(s *job.Status) { s.State = job.Running }); err != nil {
		t.Fatal(err)
	}
	if out := <-begun; state(out) != job.Running || out.Code != activity.TaskChanged && out.Code != activity.AlreadyAtStatus {
		t.Errorf("a wait for RUNNING ends with %+v", out)
	}
	if out := wait(verbtest.Args{"job": one.Job, "cursor": first.Cursor}); out.Code != activity.ChangedSinceCursor {
		t.Errorf("a wait with an old cursor ends with %s", out.Code)
	}
	for _, tt := range []struct {
		in   verbtest.Args
		want record.Code
	}{
		{verbtest.Args{"job": "job-none"}, record.JobNotFound},
		{verbtest.Args{"job": one.Job, "ready": true}, record.InvalidParams},
		{verbtest.Args{"job": one.Job, "wait_for_status": "done"}, record.UnknownState},
	} {
		if _, err := verbtest.Call[activity.Waited](t, w, "wait", tt.in); record.CodeOf(err) != tt.want {
			t.Errorf("%v gives %v, want %s", tt.in, err, tt.want)
		}
	}
}

// byHand is a Watcher whose ticks a test sends. One is taken only by a wait that sleeps.
type byHand chan struct{}

func (ticks byHand) Watch(layout.Layout) (<-chan struct{}, func()) { return ticks, func() {} }

// A caller whose context is small sleeps on while a job says something, and is woken by another phase and another state.
func TestPollSleepsUntilStateOrPhaseChanges(t *testing.T) {
	w, s, id := prepared(t)
	one := mustStart(t, w, args{"id": id})
	o, err := work.Jobs(s).Own(one.Job)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = o.Release() }()
	change := func(by func(s *job.Status)) {
		t.Helper()
		if err := o.Change(by); err != nil {
			t.Fatal(err)
		}
	}
	ticks := make(byHand)
	sleeper := *w
	sleeper.Bounded, sleeper.Watcher = true, ticks
	for _, wakes := range []func(s *job.Status){
		func(s *job.Status) { s.State = job.Running },
		func(s *job.Status) { s.Phase = job.Working },
		func(s *job.Status) { s.Phase = job.Checking },
		func(s *job.Status) { s.State = job.Succeeded },
	} {
		woken := make(chan jobs.Polled)
		go func() {
			out, err := verbtest.Call[jobs.Polled](t, &sleeper, "job_poll", args{"job": one.Job, "wait": true})
			if err != nil {
				t.Error(err)
			}
			woken <- out
		}()
		tick := func() (out jobs.Polled, awake bool) {
			select {
			case ticks <- struct{}{}:
				return out, false
			case out = <-woken:
				return out, true
			}
		}
		for n := range 6 {
			if out, awake := tick(); awake {
				t.Fatalf("it was woken by a summary: %+v", out)
			}
			change(func(s *job.Status) { s.Summary = fmt.Sprint("step ", n) })
		}
		for range 2 { // of which the second is taken only once the last summary was seen
			if out, awake := tick(); awake {
				t.Fatalf("it was woken by a summary: %+v", out)
			}
		}
		change(wakes)
		out, awake := tick()
		for !awake {
			out, awake = tick()
		}
		want := job.Status{}
		if wakes(&want); out.TimedOut || want.State != "" && out.State != want.State || want.Phase != "" && out.Phase != want.Phase {
			t.Errorf("it was woken with %+v", out)
		}
	}
}
