// Package leasetest holds what every session.Leases must hold: one of many has a record, and nobody believes to have
// what is another's.
package leasetest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
)

// Actor is somebody who claims: in a worktree or a clone of its own, under a name of its own. All actors of a test have
// one clock.
type Actor interface {
	session.Leases

	// Name is a person, whose claim does not end by itself in a clone.
	Name() record.Actor

	// Known is what the actor's clone knows of a record, and the file of it there.
	Known(of record.Ref) (record.Header, session.Live)

	// Lease is what a claim of the actor says.
	Lease() session.Lease

	// Claim makes the claims in the actor's clone, all or none. It returns ALREADY_CLAIMED if somebody holds one there.
	Claim(of ...record.Ref) error

	// Renounce ends a claim in the clone.
	Renounce(of record.Ref) error

	// Review brings a record whose claim the actor has to Reviewed.
	Review(of record.Ref) error
}

// Reviewed is a status in which work on a record is over.
const Reviewed record.Status = "in_review"

// Site is where actors meet.
type Site struct {
	Actors  []Actor // three at least
	Records []record.Ref
	Now     func() time.Time
	Pass    func(time.Duration) // lets time pass
}

// Run runs the suite. open makes a new site, with two records, for each test of it.
func Run(t *testing.T, open func(t *testing.T) Site) {
	for _, test := range []struct {
		promise string
		check   func(t *testing.T, s Site)
	}{
		{"one of many takes a record, and the others are told who", oneWins},
		{"of several records all are taken or none", allOrNone},
		{"what is released can be taken", released},
		{"a write that fails gives back what it took", givenBack},
		{"a write that fails leaves the claim that was there before", stays},
		{"a claim that is renewed stays", renewed},
		{"whoever asks is told who holds a record", told},
		{"what one has finished no other begins", finished},
		{"without records only the write is made", alone},
	} {
		t.Run(test.promise, func(t *testing.T) { test.check(t, open(t)) })
	}
}

// maxTries is how often a take is decided anew.
const maxTries = 5

// take decides as a verb does, and takes records.
func (s Site) take(ctx context.Context, a Actor, write func() error, of ...record.Ref) error {
	err := error(nil)
	for range maxTries {
		var want []session.Want
		for _, one := range of {
			file, known := a.Known(one)
			if err := session.Holder(file, known, s.Now()).Refuse(record.ID(one.ID), a.Name(), a.Lease().Worktree, false); err != nil {
				return err
			}
			want = append(want, session.Want{Ref: one, Lease: a.Lease(), Judged: known.Remote.Mark()})
		}
		if err = a.Take(ctx, want, write); record.CodeOf(err) != record.Conflict {
			return err
		}
	}
	return err
}

func (s Site) claim(ctx context.Context, a Actor, of ...record.Ref) error {
	return s.take(ctx, a, func() error { return a.Claim(of...) }, of...)
}

// mine reports whether an actor believes to hold a record.
func (s Site) mine(a Actor, of record.Ref) bool {
	file, known := a.Known(of)
	h := session.Holder(file, known, s.Now())
	return h.Live() && h.Actor == a.Name() && h.LostTo == nil
}

func wantRefused(t *testing.T, err error, by Actor) {
	t.Helper()
	if record.CodeOf(err) != record.AlreadyClaimed || !strings.Contains(err.Error(), string(by.Name())) {
		t.Errorf("ended with %v, and %s holds it", err, by.Name())
	}
}

