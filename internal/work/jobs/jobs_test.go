package jobs_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/jobs"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/storetest"
)

func spec(id string, p job.Priority, minute int) job.Spec {
	return job.Spec{
		Job: id, Task: "PROJ-1", By: "human:ada", Executor: "mine", Output: job.Edits, Priority: p, TTL: 3600, Timeout: 600,
		Attempts: 2, CreatedAt: storetest.Noon.Add(time.Duration(minute) * time.Minute),
	}
}

func anyway([]job.Job) (*job.Job, error) { return nil, nil }

func create(t testing.TB, s *store.Store, spec job.Spec) job.Job {
	t.Helper()
	one, made, err := work.Jobs(s).Create(context.Background(), spec, anyway)
	if err != nil || !made {
		t.Fatalf("made %v, error %v", made, err)
	}
	return one
}

func own(t testing.TB, s *store.Store, id string) *jobs.Owned {
	t.Helper()
	o, err := work.Jobs(s).Own(id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.Release() })
	return o
}

func get(t testing.TB, s *store.Store, id string) job.Job {
	t.Helper()
	one, err := work.Jobs(s).Get(id)
	if err != nil {
		t.Fatal(err)
	}
	return one
}

func become(t testing.TB, o *jobs.Owned, states ...job.State) {
	t.Helper()
	for _, state := range states {
		if err := o.Change(func(s *job.Status) { s.State = state }); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAJobIsThereWithAllThatWasAsked(t *testing.T) {
	s := storetest.New(t)
	want := create(t, s, spec("job-a", job.P0, 0))
	got := get(t, s, "job-a")
	if got.Spec.Task != want.Spec.Task || !got.Spec.CreatedAt.Equal(want.Spec.CreatedAt) || got.Status.State != job.Queued || got.Status.Version != 1 {
		t.Errorf("got %+v", got)
	}
	events, total, err := work.Jobs(s).Events("job-a", 0, 10)
	if err != nil || total != 1 || events[0].State != job.Queued {
		t.Errorf("events %v of %d, error %v", events, total, err)
	}
}

func TestAnIDThatIsNoneIsRefused(t *testing.T) {
	s := storetest.New(t)
	_, err := work.Jobs(s).Get("job-none")
	storetest.WantCode(t, err, record.JobNotFound)
	for _, id := range []string{"../x", "job-../x", "ses-1", ""} {
		_, err := work.Jobs(s).Get(id)
		storetest.WantCode(t, err, record.InvalidInput)
		if path := work.Jobs(s).File(id, "out.md"); path != "" {
			t.Errorf("%q has the file %s", id, path)
		}
	}
	if path := work.Jobs(s).File("job-a", "../../x"); path != "" {
		t.Errorf("a name that is a path has the file %s", path)
	}
}

func TestCreateAsksUnderTheLockAndMakesNothingThatIsRefused(t *testing.T) {
	s := storetest.New(t)
	first := create(t, s, spec("job-a", job.P1, 0))
	one, made, err := work.Jobs(s).Create(t.Context(), spec("job-b", job.P1, 1), func(all []job.Job) (*job.Job, error) { return &all[0], nil })
	if err != nil || made || one.Spec.Job != first.Spec.Job {
		t.Errorf("got %s, made %v, error %v", one.Spec.Job, made, err)
	}
	_, _, err = work.Jobs(s).Create(t.Context(), spec("job-b", job.P1, 1), func([]job.Job) (*job.Job, error) {
		return nil, record.Errorf(record.RateLimit, "too many")
	})
	storetest.WantCode(t, err, record.RateLimit)
	_, _, err = work.Jobs(s).Create(t.Context(), spec("job-b", "P9", 1), anyway)
	storetest.WantCode(t, err, record.InvalidSpec)
	if all, _ := work.Jobs(s).List(); len(all) != 1 {
		t.Errorf("there are %d jobs", len(all))
	}
}

func TestTheNewestComesFirst(t *testing.T) {
	s := storetest.New(t)
	for i, id := range []string{"job-b", "job-c", "job-a"} {
		create(t, s, spec(id, job.P1, i))
	}
	all, err := work.Jobs(s).List()
	var ids []string
	for _, one := range all {
		ids = append(ids, one.Spec.Job)
	}
	if err != nil || !slices.Equal(ids, []string{"job-a", "job-c", "job-b"}) {
		t.Errorf("got %v, error %v", ids, err)
	}
}

func TestSlowOnlyItsOwnerWritesAJobAndOnlyWhatMayFollow(t *testing.T) {
	slowtest.Skip(t)
	s := storetest.New(t)
	create(t, s, spec("job-a", job.P1, 0))
	o := own(t, s, "job-a")
	_, err := work.Jobs(s).Own("job-a")
	storetest.WantCode(t, err, record.Busy)
	before := work.Jobs(s).Version()
	become(t, o, job.Running)
	if work.Jobs(s).Version() == before {
		t.Error("a change of a job does not show in the version of all")
	}
	become(t, o, job.Succeeded)
	storetest.WantCode(t, o.Change(func(s *job.Status) { s.State = job.Running }), record.Conflict)
	got := get(t, s, "job-a")
	if got.Status.State != job.Succeeded || got.Status.Version != 3 || got.Status.FinishedAt.IsZero() {
		t.Errorf("got %+v", got.Status)
	}
	if err := o.Change(func(s *job.Status) { s.PR = &job.PR{URL: "https://example.com/1", Number: 1, Status: "open"} }); err != nil {
		t.Errorf("a job that has ended takes no pull request: %v", err)
	}
}

func TestAJobWithoutSupervisorIsStaleForWhoeverLooks(t *testing.T) {
	s := storetest.New(t)
	create(t, s, spec("job-a", job.P1, 0))
	if got := get(t, s, "job-a").Status.State; got != job.Queued {
		t.Fatalf("a job whose supervisor is being started is %s", got)
	}
	o := own(t, s, "job-a")
	if err := o.Change(func(s *job.Status) { s.Process = 1 }); err != nil {
		t.Fatal(err)
	}
	become(t, o, job.Running)
	if got := get(t, s, "job-a").Status.State; got != job.Running {
		t.Fatalf("a job with a supervisor is %s", got)
	}
	if err := o.Release(); err != nil {
		t.Fatal(err)
	}
	all, err := work.Jobs(s).List()
	if err != nil || all[0].Status.State != job.Stale || all[0].Status.Version != 4 {
		t.Errorf("got %+v, error %v", all[0].Status, err)
	}
	again := own(t, s, "job-a")
	become(t, again, job.Queued, job.Running, job.Succeeded)
}

// A full disk keeps the state from being written, and not from being known.
func TestAJobWithoutSupervisorIsNotRunningOnAFullDisk(t *testing.T) {
	s := storetest.New(t)
	create(t, s, spec("job-a", job.P1, 0))
	create(t, s, spec("job-b", job.P1, 0))
	for _, id := range []string{"job-a", "job-b"} { // the events of the second end in the middle of a line, which cannot be ended either
		o := own(t, s, id)
		become(t, o, job.Running)
		if err := o.Release(); err != nil {
			t.Fatal(err)
		}
	}
	events, err := os.OpenFile(work.Jobs(s).File("job-b", jobs.EventsName), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := events.WriteString(`{"type":"te`); err != nil || events.Close() != nil {
		t.Fatal(err)
	}
	disk.Intercept = func(c disk.Call, do func() error) error {
		if c.Op == disk.Lock {
			return do()
		}
		return syscall.ENOSPC
	}
	t.Cleanup(func() { disk.Intercept = nil })
	for _, id := range []string{"job-a", "job-b"} {
		if got := get(t, s, id).Status; got.State != job.Stale || got.Version != 2 {
			t.Errorf("%s is %+v", id, got)
		}
	}
	disk.Intercept = nil
	if got := get(t, s, "job-b").Status; got.State != job.Stale || got.Version != 3 {
		t.Errorf("when there is room it is %+v", got)
	}
}

func TestACancelReachesTheSupervisorOrIsCarriedOut(t *testing.T) {
	s := storetest.New(t)
	create(t, s, spec("job-a", job.P1, 0))
	create(t, s, spec("job-b", job.P1, 0))
	o := own(t, s, "job-a")
	if _, _, yes := o.Canceled(); yes {
		t.Fatal("nobody canceled it")
	}
	for _, id := range []string{"job-a", "job-b"} {
		if err := work.Jobs(s).Cancel(id, "human:ada", "not needed"); err != nil {
			t.Fatal(err)
		}
	}
	if who, why, yes := o.Canceled(); !yes || who != "human:ada" || why != "not needed" {
		t.Errorf("the supervisor hears %s %s %v", who, why, yes)
	}
	if got := get(t, s, "job-b").Status; got.State != job.Canceled || !strings.Contains(got.Message, "not needed") {
		t.Errorf("a job without supervisor is %+v", got)
	}
	become(t, o, job.Canceled)
	storetest.WantCode(t, work.Jobs(s).Cancel("job-a", "human:ada", ""), record.AlreadyTerminal)
	if left := storetest.NamesIn(t, s.Live.Abs("jobs/.cancel")); len(left) > 0 {
		t.Errorf("requests are left: %v", left)
	}
}

func TestEventsArePagedAndBounded(t *testing.T) {
	s := storetest.New(t)
	create(t, s, spec("job-a", job.P1, 0))
	o := own(t, s, "job-a")
	for range 5000 {
		if err := o.Event(job.Event{Type: job.EventText, Text: strings.Repeat("ä", job.MaxEventText)}); err != nil {
			t.Fatal(err)
		}
	}
	become(t, o, job.Running, job.Failed)
	info, err := os.Stat(work.Jobs(s).File("job-a", jobs.EventsName))
	if err != nil || info.Size() > 5<<20 {
		t.Fatalf("the file has %d bytes, error %v", info.Size(), err)
	}
	_, total, err := work.Jobs(s).Events("job-a", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	last, _, err := work.Jobs(s).Events("job-a", total-2, 50)
	if err != nil || len(last) != 2 || last[1].State != job.Failed {
		t.Errorf("the last events are %v, error %v", last, err)
	}
}

func TestATornLineCostsOneEvent(t *testing.T) {
	s := storetest.New(t)
	create(t, s, spec("job-a", job.P1, 0))
	path := work.Jobs(s).File("job-a", jobs.EventsName)
	storetest.Append(t, path, `{"type":"te`)
	if _, total, _ := work.Jobs(s).Events("job-a", 0, 50); total != 1 {
		t.Errorf("a line that is being written counts: %d", total)
	}
	if err := own(t, s, "job-a").Event(job.Event{Type: job.EventText, Text: "after"}); err != nil {
		t.Fatal(err)
	}
	events, total, err := work.Jobs(s).Events("job-a", 0, 50)
	if err != nil || total != 3 || events[1].Type != job.EventError || events[2].Text != "after" {
		t.Errorf("got %v of %d, error %v", events, total, err)
	}
}

func TestLinksAndDamageAreRefusedAndHideNoOtherJob(t *testing.T) {
	s := storetest.New(t)
	create(t, s, spec("job-a", job.P1, 0))
	create(t, s, spec("job-b", job.P1, 1))
	create(t, s, spec("job-c", job.P1, 2))
	storetest.WriteFile(t, work.Jobs(s).File("job-b", jobs.StateName), "{}")
	secret := filepath.Join(t.TempDir(), "secret")
	storetest.WriteFile(t, secret, "{}")
	storetest.Remove(t, work.Jobs(s).File("job-c", jobs.SpecName))
	storetest.Link(t, secret, work.Jobs(s).File("job-c", jobs.SpecName))
	j := work.Jobs(s)
	for _, id := range []string{"job-b", "job-c"} {
		_, err := j.Get(id)
		storetest.WantCode(t, err, record.BadFile)
	}
	all, broken, err := j.All()
	if err != nil || len(all) != 1 || len(broken) != 2 {
		t.Errorf("%d jobs and %d broken, error %v", len(all), len(broken), err)
	}
	storetest.RemoveAll(t, s.Live.Jobs())
	storetest.Link(t, t.TempDir(), s.Live.Jobs())
	_, err = j.List()
	storetest.WantCode(t, err, record.InvalidInput)
	storetest.Remove(t, s.Live.Jobs())
}

func TestHalvesOfJobsAreRemovedByTheNextCreate(t *testing.T) {
	s := storetest.New(t)
	create(t, s, spec("job-a", job.P1, 0))
	storetest.WriteFile(t, s.Live.Abs("jobs/.new-job-b/spec.json"), "{")
	if all, err := work.Jobs(s).List(); err != nil || len(all) != 1 {
		t.Errorf("%d jobs, error %v", len(all), err)
	}
	create(t, s, spec("job-c", job.P1, 0))
	if storetest.NamesIn(t, s.Live.Jobs()); slices.Contains(storetest.NamesIn(t, s.Live.Jobs()), ".new-job-b") {
		t.Error("the half of a job is left")
	}
}

// Several who look at a job at once do not take one another for its supervisor.
func TestLookersAreNoSupervisor(t *testing.T) {
	s := storetest.New(t)
	create(t, s, spec("job-a", job.P1, 0))
	o := own(t, s, "job-a")
	become(t, o, job.Running)
	if err := o.Change(func(s *job.Status) { s.Process = 1 << 30 }); err != nil { // no process has such a number
		t.Fatal(err)
	}
	if err := o.Release(); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if one, err := work.Jobs(s).Get("job-a"); err != nil || one.Status.State != job.Stale {
				t.Errorf("it is %s, %v", one.Status.State, err)
			}
		})
	}
	all.Wait()
}

// What was meant as a text to say and stands where a job is named is not shown whole.
func TestALongNameIsShortened(t *testing.T) {
	_, err := jobs.In(layout.Live(t.TempDir())).Resolve(strings.Repeat("x", 1<<20))
	if storetest.WantCode(t, err, record.JobNotFound); len(record.MessageOf(err)) > 200 {
		t.Errorf("the message has %d bytes", len(record.MessageOf(err)))
	}
}
