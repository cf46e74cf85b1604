package task_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/task"
)

// An entry never lies before the one above it, whatever the clock says.
func TestOrderOfEntries(t *testing.T) {
	for _, tt := range []struct {
		name string
		at   time.Time
		want time.Time
	}{
		{"a clock that goes on", now.Add(time.Minute), now.Add(time.Minute)},
		{"a clock that stands still", now, now},
		{"a clock that runs behind", now.Add(-time.Hour), now},
		{"parts of a second are dropped", now.Add(1999 * time.Millisecond), now.Add(time.Second)},
		{"another time zone is written as UTC", now.Add(time.Hour).In(time.FixedZone("", 7200)), now.Add(time.Hour)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := task.Task{}.With(task.Entry{Who: shah, At: now, Did: task.Created})
			after := before.With(task.Entry{Who: claude, At: tt.at, Did: task.Noted})
			if got := after.Provenance.Last().At; got != tt.want {
				t.Errorf("stands at %v, want %v", got, tt.want)
			}
		})
	}
}

// Two writes from the same revision never share the space behind its entries.
func TestWithLeavesTheOldValueAlone(t *testing.T) {
	base := task.Task{}
	for range 5 {
		base = base.With(task.Entry{Who: shah, At: now, Did: task.Noted})
	}
	one := base.With(task.Entry{Who: claude, At: now, Did: task.Noted, Text: "one"})
	two := base.With(task.Entry{Who: claude, At: now, Did: task.Noted, Text: "two"})
	if len(base.Provenance) != 5 || one.Provenance.Last().Text != "one" || two.Provenance.Last().Text != "two" {
		t.Errorf("one write shows in the other: %q, %q", one.Provenance.Last().Text, two.Provenance.Last().Text)
	}
}

// unhashed is a result from before results named their checks: of all that were run, or of the one with an index.
func unhashed(check string, r task.Result) []task.CheckResult {
	return []task.CheckResult{{Check: check, Result: r, Unhashed: true}}
}

// An attestation of the original names in its text the check that it is about.
func TestReadDidOfAnAttestation(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []task.CheckResult
	}{
		{"check 1 pass", unhashed("1", task.Pass)},
		{"check 0 fail", unhashed("0", task.Fail)},
		{"read it", unhashed("*", task.Pass)},
		{"", unhashed("*", task.Pass)},
	} {
		got := task.Entry{Text: tt.text}
		got.ReadDid("attested")
		if want := (task.Entry{Old: true, Did: task.Attested, Text: tt.text, Results: tt.want}); !reflect.DeepEqual(got, want) {
			t.Errorf("%q reads as %+v, want %+v", tt.text, got, want)
		}
	}
}

// The wordings of the original cairn are read as today's kinds.
func TestReadDid(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       task.Entry
	}{
		{"one of today's", "claimed", task.Entry{Did: task.Claimed}},
		{"a note", "note", task.Entry{Old: true, Did: task.Noted}},
		{"a run of all checks", "ran checks",
			task.Entry{Old: true, Did: task.Checked, Results: unhashed("*", task.Pass)}},
		{"one check that passed", "check 2 pass",
			task.Entry{Old: true, Did: task.Checked, Results: unhashed("2", task.Pass)}},
		{"one check that failed", "check 0 fail",
			task.Entry{Old: true, Did: task.Checked, Results: unhashed("0", task.Fail)}},
		{"an attestation", "attested",
			task.Entry{Old: true, Did: task.Attested, Results: unhashed("*", task.Pass)}},
		{"a move", "transitioned to in_review", task.Entry{Old: true, Did: task.Transitioned, To: "in_review"}},
		{"the beginning of a session", "began session ses-1", task.Entry{Old: true, Did: task.Began, Session: "ses-1"}},
		{"a session handed over", "finished session ses_0275164806eb8ffcd2ce900a",
			task.Entry{Old: true, Did: task.Finished, Session: "ses_0275164806eb8ffcd2ce900a"}},
		{"a session given up", "canceled session ses_0275164806eb8ffcd2ce900a",
			task.Entry{Old: true, Did: task.Canceled, Session: "ses_0275164806eb8ffcd2ce900a"}},
		{"a session given up, spelled otherwise", "cancelled session ses-1", task.Entry{Old: true, Did: task.Canceled, Session: "ses-1"}},
		{"a session that something else happened to", "paused session ses-1", task.Entry{Did: "paused session ses-1"}},
		{"a session that is named twice", "began session ses-1 ses-2", task.Entry{Did: "began session ses-1 ses-2"}},
		{"a check of no index", "check mate now", task.Entry{Did: "check mate now"}},
		{"a check of a negative index", "check -1 pass", task.Entry{Did: "check -1 pass"}},
		{"words that nobody knows are kept", "moved the couch", task.Entry{Did: "moved the couch"}},
		{"nothing", "", task.Entry{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got task.Entry
			got.ReadDid(tt.text)
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%q reads as %+v, want %+v", tt.text, got, tt.want)
			}
		})
	}
}

// Results that an entry names itself count for more than what its wording implies.
func TestReadDidKeepsResultsThatAreThere(t *testing.T) {
	e := attested(read, task.Fail)
	e.ReadDid("attested")
	if !reflect.DeepEqual(e.Results, results(read, task.Fail)) {
		t.Errorf("results are %+v", e.Results)
	}
}

