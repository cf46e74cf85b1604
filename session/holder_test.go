package session_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/task"
)

// The cast: two agents and a person, at work in two worktrees of one clone.
const (
	claude = record.Actor("agent:claude-1")
	gemini = record.Actor("agent:gemini")
	shah   = record.Actor("human:shah")

	here  = "/src/pay"
	there = "/src/pay-fix"
)

const (
	ttl   = 4 * time.Hour
	stale = 5 * time.Minute
)

// now is the moment at which everybody asks. Times of the past are said as "so long ago".
var now = time.Date(2026, 6, 21, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) time.Time { return now.Add(-d) }

// entry is a line of provenance.
func entry(who record.Actor, d time.Duration, did record.Did) record.Entry {
	return record.Entry{Who: who, At: ago(d), Did: did}
}

// toHolder is an entry that gave the task to somebody.
func toHolder(who, holder record.Actor, d time.Duration) record.Entry {
	e := entry(who, d, record.Claimed)
	e.Assignee = &holder
	return e
}

// file is the task as the worktree that asks has it.
func file(status record.Status, assignee record.Actor, entries ...record.Entry) record.Header {
	return task.Task{ID: "PROJ-7", Title: "Pay twice", Status: status, Assignee: assignee, Provenance: entries}.Header()
}

// lease is a live claim, made and last seen so long ago.
func lease(who record.Actor, worktree string, d time.Duration) *session.Lease {
	return &session.Lease{Actor: who, Worktree: worktree, Branch: "fix", Since: ago(d), Seen: ago(d)}
}

// inSession is a lease under a session.
func inSession(l *session.Lease) *session.Lease {
	l.Session = "ses-1"
	return l
}

// progress is a status that the clone has brought the task to elsewhere, by an entry.
func progress(status record.Status, e record.Entry) session.Progress {
	return session.Progress{Status: status, Branch: "fix", Worktree: there, Entry: e.Hash()}
}

// under is what a write under way makes of the state: a lease, nil for none, and progress where it moves the task.
func under(e record.Entry, l *session.Lease, made ...session.Progress) *session.State {
	return &session.State{Lease: l, Progress: made, Entry: e.Hash()}
}

func beat(d time.Duration) *session.Heartbeat {
	return &session.Heartbeat{Session: "ses-1", Actor: claude, At: ago(d)}
}

var (
	longAgo = entry(shah, 48*time.Hour, record.Created)
	done    = entry(claude, time.Hour, record.Transitioned)
	noted   = entry(claude, time.Hour, record.Noted)
)

