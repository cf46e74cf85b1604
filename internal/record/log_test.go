package record_test

import (
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

func TestHas(t *testing.T) {
	one, two := record.Entry{Did: record.Checked, Results: suiteIs(record.Pass)}, record.Entry{Did: record.Checked, Results: suiteIs(record.Fail)}
	of := record.Log{one}
	if !of.Has(one.Hash()) || of.Has(two.Hash()) || of.Has("") {
		t.Error("a task has the entries that it has, and no others")
	}
}

// The last session of a task is the newest one about it. What was written under another session tells of that session
// nothing.
func TestLastSession(t *testing.T) {
	of := record.Log{
		{Did: record.Began, Session: "ses-1"}, {Did: record.Began, Session: "ses-2"}, {Did: record.Noted, Session: "ses-9"}, {Did: record.Claimed, Session: "ses-8"},
		{Did: record.Transitioned, Session: "ses-7"}, {Did: record.TakenOver},
	}
	if got := of.LastSession(); got != "ses-2" {
		t.Errorf("the last session is %q", got)
	}
	if got := (record.Log{}).LastSession(); got != "" {
		t.Errorf("without entries it is %q", got)
	}
}

func TestNewestBy(t *testing.T) {
	of := record.Log{{Who: claude, At: now}, {Who: claude, At: now.Add(time.Minute)}, {Who: shah, At: now.Add(time.Hour)}}
	if got := of.NewestBy(claude); !got.Equal(now.Add(time.Minute)) {
		t.Errorf("the newest entry of %s is of %v", claude, got)
	}
	if got := of.NewestBy(gemini); !got.IsZero() {
		t.Errorf("of somebody who wrote nothing it is of %v", got)
	}
}
