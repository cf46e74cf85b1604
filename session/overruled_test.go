package session_test

import (
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
)

// A lease yields to what git brought: to a file that knows of it and names another, to a closed record, and to the file
// where it was made once that lacks it.
func TestOverruled(t *testing.T) {
	took, given := toHolder(claude, claude, 2*time.Hour), toHolder(gemini, gemini, time.Hour)
	closed := entry(gemini, time.Minute, record.Transitioned)
	closed.From, closed.To = "in_progress", "done"
	made := session.Mark{Entry: took.Hash(), Place: session.Place{Worktree: here, Branch: "main"}}
	other := session.Place{Worktree: here, Branch: "fix"}
	tests := []struct {
		name  string
		file  record.Header
		here  session.Place
		there *record.Header // the file where the lease was made; nil for one that cannot be read
		ses   bool
		lost  bool
	}{
		{name: "its own file", file: file("backlog", claude, took), here: made.Place},
		{name: "merged, and somebody else has it", file: file("backlog", gemini, took, given), here: made.Place, lost: true},
		{name: "the same on another branch", file: file("backlog", gemini, took, given), here: other, lost: true},
		{name: "merged, and nobody has it", file: file("backlog", "", took), here: made.Place, lost: true},
		{name: "reset", file: file("backlog", ""), here: made.Place, lost: true},
		{name: "reset under a session, which is at work", file: file("backlog", ""), here: made.Place, ses: true},
		{name: "merged under a session", file: file("backlog", gemini, took, given), here: made.Place, ses: true, lost: true},
		{name: "a branch that has not heard of it", file: file("backlog", ""), here: other},
		{name: "a branch that has not heard of it, and one that has", file: file("backlog", ""), here: other,
			there: new(file("backlog", claude, took))},
		{name: "reset on the other branch", file: file("backlog", ""), here: other,
			there: new(file("backlog", "")), lost: true},
		{name: "merged on the other branch", file: file("backlog", ""), here: other,
			there: new(file("backlog", gemini, took, given)), lost: true},
		{name: "closed by what was merged", file: file("done", claude, took, closed), here: made.Place, lost: true},
		{name: "closed since on another branch", file: file("done", "", closed), here: other, lost: true},
		{name: "where the file lies is not known", file: file("backlog", "")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := lease(claude, here, 2*time.Hour)
			if l.Made = made; tt.ses {
				inSession(l)
			}
			live := session.Live{
				State: &session.State{Lease: l}, Here: tt.here, Closed: []record.Status{"done"},
				ClaimTTL: ttl, StaleAfter: 3 * time.Hour,
			}
			if tt.there != nil {
				live.There = []session.Placed{{Place: made.Place, Files: []record.Header{*tt.there}}}
			}
			hold := session.Holder(tt.file, live, now)
			if lost := hold.Overruled != nil; lost != tt.lost {
				t.Errorf("lost: %v", lost)
			}
			if held := hold.Live(); held == tt.lost {
				t.Errorf("held: %v, by %+v", held, hold)
			}
		})
	}
}

// Work that was written here, on this branch, is nowhere else: a file that lacks it had it taken away.
func TestNothingIsElsewhereThatIsHere(t *testing.T) {
	p := session.Progress{Status: "done", Worktree: here, Branch: "main", Entry: done.Hash()}
	main, fix := session.Place{Worktree: here, Branch: "main"}, session.Place{Worktree: here, Branch: "fix"}
	gone := p
	gone.Worktree = ""
	for _, tt := range []struct {
		name  string
		made  session.Progress
		here  session.Place
		there []session.Placed
		ahead bool
	}{
		{"here", p, main, nil, false},
		{"on another branch", p, fix, nil, true},
		{"in a worktree that is gone, whose branch is here", gone, main, nil, false},
		{"on a branch that has it", p, fix, []session.Placed{{main, []record.Header{file("done", "", done)}}}, true},
		{"on a branch that lost it", p, fix, []session.Placed{{main, []record.Header{file("backlog", "")}}}, false},
	} {
		live := session.Live{State: &session.State{Progress: []session.Progress{tt.made}}, Here: tt.here, There: tt.there}
		if got := session.IsBehind(file("backlog", "", longAgo), live).Ahead; got != tt.ahead {
			t.Errorf("%s: ahead is %v", tt.name, got)
		}
	}
}