// Who holds a task, from the file of this worktree, the live state of the clone, and the clock: a live claim, then work
// elsewhere that this file lacks, then an unexpired assignee, then nobody.
var holderTests = []struct {
	name  string
	file  record.Header
	state *session.State
	next  *session.State
	beat  *session.Heartbeat

	how    string
	who    record.Actor
	lapsed bool
}{
	{name: "nobody has touched it",
		file: file("backlog", "", longAgo)},
	{name: "a state without a claim is nobody",
		file: file("backlog", "", longAgo), state: &session.State{}},

	// A live claim.
	{name: "a live claim",
		file:  file("backlog", claude, longAgo),
		state: &session.State{Lease: lease(claude, here, time.Minute)},
		how:   "claimed", who: claude},
	{name: "a live claim that this branch has not heard of",
		file:  file("backlog", "", longAgo),
		state: &session.State{Lease: lease(claude, there, time.Minute)},
		how:   "claimed", who: claude},
	{name: "a live claim counts for more than the file's assignee",
		file:  file("backlog", gemini, toHolder(gemini, gemini, time.Minute)),
		state: &session.State{Lease: lease(claude, there, time.Minute)},
		how:   "claimed", who: claude},
	{name: "a live claim counts for more than being behind",
		file:  file("backlog", "", longAgo),
		state: &session.State{Lease: lease(claude, there, time.Minute), Progress: []session.Progress{progress("in_progress", done)}},
		how:   "claimed", who: claude},

	// Claims of agents expire, those of people do not.
	{name: "an agent's claim holds to the last second",
		file:  file("backlog", claude, longAgo),
		state: &session.State{Lease: lease(claude, here, ttl)},
		how:   "claimed", who: claude},
	{name: "an agent's claim without a session expires",
		file:  file("backlog", claude, longAgo),
		state: &session.State{Lease: lease(claude, here, ttl+time.Second)},
		who:   claude, lapsed: true},
	{name: "the holder's newest entry keeps the claim alive",
		file:  file("backlog", claude, longAgo, entry(claude, time.Hour, record.Noted)),
		state: &session.State{Lease: lease(claude, here, 6*time.Hour)},
		how:   "claimed", who: claude},
	{name: "somebody else's entry does not",
		file:  file("backlog", claude, longAgo, entry(gemini, time.Hour, record.Noted)),
		state: &session.State{Lease: lease(claude, here, 6*time.Hour)},
		who:   claude, lapsed: true},
	{name: "a person's claim never expires",
		file:  file("backlog", shah, longAgo),
		state: &session.State{Lease: lease(shah, here, 1000*time.Hour)},
		how:   "claimed", who: shah},

	// Under a session the signs of life count.
	{name: "a session with a fresh heartbeat",
		file:  file("in_progress", claude, longAgo),
		state: &session.State{Lease: inSession(lease(claude, here, 30*time.Hour))}, beat: beat(time.Minute),
		how: "claimed", who: claude},
	{name: "a session that stalled still holds, and may be taken over",
		file:  file("in_progress", claude, longAgo),
		state: &session.State{Lease: inSession(lease(claude, here, 30*time.Hour))}, beat: beat(6 * time.Minute),
		how: "claimed", who: claude, lapsed: true},
	{name: "a write of its actor is a sign of life too",
		file:  file("in_progress", claude, longAgo, entry(claude, time.Minute, record.Noted)),
		state: &session.State{Lease: inSession(lease(claude, here, 30*time.Hour))}, beat: beat(6 * time.Minute),
		how: "claimed", who: claude},
	{name: "a person's session stalls like any other",
		file:  file("in_progress", shah, longAgo),
		state: &session.State{Lease: inSession(lease(shah, here, time.Hour))},
		how:   "claimed", who: shah, lapsed: true},

	// Behind: another branch or worktree has carried the task further.
	{name: "done elsewhere, and this file lacks the entry",
		file:  file("backlog", "", longAgo),
		state: &session.State{Progress: []session.Progress{progress("done", done)}},
		how:   "behind"},
	{name: "done elsewhere, and merged since",
		file:  file("done", "", longAgo, done),
		state: &session.State{Progress: []session.Progress{progress("done", done)}}},
	{name: "merged, and carried further here",
		file:  file("backlog", "", longAgo, done, entry(shah, time.Minute, record.Transitioned)),
		state: &session.State{Progress: []session.Progress{progress("done", done)}}},
	{name: "a note elsewhere puts nobody behind",
		file:  file("backlog", "", longAgo),
		state: &session.State{Progress: []session.Progress{progress("backlog", noted)}}},
	{name: "being behind counts for more than the file's assignee",
		file:  file("backlog", gemini, toHolder(gemini, gemini, time.Minute)),
		state: &session.State{Progress: []session.Progress{progress("in_review", done)}},
		how:   "behind"},
	{name: "a file of a person is behind like any other",
		file:  file("backlog", shah, toHolder(shah, shah, time.Minute)),
		state: &session.State{Progress: []session.Progress{progress("done", done)}},
		how:   "behind"},
	{name: "being behind counts for more than a claim that expired",
		file:  file("backlog", "", longAgo),
		state: &session.State{Lease: lease(claude, there, 5*time.Hour), Progress: []session.Progress{progress("in_progress", done)}},
		how:   "behind"},

	// The file alone, as in another clone.
	{name: "an assignee of the file",
		file: file("backlog", claude, longAgo, toHolder(claude, claude, time.Hour)),
		how:  "assigned", who: claude},
	{name: "an agent's assignment expires from its newest entry",
		file: file("backlog", claude, longAgo, toHolder(claude, claude, 5*time.Hour)),
		who:  claude, lapsed: true},
	{name: "an assignment by somebody else counts from that entry",
		file: file("backlog", claude, longAgo, entry(claude, 30*time.Hour, record.Noted), toHolder(shah, claude, time.Hour)),
		how:  "assigned", who: claude},
	{name: "a person's assignment never expires",
		file: file("backlog", shah, longAgo, toHolder(shah, shah, 1000*time.Hour)),
		how:  "assigned", who: shah},
	{name: "an assignee written by hand, of whom no entry speaks, holds",
		file: file("backlog", claude, longAgo),
		how:  "assigned", who: claude},
	{name: "a closed task is nobody's once the claim has gone, and its file still names who did it",
		file:  file("done", claude, longAgo, toHolder(claude, claude, 2*time.Hour), done),
		state: &session.State{Progress: []session.Progress{progress("done", done)}},
		how:   "assigned", who: claude},

	// A write is under way, or its writer was killed: the file may have its entry or not.
	{name: "a claim under way whose entry is in the file",
		file: file("backlog", claude, longAgo, done),
		next: under(done, lease(claude, here, time.Minute)),
		how:  "claimed", who: claude},
	{name: "a claim under way whose entry is not in the file yet holds already",
		file: file("backlog", "", longAgo),
		next: under(done, lease(claude, there, time.Minute)),
		how:  "claimed", who: claude},
	{name: "a release under way whose entry is in the file",
		file:  file("backlog", "", longAgo, done),
		state: &session.State{Lease: lease(claude, here, time.Minute)},
		next:  under(done, nil)},
	{name: "a release under way whose entry is not in the file yet leaves the claim",
		file:  file("backlog", claude, longAgo),
		state: &session.State{Lease: lease(claude, here, time.Minute)},
		next:  under(done, nil),
		how:   "claimed", who: claude},
	{name: "a move under way whose entry is not in the file yet puts nobody behind",
		file: file("backlog", "", longAgo),
		next: under(done, nil, progress("done", done))},
	{name: "after a takeover the new holder holds",
		file:  file("in_progress", gemini, longAgo, toHolder(gemini, gemini, time.Minute)),
		state: &session.State{Lease: lease(claude, there, 5*time.Hour)},
		next:  under(toHolder(gemini, gemini, time.Minute), lease(gemini, here, time.Minute)),
		how:   "claimed", who: gemini},
}

