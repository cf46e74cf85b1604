package session_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
)

// attempt is a session of claude on PROJ-7 that began a day ago.
func attempt(status session.Status) session.Session {
	return session.Session{ID: "ses-1", Task: "PROJ-7", Actor: claude, Status: status, StartedAt: ago(24 * time.Hour)}
}

func began(ses string, d time.Duration) record.Entry {
	e := entry(claude, d, record.Began)
	e.Session = ses
	return e
}

// How a session is doing, from its record, the task, the newest heartbeat and the clock.
var healthTests = []struct {
	name    string
	session session.Session
	about   record.Header
	beat    *session.Heartbeat
	want    session.Health
}{
	{"a heartbeat a minute ago", attempt(session.Active),
		file("in_progress", claude, began("ses-1", 24*time.Hour)), beat(time.Minute), session.Alive},
	{"a heartbeat exactly as old as allowed", attempt(session.Active),
		file("in_progress", claude, began("ses-1", 24*time.Hour)), beat(stale), session.Alive},
	{"no heartbeat for too long", attempt(session.Active),
		file("in_progress", claude, began("ses-1", 24*time.Hour)), beat(stale + time.Second), session.Stalled},
	{"an entry of its actor is a sign of life", attempt(session.Active),
		file("in_progress", claude, began("ses-1", 24*time.Hour), entry(claude, time.Minute, record.Noted)), beat(time.Hour), session.Alive},
	{"an entry of somebody else is none", attempt(session.Active),
		file("in_progress", claude, began("ses-1", 24*time.Hour), entry(shah, time.Minute, record.Noted)), beat(time.Hour), session.Stalled},
	{"from another clone the newest entry speaks", attempt(session.Active),
		file("in_progress", claude, began("ses-1", time.Minute)), nil, session.Alive},
	{"without any sign the beginning counts", attempt(session.Active),
		file("in_progress", claude), nil, session.Stalled},

	{"finished, and the task is in review", attempt(session.Finished),
		file("in_review", claude, began("ses-1", 24*time.Hour)), nil, session.AwaitingReview},
	{"finished, and the task went on", attempt(session.Finished),
		file("done", claude, began("ses-1", 24*time.Hour)), nil, session.Ended},
	{"finished, and another attempt followed", attempt(session.Finished),
		file("in_review", claude, began("ses-1", 24*time.Hour), began("ses-2", time.Hour)), nil, session.Ended},
	{"finished, and the task is not to be found", attempt(session.Finished), record.Header{}, nil, session.Ended},
	{"canceled, while the task is in review", attempt(session.Canceled),
		file("in_review", claude, began("ses-1", 24*time.Hour)), nil, session.Ended},
	{"abandoned by a takeover", attempt(session.Abandoned),
		file("in_progress", gemini, began("ses-1", 24*time.Hour)), beat(time.Minute), session.Ended},
}

func TestHealth(t *testing.T) {
	for _, tt := range healthTests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.session.Health(tt.about, "in_review", tt.beat, stale, now); got != tt.want {
				t.Errorf("is %q, want %q", got, tt.want)
			}
		})
	}
}

// Who may go on in a session.
var usableTests = []struct {
	name    string
	session session.Session
	who     record.Actor
	want    record.Code
}{
	{"its actor, while it is active", attempt(session.Active), claude, ""},
	{"somebody else", attempt(session.Active), gemini, record.NotYours},
	{"a person", attempt(session.Active), shah, record.NotYours},
	{"its actor, after finish", attempt(session.Finished), claude, record.SessionEnded},
	{"its actor, after cancel", attempt(session.Canceled), claude, record.SessionEnded},
	{"its actor, after a takeover", attempt(session.Abandoned), claude, record.SessionEnded},
	{"somebody else, after finish", attempt(session.Finished), gemini, record.NotYours},
}

