package session_test

import (
	"slices"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
)

// The record of these tests: one entry that git has, and two that were written since.
var (
	created = entry(shah, 3*time.Hour, record.Created)
	first   = entry(claude, 2*time.Hour, record.Noted)
	second  = entry(claude, time.Hour, record.Noted)
)

// wrote is an entry written here on main, on a revision of the file that is named in a word.
func wrote(e record.Entry, on record.Rev) session.Written { return wroteAt(e, on, here, "main") }

func wroteAt(e record.Entry, on record.Rev, worktree, branch string) session.Written {
	return session.Written{Entry: e, On: session.Sighting{Worktree: worktree, Branch: branch, Head: "c0", Rev: on}}
}

// What was written and is no longer there was overwritten, unless git took it away.
func TestOverwritten(t *testing.T) {
	// What commit c0 has is the revision "committed". It holds the first entry alone.
	inGit := func(s session.Sighting) (record.Log, bool) {
		return record.Log{created}, s.Head == "c0" && s.Rev == "committed"
	}
	for _, tt := range []struct {
		name    string
		rev     record.Rev     // of the file now
		has     []record.Entry // in the file now
		journal []session.Written
		want    []record.Entry
	}{
		{"nothing was written", "edited", []record.Entry{created}, nil, nil},
		{"all of it is there", "edited", []record.Entry{created, first}, []session.Written{wrote(first, "committed")}, nil},
		{"an editor saved what it had read before", "edited", []record.Entry{created},
			[]session.Written{wrote(first, "committed"), wrote(second, "written")}, []record.Entry{first, second}},
		{"an editor took one out", "edited", []record.Entry{created, second},
			[]session.Written{wrote(first, "committed"), wrote(second, "written")}, []record.Entry{first}},
		{"a reset", "committed", []record.Entry{created}, []session.Written{wrote(first, "committed")}, nil},
		{"a reset, and a write since", "written", []record.Entry{created, second},
			[]session.Written{wrote(first, "committed"), wrote(second, "committed")}, nil},
		{"saved over, and a write since", "written", []record.Entry{created, second},
			[]session.Written{wrote(first, "committed"), wrote(second, "edited")}, []record.Entry{first}},
		{"a reset and a write, and then it was saved over", "edited", []record.Entry{created},
			[]session.Written{wrote(first, "committed"), wrote(second, "committed")}, []record.Entry{second}},
		{"what git has was saved over, and written on", "edited", nil,
			[]session.Written{wrote(created, ""), wrote(second, "committed")}, []record.Entry{created, second}},
		{"a write that was brought to its end after a kill", "edited", []record.Entry{created},
			[]session.Written{wrote(first, "")}, []record.Entry{first}},
		{"a line that stands twice", "edited", []record.Entry{created},
			[]session.Written{wrote(first, "committed"), wrote(first, "")}, []record.Entry{first}},
		{"written on a branch that was switched from", "edited", []record.Entry{created},
			[]session.Written{wroteAt(first, "committed", here, "fix")}, []record.Entry{first}},
		{"written in another worktree", "edited", []record.Entry{created},
			[]session.Written{wroteAt(first, "committed", there, "main")}, nil},
		{"another branch was checked out without it, and written on", "edited", []record.Entry{created},
			[]session.Written{wrote(first, "committed"), wroteAt(second, "committed", here, "fix")}, []record.Entry{second}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			now := session.Sighting{Worktree: here, Branch: "main", Head: "c0", Rev: tt.rev}
			got, byChance := session.Overwritten(tt.has, now, tt.journal, inGit)
			if !slices.EqualFunc(got, tt.want, record.Entry.Equal) || len(byChance) > 0 {
				t.Errorf("lost: %v and %v, and not %v", got, byChance, tt.want)
			}
		})
	}
}

// What git took away while it was being written, or right after, may never have been seen by git.
func TestReplacedByChance(t *testing.T) {
	inGit := func(s session.Sighting) (record.Log, bool) {
		return record.Log{created}, s.Rev == "committed"
	}
	at := time.Date(2026, 6, 21, 10, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name   string
		after  time.Duration // git replaced the file so long after the entry was written
		beside bool
		since  []session.Written
		want   bool
	}{
		{"at once", time.Millisecond, false, nil, true},
		{"by a command that had begun before", -time.Millisecond, false, nil, true},
		{"by a command that somebody gave later", time.Minute, false, nil, false},
		{"by one that took long", time.Minute, true, nil, true},
		{"at once, as a later write saw", time.Hour, false, []session.Written{sinceThen(second, at.Add(time.Second))}, true},
		{"later, as a later write saw", time.Millisecond, false, []session.Written{sinceThen(second, at.Add(time.Minute))}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := wrote(first, "committed")
			w.At, w.Beside = at, tt.beside
			now := session.Sighting{Worktree: here, Branch: "main", Head: "c0", Rev: "committed", Modified: at.Add(tt.after)}
			_, byChance := session.Overwritten(record.Log{created, second}, now, append([]session.Written{w}, tt.since...), inGit)
			if got := len(byChance) == 1; got != tt.want {
				t.Errorf("by chance: %v", byChance)
			}
		})
	}
}

// sinceThen is an entry written on what git had put there at some moment.
func sinceThen(e record.Entry, modified time.Time) session.Written {
	w := wrote(e, "committed")
	w.On.Modified = modified
	return w
}
