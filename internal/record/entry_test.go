package record_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// unhashed is a result from before results named their checks: of all that were run, or of the one with an index.
func unhashed(check string, r record.Result) []record.CheckResult {
	return []record.CheckResult{{Check: check, Result: r, Unhashed: true}}
}

// An attestation of the original names in its text the check that it is about.
// suiteIs are results that name a check.
func suiteIs(r record.Result) []record.CheckResult {
	return []record.CheckResult{{Check: "suite", Result: r}}
}

func TestReadDidOfAnAttestation(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []record.CheckResult
	}{
		{"check 1 pass", unhashed("1", record.Pass)},
		{"check 0 fail", unhashed("0", record.Fail)},
		{"read it", unhashed("*", record.Pass)},
		{"", unhashed("*", record.Pass)},
	} {
		got := record.Entry{Text: tt.text}
		got.ReadDid("attested")
		if want := (record.Entry{Old: true, Did: record.Attested, Text: tt.text, Results: tt.want}); !reflect.DeepEqual(got, want) {
			t.Errorf("%q reads as %+v, want %+v", tt.text, got, want)
		}
	}
}

// The wordings of the original cairn are read as today's kinds.
func TestReadDid(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       record.Entry
	}{
		{"one of today's", "claimed", record.Entry{Did: record.Claimed}},
		{"a note", "note", record.Entry{Old: true, Did: record.Noted}},
		{"a run of all checks", "ran checks",
			record.Entry{Old: true, Did: record.Checked, Results: unhashed("*", record.Pass)}},
		{"one check that passed", "check 2 pass",
			record.Entry{Old: true, Did: record.Checked, Results: unhashed("2", record.Pass)}},
		{"one check that failed", "check 0 fail",
			record.Entry{Old: true, Did: record.Checked, Results: unhashed("0", record.Fail)}},
		{"an attestation", "attested",
			record.Entry{Old: true, Did: record.Attested, Results: unhashed("*", record.Pass)}},
		{"a move", "transitioned to in_review", record.Entry{Old: true, Did: record.Transitioned, To: "in_review"}},
		{"the beginning of a session", "began session ses-1", record.Entry{Old: true, Did: record.Began, Session: "ses-1"}},
		{"a session handed over", "finished session ses_0275164806eb8ffcd2ce900a",
			record.Entry{Old: true, Did: record.Finished, Session: "ses_0275164806eb8ffcd2ce900a"}},
		{"a session given up", "canceled session ses_0275164806eb8ffcd2ce900a",
			record.Entry{Old: true, Did: record.Canceled, Session: "ses_0275164806eb8ffcd2ce900a"}},
		{"a session given up, spelled otherwise", "cancelled session ses-1", record.Entry{Old: true, Did: record.Canceled, Session: "ses-1"}},
		{"a session that something else happened to", "paused session ses-1", record.Entry{Did: "paused session ses-1"}},
		{"a session that is named twice", "began session ses-1 ses-2", record.Entry{Did: "began session ses-1 ses-2"}},
		{"a check of no index", "check mate now", record.Entry{Did: "check mate now"}},
		{"a check of a negative index", "check -1 pass", record.Entry{Did: "check -1 pass"}},
		{"words that nobody knows are kept", "moved the couch", record.Entry{Did: "moved the couch"}},
		{"nothing", "", record.Entry{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got record.Entry
			got.ReadDid(tt.text)
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%q reads as %+v, want %+v", tt.text, got, tt.want)
			}
		})
	}
}

// Results that an entry names itself count for more than what its wording implies.
func TestReadDidKeepsResultsThatAreThere(t *testing.T) {
	e := record.Entry{Results: suiteIs(record.Fail)}
	e.ReadDid("attested")
	if e.Did != record.Attested || !reflect.DeepEqual(e.Results, suiteIs(record.Fail)) {
		t.Errorf("results are %+v", e.Results)
	}
}

// The hash of an entry tells two entries apart by everything they say, and by nothing else.
func TestEntryHash(t *testing.T) {
	nobody, somebody := record.Actor(""), claude
	base := record.Entry{Who: claude, At: now, Did: record.Noted}
	other := map[string]record.Entry{
		"who":          {Who: gemini, At: now, Did: record.Noted},
		"at":           {Who: claude, At: now.Add(time.Second), Did: record.Noted},
		"did":          {Who: claude, At: now, Did: record.Checked},
		"from":         {Who: claude, At: now, Did: record.Noted, From: "backlog"},
		"to":           {Who: claude, At: now, Did: record.Noted, To: "backlog"},
		"assignee":     {Who: claude, At: now, Did: record.Noted, Assignee: &somebody},
		"let go":       {Who: claude, At: now, Did: record.Noted, Assignee: &nobody},
		"results":      {Who: claude, At: now, Did: record.Noted, Results: suiteIs(record.Pass)},
		"other result": {Who: claude, At: now, Did: record.Noted, Results: suiteIs(record.Fail)},
		"commit":       {Who: claude, At: now, Did: record.Noted, Commit: "abc"},
		"tree":         {Who: claude, At: now, Did: record.Noted, Tree: "abc"},
		"checks":       {Who: claude, At: now, Did: record.Noted, Checks: []string{"abc"}},
		"text":         {Who: claude, At: now, Did: record.Noted, Text: "abc"},
		"session":      {Who: claude, At: now, Did: record.Noted, Session: "abc"},
		"key":          {Who: claude, At: now, Did: record.Noted, Key: "abc"},
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

func TestHolderOfAnEntry(t *testing.T) {
	nobody := record.Actor("")
	for _, row := range []struct {
		e    record.Entry
		want record.Actor
		says bool
	}{
		{record.Entry{Who: claude, Did: record.Claimed, Assignee: &[]record.Actor{gemini}[0]}, gemini, true},
		{record.Entry{Who: claude, Did: record.Claimed}, claude, true},
		{record.Entry{Who: claude, Did: record.Began}, claude, true},
		{record.Entry{Who: claude, Did: record.Released}, nobody, true},
		{record.Entry{Who: claude, Did: record.Canceled, Assignee: &nobody}, nobody, true},
		{record.Entry{Who: claude, Did: record.Noted}, nobody, false},
	} {
		if got, says := row.e.Holder(); got != row.want || says != row.says {
			t.Errorf("%+v makes %q the holder (%v)", row.e, got, says)
		}
	}
}
