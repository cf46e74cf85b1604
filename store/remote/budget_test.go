package remote_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/progress"
)

// Twenty clones that hold three tasks each ask a remote rarely enough: fewer than 0.3 pushes a minute for renewals in
// all, and no clone more than its budget in any minute. CLONES_HOURS=8 simulates eight hours.
func TestSlowTheBudgetOfTwentyClones(t *testing.T) {
	slowtest.Skip(t)
	const (
		clones = 20
		each   = 3
		tick   = 30 * time.Second
	)
	long := 100 * time.Minute
	if hours, err := strconv.Atoi(os.Getenv("CLONES_HOURS")); err == nil {
		long = time.Duration(hours) * time.Hour
	}
	c := newClock()
	at := newServer()
	var all []*clone
	for i := range clones {
		all = append(all, newClone(t, at, c, record.Actor(fmt.Sprint("agent:a", i))))
	}
	leases := map[record.Ref]*clone{}
	begun := c.now()
	for n := 0; c.now().Sub(begun) < long; n++ {
		for i, one := range all {
			if n%4 == i%4 && n/4 < each { // tasks are begun one after the other
				of := record.ID(fmt.Sprintf("PROJ-%d", n/4*clones+i+1)).Ref()
				one.mustClaim(of)
				leases[of] = one
			}
			renew := one.Renew
			if i%5 == 0 {
				renew = one.Sync
			}
			if lost, err := renew(t.Context()); err != nil || len(lost) > 0 {
				t.Fatalf("lost %v, %v", lost, err)
			}
		}
		if n%20 == 0 {
			for of, one := range leases {
				lease := one.lease() // its holder writes
				if err := one.live(of, &lease); err != nil {
					t.Fatal(err)
				}
				if !one.believes(of) {
					t.Fatalf("at %v %s is %+v", c.now(), of.ID, one.hold(of))
				}
			}
		}
		c.pass(tick)
	}
	pushes, fetches, renewals := 0, 0, 0
	for i, one := range all {
		pushes, fetches, renewals = pushes+one.line.pushes, fetches+one.line.fetches, renewals+one.line.renewals
		for from := range one.line.at {
			in := 0
			for _, at := range one.line.at[from:] {
				if at.Sub(one.line.at[from]) < time.Minute {
					in++
				}
			}
			if in > one.Budget {
				t.Errorf("clone %d asks %d times in a minute", i, in)
			}
		}
	}
	minutes := c.now().Sub(begun).Minutes()
	if rate := float64(renewals) / minutes; rate >= 0.3 {
		t.Errorf("%.2f renewals a minute", rate)
	}
	t.Logf("%d clones with %d tasks each, %.0f minutes: %d pushes, of them %d renewals (%.3f a minute), %d fetches (%.2f a minute)",
		clones, each, minutes, pushes, renewals, float64(renewals)/minutes, fetches, float64(fetches)/minutes)
}

// A clone that wants more than its budget waits, and says so; renewals leave room for claims.
func TestABudgetThatIsUsedUp(t *testing.T) {
	c := newClock()
	at := newServer()
	a := newClone(t, at, c, "agent:ada")
	begun := c.now()
	for i := range 10 {
		a.mustClaim(record.ID(fmt.Sprintf("PROJ-%d", i+1)).Ref())
	}
	if took := c.now().Sub(begun); took < time.Minute || took > 2*time.Minute {
		t.Errorf("ten claims took %v", took)
	}
	begun = c.now()
	of := record.ID("PROJ-10").Ref()
	if err := a.Release(t.Context(), []session.Want{{Ref: of}}, func() error { return a.live(of, nil) }); err != nil || c.now() != begun {
		t.Errorf("a release waited %v: %v", c.now().Sub(begun), err)
	}
	before := a.line.fetches
	for range 4 {
		if _, err := a.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.pass(time.Second)
	}
	if a.line.fetches != before {
		t.Error("what goes on in the background uses what is left for claims")
	}
	c.pass(2 * time.Minute)
	a.sync()
	if at.object(of.ID) != "" {
		t.Error("what was released is never given back")
	}
}

// Who waits for the budget is told for how long.
func TestAWaitForTheBudgetIsTold(t *testing.T) {
	a := newClone(t, newServer(), newClock(), "agent:ada")
	var told []progress.Report
	ctx := progress.With(t.Context(), func(r progress.Report) { told = append(told, r) })
	for i := range 7 {
		of := record.ID(fmt.Sprintf("PROJ-%d", i+1)).Ref()
		if err := a.Take(ctx, a.want(of), func() error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	want := progress.Report{Message: "waiting 60 s, since claims ask the git remote 6 times a minute at most", Wait: time.Minute}
	if len(told) != 1 || told[0] != want {
		t.Errorf("it says %+v", told)
	}
}