func TestHolder(t *testing.T) {
	for _, tt := range holderTests {
		t.Run(tt.name, func(t *testing.T) {
			live := session.Live{State: tt.state, Next: tt.next, Beat: tt.beat, ClaimTTL: ttl, StaleAfter: stale}
			got := session.Holder(tt.file, live, now)
			if howOf(got) != tt.how || got.Actor != tt.who || got.Lapsed != tt.lapsed {
				t.Errorf("got %q by %q, lapsed %v; want %q by %q, lapsed %v",
					howOf(got), got.Actor, got.Lapsed, tt.how, tt.who, tt.lapsed)
			}
		})
	}
}

// A hold says where the work goes on, and until when.
func TestHolderNamesThePlaceAndTheTime(t *testing.T) {
	live := session.Live{ClaimTTL: ttl, StaleAfter: stale}

	live.State = &session.State{Lease: lease(claude, there, time.Hour)}
	claimed := session.Holder(file("backlog", claude, longAgo), live, now)
	if claimed.Worktree != there || claimed.Branch != "fix" || !claimed.Until.Equal(ago(time.Hour).Add(ttl)) {
		t.Errorf("a claim is %+v", claimed)
	}

	live.State = &session.State{Progress: []session.Progress{progress("in_review", done)}}
	behind := session.Holder(file("backlog", "", longAgo), live, now)
	if behind.Worktree != there || behind.Branch != "fix" || behind.Status != "in_review" {
		t.Errorf("work elsewhere is %+v", behind)
	}

	live.State = &session.State{Lease: lease(shah, here, time.Hour)}
	if person := session.Holder(file("backlog", shah, longAgo), live, now); !person.Until.IsZero() {
		t.Errorf("a person's claim ends at %v", person.Until)
	}
}

