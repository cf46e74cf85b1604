package jobs_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/storetest"
)

func TestMain(m *testing.M) {
	storetest.Main(m, map[string]storetest.Part{"create": playCreate, "slot": playSlot, "own": playOwn, "die": playDie})
}

// playCreate creates a job for a task, unless there is one, as soon as it is told to.
func playCreate(s *store.Store, args []string) error {
	storetest.WaitForLine()
	_, made, err := work.Jobs(s).Create(context.Background(), spec("job-"+args[0], job.P1, 0), func(all []job.Job) (*job.Job, error) {
		if len(all) > 0 {
			return &all[0], nil
		}
		return nil, nil
	})
	if made {
		fmt.Println("made")
	}
	return err
}

func TestSixteenProcessesCreateOneJob(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	all := storetest.StartAll(t, s, 16, "create")
	for _, p := range all {
		p.Send(t, "go")
	}
	made := 0
	for _, p := range all {
		made += len(p.Answers())
		p.End(t)
	}
	if list, err := work.Jobs(s).List(); err != nil || made != 1 || len(list) != 1 {
		t.Errorf("%d were made, and there are %d, error %v", made, len(list), err)
	}
}

// playSlot owns a job, takes one of most slots, and says so. It gives the slot back at the next line, or after a moment
// if there is a folder in which those leave a file that have a slot: then it says how many there are.
func playSlot(s *store.Store, args []string) error {
	o, err := work.Jobs(s).Own(args[0])
	if err != nil {
		return err
	}
	most, _ := strconv.Atoi(args[1])
	ofExecutor, _ := strconv.Atoi(args[2])
	release, err := o.Slot(context.Background(), most, ofExecutor, func() {}, begins)
	if err != nil {
		return err
	}
	if len(args) < 4 {
		fmt.Println("in")
		storetest.WaitForLine()
		release()
		return o.Release()
	}
	mine := filepath.Join(args[3], args[0])
	if err := os.WriteFile(mine, nil, 0o644); err != nil {
		return err
	}
	in, err := os.ReadDir(args[3])
	time.Sleep(30 * time.Millisecond) // the work
	fmt.Println(len(in))
	if err == nil {
		err = os.Remove(mine)
	}
	release()
	return err
}

func slot(t *testing.T, s *store.Store, id string, more ...string) *storetest.Process {
	t.Helper()
	return storetest.Start(t, s, "slot", append([]string{id}, more...)...)
}

func TestThreeSlotsAreNeverFour(t *testing.T) {
	t.Parallel()
	s, dir := storetest.New(t), t.TempDir()
	var all []*storetest.Process
	for n := range 12 {
		id := fmt.Sprintf("job-%d", n)
		create(t, s, spec(id, []job.Priority{job.P0, job.P1, job.P2}[n%3], n))
		all = append(all, slot(t, s, id, "3", "0", dir))
	}
	most := 0
	for _, p := range all {
		answer, ok := p.Answer()
		n, err := strconv.Atoi(answer)
		if !ok || err != nil {
			t.Fatalf("a job got no slot: %q", answer)
		}
		most = max(most, n)
		p.End(t)
	}
	if most > 3 || most < 2 {
		t.Errorf("up to %d had a slot at once", most)
	}
}

// waits waits until a job is in the queue.
func waits(t *testing.T, s *store.Store, id string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(s.Live.Abs("jobs/.queue/" + id + ".json")); err == nil {
			return
		}
	}
	t.Fatalf("%s is not in the queue", id)
}

func wantIn(t *testing.T, p *storetest.Process) {
	t.Helper()
	if answer, _ := p.Answer(); answer != "in" {
		t.Fatalf("it got no slot: %q", answer)
	}
}

func leave(t *testing.T, p *storetest.Process) {
	t.Helper()
	p.Send(t, "leave")
	p.End(t)
}

func TestTheMoreUrgentGoesFirstAndThenTheOlder(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	for n, id := range []string{"job-first", "job-p2", "job-p1new", "job-p1old", "job-p0"} {
		create(t, s, spec(id, []job.Priority{job.P1, job.P2, job.P1, job.P1, job.P0}[n], []int{0, 1, 4, 3, 5}[n]))
	}
	first := slot(t, s, "job-first", "1", "0")
	wantIn(t, first)
	waiting := map[string]*storetest.Process{}
	for _, id := range []string{"job-p2", "job-p1new", "job-p1old", "job-p0"} {
		waiting[id] = slot(t, s, id, "1", "0")
		waits(t, s, id)
	}
	leave(t, first)
	for _, id := range []string{"job-p0", "job-p1old", "job-p1new", "job-p2"} {
		wantIn(t, waiting[id]) // had another one the only slot, this would wait for ever
		leave(t, waiting[id])
	}
}

func TestAnExecutorAtItsLimitHoldsNobodyElseUp(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	create(t, s, spec("job-a", job.P1, 0))
	create(t, s, spec("job-b", job.P0, 1))
	other := spec("job-c", job.P2, 2)
	other.Executor = "other"
	create(t, s, other)
	a := slot(t, s, "job-a", "3", "1")
	wantIn(t, a)
	b := slot(t, s, "job-b", "3", "1")
	waits(t, s, "job-b")
	c := slot(t, s, "job-c", "3", "1")
	wantIn(t, c)
	leave(t, a)
	wantIn(t, b)
	leave(t, b)
	leave(t, c)
}

func TestAKilledJobGivesItsSlotBackAndIsStale(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	create(t, s, spec("job-a", job.P1, 0))
	create(t, s, spec("job-b", job.P1, 1))
	create(t, s, spec("job-c", job.P2, 2))
	a := slot(t, s, "job-a", "1", "0")
	wantIn(t, a)
	b := slot(t, s, "job-b", "1", "0") // it is killed while it waits, and holds nobody up
	waits(t, s, "job-b")
	c := slot(t, s, "job-c", "1", "0")
	waits(t, s, "job-c")
	for _, p := range []*storetest.Process{b, a} {
		if err := p.Cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = p.Cmd.Wait()
	}
	wantIn(t, c)
	leave(t, c)
}

// playOwn owns a job that runs, says so, and stays.
func playOwn(s *store.Store, args []string) error {
	o, err := work.Jobs(s).Own(args[0])
	if err == nil {
		err = o.Change(func(s *job.Status) { s.State, s.Process = job.Running, os.Getpid() })
	}
	if err != nil {
		return err
	}
	fmt.Println("owned")
	storetest.WaitForLine()
	return nil
}

func TestSlowOfTwoSupervisorsOneIsRefused(t *testing.T) {
	slowtest.Skip(t)
	t.Parallel()
	s := storetest.New(t)
	create(t, s, spec("job-a", job.P1, 0))
	p := storetest.Start(t, s, "own", "job-a")
	if answer, _ := p.Answer(); answer != "owned" {
		t.Fatal(answer)
	}
	_, err := work.Jobs(s).Own("job-a")
	storetest.WantCode(t, err, record.Busy)
	if got := get(t, s, "job-a").Status.State; got != job.Running {
		t.Errorf("it is %s", got)
	}
	if err := p.Cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.Cmd.Wait()
	if got := get(t, s, "job-a").Status.State; got != job.Stale {
		t.Errorf("after its supervisor was killed it is %s", got)
	}
}

func begins() (bool, error) { return true, nil }