func TestUsable(t *testing.T) {
	for _, tt := range usableTests {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.session.Usable(tt.who); record.CodeOf(err) != tt.want {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// A session ends with a summary if it was finished, and with a reason if not.
func TestEnd(t *testing.T) {
	at := now.Add(1500 * time.Millisecond).In(time.FixedZone("", 3600))

	finished := attempt(session.Active).End(session.Finished, record.Stamp{Who: claude, At: at, Text: "keys are stored"})
	if finished.Status != session.Finished || finished.Summary != "keys are stored" || finished.Reason != "" {
		t.Errorf("finished: %+v", finished)
	}
	if want := now.Add(time.Second); finished.EndedAt != want {
		t.Errorf("ended at %v, want whole seconds of UTC: %v", finished.EndedAt, want)
	}
	for _, status := range []session.Status{session.Canceled, session.Abandoned} {
		ended := attempt(session.Active).End(status, record.Stamp{Who: shah, At: at, Text: "no access"})
		if ended.Status != status || ended.Reason != "no access" || ended.Summary != "" {
			t.Errorf("%s: %+v", status, ended)
		}
	}
}

// A session's own provenance says by whom and when it began and ended. One that was written without any gains the end
// alone.
func TestSessionProvenance(t *testing.T) {
	begins := record.Stamp{Who: claude, At: ago(time.Hour), Session: "ses-1", Key: "k"}
	ends := record.Stamp{Who: shah, At: now, Text: "taken over", Session: "ses-1"}
	began := record.Entry{Who: claude, At: ago(time.Hour), Did: record.Began, Key: "k"}
	ended := record.Entry{Who: shah, At: now, Did: record.Abandoned, From: "active", To: "abandoned", Text: "taken over"}

	made := session.New(session.Session{ID: "ses-1", Task: "PROJ-7", Actor: claude}, begins)
	if made.Status != session.Active || !made.StartedAt.Equal(begins.At) {
		t.Errorf("made %+v", made)
	}
	for _, tt := range []struct {
		name string
		was  session.Session
		want record.Log
	}{
		{"one with provenance", made, record.Log{began, ended}},
		{"one of an earlier program", attempt(session.Active), record.Log{ended}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			over := tt.was.End(session.Abandoned, ends)
			if !slices.EqualFunc(over.Provenance, tt.want, record.Entry.Equal) {
				t.Errorf("got %+v, want %+v", over.Provenance, tt.want)
			}
			if h := over.Header(); h.Ref.String() != "session ses-1" || h.Status != "abandoned" || len(h.Log) != len(tt.want) {
				t.Errorf("the header is %+v", h)
			}
			again := tt.was.EndAs(over)
			if !reflect.DeepEqual(again, over) || !reflect.DeepEqual(again.EndAs(over), over) || reflect.DeepEqual(again, tt.was) {
				t.Errorf("ended as the other: %+v, want %+v", again, over)
			}
		})
	}
}

var idTests = []struct {
	name, id string
	ok       bool
}{
	{"a minted one", "ses-01j8x2k7q7f3az", true},
	{"one with more dashes", "ses-20260621T100000-1a2b", true},
	{"one of the original cairn", "ses_0275164806eb8ffcd2ce900a", true},
	{"nothing", "", false},
	{"a task's", "PROJ-1", false},
	{"a path", "ses-1/../../config", false},
	{"a word", "ses", false},
	{"one that begins with a longer word", "sesame-1", false},
	{"a path behind the original's prefix", "ses_/../config", false},
	{"the original's prefix alone", "ses_", false},
	{"one of the original that is too long", "ses_" + strings.Repeat("x", 80), false},
	{"a line end behind it", "ses_1\n", false},
	{"one that is too long", "ses-" + strings.Repeat("x", 80), false},
}

func TestParseID(t *testing.T) {
	for _, tt := range idTests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := session.ParseID(tt.id)
			if ok := err == nil && got == tt.id; ok != tt.ok {
				t.Errorf("ParseID(%q) = %q, %v", tt.id, got, err)
			}
		})
	}
}

// A remembered call may be about a session with an id of either form, and about a proposal.
func TestParseKey(t *testing.T) {
	for id, want := range map[string]bool{
		"ses-1": true, "ses_0123456789abcdef01234567": true, "plan-1": true, "": true, "../ses-1": false, "ses_": false,
	} {
		_, err := session.ParseKey([]byte(`{"call": "c0ffee", "session": "`+id+`"}`), "c0ffee")
		if (err == nil) != want {
			t.Errorf("%q: got the error %v, want one: %t", id, err, !want)
		}
	}
}
