package job_test

import (
	"slices"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/work/job"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func TestNothingFollowsAFinalState(t *testing.T) {
	for _, from := range job.States {
		for _, to := range job.States {
			if from.Final() && from.MayBecome(to) {
				t.Errorf("%s may become %s", from, to)
			}
		}
		if from.Final() && from.Live() {
			t.Errorf("%s is both final and live", from)
		}
	}
	if job.Queued.MayBecome(job.Succeeded) || !job.Stale.MayBecome(job.Queued) {
		t.Error("a queued job succeeds without running, or a stale one never goes on")
	}
}

func TestTheMostUrgentAndThenTheOldestGoFirst(t *testing.T) {
	at := func(id string, p job.Priority, minute int) job.Spec {
		return job.Spec{Job: id, Priority: p, CreatedAt: noon.Add(time.Duration(minute) * time.Minute)}
	}
	jobs := []job.Spec{at("job-d", job.P2, 0), at("job-c", job.P1, 2), at("job-b", job.P1, 1), at("job-a", job.P0, 3)}
	slices.SortFunc(jobs, job.Before)
	for i, want := range []string{"job-a", "job-b", "job-c", "job-d"} {
		if jobs[i].Job != want {
			t.Errorf("place %d is %s, want %s", i, jobs[i].Job, want)
		}
	}
}

func TestARunEndsAtTheEarlierLimit(t *testing.T) {
	j := job.Job{Spec: job.Spec{TTL: 600, Timeout: 300, CreatedAt: noon}, Status: job.Status{StartedAt: noon.Add(time.Minute)}}
	if got := j.EndOfRun(); !got.Equal(noon.Add(6 * time.Minute)) {
		t.Errorf("ends at %s, want its time limit", got)
	}
	j.Status.StartedAt = noon.Add(8 * time.Minute)
	if got := j.EndOfRun(); !got.Equal(noon.Add(10 * time.Minute)) {
		t.Errorf("ends at %s, want its time to live", got)
	}
}

func TestBackoffDoublesUpToALimit(t *testing.T) {
	want := map[int]time.Duration{1: 10 * time.Second, 2: 20 * time.Second, 3: 40 * time.Second, 6: 5 * time.Minute, 20: 5 * time.Minute}
	for crash, want := range want {
		if got := job.Backoff(crash); got != want {
			t.Errorf("after crash %d: %s, want %s", crash, got, want)
		}
	}
}

func TestAKeyStandsForADayAfterTheEnd(t *testing.T) {
	ended := job.Status{State: job.Failed, FinishedAt: noon}
	if !ended.KeyStands(noon.Add(23*time.Hour)) || ended.KeyStands(noon.Add(25*time.Hour)) {
		t.Error("the key of an ended job does not stand for 24 hours")
	}
	if !(job.Status{State: job.Stale}).KeyStands(noon) {
		t.Error("the key of a job that can go on does not stand")
	}
}

func TestSpecsOutOfRangeAreRefused(t *testing.T) {
	good := job.Spec{Priority: job.P1, Output: job.Edits, TTL: 60, Timeout: 60}
	if err := good.Valid(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*job.Spec){
		"priority": func(s *job.Spec) { s.Priority = "P3" },
		"output":   func(s *job.Spec) { s.Output = "" },
		"ttl":      func(s *job.Spec) { s.TTL = 0 },
		"timeout":  func(s *job.Spec) { s.Timeout = job.MaxTimeout + 1 },
		"attempts": func(s *job.Spec) { s.Attempts = -1 },
		"context":  func(s *job.Spec) { s.Context = string(make([]byte, job.MaxContext+1)) },
		"paths":    func(s *job.Spec) { s.Scope.Paths = []string{"../up"} },
	} {
		s := good
		change(&s)
		if err := s.Valid(); record.CodeOf(err) != record.InvalidSpec {
			t.Errorf("%s: %v, want INVALID_SPEC", name, err)
		}
	}
}

func TestOnlyIDsNameFolders(t *testing.T) {
	for _, id := range []string{"", "job-", "job-..", "job-a/b", "ses-01", "job-a b", "../job-a", "JOB-a"} {
		if _, err := job.ParseID(id); err == nil {
			t.Errorf("%q is taken for a job", id)
		}
	}
	if _, err := job.ParseID("job-01j8x2k7q7f3az"); err != nil {
		t.Error(err)
	}
}
