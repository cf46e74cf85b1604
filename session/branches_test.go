package session_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
)

// moves is an entry that changed the status so long ago.
func moves(from, to record.Status, d time.Duration) record.Entry {
	e := entry(claude, d, record.Transitioned)
	e.From, e.To = from, to
	return e
}

// tracked is what a remote-tracking branch says of the task.
func tracked(branch string, e record.Entry) session.Progress {
	return session.Progress{Status: e.To, Branch: branch, Entry: e.Hash(), At: e.At, Source: session.FromBranch}
}

// A remote-tracking branch counts if it has what the file lacks, and that is newer than what changed the status here
// last.
func TestBehindARemoteTrackingBranch(t *testing.T) {
	review := moves("backlog", "in_review", time.Hour)
	for _, tt := range []struct {
		name string
		file record.Header
		on   []session.Progress
		want string // the branch
	}{
		{"the file was never moved", file("backlog", "", longAgo), []session.Progress{tracked("origin/fix", review)}, "origin/fix"},
		{"the newest counts", file("backlog", "", longAgo), []session.Progress{
			tracked("origin/old", moves("backlog", "in_progress", 2*time.Hour)), tracked("origin/fix", review)}, "origin/fix"},
		{"the file has the entry, and went on", file("in_progress", "", review, moves("in_review", "in_progress", 2*time.Hour)),
			[]session.Progress{tracked("origin/fix", review)}, ""},
		{"the file was moved later", file("in_progress", "", moves("backlog", "in_progress", time.Minute)), []session.Progress{tracked("origin/fix", review)}, ""},
		{"the status is the same", file("in_review", "", longAgo), []session.Progress{tracked("origin/fix", review)}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			live := session.Live{Remote: &session.Remote{Branches: tt.on}}
			if got := session.IsBehind(tt.file, live); got.Branch != tt.want || (got.Source == session.FromBranch) != (tt.want != "") {
				t.Errorf("behind %+v, want %q", got, tt.want)
			}
		})
	}
}

// What was fetched is named rather than the claim that says the same from afar.
func TestFetchedWorkIsNamedBeforeItsClaim(t *testing.T) {
	review := moves("backlog", "in_review", time.Hour)
	claim := &session.RemoteClaim{Clone: "two", State: session.RemoteFinished, Status: "in_review", Branch: "fix", Entry: review.Hash(), Renewed: now}
	live := session.Live{Remote: &session.Remote{Clone: "one", Seen: &session.SeenClaim{Claim: claim}}}
	if got := session.IsBehind(file("backlog", ""), live); got.Clone != "two" {
		t.Errorf("behind %+v, want the other clone", got)
	}
	live.Remote.Branches = []session.Progress{tracked("origin/fix", review)}
	if got := session.IsBehind(file("backlog", ""), live); got.Branch != "origin/fix" || got.Clone != "" {
		t.Errorf("behind %+v, want the branch that was fetched", got)
	}
}

// The name of a branch that somebody pushed becomes a part of a command only if a shell takes it as a name.
func TestRefusalNamesTheBranchToMerge(t *testing.T) {
	for branch, command := range map[string]bool{
		"origin/fix": true, "origin/agent-7/PROJ-1_x": true,
		"origin/$(date)": false, "origin/a;b": false, "origin/größe": false, "-x/y": false, "": false,
	} {
		hold := session.Claim{Source: session.FromBranch, Ahead: true, Status: "in_review", Branch: branch}
		refused := new(record.Error)
		if err := hold.Refuse("PROJ-1", gemini, here, false); !errors.As(err, &refused) || refused.Code != record.Elsewhere {
			t.Fatalf("%q: %v", branch, err)
		}
		if hint := refused.Hint.String(); strings.Contains(hint, "git merge ") != command || strings.Contains(hint, "$(") {
			t.Errorf("%q leads to the hint %q", branch, hint)
		}
		if hold.Refuse("PROJ-1", gemini, here, true) != nil {
			t.Errorf("%q cannot be taken over", branch)
		}
	}
}