// claimed is a hold by a live claim from a worktree.
func claimed(who record.Actor, worktree string) session.Claim {
	return session.Claim{Source: session.FromClone, Actor: who, Worktree: worktree, Branch: "fix"}
}

func expired(h session.Claim) session.Claim {
	h.Expired, h.Lapsed = true, true
	return h
}

func stalled(h session.Claim) session.Claim {
	h.Session, h.Lapsed = "ses-1", true
	return h
}

var (
	nobody     = session.Claim{}
	byFile     = session.Claim{Source: session.FromFile, Actor: claude}
	isBehind   = session.Claim{Source: session.FromClone, Ahead: true, Worktree: there, Branch: "fix", Status: "in_review"}
	detached   = session.Claim{Source: session.FromClone, Actor: claude, Worktree: there}
	noWorktree = session.Claim{Source: session.FromClone, Ahead: true, Branch: "fix", Status: "done"}
)

// Whether an actor who asks from the worktree "here" may take a task, and the refusal if not.
// gone is a hold whose worktree is gone.
func gone(h session.Claim) session.Claim {
	h.Worktree, h.Gone, h.Lapsed = "", true, true
	return h
}

// Whether an actor who asks from the worktree "here" may take a task, and why not.
var refuseTests = []struct {
	name     string
	hold     session.Claim
	who      record.Actor
	takeover bool
	want     record.Code
	says     string
}{
	{name: "a free task", hold: nobody, who: claude},
	{name: "one's own", hold: claimed(claude, here), who: claude},
	{name: "another's", hold: claimed(gemini, here), who: claude,
		want: record.AlreadyClaimed, says: "held by agent:gemini on branch fix, worktree pay"},
	{name: "another's, for a person", hold: claimed(gemini, here), who: shah,
		want: record.AlreadyClaimed, says: "held by agent:gemini"},
	{name: "another's who has not begun, for a person", hold: session.Claim{Source: session.FromFile, Actor: gemini}, who: shah,
		want: record.AlreadyClaimed, says: "assigned to agent:gemini, who has not begun it"},
	{name: "another's is not taken over while it lives", hold: claimed(gemini, here), who: claude, takeover: true,
		want: record.AlreadyClaimed, says: "held by agent:gemini"},

	{name: "one's own from another worktree", hold: claimed(claude, there), who: claude,
		want: record.AlreadyClaimed, says: "held by agent:claude-1 on branch fix, worktree pay-fix"},
	{name: "one's own from another worktree, without a branch", hold: detached, who: claude,
		want: record.AlreadyClaimed, says: "worktree pay-fix"},
	{name: "a person holds in every worktree", hold: claimed(shah, there), who: shah},
	{name: "one's own by the file alone, from another clone", hold: byFile, who: claude},
	{name: "another's by the file alone", hold: byFile, who: gemini,
		want: record.AlreadyClaimed, says: "held by agent:claude-1"},

	{name: "another's that expired", hold: expired(claimed(gemini, there)), who: claude,
		want: record.AlreadyClaimed, says: "without a sign of life"},
	{name: "another's that expired, with takeover", hold: expired(claimed(gemini, there)), who: claude, takeover: true},
	{name: "another's that stalled", hold: stalled(claimed(gemini, there)), who: claude,
		want: record.AlreadyClaimed, says: "without a sign of life"},
	{name: "another's that stalled, with takeover", hold: stalled(claimed(gemini, there)), who: claude, takeover: true},
	{name: "one's own that expired is taken up again", hold: expired(claimed(claude, here)), who: claude},
	{name: "one's own that expired in another worktree", hold: expired(claimed(claude, there)), who: claude,
		want: record.AlreadyClaimed, says: "without a sign of life"},
	{name: "one's own from a worktree that is gone", hold: gone(claimed(claude, there)), who: claude,
		want: record.AlreadyClaimed, says: "held by agent:claude-1 on branch fix, without a sign of life"},
	{name: "one's own from a worktree that is gone, with takeover", hold: gone(claimed(claude, there)), who: claude, takeover: true},
	{name: "a person's own from a worktree that is gone", hold: gone(claimed(shah, there)), who: shah},

	{name: "carried further elsewhere", hold: isBehind, who: claude,
		want: record.Elsewhere, says: "in_review on branch fix, worktree pay-fix"},
	{name: "carried further elsewhere, for a person", hold: isBehind, who: shah,
		want: record.Elsewhere, says: "in_review on branch fix, worktree pay-fix"},
	{name: "carried further on a branch", hold: noWorktree, who: claude,
		want: record.Elsewhere, says: "done on branch fix"},
	{name: "carried further elsewhere, with takeover", hold: isBehind, who: claude, takeover: true},
}

