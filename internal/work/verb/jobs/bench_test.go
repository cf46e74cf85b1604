package jobs_test

import (
	"bytes"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/storetest"
	"github.com/cairn-tasks/cairn/store/watch"
)

const pastJobs = 1000

// withPast is a workspace with 1,000 jobs that have ended.
func withPast(b *testing.B) (*verb.Workspace, *store.Store) {
	b.Helper()
	dir := b.TempDir()
	storetest.InitRepo(b, dir)
	if _, _, err := store.Init(dir, "PROJ"); err != nil {
		b.Fatal(err)
	}
	w := &verb.Workspace{Dir: dir, Actor: verb.As("human:lee"), Now: time.Now, Watcher: &watch.Watcher{}}
	s, err := w.Open()
	if err != nil {
		b.Fatal(err)
	}
	first := pastJob(b, s, 0)
	spec, err := os.ReadFile(work.Jobs(s).File(first, "spec.json"))
	if err != nil {
		b.Fatal(err)
	}
	state, err := os.ReadFile(work.Jobs(s).File(first, "state.json"))
	if err != nil {
		b.Fatal(err)
	}
	for n := 1; n < pastJobs; n++ { // as Create makes them, without its flushes
		id := fmt.Sprintf("job-%d", n)
		if err := os.Mkdir(s.Live.Abs("jobs/"+id), 0o755); err != nil {
			b.Fatal(err)
		}
		for name, src := range map[string][]byte{"spec.json": bytes.Replace(spec, []byte(first), []byte(id), 1), "state.json": state} {
			if err := os.WriteFile(work.Jobs(s).File(id, name), src, 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	if all, err := work.Jobs(s).List(); err != nil || len(all) != pastJobs {
		b.Fatalf("%d jobs, %v", len(all), err)
	}
	return w, s
}

func pastJob(b *testing.B, s *store.Store, n int) string {
	b.Helper()
	id := fmt.Sprintf("job-%d", n)
	spec := job.Spec{Job: id, Task: "PROJ-1", By: "human:lee", Executor: "mine", Output: job.Edits, Priority: job.P1, TTL: 60, Timeout: 60, CreatedAt: time.Now()}
	if _, _, err := work.Jobs(s).Create(b.Context(), spec, func([]job.Job) (*job.Job, error) { return nil, nil }); err != nil {
		b.Fatal(err)
	}
	o, err := work.Jobs(s).Own(id)
	if err != nil {
		b.Fatal(err)
	}
	for _, state := range []job.State{job.Running, job.Succeeded} {
		if err := o.Change(func(s *job.Status) { s.State, s.Summary = state, "It was done as asked, in two files." }); err != nil {
			b.Fatal(err)
		}
	}
	if err := o.Release(); err != nil {
		b.Fatal(err)
	}
	return id
}

func BenchmarkPollBesideManyPastJobs(b *testing.B) {
	w, _ := withPast(b)
	for b.Loop() {
		if _, err := verb.Do(b.Context(), w, jobs.Poll, jobs.PollIn{Job: "job-500"}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkListBesideManyPastJobs(b *testing.B) {
	w, _ := withPast(b)
	for b.Loop() {
		if out, err := verb.Do(b.Context(), w, jobs.List, jobs.ListIn{}); err != nil || out.Total != pastJobs {
			b.Fatal(out.Total, err)
		}
	}
}

// One change of a job reaches 100 that wait for it, beside 1,000 past jobs.
func BenchmarkAHundredWait(b *testing.B) {
	w, s := withPast(b)
	spec := job.Spec{Job: "job-live", Task: "PROJ-1", By: "human:lee", Executor: "mine", Output: job.Edits, Priority: job.P1, TTL: 60, Timeout: 60, CreatedAt: time.Now()}
	if _, _, err := work.Jobs(s).Create(b.Context(), spec, func([]job.Job) (*job.Job, error) { return nil, nil }); err != nil {
		b.Fatal(err)
	}
	o, err := work.Jobs(s).Own("job-live")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = o.Release() }()
	if err := o.Change(func(s *job.Status) { s.State = job.Running }); err != nil {
		b.Fatal(err)
	}
	patience := 60.0
	for b.Loop() {
		b.StopTimer()
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				if out, err := verb.Do(b.Context(), w, jobs.Poll, jobs.PollIn{Job: "job-live", Wait: true, Timeout: &patience}); err != nil || out.TimedOut {
					b.Error(out, err)
				}
			})
		}
		time.Sleep(200 * time.Millisecond) // until all wait
		b.StartTimer()
		if err := o.Change(func(s *job.Status) { s.Stalled = !s.Stalled }); err != nil {
			b.Fatal(err)
		}
		all.Wait()
	}
}