func want(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func oneWins(t *testing.T, s Site) {
	of, errs := s.Records[0], make([]error, len(s.Actors))
	var all sync.WaitGroup
	for i, a := range s.Actors {
		all.Go(func() { errs[i] = s.claim(t.Context(), a, of) })
	}
	all.Wait()
	var winner Actor
	for i, a := range s.Actors {
		if errs[i] == nil && winner != nil {
			t.Errorf("%s and %s have it", winner.Name(), a.Name())
		}
		if errs[i] == nil {
			winner = a
		}
	}
	if winner == nil {
		t.Fatalf("nobody has it: %v", errs)
	}
	for i, a := range s.Actors {
		if a != winner {
			wantRefused(t, errs[i], winner)
		}
		if s.mine(a, of) != (a == winner) {
			t.Errorf("%s believes to hold it: %v", a.Name(), a != winner)
		}
	}
}

func allOrNone(t *testing.T, s Site) {
	a, b, c := s.Actors[0], s.Actors[1], s.Actors[2]
	want(t, s.claim(t.Context(), a, s.Records[1]))
	wantRefused(t, s.claim(t.Context(), b, s.Records...), a)
	want(t, s.claim(t.Context(), c, s.Records[0]))
}

func released(t *testing.T, s Site) {
	a, b, of := s.Actors[0], s.Actors[1], s.Records[0]
	want(t, s.claim(t.Context(), a, of))
	want(t, a.Release(t.Context(), []session.Want{{Ref: of}}, func() error { return a.Renounce(of) }))
	want(t, s.claim(t.Context(), b, of))
	wantRefused(t, s.claim(t.Context(), a, of), b)
}

var errNo = errors.New("no")

func givenBack(t *testing.T, s Site) {
	a, b, of := s.Actors[0], s.Actors[1], s.Records[0]
	if err := s.take(t.Context(), a, func() error { return errNo }, of); !errors.Is(err, errNo) {
		t.Fatalf("ended with %v, not with the error of the write", err)
	}
	want(t, s.claim(t.Context(), b, of))
}

func stays(t *testing.T, s Site) {
	a, b, of := s.Actors[0], s.Actors[1], s.Records[0]
	want(t, s.claim(t.Context(), a, of))
	if err := s.take(t.Context(), a, func() error { return errNo }, of); !errors.Is(err, errNo) {
		t.Fatalf("ended with %v, not with the error of the write", err)
	}
	wantRefused(t, s.claim(t.Context(), b, of), a)
	if !s.mine(a, of) {
		t.Error("its holder does not hold it any more")
	}
}

func renewed(t *testing.T, s Site) {
	a, b, of := s.Actors[0], s.Actors[1], s.Records[0]
	want(t, s.claim(t.Context(), a, of))
	for range 12 {
		s.Pass(time.Hour)
		if lost, err := a.Renew(t.Context()); err != nil || len(lost) > 0 {
			t.Fatalf("lost %v, %v", lost, err)
		}
	}
	wantRefused(t, s.claim(t.Context(), b, of), a)
}

func told(t *testing.T, s Site) {
	a, of := s.Actors[0], s.Records[0]
	want(t, s.claim(t.Context(), a, of))
	for _, one := range s.Actors {
		r, err := one.Read(t.Context(), of, 0)
		want(t, err)
		file, known := one.Known(of)
		if r != nil {
			known.Remote = r
		}
		if h := session.Holder(file, known, s.Now()); !h.Live() || h.Actor != a.Name() {
			t.Errorf("%s is told %+v", one.Name(), h)
		}
	}
}

func finished(t *testing.T, s Site) {
	a, b, of := s.Actors[0], s.Actors[1], s.Records[0]
	want(t, s.claim(t.Context(), a, of))
	ended := &session.Progress{Status: Reviewed, Branch: a.Lease().Branch, Worktree: a.Lease().Worktree, Entry: "reviewed"}
	if err := a.Release(t.Context(), []session.Want{{Ref: of, Ended: ended}}, func() error { return errNo }); !errors.Is(err, errNo) {
		t.Fatalf("ended with %v, not with the error of the write", err)
	}
	if _, err := a.Renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, s.claim(t.Context(), b, of), a)
	want(t, a.Release(t.Context(), []session.Want{{Ref: of, Ended: ended}}, func() error { return a.Review(of) }))
	want(t, a.Renounce(of))
	if _, err := b.Read(t.Context(), of, 0); err != nil {
		t.Fatal(err)
	}
	file, known := b.Known(of)
	h := session.Holder(file, known, s.Now())
	if err := h.Refuse(record.ID(of.ID), b.Name(), b.Lease().Worktree, false); !h.Ahead || record.CodeOf(err) != record.Elsewhere {
		t.Errorf("it is %+v, %v", h, err)
	}
}

func alone(t *testing.T, s Site) {
	calls := 0
	write := func() error { calls++; return nil }
	want(t, s.Actors[0].Take(t.Context(), nil, write))
	want(t, s.Actors[0].Release(t.Context(), nil, write))
	if calls != 2 {
		t.Errorf("%d writes", calls)
	}
}