func TestRefuse(t *testing.T) {
	for _, tt := range refuseTests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.hold.Refuse("PROJ-7", tt.who, here, tt.takeover)
			if record.CodeOf(err) != tt.want {
				t.Fatalf("refused with %v, want %q", err, tt.want)
			}
			if err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("says %q, not %q", err, tt.says)
			}
		})
	}
}

// What an actor may write to a task that another holds: what adds to it, and a takeover.
func TestRefuseMove(t *testing.T) {
	to := func(e record.Entry) record.Entry { e.To = "done"; return e }
	taken := claimed(gemini, there)
	taken.Taken = true
	lapsed := stalled(taken)
	for _, tt := range []struct {
		name    string
		hold    session.Claim
		by      record.Entry
		refused bool
	}{
		{"a move", taken, to(entry(claude, 0, record.Transitioned)), true},
		{"a move by the holder", taken, to(entry(gemini, 0, record.Transitioned)), false},
		{"an update that moves", taken, to(entry(claude, 0, record.Updated)), true},
		{"an update that does not", taken, entry(claude, 0, record.Updated), false},
		{"giving it to another", taken, toHolder(claude, shah, 0), true},
		{"a release", taken, entry(claude, 0, record.Released), true},
		{"an end of the attempt", taken, entry(claude, 0, record.Canceled), true},
		{"a rejection of what was not handed over", taken, entry(claude, 0, record.Rejected), true},
		{"a note", taken, entry(claude, 0, record.Noted), false},
		{"a takeover", lapsed, entry(claude, 0, record.TakenOver), false},
		{"a move of what lapsed", lapsed, to(entry(claude, 0, record.Transitioned)), true},
		{"a move of what was only given to another", claimed(gemini, there), to(entry(claude, 0, record.Transitioned)), false},
		{"a move of what the file alone says another has", byFile, to(entry(gemini, 0, record.Transitioned)), false},
		{"a move of what expired", expired(taken), to(entry(claude, 0, record.Transitioned)), false},
	} {
		err := tt.hold.RefuseMove("PROJ-7", tt.by)
		if refused := record.CodeOf(err) == record.NotYours; refused != tt.refused {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// What lapsed is offered for a takeover in words; nothing else is.
func TestTakeoverIsHintedOnlyWhereItWorks(t *testing.T) {
	for _, tt := range refuseTests {
		if tt.want != record.AlreadyClaimed || tt.takeover {
			continue
		}
		var refusal *record.Error
		if !errors.As(tt.hold.Refuse("PROJ-7", tt.who, here, false), &refusal) {
			t.Fatalf("%s: not refused", tt.name)
		}
		if offered := strings.Contains(refusal.Hint.String(), "takeover: true"); offered != tt.hold.Lapsed {
			t.Errorf("%s: hint %q", tt.name, refusal.Hint)
		}
	}
}

// The file decides what a reader takes for known while a write is under way: what the write makes of it, once the file
// has the write's entry.
func TestSeen(t *testing.T) {
	before := &session.State{Ref: record.ID("PROJ-7").Ref(), Lease: lease(claude, there, time.Hour), Progress: []session.Progress{progress("backlog", noted)}}
	next := under(done, lease(gemini, here, 0), progress("in_progress", done))
	for _, tt := range []struct {
		name string
		live session.Live
		file record.Header
		want *session.State
	}{
		{"the entry is in the file", session.Live{State: before, Next: next}, file("in_progress", gemini, done), next},
		{"the entry is not in the file", session.Live{State: before, Next: next}, file("backlog", claude), before},
		{"no write is under way", session.Live{State: before}, file("in_progress", gemini, done), before},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.live.Seen(tt.file); got.State != tt.want || got.Next != nil {
				t.Errorf("got %+v, want the state %+v", got, tt.want)
			}
		})
	}
}

// What a write leaves known of how far a task is. The file has the move to done, and not the one that put the task in
// review.
func TestAfter(t *testing.T) {
	finished := entry(gemini, time.Minute, record.Finished)
	has, lacks := progress("done", done), progress("in_review", finished)
	before := session.State{Ref: record.ID("PROJ-7").Ref(), Progress: []session.Progress{has, lacks}}
	for _, tt := range []struct {
		name      string
		file      record.Header
		to        record.Status
		supersede bool
		there     bool            // the write is made where the progress was
		want      []record.Status // the newest last
	}{
		{name: "a note leaves it as it is", file: file("done", "", longAgo, done), to: "done",
			want: []record.Status{"done", "in_review"}},
		{name: "a move stands for those before it that the file has", file: file("done", "", longAgo, done), to: "backlog",
			want: []record.Status{"in_review", "backlog"}},
		{name: "a move of a file that has none of them is one more", file: file("backlog", "", longAgo), to: "in_progress",
			want: []record.Status{"done", "in_review", "in_progress"}},
		{name: "a takeover gives up what the file lacks", file: file("done", "", longAgo, done), to: "done", supersede: true,
			want: []record.Status{"done", "done"}},
		{name: "a takeover that moves", file: file("done", "", longAgo, done), to: "in_progress", supersede: true,
			want: []record.Status{"in_progress"}},
		{name: "a takeover that gives up nothing", file: file("done", "", longAgo, done, finished), to: "done", supersede: true,
			want: []record.Status{"done", "in_review"}},
		{name: "what git took away is forgotten where it was written", file: file("done", "", longAgo, done), to: "done", there: true,
			want: []record.Status{"done"}},
		{name: "the first state of a new task is not ahead of anybody", to: "backlog",
			want: []record.Status{"done", "in_review"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			made := progress(tt.to, noted)
			if !tt.there {
				made.Worktree, made.Branch = here, "main"
			}
			after := before.After(tt.file, made, lease(gemini, here, 0), tt.supersede)
			var got []record.Status
			for _, p := range after.Progress {
				got = append(got, p.Status)
			}
			if after.Lease.Actor != gemini || after.Entry != made.Entry || after.Ref != before.Ref {
				t.Errorf("got the state %+v", after)
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got progress %q, want %q", got, tt.want)
			}
		})
	}
}

// Work on a branch that is gone is not to be had by switching to it: the refusal leads to what lets go of it.
func TestRefuseLeadsToDoctorWhereTheBranchIsGone(t *testing.T) {
	for gone, want := range map[bool]string{true: "a person runs doctor with fix true", false: "merge that work here"} {
		hold := session.Claim{Source: session.FromClone, Ahead: true, Status: "done", Branch: "fix", Worktree: there, NoBranch: gone}
		var refusal *record.Error
		if err := hold.Refuse("PROJ-7", claude, here, false); !errors.As(err, &refusal) || refusal.Code != record.Elsewhere {
			t.Fatalf("refused with %v", err)
		}
		if !strings.Contains(refusal.Hint.String(), want) {
			t.Errorf("the branch is gone: %v; hint %q", gone, refusal.Hint)
		}
	}
}

// A state remembers the sessions whose lease ended, the newest of them.
func TestEndedSessions(t *testing.T) {
	var state session.State
	for i := range 20 {
		l := lease(claude, here, 0)
		l.Session = fmt.Sprintf("ses-%d", i)
		state = state.WithLease(l).WithLease(l) // which is the same one still
	}
	state = state.WithLease(nil)
	if n := len(state.Ended); n != 16 || state.Ended[0] != "ses-4" || state.Ended[n-1] != "ses-19" || state.Lease != nil {
		t.Errorf("got %d sessions that ended: %q", n, state.Ended)
	}
}

// howOf says in a word how a record is held.
func howOf(c session.Claim) string {
	switch {
	case c.Ahead:
		return "behind"
	case c.Live():
		return "claimed"
	case c.Holds():
		return "assigned"
	default:
		return ""
	}
}