// Evidence is the newest entry that speaks of a check.
func TestEvidence(t *testing.T) {
	of := task.Task{
		ID: "A-1", Checks: []task.Check{suite, read, lint},
		Provenance: []task.Entry{
			legacy("ran checks"),
			{Who: claude, At: now, Did: task.Checked, Commit: "abc", Tree: "t1", Results: results(suite, task.Fail)},
			{Who: gemini, At: now, Did: task.Noted, Text: "looks fine"},
		},
	}
	newest, ok := of.Evidence(0)
	if want := (task.Evidence{Entry: 1, Result: task.Fail, Who: claude, At: now, Commit: "abc", Tree: "t1", Hashed: true}); !ok || newest != want {
		t.Errorf("evidence of the suite is %+v", newest)
	}
	if old, ok := of.Evidence(2); !ok || old.Hashed || old.Result != task.Pass {
		t.Errorf("evidence from before hashes is %+v", old)
	}
	if none, ok := of.Evidence(1); ok {
		t.Errorf("a run accounts for a manual check: %+v", none)
	}
}

// The hash of an entry tells two entries apart by everything they say, and by nothing else.
func TestEntryHash(t *testing.T) {
	nobody, somebody := task.Actor(""), claude
	base := task.Entry{Who: claude, At: now, Did: task.Noted}
	other := map[string]task.Entry{
		"who":          {Who: gemini, At: now, Did: task.Noted},
		"at":           {Who: claude, At: now.Add(time.Second), Did: task.Noted},
		"did":          {Who: claude, At: now, Did: task.Checked},
		"from":         {Who: claude, At: now, Did: task.Noted, From: "backlog"},
		"to":           {Who: claude, At: now, Did: task.Noted, To: "backlog"},
		"assignee":     {Who: claude, At: now, Did: task.Noted, Assignee: &somebody},
		"let go":       {Who: claude, At: now, Did: task.Noted, Assignee: &nobody},
		"results":      {Who: claude, At: now, Did: task.Noted, Results: results(suite, task.Pass)},
		"other result": {Who: claude, At: now, Did: task.Noted, Results: results(suite, task.Fail)},
		"commit":       {Who: claude, At: now, Did: task.Noted, Commit: "abc"},
		"tree":         {Who: claude, At: now, Did: task.Noted, Tree: "abc"},
		"checks":       {Who: claude, At: now, Did: task.Noted, Checks: []string{"abc"}},
		"text":         {Who: claude, At: now, Did: task.Noted, Text: "abc"},
		"session":      {Who: claude, At: now, Did: task.Noted, Session: "abc"},
		"key":          {Who: claude, At: now, Did: task.Noted, Key: "abc"},
	}
	seen := map[string]string{base.Hash(): "base"}
	for name, e := range other {
		if twin, clash := seen[e.Hash()]; clash {
			t.Errorf("an entry that differs in %s hashes like %s", name, twin)
		}
		seen[e.Hash()] = name
	}
	local := base
	local.At = now.In(time.FixedZone("", 3600))
	if local.Hash() != base.Hash() {
		t.Error("the same moment in another time zone hashes differently")
	}
}

func TestHas(t *testing.T) {
	one, two := ran(suite, task.Pass), ran(suite, task.Fail)
	of := task.Task{Provenance: []task.Entry{one}}
	if !of.Provenance.Has(one.Hash()) || of.Provenance.Has(two.Hash()) || of.Provenance.Has("") {
		t.Error("a task has the entries that it has, and no others")
	}
}

// The last session of a task is the newest one about it. What was written under another session tells of that session nothing.
func TestLastSession(t *testing.T) {
	of := task.Task{Provenance: []task.Entry{
		{Did: task.Began, Session: "ses-1"}, {Did: task.Began, Session: "ses-2"}, {Did: task.Noted, Session: "ses-9"}, {Did: task.Claimed, Session: "ses-8"},
		{Did: task.Transitioned, Session: "ses-7"}, {Did: task.TakenOver},
	}}
	if got := of.Provenance.LastSession(); got != "ses-2" {
		t.Errorf("the last session is %q", got)
	}
	if got := (task.Task{}).Provenance.LastSession(); got != "" {
		t.Errorf("without entries it is %q", got)
	}
}

func TestNewestBy(t *testing.T) {
	of := task.Task{Provenance: []task.Entry{
		{Who: claude, At: now}, {Who: claude, At: now.Add(time.Minute)}, {Who: shah, At: now.Add(time.Hour)},
	}}
	if got := of.Provenance.NewestBy(claude); !got.Equal(now.Add(time.Minute)) {
		t.Errorf("the newest entry of %s is of %v", claude, got)
	}
	if got := of.Provenance.NewestBy(gemini); !got.IsZero() {
		t.Errorf("of somebody who wrote nothing it is of %v", got)
	}
}

func TestValidText(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		ok         bool
	}{
		{"nothing", "", true},
		{"several lines", "one\ntwo\n", true},
		{"blanks and line ends", " \t\n", false},
		{"spaces of other scripts", "\u00a0\u3000\u2028", false},
		{"characters without a shape", "\u200b\ufeff\u2060", false},
		{"a mark between them", "\u200b!", true},
		{"as long as may be", strings.Repeat("x", task.MaxText), true},
		{"a byte longer", strings.Repeat("x", task.MaxText+1), false},
		{"no text", "\xff\xfe", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := task.ValidText("reason", tt.text); (err == nil) != tt.ok {
				t.Error(err)
			}
		})
	}
}
